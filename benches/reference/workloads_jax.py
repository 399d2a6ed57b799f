"""The workloads of models/bench in JAX, compiled, in doubles, on one thread of the processor.

`python3 workloads_jax.py DATA` prints a line of JSON for each: nanoseconds of the value and of value and gradient, the value and the norm of
the gradient. DATA is the folder models/bench/data.
"""

import json
import math
import os
import sys
import time

os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

jax.config.update("jax_enable_x64", True)

DATA = sys.argv[1]
SECONDS = float(os.environ.get("BENCH_SECONDS", "0.3"))


def load(name):
    return np.load(os.path.join(DATA, name + ".npy"))


def scalar15(x, y, z):
    a, b, c = jnp.sin(x * y), jnp.cos(y + z), jnp.exp(0.3 * x - z)
    xy = x * x + y * y
    d, e = jnp.log(1.0 + xy), jnp.sqrt(xy + z * z + 1.0)
    g, h = a * b / (1.0 + e), (d + 1.5) ** 2.3
    u, v = jnp.sin(c) * jnp.exp(-(d * d)), jnp.log(e + jnp.exp(z * y))
    r, s = e**x, jnp.cos(g * h) / jnp.sqrt(1.0 + u * u)
    return g * h + u * v + r * s + jnp.log(1.0 + c * c) * jnp.sin(v)


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def helmholtz(x, b, A):
    bx = b @ x
    entropy = jnp.sum(x * jnp.log(x / (1 - bx)))
    r = np.sqrt(2.0)
    ratio = (1 + (1 + r) * bx) / (1 + (1 - r) * bx)
    return entropy - x @ (A @ x) / (np.sqrt(8.0) * bx) * jnp.log(ratio)


def mlp(W1, b1, W2, b2, X, label):
    out = jnp.tanh(X @ W1 + b1) @ W2 + b2
    picked = jnp.take_along_axis(out, label[:, None], axis=1)[:, 0]
    return jnp.mean(logsumexp(out, axis=1) - picked)


def gmm(alpha, mu, icf, x):
    n, d = x.shape
    k = alpha.shape[0]
    Q, total = jnp.exp(icf[:, :d]), jnp.sum(icf[:, :d], axis=1)
    # Packed column by column.
    rows = [i for c in range(d) for i in range(c + 1, d)]
    columns = [c for c in range(d) for _ in range(c + 1, d)]
    L = jnp.zeros((k, d, d)).at[:, rows, columns].set(icf[:, d:])
    centred = x[:, None, :] - mu[None]
    q = Q * centred + jnp.einsum("kij,nkj->nki", L, centred)
    data = jnp.sum(logsumexp(alpha + total - 0.5 * jnp.sum(q * q, axis=2), axis=1))
    squares = jnp.sum(Q * Q) + jnp.sum(icf[:, d:] ** 2)
    df = d + 1
    gammas = 0.25 * d * (d - 1) * np.log(np.pi)
    gammas += sum(math.lgamma(0.5 * (df + 1 - j)) for j in range(1, d + 1))
    wishart = df * d * (np.log(1.0) - 0.5 * np.log(2.0)) - gammas
    constant = 0.5 * n * d * np.log(2 * np.pi)
    return data - n * logsumexp(alpha) + 0.5 * squares - k * wishart - constant


def residual(cam, X, w, feat):
    p = X - cam[3:6]
    theta = jnp.sqrt(jnp.sum(cam[:3] ** 2))
    u = cam[:3] / theta
    c, s = jnp.cos(theta), jnp.sin(theta)
    r = p * c + jnp.cross(u, p) * s + u * (u @ p) * (1 - c)
    x, y = r[0] / r[2], r[1] / r[2]
    rs = x * x + y * y
    distortion = 1 + cam[9] * rs + cam[10] * rs * rs
    at = jnp.stack([x * distortion * cam[6] + cam[7], y * distortion * cam[6] + cam[8]])
    return w * (at - feat)


def jacobians(cam, X, w, feat):
    return jax.vmap(jax.jacrev(residual, argnums=(0, 1, 2)))(cam, X, w, feat)


def kmeans(points, centroids):
    squares = jnp.sum((points[:, None] - centroids[None]) ** 2, axis=2)
    return jnp.sum(jnp.min(squares, axis=1))


def llsq(x, n):
    t = -1 + 2 * jnp.arange(n) / (n - 1)
    p, _ = jax.lax.scan(lambda p, c: (p * t + c, None), jnp.zeros(n), x[::-1])
    return 0.5 * jnp.sum((jnp.sign(t) - p) ** 2)


def lstm(main, extra, state, sequence):
    layers, items = main.shape[0] // 2, sequence.shape[1]
    w, b = main[0::2].reshape(layers, 4, items), main[1::2].reshape(layers, 4, items)

    def step(s, row):
        now, then = row
        x, new = now * extra[0], []
        for k in range(layers):
            h, c = s[2 * k], s[2 * k + 1]
            forget = jax.nn.sigmoid(x * w[k, 0] + b[k, 0])
            take = jax.nn.sigmoid(h * w[k, 1] + b[k, 1])
            out = jax.nn.sigmoid(x * w[k, 2] + b[k, 2])
            c = c * forget + take * jnp.tanh(h * w[k, 3] + b[k, 3])
            x = out * jnp.tanh(c)
            new += [x, c]
        y = x * extra[1] + extra[2]
        return jnp.stack(new), jnp.sum(then * (y - jnp.log(2 + jnp.sum(jnp.exp(y)))))

    _, terms = jax.lax.scan(step, state, (sequence[:-1], sequence[1:]))
    return -jnp.sum(terms) / terms.shape[0] / items


def lotka(p, y0, steps):
    dt = 0.01

    def slope(s):
        return jnp.stack([s[0] * (p[0] - p[1] * s[1]), s[1] * (p[2] * s[0] - p[3])])

    def step(s, _):
        k1 = slope(s)
        k2 = slope(s + 0.5 * dt * k1)
        k3 = slope(s + 0.5 * dt * k2)
        k4 = slope(s + dt * k3)
        return s + dt / 6 * (k1 + 2 * (k2 + k3) + k4), None

    s, _ = jax.lax.scan(step, y0, length=steps)
    return jnp.sum(s * s)


def cquad(z, A):
    v = A @ z
    terms = jnp.abs(v) ** 2 / (1 + jnp.real(z) ** 2 + jnp.imag(z) ** 2)
    return jnp.sum(terms) + jnp.real(jnp.exp(1j * jnp.sum(z * z)))


def ode(x, s):
    h = 2 / s

    def slope(y):
        return x * jnp.concatenate([jnp.ones(1), y[:-1]])

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    y, _ = jax.lax.scan(step, jnp.zeros_like(x), length=s)
    return y[-1]


def laplace(A):
    n = A.shape[0]
    if n == 1:
        return A[0, 0]
    minors = (jnp.delete(A[1:], j, axis=1) for j in range(n))
    return sum((1 - 2 * (j % 2)) * A[0, j] * laplace(m) for j, m in enumerate(minors))


def least(f, args):
    """The time of a call in nanoseconds: the least of batches."""
    jax.block_until_ready(f(*args))
    best, calls, end = float("inf"), 1, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(calls):
            found = f(*args)
        jax.block_until_ready(found)
        took = time.perf_counter() - start
        best = min(best, took / calls)
        if took < 1e-3:
            calls *= 2
    return best * 1e9


def report(name, f, wrt, args, fixed=()):
    args = [jnp.asarray(a) for a in args]
    value = jax.jit(lambda *a: f(*a, *fixed))
    both = jax.jit(jax.value_and_grad(lambda *a: f(*a, *fixed), argnums=wrt))
    v, g = both(*args)
    norm = float(jnp.sqrt(sum(jnp.sum(jnp.abs(x) ** 2) for x in jax.tree.leaves(g))))
    times = {"primal_ns": least(value, args), "grad_ns": least(both, args)}
    print(json.dumps({"w": name, **times, "value": float(v), "gnorm": norm}), flush=True)


def files(*names):
    return [load(name) for name in names]


report("scalar15", scalar15, (0, 1, 2), list(load("scalar15_xyz").ravel()))
report("rosenbrock", rosenbrock, 0, files("rosenbrock_x"))
report("helmholtz", helmholtz, 0, files("helmholtz_x", "helmholtz_b", "helmholtz_A"))
names = ["mlp_W1", "mlp_b1", "mlp_W2", "mlp_b2", "mlp_X", "mlp_label"]
report("mlp", mlp, (0, 1, 2, 3), files(*names))
for size in ["10_25", "2_5"]:
    data = files(*(f"gmm_{size}_{part}" for part in ["alpha", "mu", "icf", "x"]))
    report("gmm " + size.replace("_", "/"), gmm, (0, 1, 2), data)
cameras = [jnp.asarray(a) for a in files("ba_cam", "ba_X", "ba_w", "ba_feat")]
both = jax.jit(jacobians)
norm = float(jnp.sqrt(sum(jnp.sum(x**2) for x in both(*cameras))))
took = least(both, cameras) / cameras[0].shape[0]
print(json.dumps({"w": "ba", "primal_ns": 0, "grad_ns": took, "value": 0, "gnorm": norm}), flush=True)
points = load("kmeans_1000_8_points")
report("kmeans", kmeans, 1, [points, points[-10:]])
report("llsq", llsq, 0, files("llsq_x"), (256,))
report("lstm", lstm, (0, 1), files("lstm_main", "lstm_extra", "lstm_state", "lstm_seq"))
report("lotka", lotka, (0, 1), files("lotka_param", "lotka_y0"), (1000,))
report("cquad", cquad, 0, files("cquad_z", "cquad_A"))
report("lse", logsumexp, 0, files("lse_2500_x"))
report("ode", ode, 0, files("ode_1000_x"), (10,))
report("det", laplace, 0, files("det_5_A"))
