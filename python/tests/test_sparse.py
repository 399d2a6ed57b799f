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


def test_calls_keep_nothing_of_their_matrices():
    from concurrent.futures import ThreadPoolExecutor

    m = adc.parse(
        """
        fn heat[N](u: f64[N]) -> f64[N] { [(if i > 0 { u[i - 1] } else { 0.0 }) - 2*u[i] + u[i]^2*exp(-u[i]) for i in 0..N] }
        fn single[N](u: f32[N]) -> f32[N] { [u[i]^2 + (if i > 0 { u[i - 1] } else { 0.0 }) for i] }
        fn last[N](u: f64[N]) -> f64 { u[N - 1]^3 }
        """
    )
    for name, dtype in (("heat", "f8"), ("single", "f4"), ("last", "f8")):
        f = m.fn(name)
        jacobian, dense = f.sparse_jacobian("u"), f.jacobian("u")

        # Two programs, each optimised by itself: the last bits may differ.
        def near(a, b):
            return np.allclose(a, b, rtol=4*np.finfo(dtype).eps, atol=0)

        def same(u):
            found = jacobian(u)
            want = np.reshape(dense(u), found.shape)
            assert found.has_canonical_format and near(found.toarray(), want)
            found.check_format()
            # What is done to a matrix leaves the next one alone.
            found.data[:] = 0
            found.eliminate_zeros()
            assert near(jacobian(u).toarray(), want)

        points = [np.linspace(0.1, k, 6).astype(dtype) for k in range(1, 9)]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(same, points))
