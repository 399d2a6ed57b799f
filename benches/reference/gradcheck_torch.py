"""What torch.autograd.gradcheck takes for the problems (a), (b) and (c) of `benches/check.rs`, on one thread.

`python3 gradcheck_torch.py DATA` prints a line for each: median milliseconds in slow mode, fast mode, and of second derivatives
(gradgradcheck behind gradcheck) in slow and fast mode. DATA is the folder models/bench/data.
"""

import os
import statistics
import sys
import time

import numpy as np
import torch

torch.set_num_threads(1)


def load(name):
    return torch.from_numpy(np.load(os.path.join(sys.argv[1], name + ".npy")))


def scalar15(x, y, z):
    a, b, c = torch.sin(x * y), torch.cos(y + z), torch.exp(0.3 * x - z)
    xy = x * x + y * y
    d, e = torch.log(1.0 + xy), torch.sqrt(xy + z * z + 1.0)
    g, h = a * b / (1.0 + e), (d + 1.5) ** 2.3
    u, v = torch.sin(c) * torch.exp(-(d * d)), torch.log(e + torch.exp(z * y))
    r, s = e**x, torch.cos(g * h) / torch.sqrt(1.0 + u * u)
    return g * h + u * v + r * s + torch.log(1.0 + c * c) * torch.sin(v)


W, A = load("check_b_W"), load("check_c_A")


def layer(x):
    return torch.tanh(W @ x) * torch.sin(x)


def cquad(z):
    v = A @ z
    terms = (v.real**2 + v.imag**2) / (1 + z.real**2 + z.imag**2)
    return terms.sum() + torch.exp(1j * (z * z).sum()).real


def median(f):
    f()
    times = []
    for _ in range(9):
        start = time.perf_counter()
        assert f()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def report(f, inputs):
    inputs = [x.clone().requires_grad_() for x in inputs]
    first = {fast: lambda fast=fast: torch.autograd.gradcheck(f, inputs, fast_mode=fast) for fast in (False, True)}

    def second(fast):
        return first[fast]() and torch.autograd.gradgradcheck(f, inputs, fast_mode=fast)

    times = [median(first[False]), median(first[True])]
    times += [median(lambda: second(False)), median(lambda: second(True))]
    print(*times, flush=True)


report(scalar15, [torch.tensor(x, dtype=torch.float64) for x in (0.7, 1.3, 0.4)])
report(layer, [load("check_b_x")])
report(cquad, [load("check_c_z")])
