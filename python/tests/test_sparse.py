"""Sparse derivatives."""

import numpy as np
import pytest

import adc

scipy_sparse = pytest.importorskip("scipy.sparse")

HEAT = """
fn f[N](u: f64[N], k: f64) -> f64[N] {
    [k*((if i > 0 { u[i - 1] } else { 0.0 }) - 2*u[i] + (if i < N - 1 { u[i + 1] } else { 0.0 })) + u[i]^3 for i in 0..N]
}
fn energy[N](u: f64[N], k: f64) -> f64 { sum(u[i]*u[i + 1]*k + u[i]^4 for i in 0..N-1) }
"""


def test_a_jacobian():
    f = adc.parse(HEAT).fn("f")
    u = np.linspace(1, 2, 7)
    sparse = f.sparse_jacobian("u")
    found = sparse(u=u, k=0.5)
    assert scipy_sparse.issparse(found) and found.nnz == 19 and sparse.colours == 3 and sparse.entries == 19
    np.testing.assert_array_equal(found.toarray(), f.jacobian("u")(u=u, k=0.5))
    both = f.sparse_jacobian()(u, 0.5)
    np.testing.assert_array_equal(both["k"].toarray()[:, 0], f.jacobian("k")(u, 0.5))
    # Other sizes need another pattern.
    assert sparse(u=np.ones(100), k=1.0).nnz == 298


def test_a_hessian():
    f = adc.parse(HEAT).fn("energy")
    u = np.linspace(1, 2, 9)
    found = f.sparse_hessian("u")(u, 0.5)
    np.testing.assert_allclose(found.toarray(), f.hessian("u")(u, 0.5), rtol=1e-14)
    both, dense = f.sparse_hessian(("u", "k"))(u, 0.5), f.hessian(("u", "k"))(u, 0.5)
    np.testing.assert_allclose(both["k"]["u"].toarray()[0], dense["k"]["u"], rtol=1e-14)


def test_patterns_follow_integer_inputs():
    f = adc.parse("fn f[N, E](x: f64[N], to: i64[E]) -> f64[E] { [x[to[e]]^2 for e] }").fn("f")
    jacobian = f.sparse_jacobian("x")
    x = np.arange(4.0)
    for to in ([0, 3, 3], [1, 2, 0]):
        to = np.array(to)
        np.testing.assert_array_equal(jacobian(x, to).toarray(), f.jacobian("x")(x, to))
        assert jacobian.entries == 3


def test_what_has_no_pattern():
    with pytest.raises(adc.DiagnosticError, match="sparse derivatives are of real numbers"):
        adc.parse("fn f(z: c128) -> c128 { z^2 }").fn("f").sparse_jacobian()


def test_files_of_the_command_line(tmp_path):
    """`--out J.npz` is what SciPy reads."""
    import subprocess
    from pathlib import Path

    binary = Path(__file__).parents[2] / "target" / "debug" / "adc"
    if not binary.exists():
        pytest.skip("the command line is not built")
    (tmp_path / "heat.dsl").write_text(HEAT)
    at = "u=[1,2,3,4],k=0.5"
    command = [binary, "grad", "heat.dsl", "--fn", "f", "--at", at, "--jacobian", "--sparse", "--out", "J.npz"]
    subprocess.run([*command, "--wrt", "u"], cwd=tmp_path, check=True)
    found = scipy_sparse.load_npz(tmp_path / "J.npz")
    want = adc.parse(HEAT).fn("f").jacobian("u")(np.arange(1.0, 5.0), 0.5)
    assert found.format == "coo"
    np.testing.assert_array_equal(found.toarray(), want)
