"""Sums over rows: the split, and the engines that run it."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import adc
from adc.rows import tree_sum

LOGISTIC = """
fn loss[N, D](X: f64[N, D], y: f64[N], w: f64[D], lambda: f64) -> f64 {
    let z = X @ w;
    sum(log(1 + exp(-y[i]*z[i])) for i)/f64(N) + lambda*sum(w^2)
}
fn gaussian[N](x: f64[N], mu: f64, s: f64) -> f64 { f64(N)*log(s) + sum((x - mu)^2)/(2*s^2) }
fn bounded[N](x: f64[N], a: f64) -> f64 { sum(g(x[i], a) for i) }
fn g(x: f64, a: f64 in (0, INF)) -> f64 { assert x < 10, "too large"; a*x^2 }
"""
MODEL = adc.parse(LOGISTIC, name="loss.dsl")


def data(n=1000, d=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), np.sign(rng.standard_normal(n)), rng.standard_normal(d)


def test_blocks_add_up():
    X, y, w = data()
    f = MODEL.fn("loss")
    whole, gradient = f.value_and_grad(("w", "lambda"))(X, y, w, 0.1)
    split = adc.value_and_grad(f, rows=("X", "y"))
    for cuts in ([500], [1, 2, 3], [], list(range(50, 1000, 50))):
        value, g = split(X=np.split(X, cuts), y=np.split(y, cuts), w=w, lambda_=0.1)
        assert value == pytest.approx(whole, rel=1e-14)
        np.testing.assert_allclose(g["w"], gradient["w"], rtol=1e-13)
        assert g["lambda_"] == pytest.approx(gradient["lambda_"], rel=1e-13)
    x = X[:, 0]
    f = MODEL.fn("gaussian")
    value, g = adc.value_and_grad(f, rows="x", wrt="s")(x=np.split(x, 7 * [0] + [300]), mu=0.1, s=2.0)
    whole, gradient = f.value_and_grad("s")(x, 0.1, 2.0)
    assert value == pytest.approx(whole, rel=1e-13) and g == pytest.approx(gradient, rel=1e-13)


REFUSED = {
    "max": ("fn f[N](x: f64[N], a: f64) -> f64 { a*max(x) }", "brought together by `max`"),
    "log of a sum": ("fn f[N](x: f64[N], a: f64) -> f64 { log(sum(a*x^2)) }", "`log` of a sum over rows"),
    "a product of sums": ("fn f[N](x: f64[N], a: f64) -> f64 { sum(x)*sum(a*x) }", "`mul` of a sum"),
    "neighbours": ("fn f[N](x: f64[N], a: f64) -> f64 { sum(a*x[i]*x[i + 1] for i in 0..N-1) }", ""),
    "pairs": ("fn f[N](x: f64[N], a: f64) -> f64 { sum(a*x[i]*x[j] for i in 0..N, j in 0..N) }", ""),
    "a number of a row": ("fn f[N](x: f64[N], a: f64) -> f64 { sum(a*x[i]*f64(i) for i) }", "number of a row"),
    "a mean inside": ("fn f[N](x: f64[N], a: f64) -> f64 { let m = mean(x); sum(a*(x[i] - m)^2 for i) }", "sum over all rows"),
    "one row": ("fn f[N](x: f64[N], a: f64) -> f64 { a*x[0] + sum(x) }", "single row"),
    "a recursion": (
        "fn f[N](x: f64[N], a: f64) -> f64 { var s = 0.0; for i in 0..N { s = a*s + x[i]; } s }",
        "carries something from one row to the next",
    ),
    "a branch": ("fn f[N](x: f64[N], a: f64) -> f64 { if sum(x) > 0 { a } else { sum(x) } }", ""),
    "flipped": ("fn f[N](x: f64[N], a: f64) -> f64 { sum(a*x[i]*x[N - 1 - i] for i) }", "number of a row"),
    "a transposed matrix beside the matrix": (
        "fn f[N](x: f64[N, 2], a: f64) -> f64 { let z = [a*x[i, j] for j in 0..2, i in 0..N]; sum(z) + a }", "",
    ),
    "a norm": ("fn f[N](x: f64[N], a: f64) -> f64 { a*norm(x) }", ""),
    "another with rows": ("fn f[N](x: f64[N], y: f64[N], a: f64) -> f64 { sum(a*x*y) }", "not among the rows"),
    "an entry for each row": ("fn f[N](x: f64[N], a: f64) -> f64[N] { a*x }", ""),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_sum_is_refused(what):
    source, words = REFUSED[what]
    with pytest.raises(adc.DiagnosticError) as e:
        adc.value_and_grad(adc.parse(source).fn("f"), rows=("x",))
    assert e.value.code == "ADC0709" and words in str(e.value) and e.value.span["line"] == 1


ACCEPTED = [
    "sum(a*x[i]^2 for i)",
    "mean((x - a)^2)",
    "-sum(log(cosh(a*x[i])) for i)/f64(N)^2 + a^2*f64(N)",
    "let m = [exp(a*x[i]) for i]; sum(m) - 2*sum(m*x)",
    "dot(x, x)*a + 3*a",
    "sum(sum(a*x[i]*f64(k) for k in 0..3) for i)",
    "sum(sum(a*x[i] for i)*f64(k) for k in 0..3)",
    "if a > 0 { a*sum(x) } else { a }",
    "var s = 0.0; for k in 0..3 { s += a; } s*sum(x^2) + s",
    "let s = [sum(x[i]^f64(k) for i) for k in 1..4]; a*(s[0] + 2*s[2]) + a",
    "sum((if x[i] > a { x[i] - a } else { 0.0 }) for i)",
    "let G = [a*x[i]*f64(j) for i in 0..N, j in 1..3]; sum(G) + sum(G'@x)",
    "sum(select(a > 1, x[i], a) for i)",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_sums_of_many_forms(body):
    f = adc.parse(f"fn f[N](x: f64[N], a: f64) -> f64 {{ {body} }}").fn("f")
    x = np.random.default_rng(1).standard_normal(20)
    for a in (0.7, -1.3):
        whole, gradient = f.value_and_grad("a")(x, a)
        value, g = adc.value_and_grad(f, rows="x", wrt="a")(x=np.split(x, [3, 4, 11]), a=a)
        assert value == pytest.approx(whole, rel=1e-12, abs=1e-12) and g == pytest.approx(gradient, rel=1e-12, abs=1e-12)


def test_wrong_calls():
    X, y, w = data(10)
    split = adc.value_and_grad(MODEL.fn("loss"), rows=("X", "y"))
    with pytest.raises(adc.UsageError, match="no value was given for `y`"):
        split(X=[X], w=w, lambda_=0.1)
    with pytest.raises(adc.UsageError, match="blocks of `y` have"):
        split(X=[X], y=[y[:4], y[4:]], w=w, lambda_=0.1)
    with pytest.raises(adc.UsageError, match="an entry for each row"):
        adc.value_and_grad(MODEL.fn("loss"), rows=("X", "y"), wrt="y")
    with pytest.raises(adc.UsageError, match="no parameter called `Z`"):
        adc.value_and_grad(MODEL.fn("loss"), rows=("Z",))


def test_block_programs_are_pickled():
    block = MODEL.fn("gaussian").by_rows(["x"]).value_and_grad(("mu", "s"))
    data = pickle.dumps(block)
    assert pickle.loads(data) is pickle.loads(data)
    at = dict(x=np.ones(3), mu=0.0, s=1.0, rows_total=6, rows_first=False)
    assert pickle.loads(data)(**at) == block(**at)


def test_the_tree_is_that_of_the_number_of_blocks():
    parts = [0.1 * k for k in range(100)]
    assert tree_sum(parts, 8) == tree_sum(iter(parts), 8)
    assert tree_sum(parts, 100) == pytest.approx(sum(parts)) and tree_sum(parts[:1]) == parts[0]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster, distributed.Client(cluster) as client:
        yield cluster, client


def test_a_cluster_gives_the_same_bits(cluster):
    import dask.array as da

    X, y, w = data(4000)
    split = adc.value_and_grad(MODEL.fn("loss"), rows=("X", "y"))
    cuts = list(range(250, 4000, 250))
    value, g = split(X=np.split(X, cuts), y=np.split(y, cuts), w=w, lambda_=0.1)
    there, h = split(X=da.from_array(X, chunks=(250, 2)), y=da.from_array(y, chunks=100), w=w, lambda_=0.1)
    assert there == value
    np.testing.assert_array_equal(h["w"], g["w"])
    assert h["lambda_"] == g["lambda_"]


def test_a_bad_input_is_refused_in_the_models_words(cluster):
    import dask.array as da

    x = np.ones(100)
    x[77] = 11.0
    split = adc.value_and_grad(MODEL.fn("bounded"), rows="x")
    with pytest.raises(adc.RunError, match="too large") as e:
        split(x=da.from_array(x, chunks=10), a=1.0)
    assert e.value.code == "ADC0505" and e.value.span["file"] == "loss.dsl"


def test_a_worker_that_dies_changes_nothing(cluster):
    import dask.array as da

    local, client = cluster
    source = """fn f[N](x: f64[N], a: f64) -> f64 { sum(slow(x[i], a) for i) }
    fn slow(x: f64, a: f64) -> f64 { var s = x; for k in 0..300000 { s = sin(s) + a; } s }"""
    f = adc.parse(source).fn("f")
    x = np.random.default_rng(2).standard_normal(120)
    split = adc.value_and_grad(f, rows="x")
    want = split(x=np.split(x, range(3, 120, 3)), a=0.25)
    before = client.run(os.getpid)
    killed = []

    def kill():
        # In the middle: when some blocks are done and others are not.
        pid = next(iter(before.values()))
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    timer = threading.Timer(0.4, kill)
    timer.start()
    there = split(x=da.from_array(x, chunks=3), a=0.25)
    timer.join()
    assert killed and there == want
    client.wait_for_workers(2, timeout=60)


def test_mpi():
    pytest.importorskip("mpi4py")
    # In a process of its own: importing it here would start MPI here, and `mpiexec` ends at once, without a word, below a process with MPI.
    found = subprocess.run([sys.executable, "-c", "from mpi4py import MPI"], capture_output=True, text=True, timeout=120)
    if found.returncode != 0:
        pytest.skip(f"mpi4py finds no MPI: {found.stderr.strip().splitlines()[-1:]}")
    script = """
    import numpy as np, adc
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    f = adc.parse("fn f[N](x: f64[N], a: f64) -> f64 { mean((x - a)^2) + a }").fn("f")
    x = np.arange(12.0)
    own = np.split(x, comm.Get_size())[comm.Get_rank()]
    value, g = adc.value_and_grad(f, rows="x", wrt="a")(x=[own], a=0.5, comm=comm)
    w, h = f.value_and_grad("a")(x, 0.5)
    assert abs(value - w) < 1e-12 and abs(g - h) < 1e-12
    try:
        adc.value_and_grad(f, rows="x", wrt="a")(x=[own if comm.Get_rank() else "no"], a=0.5, comm=comm)
    except adc.Error:
        print("refused", comm.Get_rank())
    """
    import shutil

    launcher = [shutil.which("mpiexec"), "-n", "2", "--oversubscribe", "--allow-run-as-root"] if shutil.which("mpiexec") else []
    command = [*launcher, sys.executable, "-c", textwrap.dedent(script)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert out.returncode == 0 and "refused 0" in out.stdout, f"{command[:-1]} returned {out.returncode}\n{out.stdout}\n{out.stderr}"
