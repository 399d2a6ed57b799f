"""Names of a model as Python has them."""

from __future__ import annotations

import functools
import inspect
import keyword as keywords
import unicodedata
from collections import namedtuple
from typing import Any

import numpy as np

_ELEMENTS = {"f64": float, "f32": np.float32, "c128": complex, "c64": np.complex64, "i64": int, "bool": bool}


@functools.lru_cache(maxsize=None)
def keyword(name: str) -> str:
    """``lambda_`` for ``lambda``, ``out0`` for ``out.0``; identifiers are normalised as Python normalises them."""
    name = unicodedata.normalize("NFKC", name.replace(".", ""))
    return name + "_" if keywords.iskeyword(name) else name


@functools.lru_cache(maxsize=None)
def results(function: str, names: tuple[str, ...]) -> type:
    """The class of a function's several results, a named tuple that can be pickled."""
    base = namedtuple(keyword(function), [keyword(name) for name in names], rename=True)  # type: ignore[misc]

    def reduce(self: Any) -> tuple[Any, ...]:
        return _results, (function, names, tuple(self))

    return type(base.__name__, (base,), {"__slots__": (), "__reduce__": reduce, "__doc__": f"Results of `{function}`."})


def _results(function: str, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return results(function, names)(*values)


def signature(inputs: list[tuple[str, str, int]], outputs: list[tuple[str, str, int]]) -> inspect.Signature:
    """Of ports: name, type with sizes, number of axes."""

    def annotation(declared: str, rank: int) -> Any:
        return f"ndarray {declared}" if rank else _ELEMENTS[declared]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(keyword(n), kind, annotation=annotation(t, r)) for n, t, r in inputs]
    returned = [annotation(t, r) for _, t, r in outputs]
    return inspect.Signature(parameters, return_annotation=returned[0] if len(returned) == 1 else tuple(returned))
