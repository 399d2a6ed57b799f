"""Derivatives of numeric models: compiled, and checked against finite differences.

>>> import adc
>>> model = adc.parse("fn f(x: f64, y: f64) -> f64 { x*sin(y) }")
>>> f = model.fn("f")
>>> f(x=2.0, y=0.0)
0.0
>>> f.value_and_grad("y")(x=2.0, y=0.0)
(0.0, 2.0)
>>> f.grad()(x=2.0, y=0.0)
{'x': 0.0, 'y': 2.0}
>>> model.check().passed
True
"""

from ._adc import Batch, Function, Linear, Linearizer, Model, Program, Report, Sparse, __version__, load, parse
from ._check_function import FunctionReport, check_function
from ._errors import CheckFailed, DiagnosticError, Error, RunError, UsageError
from .rows import value_and_grad

__all__ = [
    "Batch",
    "CheckFailed",
    "DiagnosticError",
    "Error",
    "Function",
    "FunctionReport",
    "Linear",
    "Linearizer",
    "Model",
    "Program",
    "Report",
    "RunError",
    "Sparse",
    "UsageError",
    "__version__",
    "check_function",
    "load",
    "parse",
    "value_and_grad",
]
