"""Time of value and gradient over blocks: in this process, and on a Dask cluster of 1 and 2 workers; and the constants of the model in
the book's page on scale."""

import pickle
import sys
import time

# What is installed, not the sources beside this file.
sys.path.pop(0)

import numpy as np  # noqa: E402

import adc  # noqa: E402
from adc.rows import tree_sum  # noqa: E402

SOURCE = """
fn loss[N, D](X: f64[N, D], y: f64[N], w: f64[D], b: f64) -> f64 {
    let z = X @ w;
    sum(log1p(exp(-y[i]*(z[i] + b))) for i)/f64(N) + 0.01*sum(w^2)
}
"""
D, ROWS, BLOCK = 50, 1_000_000, 31_250


def clock(call, repeat=5):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    import dask
    import distributed

    f = adc.parse(SOURCE).fn("loss")
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((ROWS, D)), np.sign(rng.standard_normal(ROWS))
    w = rng.standard_normal(D)
    fixed = dict(w=w, b=0.1)
    split = adc.value_and_grad(f, rows=("X", "y"))
    blocks = dict(X=np.split(X, range(BLOCK, ROWS, BLOCK)), y=np.split(y, range(BLOCK, ROWS, BLOCK)))
    want = split(**blocks, **fixed)
    here = clock(lambda: split(**blocks, **fixed))
    print(f"{ROWS} rows of {D} columns in {len(blocks['y'])} blocks")
    print(f"in this process, one block after the other   {here * 1e3:8.1f} ms   {here / ROWS * 1e9:6.2f} ns a row")

    # Constants: compilation, the sum of two results, a task of nothing.
    start = time.perf_counter()
    adc.parse(SOURCE).fn("loss").by_rows(["X", "y"]).value_and_grad(("w", "b"))(
        X=X[:10], y=y[:10], **fixed, rows_total=10, rows_first=True
    )
    print(f"parse, prove, compile and call once          {(time.perf_counter() - start) * 1e3:8.1f} ms")
    parts = [want] * 1024
    print(f"addition of one result to another            {clock(lambda: tree_sum(parts)) / 1023 * 1e6:8.1f} µs")
    print(f"bytes of a result                            {len(pickle.dumps(want)):8}")

    for workers in (1, 2):
        with distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster, distributed.Client(cluster) as client:
            import dask.array as da

            # Data are where the workers are, as they would be.
            XD, yD = client.persist([da.from_array(X, chunks=(BLOCK, D)), da.from_array(y, chunks=BLOCK)])
            distributed.wait([XD, yD])
            first = clock(lambda: split(X=XD, y=yD, **fixed), repeat=1)
            times = []
            for k in range(12):
                # Another point each time, as an optimiser has it; the scheduler would know the answer at the same one.
                at = dict(w=w + 1e-9 * (k + 1), b=0.1)
                times.append(clock(lambda: split(X=XD, y=yD, **at), repeat=1))
            there = split(X=XD, y=yD, **fixed)
            same = there[0] == want[0] and all(np.array_equal(there[1][n], want[1][n]) for n in want[1])
            print(
                f"Dask, {workers} worker{'s' if workers > 1 else ' '}: first {first * 1e3:8.1f} ms, then {min(times) * 1e3:8.1f} ms, "
                f"the same bits: {same}"
            )
            empty = [dask.delayed(len, pure=False)("") for _ in range(500)]
            print(f"    a task of nothing                        {clock(lambda: dask.compute(*empty), repeat=3) / 500 * 1e6:8.1f} µs")


if __name__ == "__main__":
    sys.exit(main())
