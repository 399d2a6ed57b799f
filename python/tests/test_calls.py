"""Calls: types, layouts, names, results, errors."""

import inspect
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import adc

LOSS = adc.parse(
    """
    /// Squared distance of a line from points.
    /// Second line.
    fn loss[N](x: f64[N], y: f64[N], a: f64, b: f64) -> f64 { sum((a*x[i] + b - y[i])^2 for i) }
    fn both(z: c128, k: f64) -> (p: c128, q: f64) { (k*z*conj(z) + z, abs2(z)) }
    fn pair(x: f64) -> (f64, f64) { (x^2, x^3) }
    """,
    name="loss.dsl",
)


def test_values_and_gradients():
    f = LOSS.fn("loss")
    x, y = np.arange(4.0), np.ones(4)
    assert f(x=x, y=y, a=2.0, b=1.0) == 56.0
    assert f(x, y, 2, b=1) == 56.0
    value, gradient = f.value_and_grad()(x=x, y=y, a=2.0, b=1.0)
    assert value == 56.0 and list(gradient) == ["x", "y", "a", "b"]
    np.testing.assert_array_equal(gradient["y"], -2 * 2 * x)
    assert f.grad("a")(x=x, y=y, a=2.0, b=1.0) == 56.0
    assert f.grad(("a",))(x=x, y=y, a=2.0, b=1.0) == {"a": 56.0}
    # The order is that of the parameters.
    assert list(f.grad(("b", "a"))(x=x, y=y, a=2.0, b=1.0)) == ["a", "b"]
    assert type(value) is float


def test_other_transforms():
    f = LOSS.fn("loss", dims={"N": 3})
    at = dict(x=np.array([1.0, 2, 3]), y=np.zeros(3), a=1.0, b=0.0)
    assert f.jvp("a")(**at, a_dot=1.0) == (14.0, 28.0)
    assert f.vjp("b")(**at, out_bar=2.0) == (14.0, 24.0)
    hessian = f.hessian(("a", "b"))(**at)
    assert hessian == {"a": {"a": 28.0, "b": 12.0}, "b": {"a": 12.0, "b": 6.0}}
    assert f.hvp(("a", "b"))(**at, a_dot=1.0, b_dot=0.0) == {"a": 28.0, "b": 12.0}
    np.testing.assert_array_equal(f.hessian("x")(**at), 2 * np.eye(3))
    value, linear = f.linearize()(**at)
    assert value == 14.0
    assert linear.vjp(1.0)["a"] == 28.0
    assert linear.jvp(np.zeros(3), np.zeros(3), a=0.0, b=1.0) == 12.0
    both = LOSS.fn("both")
    jacobian = both.jacobian()(z=1 + 2j, k=3.0)
    assert jacobian.p["z"] == (3 * (1 - 2j) + 1, 3 * (1 + 2j))
    assert jacobian.q["k"] == 0.0


def test_results_have_names():
    both = LOSS.fn("both")(1 + 2j, 3.0)
    assert both == (3 * 5 + 1 + 2j, 5.0) and both.q == 5.0
    pair = LOSS.fn("pair")(2.0)
    assert (pair.out0, pair.out1) == (4.0, 8.0)
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert LOSS.fn("pair", outputs=["out.1"]).grad()(2.0) == {"x": 12.0}


def test_conventions():
    f = LOSS.fn("both", outputs=["q"])
    assert f.grad("z")(3 + 4j, 0.0) == 6 + 8j
    assert LOSS.fn("both", outputs=["q"], convention="jax").grad("z")(3 + 4j, 0.0) == 6 - 8j


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64", "int64", "bool"])
def test_all_dtypes(dtype):
    name = {"float64": "f64", "float32": "f32", "complex128": "c128", "complex64": "c64", "int64": "i64"}.get(dtype, dtype)
    m = adc.parse(f"fn f[N, M](x: {name}[N, M], k: {name}) -> (a: {name}[M, N], s: {name}) {{ ([x[i, j] for j in 0..M, i in 0..N], k) }}")
    x = np.arange(6).reshape(2, 3).astype(dtype)
    k = np.dtype(dtype).type(1)
    a, s = m.fn("f")(x, k)
    assert a.dtype == dtype and np.asarray(s).dtype == dtype
    np.testing.assert_array_equal(a, x.T)
    # Any layout.
    for view in (x.T.copy().T, np.asfortranarray(x), np.concatenate([x, x], axis=1)[:, :3], x[::-1]):
        np.testing.assert_array_equal(m.fn("f")(view, k).a, view.T)


def test_contiguous_inputs_are_read_in_place_and_results_are_new():
    m = adc.parse("fn f[N](x: f64[N]) -> f64[N] { [2*x[i] for i] }")
    f = m.fn("f")
    x = np.arange(1000.0)
    x.flags.writeable = False
    first, second = f(x), f(x)
    assert first is not second and first.flags.c_contiguous and first.flags.writeable
    assert not np.shares_memory(first, second)


def test_arrays_that_begin_anywhere():
    f = adc.parse("fn f[N](x: f64[N]) -> f64 { sum(x) }").fn("f")
    x = np.frombuffer(b"." + np.arange(5.0).tobytes(), dtype=np.uint8)[1:].view(np.float64)
    assert not x.flags.aligned and f(x) == 10.0
    assert f(np.arange(5.0).astype(">f8")) == 10.0 and f(np.empty(0)) == 0.0


def test_what_is_converted_and_what_is_not():
    f = LOSS.fn("loss")
    y = np.ones(2)
    assert f([1, 2], y, 1, 0) == f(np.array([1.0, 2.0]), y, 1.0, 0.0) == f(np.float32([1, 2]), y, np.int32(1), False)
    for wrong in (np.array([1j, 2]), np.ones((2, 1)), "ab", None, np.array(["a", "b"])):
        with pytest.raises(adc.UsageError, match="expected f64.N. for `x`"):
            f(wrong, y, 1.0, 0.0)
    for wrong in (1j, np.complex128(1), "1", np.ones(1), None):
        with pytest.raises(adc.UsageError, match="expected f64 for `a`"):
            f(y, y, wrong, 0.0)
    single = adc.parse("fn f[N](x: f32[N]) -> f32 { sum(x) }").fn("f")
    assert single([0.5, 1.5]) == 2.0
    with pytest.raises(adc.UsageError, match="expected f32.N. for `x`, found an array float64"):
        single(np.ones(3))
    whole = adc.parse("fn f(n: i64, b: bool) -> i64 { if b { n } else { -n } }").fn("f")
    assert whole(np.int8(3), np.True_) == 3 and whole(3, False) == -3
    for wrong in ((1.0, True), (1, 1), (True, True)):
        with pytest.raises(adc.UsageError):
            whole(*wrong)
    with pytest.raises(adc.UsageError):
        adc.parse("fn f[N](n: i64[N]) -> i64 { sum(n) }").fn("f")([1.5])


def test_wrong_names():
    f = LOSS.fn("both")
    with pytest.raises(adc.UsageError, match="no parameter called `w`\n  = help: they are `z`, `k`"):
        f(z=1, w=2)
    with pytest.raises(adc.UsageError, match="no value was given for `k`"):
        f(z=1)
    with pytest.raises(adc.UsageError, match="`z` is given twice"):
        f(1, z=1)
    with pytest.raises(adc.UsageError, match="takes 2 arguments, but 3 were given"):
        f(1, 2, 3)
    with pytest.raises(adc.UsageError, match="no value was given for `p_bar`, `q_bar`\n  = help"):
        f.vjp()(1, 2.0)
    with pytest.raises(adc.UsageError, match="no parameter called `w`"):
        f.vjp("w")
    with pytest.raises(adc.UsageError):
        f.vjp(())
    with pytest.raises(adc.UsageError, match="no function called `g`"):
        LOSS.fn("g")
    with pytest.raises(adc.UsageError, match="no dimension called `M`"):
        LOSS.fn("loss", dims={"M": 3})
    with pytest.raises(adc.DiagnosticError, match="several results"):
        f.grad()
    with pytest.raises(adc.UsageError, match="convention"):
        LOSS.fn("both", convention="torch")


def test_names_that_python_cannot_write():
    m = adc.parse("fn f(lambda: f64, µ: f64) -> f64 { lambda*µ }")
    f = m.fn("f")
    assert f(lambda_=2.0, µ=3.0) == 6.0
    assert f.grad("lambda")(2.0, 3.0) == 3.0 == f.grad("lambda_")(2.0, 3.0)
    assert list(inspect.signature(f).parameters) == ["lambda_", "μ"]


def test_errors_have_code_span_and_text():
    with pytest.raises(adc.DiagnosticError) as e:
        adc.parse("fn f(x: f64) -> f64 { tahn(x) }", name="wrong.dsl")
    e = e.value
    assert e.code == "ADC0201" and "did you mean `tanh`" in str(e)
    assert (e.span["file"], e.span["line"], e.span["column"], e.span["end"]) == ("wrong.dsl", 1, 23, 26)
    again = pickle.loads(pickle.dumps(e))
    assert (type(again), again.text, again.span) == (type(e), e.text, e.span)
    root = adc.parse("fn root(x: f64 in [0, INF)) -> f64 { sqrt(x) }").fn("root")
    with pytest.raises(adc.RunError) as e:
        root(-1.0)
    assert "`x` must lie in [0, INF)" in e.value.text and e.value.code and e.value.span["line"] == 1
    with pytest.raises(adc.DiagnosticError) as e:
        LOSS.fn("loss")(np.ones(3), np.ones(4), 1.0, 1.0)
    assert "`N` is 3 by axis 0 of this one" in str(e.value)
    with pytest.raises(adc.DiagnosticError, match="cannot read `nowhere.dsl`"):
        adc.load("nowhere.dsl")
    assert isinstance(e.value, adc.Error)


def test_signatures_and_docs():
    f = LOSS.fn("loss")
    assert f.__doc__ == "Squared distance of a line from points.\nSecond line."
    assert list(inspect.signature(f).parameters) == ["x", "y", "a", "b"]
    assert inspect.signature(f).return_annotation is float
    assert list(inspect.signature(f.jvp("a")).parameters)[-1] == "a_dot"
    assert f.grad().__doc__.startswith("The grad of `loss`. Squared distance")
    assert f.__name__ == "loss" and f.grad().__name__ == "loss.grad"
    assert repr(f) == "<adc loss(x: f64[N], y: f64[N], a: f64, b: f64) -> f64>"
    assert f.inputs["x"] == "f64[N]" and f.outputs == {"out": "f64"} and f.dims == {"N": None}
    assert LOSS.functions == ["loss", "both", "pair"]


def test_programs_are_made_once():
    f = LOSS.fn("loss")
    assert LOSS.fn("loss") is f
    assert f.grad("a") is f.grad("a") and f.grad("a") is not f.grad(("a",))


def test_batch():
    f = LOSS.fn("loss")
    x, y = np.arange(12.0).reshape(3, 4), np.ones((3, 4))
    a, b = np.array([1.0, 2, 3]), np.zeros(3)
    values, gradients = f.value_and_grad(("x", "a")).batch()(x=x, y=y, a=a, b=b)
    for i in range(3):
        value, gradient = f.value_and_grad(("x", "a"))(x[i], y[i], a[i], b[i])
        assert values[i] == value and gradients["a"][i] == gradient["a"]
        np.testing.assert_array_equal(gradients["x"][i], gradient["x"])
    np.testing.assert_array_equal(f.batch(over=("a",))(x[0], y[0], a, 0.0), [f(x[0], y[0], t, 0.0) for t in a])
    with pytest.raises(adc.UsageError, match="leading axis of length 3"):
        f.batch()(x, y, a, np.zeros(4))
    with pytest.raises(adc.UsageError, match="no input called `c`"):
        f.batch(over=("c",))


def test_pickle_compiles_once_per_process(tmp_path):
    (tmp_path / "used.dsl").write_text("const K: f64 = 3;")
    np.save(tmp_path / "data.npy", np.array([1.0, 2.0]))
    path = tmp_path / "m.dsl"
    path.write_text(
        'use "used.dsl"; fn f(x: f64) -> f64 { 3*K*x^2 } fn g(d: f64[2]) -> f64 { sum(d^2) }'
        'check f { x in [1, 2]; } check g { d = load("data.npy"); }'
    )
    m = adc.load(path)
    gradient = m.fn("f").value_and_grad("x")
    data = pickle.dumps((gradient, m.fn("f"), m, m.fn("f").batch()))
    for name in ("used.dsl", "data.npy", "m.dsl"):
        (tmp_path / name).unlink()
    first, second = pickle.loads(data), pickle.loads(data)
    assert first[0] is second[0] and first[1] is second[1] and first[2] is second[2]
    assert first[0](2.0) == gradient(2.0) == (36.0, 36.0)
    assert first[2].check("g").passed
    script = "import pickle, sys; print(pickle.load(sys.stdin.buffer)[0](2.0))"
    out = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True, check=True)
    assert out.stdout.decode().strip() == "(36.0, 36.0)"


def test_calls_run_at_the_same_time():
    m = adc.parse("fn f(n: i64, x: f64) -> f64 { var s = x; for i in 0..n { s = s*0.999 + 1/(1 + s); } s }")
    f = m.fn("f")
    want = f(1000, 0.5)
    seen = []

    def work():
        seen.extend(f(1000, 0.5) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert seen == [want] * 200


def test_the_interpreter_lock_is_released():
    m = adc.parse("fn f(x: f64) -> f64 { var s = x; while s > 0 { s = s + 1; } s }")
    f = m.fn("f", fuel=300_000_000)
    ticks, running = [], threading.Event()

    def tick():
        running.wait()
        while not done.is_set():
            ticks.append(None)
            done.wait(0.001)

    done = threading.Event()
    thread = threading.Thread(target=tick)
    thread.start()
    running.set()
    with pytest.raises(adc.RunError) as e:
        f(1.0)
    done.set()
    thread.join()
    assert len(ticks) > 5 and e.value.code == "ADC0511"


@pytest.mark.parametrize("call", ["f(1.0)", "f.batch()(np.ones(3))", "f.value_and_grad('x')(1.0)", "g(np.ones(3))", "f.linearize()(1.0)"])
def test_ctrl_c(call):
    script = f"""
    import os, signal, threading, time
    import numpy as np
    import adc
    # What a shell runs in the background ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    m = adc.parse('''fn f(x: f64) -> f64 {{ var s = x; while s > 0 {{ s = s*0.5 + 1; }} s }}
        fn g[N](x: f64[N]) -> f64[N] {{ [f(x[i]) for i] }}''')
    f, g = (m.fn(name, fuel=10**18) for name in ("f", "g"))
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - start < 20)
    # The next call works as ever.
    print(m.fn("f", fuel=10).grad('x').wrt, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, timeout=60, text=True)
    assert out.stdout.split("\n")[:2] == ["interrupted True", "x True"], out.stderr
