"""Python functions as extern functions."""

import pickle

import numpy as np
import pytest

import adc

SOURCE = """
extern fn tank(inflow: f64, volume: f64) -> f64;
rule vjp tank(inflow, volume; g) { (g/(1 + volume), -g*out/(1 + volume)) }
fn f(v: f64) -> f64 { tank(8, v)^2 }
"""


def tank(inflow, volume):
    if volume < 0:
        raise ValueError("no such tank")
    return inflow / (1 + volume)


def test_a_function_with_a_rule():
    m = adc.parse(SOURCE, externs={"tank": tank})
    assert m.fn("f").value_and_grad("v")(3.0) == (4.0, -2.0)
    report = m.check(points=4)
    assert report.passed, report.text


def test_exceptions_arrive():
    m = adc.parse(SOURCE, externs={"tank": tank})
    with pytest.raises(adc.RunError) as e:
        m.fn("f")(-1.0)
    assert isinstance(e.value.__cause__, ValueError) and str(e.value.__cause__) == "no such tank"
    # A later error of another kind has no cause.
    with pytest.raises(adc.RunError) as e:
        adc.parse("fn f(x: f64 in (0, 1)) -> f64 { x }").fn("f")(2.0)
    assert e.value.__cause__ is None


def test_arrays_and_several_results():
    source = """
    extern fn split[N, M](x: f64[N, M], k: f64) -> (a: f64[M], s: f64);
    rule vjp split(x, k; g) {
        let (ga, gs) = g;
        ([ga[j]*k for i in 0..N, j in 0..M], sum(ga[j]*sum(x[i, j] for i) for j) + 0*gs)
    }
    fn f[N, M](x: f64[N, M], k: f64) -> f64 { let (a, s) = split(x, k); sum(a) }
    """

    def split(x, k):
        assert x.shape == (2, 3)
        return k * x.sum(axis=0), 0.0

    m = adc.parse(source, externs={"split": split})
    x = np.arange(6.0).reshape(2, 3)
    value, gradient = m.fn("f").value_and_grad()(x, 2.0)
    assert value == 30.0 and gradient["k"] == 15.0
    np.testing.assert_array_equal(gradient["x"], np.full((2, 3), 2.0))
    wrong = adc.parse(source, externs={"split": lambda x, k: (x, 0.0)})
    with pytest.raises(adc.RunError) as e:
        wrong.fn("f")(x, 2.0)
    assert "returned an array of shape [2, 3]" in str(e.value.__cause__)


def test_what_is_missing_or_too_much():
    with pytest.raises(adc.UsageError, match="declares no `extern fn pump`"):
        adc.parse(SOURCE, externs={"pump": tank})
    with pytest.raises(adc.DiagnosticError, match="no native function `tank`"):
        adc.parse(SOURCE).fn("f")(1.0)


def test_pickled_by_reference():
    m = adc.parse(SOURCE, externs={"tank": tank})
    again = pickle.loads(pickle.dumps(m.fn("f").grad("v")))
    assert again(3.0) == -2.0
