"""The stubs: a program that uses the package type-checks, a wrong one does not, and every name in them exists."""

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("mypy")

RIGHT = """
import adc
m: adc.Model = adc.parse("fn f(x: f64) -> f64 { x }", externs={"g": abs})
f: adc.Function = m.fn("f", dims={"N": 3})
p: adc.Program = f.value_and_grad(wrt="x")
report: adc.Report = m.check(points=3)
text: str = report.text
adc.check_function(abs, abs, (1.0,)).raise_if_failed()
total = adc.value_and_grad(f, rows=("x",))
try:
    p(x=1.0)
except adc.Error as e:
    print(e.code, e.span, e.text)
"""
WRONG = "import adc\nadc.parse(3)\nadc.parse('').fn('f').grad(wrt=1)\nadc.load('x').check(pts=3)\n"


def mypy(tmp_path, text):
    (tmp_path / "program.py").write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)


def test_a_program_type_checks(tmp_path):
    out = mypy(tmp_path, RIGHT)
    assert out.returncode == 0, out.stdout + out.stderr


def test_mistakes_are_seen(tmp_path):
    out = mypy(tmp_path, WRONG)
    assert out.stdout.count("error:") == 3, out.stdout


def test_stubs_name_what_there_is():
    import ast
    import importlib.resources as resources

    import adc._adc

    tree = ast.parse(resources.files("adc").joinpath("_adc.pyi").read_text())
    classes = {c.name: {f.name for f in c.body if isinstance(f, ast.FunctionDef)} for c in tree.body if isinstance(c, ast.ClassDef)}
    for name, members in classes.items():
        real = getattr(adc._adc, name)
        assert members <= set(dir(real)), (name, members - set(dir(real)))
        public = {m for m in vars(real) if not m.startswith("_")}
        assert public <= members, (name, public - members)
    functions = {f.name for f in tree.body if isinstance(f, ast.FunctionDef)}
    assert functions | set(classes) == {n for n in dir(adc._adc) if not n.startswith("_")}
