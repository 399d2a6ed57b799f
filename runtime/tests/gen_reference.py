#!/usr/bin/env python3
"""Writes reference.tsv: true values of every function of adc-runtime, computed with mpmath.

    pip install mpmath gmpy2
    python3 gen_reference.py [--points 1.0] [--seed 1] [--only name,name] > reference.tsv

`--points` scales the number of points per region. A line without tabs names the function (and perhaps a part of
its domain) of the lines below it: operands, true values (one per component), and one condition number per
component, separated by tabs.

Numbers are `m` or `mpe`: the hexadecimal integer m times 2^e, e decimal, exact for operands and of 60 bits for
values; `-0` is a negative zero. Orders n of `powi polygamma dsinc jn yn` are the first operand.

Condition numbers are componentwise, sum over the parts x of the operands of |x df/dx| / |f|.

A zero imaginary part, which stands for a side of a branch cut, is replaced by +-2^-1200 for mpmath; values
below half the smallest double are written as zeros.
"""
import argparse
import math
import random
import sys

import mpmath as mp
from mpmath import mpc, mpf

# --- functions -------------------------------------------------------------------------------------------


def lgamma(x):
    if x > 0:
        return mp.re(mp.loggamma(x))
    return mp.log(mp.pi / abs(mp.sinpi(x))) - mp.re(mp.loggamma(1 - x))


def polygamma(n, x):
    if n == 0:
        return mp.digamma(x)
    sign = (-1) ** (n + 1)
    if x > 0:
        return sign * mp.factorial(n) * mp.zeta(n + 1, x)
    # The terms above and below zero, each series counted away from zero.
    above = mp.zeta(n + 1, x - mp.floor(x))
    below = mp.zeta(n + 1, mp.ceil(x) - x) - mp.zeta(n + 1, 1 - x)
    return sign * mp.factorial(n) * (above + sign * below)


def dsinc(n, x):
    if x == 0:
        return mpf(0) if n % 2 else mp.pi**n * (-1) ** (n // 2) / mpf(n + 1)
    s, c = mp.sinpi(x), mp.cospi(x)
    t = mp.pi * x
    g = s / t
    for k in range(1, n + 1):
        g = ([s, c, -s, -c][k % 4] - k * g) / t
    return mp.pi**n * g


def softplus(x):
    return mp.log1p(mp.exp(x))


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def dsigmoid(x):
    return 1 / (2 * mp.cosh(x / 2)) ** 2


def asin(z):
    """This and the next by Kahan's formulas: mpmath's own lose small parts beside large ones."""
    a, b = mp.sqrt(1 - z), mp.sqrt(1 + z)
    return mpc(mp.atan(z.real / (a * b).real), mp.asinh((mp.conj(a) * b).imag))


def acos(z):
    a, b = mp.sqrt(1 - z), mp.sqrt(1 + z)
    return mpc(2 * mp.atan(a.real / b.real), mp.asinh((mp.conj(b) * a).imag))


def acosh(z):
    a, b = mp.sqrt(z - 1), mp.sqrt(z + 1)
    return mpc(mp.asinh((mp.conj(a) * b).real), 2 * mp.atan(a.imag / b.real))


def atanh(z):
    x, y = z.real, z.imag
    return mpc(mp.log1p(4 * x / ((1 - x) ** 2 + y * y)) / 4, mp.atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2)


def rotated(f):
    """-i f(i z)"""
    def g(z):
        w = f(mpc(-z.imag, z.real))
        return mpc(w.imag, -w.real)

    return g


REAL = {
    "pow": lambda a, b: a**b,
    "exp": mp.exp,
    "expm1": mp.expm1,
    "exp2": lambda x: mpf(2) ** x,
    "log": mp.log,
    "log2": lambda x: mp.log(x) / mp.ln(2),
    "log10": lambda x: mp.log(x) / mp.ln(10),
    "log1p": lambda x: mp.log(1 + x),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "sinc": lambda x: dsinc(0, x),
    "sigmoid": sigmoid,
    "softplus": softplus,
    "log_sigmoid": lambda x: -softplus(-x),
    "logaddexp": lambda a, b: a + softplus(b - a),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "gamma": mp.gamma,
    "lgamma": lgamma,
    "digamma": mp.digamma,
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x),
    "hypot": lambda a, b: mp.sqrt(a * a + b * b),
    "atan2": lambda a, b: mp.atan2(a, b),
    "sech2": lambda x: mp.sech(x) ** 2,
    "dsigmoid": dsigmoid,
    "floor_mod": lambda a, b: a - b * mp.floor(a / b),
    "powi": lambda n, x: x ** int(n),
    "polygamma": lambda n, x: polygamma(int(n), x),
    "dsinc": lambda n, x: dsinc(int(n), x),
    "jn": lambda n, x: mp.besselj(int(n), x),
    "yn": lambda n, x: mp.bessely(int(n), x),
}

COMPLEX = {
    "div": lambda a, b: a / b,
    "pow": lambda a, b: mp.exp(b * mp.log(a)),
    "recip": lambda z: 1 / z,
    "exp": mp.exp,
    "expm1": lambda z: mp.exp(z) - 1,
    "exp2": lambda z: mp.exp(z * mp.ln(2)),
    "log": mp.log,
    "log2": lambda z: mp.log(z) / mp.ln(2),
    "log10": lambda z: mp.log(z) / mp.ln(10),
    "log1p": lambda z: mp.log(1 + z),
    "sqrt": mp.sqrt,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": asin,
    "acos": acos,
    "atan": rotated(atanh),
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": rotated(asin),
    "acosh": acosh,
    "atanh": atanh,
    "sinc": lambda z: dsinc(0, z),
    "sigmoid": sigmoid,
    "logaddexp": lambda a, b: mp.log(mp.exp(a) + mp.exp(b)),
    "sign": lambda z: z / abs(z),
    "sech2": lambda z: 1 / mp.cosh(z) ** 2,
    "dsigmoid": dsigmoid,
    "cis": lambda z: mp.exp(mpc(-z.imag, z.real)),
    "powi": lambda n, z: z ** int(n),
    "dsinc": lambda n, z: dsinc(int(n), z),
    "abs": lambda z: abs(z),
    "arg": lambda z: mp.arg(z),
}

# --- points ----------------------------------------------------------------------------------------------

rng = random.Random()


def shorten(x):
    """Half of the operands get few significant bits, to keep the table small."""
    if rng.random() < 0.7 and x != 0:
        m, e = math.frexp(x)
        return math.ldexp(round(m * 2**16), e - 16)
    return x


def uniform(a, b):
    return lambda: shorten(rng.uniform(a, b))


def log_uniform(a, b, signed=False):
    def draw():
        x = math.exp(rng.uniform(math.log(a), math.log(b)))
        return shorten(-x if signed and rng.random() < 0.5 else x)

    return draw


def around(centre, near=1e-15, far=0.1):
    """Doubles at logarithmically distributed distances from `centre`."""
    distance = log_uniform(near, far, signed=True)
    return lambda: centre + distance() * (abs(centre) or 1.0)


def choice(*values):
    return lambda: rng.choice(values)


def negated(region):
    return lambda: -region()


TINY = log_uniform(1e-308, 1e-8, signed=True)
HUGE_ANGLE = log_uniform(1e3, 1e300, signed=True)
ANY = log_uniform(1e-305, 1e305, signed=True)
PI = math.pi
small = log_uniform(1e-5, 1, signed=True)

# function -> [(points, operand regions...)]
REAL_POINTS = {
    "pow": [(30, log_uniform(1e-3, 1e3), uniform(-30, 30)), (20, around(1.0), log_uniform(1, 1e12, True)),
            (10, log_uniform(1e-300, 1e300), uniform(-1, 1)), (10, uniform(-9, 0), choice(-3.0, -2.0, 2.0, 3.0, 5.0))],
    "exp": [(30, uniform(-708, 709.7)), (20, uniform(-3, 3)), (10, TINY), (5, uniform(-745, -708))],
    "expm1": [(20, uniform(-40, 709)), (20, uniform(-1, 1)), (15, TINY)],
    "exp2": [(30, uniform(-1022, 1023.9)), (20, uniform(-2, 2)), (10, TINY)],
    "log": [(20, log_uniform(1e-308, 1e308)), (20, uniform(0, 5)), (20, around(1.0))],
    "log2": [(20, log_uniform(1e-308, 1e308)), (20, uniform(0, 5)), (20, around(1.0))],
    "log10": [(20, log_uniform(1e-308, 1e308)), (20, uniform(0, 5)), (20, around(1.0))],
    "log1p": [(20, log_uniform(1e-3, 1e308)), (20, uniform(-1, 1)), (15, TINY), (10, lambda: -1 + log_uniform(1e-16, 1e-2)())],
    "cbrt": [(40, ANY), (20, uniform(-8, 8)), (5, log_uniform(1e-323, 1e-309, True))],
    "sin": [(20, uniform(-10, 10)), (15, HUGE_ANGLE), (10, TINY), (15, around(PI)), (5, around(2 * PI))],
    "cos": [(20, uniform(-10, 10)), (15, HUGE_ANGLE), (10, TINY), (15, around(PI / 2)), (5, around(-1.5 * PI))],
    "tan": [(20, uniform(-10, 10)), (15, HUGE_ANGLE), (10, TINY), (15, around(PI / 2)), (5, around(PI))],
    "asin": [(30, uniform(-1, 1)), (10, TINY), (15, negated(lambda: 1 - log_uniform(1e-16, 0.1)()))],
    "acos": [(30, uniform(-1, 1)), (10, TINY), (15, lambda: 1 - log_uniform(1e-16, 0.1)())],
    "atan": [(30, uniform(-3, 3)), (10, TINY), (15, log_uniform(1, 1e300, True))],
    "sinh": [(30, uniform(-3, 3)), (10, TINY), (15, uniform(-710.4, 710.4))],
    "cosh": [(30, uniform(-3, 3)), (10, TINY), (15, uniform(-710.4, 710.4))],
    "tanh": [(30, uniform(-3, 3)), (10, TINY), (15, uniform(-25, 25))],
    "asinh": [(30, uniform(-3, 3)), (10, TINY), (15, log_uniform(1, 1e300, True)), (20, small)],
    "acosh": [(30, uniform(1, 3)), (15, log_uniform(1, 1e300)), (20, lambda: 1 + log_uniform(1e-15, 1)())],
    "atanh": [(30, uniform(-1, 1)), (10, TINY), (15, lambda: 1 - log_uniform(1e-16, 0.1)()), (20, small)],
    "sinc": [(30, uniform(-4, 4)), (10, TINY), (10, log_uniform(1e-8, 1)), (20, around(1.0)), (5, around(-7.0)),
             (10, log_uniform(10, 1e15, True))],
    "sigmoid": [(30, uniform(-5, 5)), (20, uniform(-744, 744)), (10, TINY)],
    "softplus": [(30, uniform(-5, 5)), (20, uniform(-744, 744)), (10, TINY)],
    "log_sigmoid": [(20, uniform(-5, 5)), (20, uniform(-744, 744)), (10, TINY)],
    "logaddexp": [(30, uniform(-5, 5), uniform(-5, 5)), (15, uniform(-800, 800), uniform(-800, 800)),
                  (15, uniform(-1e-2, 0), uniform(-9, -3)), (10, around(-math.log(2)), choice(-math.log(2)))],
    "erf": [(40, uniform(-3, 3)), (10, uniform(-6, 6)), (10, TINY), (20, small)],
    "erfc": [(40, uniform(-3, 3)), (20, uniform(-6, 26)), (10, TINY)],
    "gamma": [(30, uniform(0, 10)), (20, uniform(10, 171.6)), (10, log_uniform(1e-300, 1)), (20, uniform(-10, 0)),
              (10, uniform(-170, -10)), (10, around(1.0)), (10, around(-3.0)), (5, around(-150.0, 1e-14, 1e-3))],
    "lgamma": [(30, uniform(0, 10)), (10, log_uniform(1e-300, 1)), (15, log_uniform(10, 1e300)), (10, around(1.0)),
               (10, around(2.0)), (20, uniform(-6, 0)), (10, uniform(-50, 0)), (10, around(-2.4570247382208006)),
               (10, around(-2.747682646727413)), (10, around(-3.1435808883499798))],
    "digamma": [(40, uniform(0, 12)), (15, log_uniform(1e-300, 1)), (15, log_uniform(10, 1e300)),
                (20, around(1.4616321449683623)), (5, around(1.0))],
    "digamma.negative": [(20, uniform(-6, 0)), (10, uniform(-50, 0)), (10, around(-0.5040830082644554)),
                         (10, around(-1.5734984731623905)), (10, around(-3.0))],
    "j0": [(30, uniform(-20, 20)), (10, TINY), (20, log_uniform(20, 1e15, True)), (5, log_uniform(1e15, 1e300, True)),
           (10, around(2.404825557695773)), (5, around(5.520078110286311))],
    "j1": [(30, uniform(-20, 20)), (10, TINY), (20, log_uniform(20, 1e15, True)), (5, log_uniform(1e15, 1e300, True)),
           (10, around(3.8317059702075125)), (5, around(7.015586669815619))],
    "y0": [(30, uniform(0, 20)), (10, log_uniform(1e-300, 1)), (20, log_uniform(20, 1e15)), (5, log_uniform(1e15, 1e300)),
           (10, around(0.8935769662791675)), (5, around(3.957678419314858))],
    "y1": [(30, uniform(0, 20)), (10, log_uniform(1e-300, 1)), (20, log_uniform(20, 1e15)), (5, log_uniform(1e15, 1e300)),
           (10, around(2.197141326031017)), (5, around(5.429681040794135))],
    "hypot": [(30, uniform(-5, 5), uniform(-5, 5)), (20, ANY, ANY), (10, log_uniform(1e-320, 1e-300), log_uniform(1e-320, 1e-300)),
              (10, log_uniform(1e307, 1e308), log_uniform(1e307, 1e308))],
    "atan2": [(40, uniform(-5, 5), uniform(-5, 5)), (30, ANY, ANY)],
    "sech2": [(30, uniform(-5, 5)), (20, uniform(-354, 354)), (10, TINY), (5, uniform(354, 372))],
    "dsigmoid": [(30, uniform(-5, 5)), (20, uniform(-708, 708)), (10, TINY), (5, uniform(708, 745))],
    "floor_mod": [(30, uniform(-50, 50), uniform(-5, 5)), (10, log_uniform(1, 1e18, True), uniform(-5, 5)),
                  (10, ANY, log_uniform(1, 1e5, True))],
    "powi": [(40, choice(*range(-20, 21)), uniform(-3, 3)), (10, choice(100, 1000, -1000), around(1.0, 1e-9, 0.1))],
    "polygamma": [(60, choice(1, 2, 3, 4, 5, 7, 10), uniform(0, 12)), (20, choice(1, 2, 3, 6), log_uniform(1e-20, 1)),
                  (20, choice(1, 2, 3, 4, 9), log_uniform(10, 1e15)), (5, choice(1), log_uniform(1e15, 1e300)),
                  (10, choice(20, 50, 100, 200), uniform(1, 200)), (5, choice(0), uniform(0, 5))],
    "polygamma.negative": [(30, choice(1, 2, 3, 4, 5, 10), uniform(-6, 0)), (10, choice(2, 4, 6), around(-1.5)),
                           (5, choice(0), uniform(-3, 0))],
    "dsinc": [(100, choice(*range(0, 11)), uniform(-5, 5)), (30, choice(1, 2, 3, 4), uniform(-1, 1)),
              (20, choice(1, 2, 3, 8), log_uniform(1e-20, 1e-2)), (20, choice(1, 2, 3, 10), log_uniform(5, 1e8, True)),
              (10, choice(1, 2, 3), around(1.4302966531242028)), (10, choice(20, 40), uniform(-20, 20))],
    "jn": [(15, choice(-3, 0, 1, 2, 3, 4), uniform(-20, 20)), (5, choice(2, 3, 5), log_uniform(1e-30, 1, True)),
           (5, choice(2, 3, 7), log_uniform(20, 1e3, True)), (5, choice(20, 50), uniform(1, 100))],
    "yn": [(15, choice(-3, 0, 1, 2, 3, 4), uniform(0, 20)), (5, choice(2, 3, 5), log_uniform(1e-30, 1)),
           (5, choice(2, 3, 7), log_uniform(20, 1e3)), (5, choice(20, 50), uniform(1, 100))],
}


def sides(region):
    """A real part on a cut, with an imaginary part of either zero."""
    return (region, choice(0.0, -0.0))


def swap(region):
    return (region[1], region[0])


MIDDLE = (uniform(-3, 3), uniform(-3, 3))
SCALES = (log_uniform(1e-5, 1e5, True), log_uniform(1e-5, 1e5, True))
TINY2 = (log_uniform(1e-160, 1e-2, True), log_uniform(1e-160, 1e-2, True))
ANY2 = (ANY, ANY)
AXIS = (uniform(-3, 3), log_uniform(1e-200, 1e-3, True))
WIDE = (uniform(-30, 30), uniform(-100, 100))
EXPS = (uniform(-700, 700), uniform(-100, 100))
BIG_ANGLE = (uniform(-3, 3), HUGE_ANGLE)
HALF_PERIOD = (log_uniform(1e-12, 1, True), around(PI))
QUARTER_PERIOD = (log_uniform(1e-12, 1, True), around(PI / 2))


def circle(centre):
    """Near the unit circle around `centre`."""
    def draw():
        t, d = rng.uniform(-PI, PI), 1 + log_uniform(1e-17, 1e-2, True)()
        draw.im = d * math.sin(t)
        return centre + d * math.cos(t)

    return (draw, lambda: draw.im)


INVERSE = [(30, *MIDDLE), (15, *SCALES), (15, *TINY2), (10, *AXIS), (10, *swap(AXIS)), (10, *ANY2),
           (10, around(1.0), log_uniform(1e-16, 1e-2, True)), (5, around(-1.0), log_uniform(1e-16, 1e-2, True)),
           (8, log_uniform(1e-16, 1e-2, True), around(1.0))]
COMPLEX_POINTS = {
    "div": [(40, *MIDDLE, *MIDDLE), (20, *SCALES, *SCALES), (20, *[log_uniform(1e-150, 1e150, True)] * 4),
            (10, *[log_uniform(1e300, 1e308, True)] * 4), (10, *[log_uniform(1e-323, 1e-300, True)] * 4),
            (10, uniform(-1, 1), uniform(-1, 1), *[log_uniform(1e-307, 1e-290, True)] * 2)],
    "recip": [(30, *MIDDLE), (20, *SCALES), (20, *ANY2), (10, *[log_uniform(1e-307, 1e-290, True)] * 2)],
    "pow": [(40, *MIDDLE, *MIDDLE), (15, *SCALES, *MIDDLE), (15, *MIDDLE, uniform(-4, 4), choice(0.0)),
            (15, *MIDDLE, choice(-3.0, -2.0, -1.0, 0.5, -0.5, 2.0, 3.0, 1.5), choice(0.0)),
            (10, *ANY2, uniform(-0.9, 0.9), uniform(-0.9, 0.9)), (10, *circle(0), *SCALES),
            (8, *sides(uniform(-4, 0)), *MIDDLE)],
    "exp": [(30, *MIDDLE), (15, *EXPS), (10, *BIG_ANGLE), (10, *TINY2)],
    "expm1": [(40, *MIDDLE), (15, *EXPS), (10, *BIG_ANGLE), (20, *TINY2), (15, *HALF_PERIOD),
              (10, log_uniform(1e-12, 1, True), around(2 * PI)), (15, *[log_uniform(1e-3, 1e-1, True)] * 2), (10, *AXIS),
              (10, *swap(AXIS)), (10, uniform(30, 50), uniform(-9, 9))],
    "exp2": [(30, *MIDDLE), (15, uniform(-1000, 1000), uniform(-100, 100)), (10, uniform(-3, 3), log_uniform(100, 1e8, True)),
             (10, *TINY2), (5, uniform(1023, 1024.4), uniform(-3, 3))],
    "log": [(30, *MIDDLE), (20, *ANY2), (20, *circle(0)), (10, *AXIS), (6, *sides(uniform(-4, 0)))],
    "log2": [(20, *MIDDLE), (10, *ANY2), (10, *circle(0)), (5, *AXIS), (4, *sides(uniform(-4, 0)))],
    "log10": [(20, *MIDDLE), (10, *ANY2), (10, *circle(0)), (5, *AXIS), (4, *sides(uniform(-4, 0)))],
    "log1p": [(30, *MIDDLE), (20, *ANY2), (30, *circle(-1)), (20, *TINY2), (10, around(-1.0), TINY), (10, *AXIS),
              (20, *[log_uniform(1e-4, 1e-1, True)] * 2), (6, *sides(uniform(-4, -1)))],
    "sqrt": [(40, *MIDDLE), (30, *ANY2), (10, *AXIS), (6, *sides(uniform(-4, 0)))],
    "sin": [(30, *swap(MIDDLE)), (10, *swap(EXPS)), (10, *swap(BIG_ANGLE)), (10, *TINY2), (10, *swap(HALF_PERIOD))],
    "cos": [(30, *swap(MIDDLE)), (10, *swap(EXPS)), (10, *swap(BIG_ANGLE)), (10, *TINY2), (10, *swap(QUARTER_PERIOD))],
    "tan": [(30, *swap(MIDDLE)), (10, *swap(EXPS)), (10, *swap(BIG_ANGLE)), (10, *TINY2), (10, *swap(HALF_PERIOD)),
            (10, *swap(QUARTER_PERIOD))],
    "sinh": [(30, *MIDDLE), (10, *EXPS), (10, *BIG_ANGLE), (10, *TINY2), (10, *HALF_PERIOD)],
    "cosh": [(30, *MIDDLE), (10, *EXPS), (10, *BIG_ANGLE), (10, *TINY2), (10, *QUARTER_PERIOD)],
    "tanh": [(30, *MIDDLE), (10, *EXPS), (10, *BIG_ANGLE), (10, *TINY2), (10, *HALF_PERIOD), (10, *QUARTER_PERIOD)],
    "asin": INVERSE + [(4, *sides(uniform(-4, -1))), (4, *sides(uniform(1, 4)))],
    "acos": INVERSE + [(4, *sides(uniform(-4, -1))), (4, *sides(uniform(1, 4)))],
    "atan": INVERSE + [(4, *swap(sides(uniform(-4, -1)))), (4, *swap(sides(uniform(1, 4))))],
    "asinh": INVERSE + [(4, *swap(sides(uniform(-4, -1)))), (4, *swap(sides(uniform(1, 4))))],
    "acosh": INVERSE + [(4, *sides(uniform(-4, -1))), (4, *sides(uniform(-1, 1)))],
    "atanh": INVERSE + [(4, *sides(uniform(-4, -1))), (4, *sides(uniform(1, 4)))],
    "sinc": [(40, *MIDDLE), (15, uniform(-30, 30), uniform(-200, 200)), (10, *TINY2), (10, *AXIS),
             (10, around(1.0), log_uniform(1e-12, 1, True)), (5, log_uniform(10, 1e15, True), uniform(-3, 3))],
    "sigmoid": [(40, *MIDDLE), (20, *EXPS), (10, *BIG_ANGLE), (10, *TINY2), (20, *HALF_PERIOD), (10, *AXIS)],
    "logaddexp": [(40, *MIDDLE, *MIDDLE), (15, uniform(-700, 700), uniform(-9, 9), uniform(-700, 700), uniform(-9, 9)),
                  (10, uniform(-1e-2, 0), uniform(-3, 3), uniform(-9, -3), uniform(-3, 3)), (10, *SCALES, *MIDDLE)],
    "sign": [(30, *MIDDLE), (30, *ANY2), (10, *[log_uniform(1e-323, 1e-300, True)] * 2)],
    "sech2": [(40, *MIDDLE), (20, uniform(-350, 350), uniform(-100, 100)), (10, *BIG_ANGLE), (10, *TINY2), (20, *QUARTER_PERIOD),
              (10, *AXIS)],
    "dsigmoid": [(40, *MIDDLE), (20, *EXPS), (10, *BIG_ANGLE), (10, *TINY2), (20, *HALF_PERIOD), (10, *AXIS)],
    "cis": [(20, *swap(MIDDLE)), (10, *swap(EXPS)), (10, *TINY2)],
    "powi": [(50, choice(*range(-10, 11)), *MIDDLE), (10, choice(100, -100), *circle(0)),
             (10, choice(-2), log_uniform(1e-154, 3e-154, True), log_uniform(1e-154, 3e-154, True)),
             (10, choice(-3), log_uniform(1e-102, 3e-102, True), log_uniform(1e-102, 3e-102, True))],
    "dsinc": [(60, choice(*range(0, 9)), *MIDDLE), (20, choice(1, 2, 3, 4), *[log_uniform(1e-20, 1, True)] * 2),
              (15, choice(1, 2, 3, 10), uniform(-60, 60), uniform(-60, 60)), (10, choice(20, 40), uniform(-9, 9), uniform(-9, 9))],
    "abs": [(20, *MIDDLE), (20, *ANY2)],
    "arg": [(20, *MIDDLE), (20, *ANY2), (4, *sides(uniform(-4, 0)))],
}

# --- evaluation ------------------------------------------------------------------------------------------

INTEGER_FIRST = {"powi", "polygamma", "dsinc", "jn", "yn"}
START, LIMIT, AGREE = 300, 100000, 90


def parts(value):
    return [value.real, value.imag] if isinstance(value, mpc) else [value]


def exact(x):
    return mpf(x) if x != 0 else mpf(0)


def side(x):
    return exact(x) if x != 0 else mp.ldexp(mpf(math.copysign(1, x)), -1200)


def evaluate(name, is_complex, operands):
    """Components at growing precision, until two precisions agree to AGREE bits."""
    previous = None
    # Enough for 1 + x and x^2 + y^2 to keep every bit.
    precision = START + 3 * max(abs(mp.mag(x)) if x != 0 else 0 for x in operands)
    while precision <= LIMIT:
        with mp.workprec(precision):
            value = [+p for p in parts(apply(name, is_complex, operands))]
            if previous is not None and all(
                abs(a - b) <= mp.ldexp(abs(a), -AGREE) or max(abs(a), abs(b)) < mp.ldexp(1, -1150)
                for a, b in zip(value, previous)
            ):
                return value
            previous = value
        precision *= 2
    raise ValueError(f"no agreement: {name} {operands}")


def apply(name, is_complex, operands):
    if not is_complex:
        return REAL[name](*operands)
    operands = list(operands)
    lead = [operands.pop(0)] if name in INTEGER_FIRST else []
    zs = [mpc(operands[i], operands[i + 1]) for i in range(0, len(operands), 2)]
    return COMPLEX[name](*lead, *zs)


def condition(name, is_complex, operands, value):
    """Componentwise, from symmetric differences with a relative step of 2^-40."""
    total = [mpf(0)] * len(value)
    first = 1 if name in INTEGER_FIRST else 0
    for i in range(first, len(operands)):
        if operands[i] == 0 or abs(operands[i]) < mp.ldexp(1, -1100):
            continue
        with mp.workprec(2000):
            shifted = [list(operands), list(operands)]
            h = mp.ldexp(1, -40)
            shifted[0][i] = operands[i] * (1 + h)
            shifted[1][i] = operands[i] * (1 - h)
            up, down = (parts(apply(name, is_complex, s)) for s in shifted)
            total = [t + abs(u - d) / (2 * h) for t, u, d in zip(total, up, down)]
    return [t / abs(v) if v != 0 else mpf(0) for t, v in zip(total, value)]


def number(x, bits):
    """`mpe` with at most `bits` bits in m."""
    if x == 0:
        return "-0" if isinstance(x, float) and math.copysign(1, x) < 0 else "0"
    with mp.workprec(bits):
        man, exp = mp.mpf(x).man_exp
        man = int(man) if mp.mpf(x) > 0 or int(man) < 0 else -int(man)
    text = f"{man:x}"
    return text if exp == 0 else f"{text}p{exp}"


def value_text(v):
    if abs(v) < mp.ldexp(1, -1076):
        return "-0" if v < 0 else "0"
    return number(v, 60)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--points", type=float, default=1.0)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--only", default="")
    args = args.parse_args()
    only = set(filter(None, args.only.split(",")))
    print("# adc-runtime reference values; written by gen_reference.py")
    for kind, functions, table in (("real", REAL, REAL_POINTS), ("complex", COMPLEX, COMPLEX_POINTS)):
        for section, regions_of in table.items():
            if only and f"{kind}.{section}" not in only:
                continue
            name = section.split(".")[0]
            rng.seed(f"{args.seed} {kind} {section}")
            print(f"{kind}.{section}")
            for count, *regions in regions_of:
                for _ in range(max(1, round(count * args.points))):
                    drawn = [float(r()) for r in regions]
                    line = row(name, kind == "complex", drawn)
                    if line:
                        print(line)
            sys.stdout.flush()


def row(name, is_complex, drawn):
    # Only a branch cut needs a side; elsewhere a zero is a zero.
    operands = [side(x) if is_complex and i < 2 and x == 0 else exact(x) for i, x in enumerate(drawn)]
    try:
        value = evaluate(name, is_complex, operands)
    except ZeroDivisionError:
        return None
    if not is_complex and isinstance(apply(name, is_complex, operands), mpc):
        raise ValueError(f"outside the domain: {name} {drawn}")
    if any(abs(v) >= mp.ldexp(1, 1024) for v in value) or all(abs(v) < mp.ldexp(1, -1074) for v in value):
        return None
    kappa = condition(name, is_complex, operands, value)
    texts = [number(x, 53) for x in drawn]
    return "\t".join(texts + [value_text(v) for v in value] + [f"{float(k):.1e}".replace("e+0", "e").replace("e-0", "e-") for k in kappa])


if __name__ == "__main__":
    main()
