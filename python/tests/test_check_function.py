"""Checks of derivatives that are written elsewhere."""

import numpy as np
import pytest

import adc


def wave(x, y):
    return np.sum(np.sin(x / 2e4) * y)


def wave_vjp(x, y, v):
    return v * np.cos(x / 2e4) / 2e4 * y, v * np.sin(x / 2e4)


def wave_jvp(x, y, dx, dy):
    return np.sum(np.cos(x / 2e4) / 2e4 * y * dx + np.sin(x / 2e4) * dy)


def test_scales_far_apart():
    rng = np.random.default_rng(3)
    for seed in range(40):
        at = (2e4 * rng.standard_normal(4), rng.standard_normal(4) * 10.0 ** rng.integers(-6, 6))
        report = adc.check_function(wave, wave_vjp, at, jvp=wave_jvp, seed=seed, probes=2)
        assert report.passed, report.text


def test_small_mistakes_are_seen_and_blamed():
    at = (2e4 * np.array([0.3, -1.0, 2.0]), np.array([1.0, 0.5, -2.0]))

    def wrong(x, y, v):
        gx, gy = wave_vjp(x, y, v)
        return gx * (1 + 1e-7), gy

    report = adc.check_function(wave, wrong, at, names=["x", "y"])
    assert report.verdicts == {"x": "wrong", "y": "ok"}
    assert report.worst("y").ratio < 1
    # A larger mistake is also seen by the rate of the Taylor remainder.
    larger = adc.check_function(wave, lambda x, y, v: (0.9 * wave_vjp(x, y, v)[0], wave_vjp(x, y, v)[1]), at, names=["x", "y"])
    assert larger.worst("x").rate == pytest.approx(1, abs=0.2) and larger.worst("y").rate in (None, pytest.approx(2, abs=0.3))
    with pytest.raises(adc.CheckFailed):
        report.raise_if_failed()
    assert report.to_dict()["verdicts"]["x"] == "wrong"
    assert "imprecise" in report.unavailable and "more than double" in report.text


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_single_and_half_precision(dtype):
    rng = np.random.default_rng(4)

    def f(X, b):
        return np.tanh(X @ b).astype(dtype)

    def vjp(X, b, v, factor=1.0):
        s = v * (1 - np.tanh(X @ b) ** 2)
        return (factor * s[:, None] * b).astype(dtype), (X.T @ s).astype(dtype)

    caught = right = 0
    for seed in range(20):
        X, b = rng.standard_normal((4, 3)).astype(dtype), rng.standard_normal(3).astype(dtype)
        report = adc.check_function(f, vjp, (X, b), names=["X", "b"], seed=seed)
        assert "wrong" not in report.verdicts.values(), report.text
        right += report.passed
        wrong = adc.check_function(f, lambda X, b, v: vjp(X, b, v, 1.5), (X, b), names=["X", "b"], seed=seed)
        caught += wrong.verdicts["X"] == "wrong" and wrong.verdicts["b"] != "wrong"
    # Noise hides some in half precision, and then the verdict is `unsure`.
    assert right >= (20 if dtype == "float32" else 15) and caught >= (20 if dtype == "float32" else 15)


def test_one_of_many():
    x = np.random.default_rng(5).standard_normal(300)

    def vjp(x, v):
        g = v[0] * 3 * x**2 + v[1] * np.exp(x)
        g[137] *= 2
        return g

    report = adc.check_function(lambda x: np.array([np.sum(x**3), np.sum(np.exp(x))]), vjp, (x,))
    e = report.worst("input 0")
    assert e.index == (137,) and e.note == "a factor 2 too large"


def test_noise_is_no_mistake():
    def f(x):
        return float(np.sum(x**2)) + 1e-7 * np.sin(1e9 * np.sum(x))

    x = np.array([1.0, 2.0])
    assert adc.check_function(f, lambda x: 2 * x, (x,)).passed
    assert adc.check_function(f, lambda x: 2.01 * x, (x,)).verdicts["input 0"] == "wrong"
    # What noise hides is not said to be right.
    hidden = adc.check_function(lambda x: 1e-9 * x[0] + np.sin(1e9 * x[0]), lambda x: 1e-9 + 0 * x, (x,))
    assert not hidden.passed and hidden.verdicts["input 0"] == "unsure"


def test_kinks_and_jumps():
    x = np.array([1.0, 2.0])
    f = lambda x: np.abs(x - 1).sum()  # noqa: E731
    assert adc.check_function(f, lambda x: np.sign(x - 1), (x,)).verdicts == {"input 0": "kink"}
    assert adc.check_function(f, lambda x: np.where(x > 1, 1.0, 0.7), (x,)).verdicts == {"input 0": "kink"}
    assert adc.check_function(f, lambda x: np.where(x > 1, 1.0, 3.0), (x,)).verdicts == {"input 0": "wrong"}
    jump = adc.check_function(lambda x: np.floor(x).sum(), lambda x: 0 * x, (x,))
    assert jump.verdicts == {"input 0": "unsure"}


def test_complex_numbers_in_both_conventions():
    z = np.array([1 + 2j, -0.5j])
    f = lambda z: z * np.abs(z)  # noqa: E731

    def vjp(z, v):
        return 1.5 * np.abs(z) * v + z**2 / (2 * np.abs(z)) * np.conj(v)

    assert adc.check_function(f, vjp, (z,)).passed
    assert adc.check_function(f, lambda z, v: np.conj(vjp(z, np.conj(v))), (z,), convention="jax").passed
    assert not adc.check_function(f, vjp, (z,), convention="jax").passed
    assert not adc.check_function(lambda z: z**2, lambda z, v: 2 * z * v, (z,)).passed


def test_forms_of_derivatives():
    x = np.array([0.5, 1.5])
    f = lambda x, k: np.sum(k * np.sin(x))  # noqa: E731
    g = lambda x, k: (k * np.cos(x), np.sum(np.sin(x)))  # noqa: E731
    assert adc.check_function(f, g, (x, 2.0)).passed
    assert adc.check_function(f, lambda x, k, v: tuple(v * t for t in g(x, k)), (x, 2.0)).passed
    assert adc.check_function(f, lambda x, k: lambda v: tuple(v * t for t in g(x, k)), (x, 2.0)).passed
    assert adc.check_function(f, lambda v: tuple(v * t for t in g(x, 2.0)), (x, 2.0)).passed
    named = adc.check_function(f, lambda x, k: dict(zip("xk", g(x, k))), {"x": x, "k": 2.0})
    assert named.passed and list(named.verdicts) == ["x", "k"]
    # Integers are held still.
    power = adc.check_function(lambda x, n: np.sum(x**n), lambda x, n: (n * x ** (n - 1), None), (x, 3))
    assert power.verdicts == {"input 0": "ok"}
    with pytest.raises(TypeError, match="takes neither"):
        adc.check_function(f, lambda a, b, c, d: None, (x, 2.0))
    with pytest.raises(TypeError, match="shape"):
        adc.check_function(f, lambda x, k: (k, k), (x, 2.0))


def test_forward_and_reverse_disagree():
    at = (np.array([1.0, 2e4]), np.array([0.3, 1.0]))
    report = adc.check_function(wave, wave_vjp, at, jvp=lambda x, y, dx, dy: 0.5 * wave_jvp(x, y, dx, dy))
    assert "wrong" in report.verdicts.values() and "forward and reverse mode disagree" in report.text


def test_a_function_of_adc_itself():
    m = adc.parse("fn f[N](x: f64[N], k: f64) -> f64[N] { [sin(k*x[i]) for i] }")
    f = m.fn("f")
    report = adc.check_function(f, lambda x, k, v: f.vjp()(x, k, out_bar=v)[1], (np.array([0.1, 0.7]), 3.0), names=["x", "k"])
    assert report.passed, report.text


def test_torch_tensors():
    torch = pytest.importorskip("torch")

    def f(x, w):
        return torch.tanh(x @ w)

    def vjp(x, w, v):
        x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
        return torch.autograd.grad(f(x, w), (x, w), v)

    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        generator = torch.Generator().manual_seed(1)
        at = tuple(torch.randn(s, generator=generator, dtype=torch.float64).to(dtype) for s in ((3, 2), (2,)))
        report = adc.check_function(f, vjp, at)
        assert "wrong" not in report.verdicts.values(), report.text


def test_jax_arrays():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    f = lambda x: jnp.sum(jnp.sin(x) * x)  # noqa: E731
    assert adc.check_function(f, jax.grad(f), (jnp.array([0.5, 1.5], dtype=jnp.float32),)).passed
