"""The sparse Jacobian of a heat equation with a source on 10⁵ points, beside one tangent, and beside CasADi's where it is installed.

`.venv/bin/python sparse_bench.py`. Times are the least of rounds of all in turn, in microseconds.
"""

import sys
import time

# What is installed, not the sources beside this file.
sys.path.pop(0)

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402

import adc  # noqa: E402

N = 100_000
SOURCE = """
fn heat[N](u: f64[N]) -> f64[N] {
    [(if i > 0 { u[i - 1] } else { 0.0 }) - 2*u[i] + (if i < N - 1 { u[i + 1] } else { 0.0 }) + u[i]^2*exp(-u[i]) for i in 0..N]
}
"""


def ours(u, calls):
    heat = adc.parse(SOURCE).fn("heat")
    jacobian, tangent = heat.sparse_jacobian("u"), heat.jvp("u")
    start, seed = time.perf_counter(), np.ones(N)
    found = jacobian(u)
    print(f"adc: {found.nnz} entries, {jacobian.colours} colours, first call {time.perf_counter() - start:.2f} s")
    calls["adc, tangent"] = lambda: tangent(u, u_dot=seed)
    calls["adc, Jacobian"] = lambda: jacobian(u)
    return found


def casadis(u, calls, found):
    try:
        import casadi as ca
    except ImportError:
        print("CasADi is not installed")
        return
    # Expressions of arrays, and of numbers; the second takes longer to build and is faster.
    for kind, symbols in (("MX", ca.MX), ("SX", ca.SX)):
        start = time.perf_counter()
        x, seed = symbols.sym("u", N), symbols.sym("v", N)
        heat = ca.vertcat(0, x[:-1]) - 2 * x + ca.vertcat(x[1:], 0) + x**2 * ca.exp(-x)
        jacobian = ca.Function("J", [x], [ca.jacobian(heat, x)])
        tangent = ca.Function("T", [x, seed], [heat, ca.jtimes(heat, x, seed)])
        theirs = jacobian(u)
        print(f"CasADi {ca.__version__}, {kind}: built and called in {time.perf_counter() - start:.2f} s")
        assert abs(scipy.sparse.csc_array(theirs.sparse()) - found).max() < 1e-14
        calls[f"CasADi {kind}, tangent"] = lambda tangent=tangent: tangent(u, 1)
        calls[f"CasADi {kind}, Jacobian"] = lambda jacobian=jacobian: jacobian(u)


def main():
    u, calls, best = np.sin(np.arange(N) / N), {}, {}
    casadis(u, calls, ours(u, calls))
    for _ in range(30):
        for name, call in calls.items():
            for _ in range(3):
                start = time.perf_counter()
                call()
                best[name] = min(best.get(name, np.inf), time.perf_counter() - start)
    for name, seconds in best.items():
        print(f"{name:<22} {1e6 * seconds:10.1f} µs")
    print(f"adc's Jacobian costs {best['adc, Jacobian'] / best['adc, tangent']:.2f} tangents")


if __name__ == "__main__":
    main()
