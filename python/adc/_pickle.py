"""What pickle carries of models and functions: text and options. They are made again where they are loaded, once per process."""

from __future__ import annotations

import collections
import threading
from typing import Any, Callable, Hashable

import numpy as np

from . import _adc

_KEPT = 256
_lock = threading.RLock()
_made: collections.OrderedDict[Hashable, Any] = collections.OrderedDict()


def _once(key: Hashable, make: Callable[[], Any]) -> Any:
    """What was made for a key. It is kept, so that tasks that come and go do not compile again."""
    with _lock:
        if key not in _made:
            _made[key] = make()
            while len(_made) > _KEPT:
                _made.popitem(last=False)
        _made.move_to_end(key)
        return _made[key]


def model(name: str, text: str, sources: Any, arrays: Any, externs: Any, libs: Any) -> Any:
    # Arrays that lie in messages of a network do not always begin where their numbers should.
    arrays = [(f, p, np.require(a, requirements=["C", "A"]) if hasattr(a, "tobytes") else a) for f, p, a in arrays]
    loaded = tuple((f, p, a.dtype.str, a.shape, a.tobytes()) if hasattr(a, "tobytes") else (f, p, a) for f, p, a in arrays)
    key = ("model", name, text, sources, loaded, externs, libs)
    return _once(key, lambda: _adc.restore(name, text, list(sources), arrays, dict(externs), list(libs)))


def function(
    model: Any,
    name: str,
    dims: Any,
    outputs: Any,
    functions: Any,
    convention: str,
    opt: int,
    fuel: Any,
    memory: Any,
    rows: Any = None,
) -> Any:
    whole = model.fn(
        name,
        dims=dict(dims),
        outputs=None if outputs is None else list(outputs),
        functions=dict(functions),
        convention=convention,
        opt=opt,
        fuel=fuel,
        memory_limit=memory,
    )
    if rows is None:
        return whole
    # The model keeps its functions, nobody keeps those of blocks.
    return _once(("rows", id(whole), rows), lambda: (whole, whole.by_rows(list(rows))))[1]


def program(function: Any, transform: str | None, wrt: Any) -> Any:
    return function.program() if transform is None else getattr(function, transform)(wrt)


def batch(program: Any, over: Any) -> Any:
    return program.batch(over)
