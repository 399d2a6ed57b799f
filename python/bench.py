"""What a call from Python costs: of scalars, for each array, and value and gradient of a mixture of Gaussians.

`.venv/bin/python bench.py [--json]`. Times are the smallest of several rounds, in microseconds. Those of the library are from
`adc bench`, in the same run, rounds of both in turn.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path

# What is installed, not the sources beside this file.
sys.path.pop(0)

import numpy as np  # noqa: E402

import adc  # noqa: E402

ROOT = Path(__file__).parents[1]


def best(call, repeat=15, seconds=0.05):
    timer = timeit.Timer(call)
    number = max(1, int(seconds / max(timer.timeit(3) / 3, 1e-9)))
    return min(timer.repeat(repeat, number)) / number * 1e6


def overhead():
    """Calls whose own work is a few nanoseconds."""
    scalars = adc.parse("fn f(x: f64, y: f64) -> f64 { x*y + 1 }").fn("f")
    gradient = scalars.value_and_grad(("x", "y"))
    out = {"scalars": best(lambda: scalars(x=1.5, y=2.0)), "scalars, value_and_grad": best(lambda: gradient(x=1.5, y=2.0))}
    for count in (1, 2, 4):
        names = [f"x{k}" for k in range(count)]
        params = ", ".join(f"{n}: f64[4]" for n in names)
        f = adc.parse(f"fn f({params}) -> f64 {{ {' + '.join(n + '[0]' for n in names)} }}").fn("f")
        at = {n: np.ones(4) for n in names}
        out[f"{count} arrays in"] = best(lambda: f(**at))
    f = adc.parse("fn f(x: f64[4]) -> f64[4] { x }").fn("f")
    x = np.ones(4)
    out["1 array in, 1 out"] = best(lambda: f(x=x))
    return out


def mixture(binary):
    """Value and gradient of gmm, D = 10, K = 25, N = 1000, beside the library's time for the same program."""
    source, data = ROOT / "models" / "bench" / "gmm.dsl", ROOT / "models" / "bench" / "data"
    wrt = ("alpha", "mu", "q", "l")
    at = {name: np.load(data / f"gradbench_gmm_10_25_{name}.npy") for name in wrt}
    at["x"] = np.load(data / "gradbench_gmm_10_x.npy")
    program = adc.load(source).fn("gmm").value_and_grad(wrt)
    if not binary:
        return {"gmm 10/25 value and gradient": best(lambda: program(**at, m=0, gamma=1.0), repeat=200, seconds=0.001)}
    # The same block as in the file, with these data.
    text = source.read_text()
    start = text.index("bench gmm")
    block = text[start : text.index("}", start) + 1].replace("K = 5, D = 2", "K = 25, D = 10").replace("gmm_2_5", "gmm_10_25")
    block = block.replace("gmm_2_x", "gmm_10_x").replace("data/", f"{data}/").replace("modes primal, vjp", "modes vjp")
    here, there = [], []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "gmm.dsl"
        model.write_text(text[: text.index("check gmm")] + block)
        for _ in range(5):
            here.append(best(lambda: program(**at, m=0, gamma=1.0), repeat=50, seconds=0.001))
            command = [binary, "bench", str(model), "--format", "json"]
            report = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
            there.append(next(r["ns_least"] for r in report["results"] if r["mode"] == "vjp") / 1e3)
    return {"gmm 10/25 value and gradient": min(here), "the library's": min(there)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--adc", default=None, help="the command line's binary, of the same build")
    args = parser.parse_args()
    rows = {**overhead(), **mixture(args.adc)}
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        for name, us in rows.items():
            print(f"{name:<32} {us:10.3f} µs")


if __name__ == "__main__":
    sys.exit(main())
