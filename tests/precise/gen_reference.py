#!/usr/bin/env python3
"""Writes tests/reference.txt: values of every function of BigMath by mpmath, 60 digits.

A line is `op kind arguments = value`: kind `r` real, `i` an integer and a real, `c` complex (parts in
pairs), `a` complex to real, `k` an integer and a complex number. Arguments are doubles, so they are exact. On a branch cut the sign of a zero
part picks the side; mpmath has no signed zeros, so such a zero is replaced by 1e-200 of its sign.
"""
import random
import sys
from pathlib import Path

from mpmath import mp, mpc, mpf

mp.dps = 700
DIGITS = 60
random.seed(20)
pi, one = mp.pi, mpf(1)


def sinc_derivative(n, x):
    if x == 0:
        return mpf(0) if n % 2 else (-1) ** (n // 2) * pi**n / (n + 1)
    if n == 0:
        return mp.sinpi(x) / (pi * x)
    t = pi * x
    total = mpf(0)
    for k in range(n + 1):
        total += mp.binomial(n, k) * mp.sin(t + (n - k) * pi / 2) * (-1) ** k * mp.factorial(k) / t ** (k + 1)
    return pi**n * total


def sigmoid(z):
    return 1 / (1 + mp.exp(-z))


def softplus(x):
    return mp.log1p(mp.exp(x))


def sech2(z):
    return 1 / mp.cosh(z) ** 2


def dsigmoid(z):
    return mp.exp(-z) / (1 + mp.exp(-z)) ** 2


def cbrt(x):
    return mp.sign(x) * mp.root(abs(x), 3)


everywhere = [1.0, -1.0, 0.5, -0.75, 1e-20, -1e-300, 1e-9, 3.0, -7.25, 20.0, -40.0, 1e-3, 0.3, 2.5, -2.0]
angles = everywhere + [1e5, 1e22, 3.141592653589793, -1.5707963267948966, 1e300, 6.283185307179586, 100.5]
positive = [1.0, 0.5, 2.0, 1e-20, 1e-300, 1e-9, 1.0000000001, 0.9999999999, 3.7, 1e5, 1e22, 1e300, 0.7071, 1.4143]
inside = [0.5, -0.5, 1e-20, -1e-300, 0.999999999, -0.999999999, 1.0 - 2.0**-53, 0.1, -0.75, 0.0078]
gammas = [0.5, 1.5, 1e-20, 1e-9, 1.0000000001, 2.0000001, 1.4616321449683623, 3.25, 20.0, 79.9, 123.4, 1e5, 1e22]
gammas += [-0.5, -1.25, -2.457024738220800, -7.75, -1e-9, -30.5, -100.25]
waves = [0.5, 1e-20, 1e-300, 2.5, 7.75, 39.9, 41.0, 99.5, 299.0, 301.0, 1e4]
sinc = [0.0, 0.25, 0.5, -0.75, 1e-20, 1e-3, 1.5, 2.0000001, 4.9, 5.2, -17.3, 100.5, 1e5]

real = {
    "exp": (mp.exp, everywhere + [700.0, -700.0, 1e5, -1e5]),
    "expm1": (mp.expm1, everywhere + [700.0, -700.0, 0.4999, -0.5001]),
    "exp2": (lambda x: mp.power(2, x), everywhere + [1000.25, -1000.25]),
    "log": (mp.log, positive),
    "log2": (lambda x: mp.log(x) / mp.log(2), positive),
    "log10": (lambda x: mp.log(x) / mp.log(10), positive),
    "log1p": (mp.log1p, positive + inside),
    "cbrt": (cbrt, everywhere + [27.0, 1e300, -1e5]),
    "sin": (mp.sin, angles),
    "cos": (mp.cos, angles),
    "tan": (mp.tan, angles),
    "asin": (mp.asin, inside),
    "acos": (mp.acos, inside),
    "atan": (mp.atan, everywhere + [1e5, -1e22, 1e300, 0.0078, 0.0079, 0.9999]),
    "sinh": (mp.sinh, everywhere + [700.0, 1e-300]),
    "cosh": (mp.cosh, everywhere + [700.0]),
    "tanh": (mp.tanh, everywhere + [400.0]),
    "asinh": (mp.asinh, everywhere + [1e5, 1e300, -1e22]),
    "acosh": (mp.acosh, [1.0 + 2.0**-52, 1.000000001, 1.5, 2.0, 10.0, 1e5, 1e300]),
    "atanh": (mp.atanh, inside),
    "sinc": (lambda x: sinc_derivative(0, x), sinc),
    "sigmoid": (sigmoid, everywhere + [800.0, -800.0]),
    "softplus": (softplus, everywhere + [800.0, -800.0]),
    "log_sigmoid": (lambda x: -softplus(-x), everywhere + [800.0, -800.0]),
    "erf": (mp.erf, everywhere[:9] + [6.0, 6.999, 7.001, -9.5, 0.01]),
    "erfc": (mp.erfc, everywhere[:9] + [6.0, 6.999, 7.001, 12.5, 26.0, 30.0, -9.5]),
    "gamma": (mp.gamma, [x for x in gammas if x < 1e3]),
    "j0": (lambda x: mp.besselj(0, x), waves + [-x for x in waves[:4]]),
    "j1": (lambda x: mp.besselj(1, x), waves + [-x for x in waves[:4]]),
    "y0": (lambda x: mp.bessely(0, x), waves),
    "y1": (lambda x: mp.bessely(1, x), waves),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), [x for x in gammas if x < 1e10]),
    "digamma": (lambda x: mp.psi(0, x), gammas),
    "sech2": (sech2, everywhere + [400.0]),
    "dsigmoid": (dsigmoid, everywhere + [800.0, -800.0]),
}

pairs = [(1.5, 2.5), (0.3, -4.25), (1e-9, 3.0), (1e5, -0.5), (1e-300, 1.0), (2.0, 1e-20), (7.0, 7.0), (40.0, 39.0)]
signed = pairs + [(-1.5, 2.5), (1.5, -2.5), (-1e-9, -3.0), (-0.25, -1e-300), (1e150, -1e150)]
real2 = {
    "pow": (mp.power, pairs + [(-3.0, 5.0), (-1.5, -4.0), (2.0, 1000.5), (1.0000001, 1e5), (9.0, 0.5)]),
    "logaddexp": (lambda a, b: mp.log(mp.exp(a) + mp.exp(b)), [(1.5, 2.5), (7.0, 7.0), (-800.0, 3.0), (-0.5, -1.0)]),
    "hypot": (mp.hypot, signed),
    "atan2": (mp.atan2, signed),
    "mod": (lambda a, b: a - b * mp.floor(a / b), pairs[:4] + [(-7.5, 2.0), (7.5, -2.0), (-1e22, 3.7), (5.0, 0.1)]),
}

real_int = {
    "powi": (lambda n, x: x**n, [(n, x) for n in (0, 1, -1, 2, -3, 7, 30) for x in (0.3, -1.7, 1e-9)]),
    "polygamma": (mp.psi, [(n, x) for n in (1, 2, 5, 12) for x in (0.5, 1e-9, 3.25, 90.0, 1e5, -0.5, -1.25, -20.3)]),
    "dsinc": (sinc_derivative, [(n, x) for n in (1, 2, 3, 8) for x in sinc]),
    "jn": (mp.besselj, [(n, x) for n in (-3, 2, 5, 20) for x in (0.5, 1e-9, -7.75, 41.0, 301.0)]),
    "yn": (mp.bessely, [(n, x) for n in (-3, 2, 5, 20) for x in (0.5, 1e-9, 7.75, 41.0, 301.0)]),
}

z0 = [(0.3, 0.4), (-0.7, 0.3), (-1.25, -2.5), (1.5, -0.01), (3.0, 4.0), (0.6, 0.8), (1e-20, -1e-9), (1e-300, 1e-300)]
z0 += [(-1.000000001, 1e-9), (0.999999999, -1e-9), (1e-9, 1.000000001), (-40.0, 20.0), (0.0, 2.5), (0.01, -5.5)]
# Both sides of every cut: on the real axis left and right, on the imaginary axis up and down.
cuts = [(x, y) for x in (-0.5, -1.5, -7.0, 1.5) for y in (0.0, -0.0)]
cuts += [(x, y) for y in (1.5, -2.5) for x in (0.0, -0.0)]
large = [(1e5, -3e5), (-1e22, 1e5), (1e150, 1e150)]
calm = z0 + cuts

complex1 = {
    "recip": (lambda z: 1 / z, z0 + large),
    "exp": (mp.exp, z0 + [(1.0, 1e22)]),
    "expm1": (lambda z: mp.exp(z) - 1, z0),
    "exp2": (lambda z: mp.exp(z * mp.log(2)), z0),
    "sinc": (lambda z: sinc_derivative(0, z), [z for z in z0 if z[0] != 1e-300]),
    "log": (mp.log, calm + large),
    "log2": (lambda z: mp.log(z) / mp.log(2), calm),
    "log10": (lambda z: mp.log(z) / mp.log(10), calm),
    "log1p": (lambda z: mp.log(1 + z), calm + large),
    "sqrt": (mp.sqrt, calm + large),
    "sin": (mp.sin, z0),
    "cos": (mp.cos, z0),
    "tan": (mp.tan, z0 + [(1.5707963267948966, 1e-9), (2.0, 400.0)]),
    "asin": (mp.asin, calm + large),
    "acos": (mp.acos, calm + large),
    "atan": (mp.atan, calm + large),
    "sinh": (mp.sinh, z0),
    "cosh": (mp.cosh, z0),
    "tanh": (mp.tanh, z0 + [(400.0, 1.0), (1e-9, 1.5707963267948966)]),
    "asinh": (mp.asinh, calm + large),
    "acosh": (mp.acosh, calm + large),
    "atanh": (mp.atanh, calm + large),
    "sigmoid": (sigmoid, z0 + [(1e-9, 3.141592653589793), (-800.0, 1.0)]),
    "sign": (lambda z: z / abs(z), z0 + large),
    "sech2": (sech2, z0 + [(400.0, 1.0)]),
    "dsigmoid": (dsigmoid, z0 + [(-800.0, 1.0)]),
    "cis": (lambda z: mp.exp(mpc(0, 1) * z), z0),
}
zpairs = [(z0[i] + z0[j]) for i, j in ((0, 1), (1, 2), (2, 0), (4, 3), (5, 6), (8, 1), (12, 10))]
complex2 = {
    "div": (lambda a, b: a / b, zpairs),
    "logaddexp": (lambda a, b: mp.log(mp.exp(a) + mp.exp(b)), zpairs + [(0.5, 3.0, 0.25, 3.0), (1.0, -20.0, 0.5, 7.0)]),
    "pow": (mp.power, zpairs + [(-1.5, 0.0, 0.5, 0.25), (-1.5, -0.0, 0.5, 0.25)]),
}
int_complex = {"dsinc": (sinc_derivative, [(n, *z) for n in (1, 2, 5) for z in z0 if z[0] != 1e-300])}
to_real = {"abs": (abs, z0 + large), "arg": (mp.arg, calm + large)}


def side(x):
    """The double exactly, or a number of its sign far below the digits printed."""
    if x == 0 and on_cut:
        return mpf("1e-200") if str(x) == "0.0" else -mpf("1e-200")
    return mpf(x)


def show(x):
    return mp.nstr(x, DIGITS, min_fixed=1, max_fixed=0)


lines = []


def emit(op, kind, args, value):
    # A part that is only the trace of 1e-200 is zero in truth.
    parts = [value.real, value.imag] if kind == "c" else [mp.re(value)]
    parts = [mpf(0) if on_cut and abs(p) < mpf("1e-190") else p for p in parts]
    lines.append(f"{op} {kind} {' '.join(repr(a) for a in args)} = {' '.join(show(p) for p in parts)}")


on_cut = False
for op, (f, points) in real.items():
    for x in points:
        emit(op, "r", [x], f(mpf(x)))
for op, (f, points) in real2.items():
    for p in points:
        emit(op, "r", p, f(mpf(p[0]), mpf(p[1])))
for op, (f, points) in real_int.items():
    for n, x in points:
        emit(op, "i", [n, x], f(n, mpf(x)))
for op, (f, points) in list(complex1.items()) + list(complex2.items()):
    for p in points:
        on_cut = 0.0 in p
        args = [mpc(side(p[i]), side(p[i + 1])) for i in range(0, len(p), 2)]
        emit(op, "c", p, mpc(f(*args)))
on_cut = False
for op, (f, points) in int_complex.items():
    for n, x, y in points:
        value = mpc(f(n, mpc(x, y)))
        lines.append(f"{op} k {n} {x!r} {y!r} = {show(value.real)} {show(value.imag)}")
for op, (f, points) in to_real.items():
    for p in points:
        on_cut = 0.0 in p
        emit(op, "a", p, f(mpc(side(p[0]), side(p[1]))))

out = Path(__file__).parent / "tests" / "reference.txt"
out.write_text("\n".join(lines) + "\n")
print(f"{len(lines)} values, {out.stat().st_size} bytes", file=sys.stderr)
