"""SciPy, torch and JAX with functions of models. Each is tested where it is installed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adc

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("script", sorted(p.name for p in EXAMPLES.glob("*.py")))
def test_examples(script):
    pytest.importorskip("scipy")
    out = subprocess.run([sys.executable, str(EXAMPLES / script)], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert out.stdout.strip()


MIXED = adc.parse(
    """
    fn mixed[N](x: f64[N], k: f64, n: i64) -> (y: f64[N], s: f64, m: i64) {
        ([sin(k*x[i])*f64(n) for i], k*sum(x^2), 2*n)
    }
    fn wave[N](z: c128[N], k: f64) -> c128[N] { [exp(k*z[i])*abs(z[i]) for i] }
    """
)


def test_torch_layers():
    torch = pytest.importorskip("torch")
    from adc.torch import function

    layer = function(MIXED.fn("mixed"))
    x = torch.tensor([0.3, 0.9, -1.1], dtype=torch.float64, requires_grad=True)
    k = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    y, s, m = layer(x, k, n=2)
    assert m.item() == 4 and not m.requires_grad and y.requires_grad
    assert torch.autograd.gradcheck(lambda x, k: layer(x, k, 2)[:2], (x, k))
    assert torch.autograd.gradcheck(lambda k: layer(x.detach(), k, 2)[1], (k,))
    wave = function(MIXED.fn("wave"))
    z = torch.tensor([0.3 + 0.4j, -1.0 + 0.2j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(wave, (z, k))
    with pytest.raises(adc.UsageError, match="no value was given"):
        layer(x, k)
    # As with NumPy, what the model's precision holds exactly is taken, and nothing else.
    single = x.detach().float().requires_grad_()
    layer(single, k, 2)[1].backward()
    assert single.grad.dtype == torch.float32
    narrow = function(adc.parse("fn f[N](x: f32[N]) -> f32 { sum(x^2) }").fn("f"))
    with pytest.raises(adc.UsageError, match="float64"):
        narrow(x)
    # A tensor whose sign is applied when it is read.
    lazy = torch.tensor([0.3 + 0.4j], dtype=torch.complex128).conj().imag
    assert layer(lazy, k, 1)[1].item() == pytest.approx(0.7 * 0.16)


def test_jax_functions():
    jax = pytest.importorskip("jax")
    from jax.test_util import check_grads

    jax.config.update("jax_enable_x64", True)
    from adc.jax import function

    jnp = jax.numpy
    f = function(MIXED.fn("mixed"))
    x = jnp.array([0.3, 0.9, -1.1])
    check_grads(lambda x, k: f(x, k, 2)[0], (x, 0.7), order=1, modes=["rev"])
    check_grads(lambda x, k: f(x, k, 2)[1], (x, 0.7), order=1, modes=["rev"])
    wave = function(MIXED.fn("wave"))
    z = jnp.array([0.3 + 0.4j, -1.0 + 0.2j])
    check_grads(lambda z, k: wave(z, k), (z, 0.7), order=1, modes=["rev"])
    assert jax.jit(lambda k: f(x, k, 2)[1])(0.7) == MIXED.fn("mixed")(np.asarray(x), 0.7, 2).s
    assert jax.vmap(lambda k: f(x, k, 2)[1])(jnp.arange(3.0)).shape == (3,)
