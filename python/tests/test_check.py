"""Reports of checks."""

import json

import pytest

import adc

GOOD = "fn f(x: f64, y: f64) -> f64 { x*sin(y) }"
WRONG = "fn cube(x: f64) -> f64 { x^3 }  rule vjp cube(x; g) { 2*g*x^2 }"


def test_a_report():
    report = adc.parse(GOOD, name="f.dsl").check()
    assert report.passed and bool(report)
    assert report.text.startswith("  f.dsl\n    ok     f") and repr(report) == report.text
    assert report.to_dict()["summary"]["exit_code"] == 0
    report.raise_if_failed()


def test_a_failure():
    report = adc.parse(WRONG, name="cube.dsl").check(points=4, seed=3)
    assert not report.passed and "ADC0301" in report.text
    with pytest.raises(adc.CheckFailed) as e:
        report.raise_if_failed()
    assert e.value.code == "ADC0301" and e.value.span["file"] == "cube.dsl" and isinstance(e.value, AssertionError)
    assert e.value.report["summary"]["failed"] >= 1
    json.dumps(report.to_dict())


def test_parts():
    m = adc.parse(GOOD + " fn g[N](x: f64[N]) -> f64 { sum(x^2) }")
    assert len(m.check("g", dims={"N": 2}).to_dict()["results"]) == 1
    assert m.check("f", wrt="y").passed
    with pytest.raises(adc.UsageError):
        m.check("h")
    with pytest.raises(adc.DiagnosticError):
        m.check("f", wrt="z")


def test_in_a_notebook(monkeypatch):
    report = adc.parse(WRONG).check(points=2)
    page = report._repr_html_()
    assert page.startswith("<iframe") and "srcdoc=" in page and "&lt;!DOCTYPE html&gt;" in page
    IPython = pytest.importorskip("IPython")
    from IPython.utils.capture import capture_output

    shell = IPython.core.interactiveshell.InteractiveShell.instance()
    shell.kernel = object()
    try:
        with capture_output() as shown:
            adc.parse(GOOD, name="<f>.dsl").check()
    finally:
        IPython.core.interactiveshell.InteractiveShell.clear_instance()
    bars = [o.data["text/html"] for o in shown.outputs]
    assert bars[0].startswith("<progress value=0 max=1>") and bars[-1].startswith("<progress value=1 max=1>")
    assert "&lt;f&gt;.dsl" in bars[0] and "<code>f</code>" in bars[-1]
    with capture_output() as shown:
        adc.parse(GOOD).check(progress=False)
    assert not shown.outputs and not shown.stderr
