"""Functions of a model as functions of JAX, through ``pure_callback``: values and first derivatives are adc's."""

from __future__ import annotations

from typing import Any, Callable

import jax
import numpy as np

from ._adc import Function
from ._errors import UsageError

__all__ = ["function"]

_DTYPES = {"f64": np.float64, "f32": np.float32, "c128": np.complex128, "c64": np.complex64, "i64": np.int64, "bool": np.bool_}


def _dtype(declared: str) -> Any:
    return np.dtype(_DTYPES[declared.partition("[")[0]])


def function(f: Function) -> Callable[..., Any]:
    """``f`` for arrays of JAX, in order: under ``jit`` and ``grad``, and under ``vmap`` one call after the other.

    Complex cotangents are conjugated on the way, as JAX has them. Models of ``f64`` need ``jax_enable_x64``.
    """
    inputs, outputs = dict(f.inputs), dict(f.outputs)
    program, pullback = f.program(), f.vjp()
    active = list(pullback.wrt)
    dtypes = [_dtype(d) for d in inputs.values()]
    smooth = [n for n, d in outputs.items() if _dtype(d).kind in "fc"]

    def number(x: Any, dtype: Any) -> Any:
        x = np.asarray(x, dtype=dtype)
        return x[()] if x.ndim == 0 else x

    def arguments(args: tuple[Any, ...]) -> list[Any]:
        return [number(a, d) for a, d in zip(args, dtypes)]

    def run(*args: Any) -> tuple[Any, ...]:
        results = program(*arguments(args))
        several = results if isinstance(results, tuple) else (results,)
        return tuple(np.asarray(r, dtype=_dtype(d)) for r, d in zip(several, outputs.values()))

    def pull(*args: Any) -> tuple[Any, ...]:
        seeds = {
            f"{n}_bar": number(np.conj(v), _dtype(outputs[n])) for n, v in zip(smooth, args[len(inputs) :])
        }
        _, gradient = pullback(*arguments(args[: len(inputs)]), **seeds)
        return tuple(np.conj(np.asarray(gradient[n], dtype=_dtype(inputs[n]))) for n in active)

    def primal(*args: Any) -> Any:
        arrays = [jax.numpy.asarray(a) for a in args]
        for (name, declared), a in zip(inputs.items(), arrays):
            if a.dtype.itemsize < _dtype(declared).itemsize and _dtype(declared).kind in "fc":
                raise UsageError(f"`{name}` is {declared}, but JAX has {a.dtype}: set `jax_enable_x64`")
        zeros = [number(np.broadcast_to(np.zeros((), d), a.shape), d) for a, d in zip(arrays, dtypes)]
        shapes = program.shapes(*zeros)
        if shapes is None:
            raise UsageError(f"the sizes of the results of `{f.__name__}` are known only after a call")
        wanted = tuple(jax.ShapeDtypeStruct(s, _dtype(d)) for s, d in zip(shapes, outputs.values()))
        results = jax.pure_callback(run, wanted, *arrays, vmap_method="sequential")
        return results if len(outputs) > 1 else results[0]

    apply = jax.custom_vjp(primal)

    def forward(*args: Any) -> Any:
        return primal(*args), args

    def backward(args: Any, cotangent: Any) -> Any:
        several = dict(zip(outputs, cotangent if len(outputs) > 1 else (cotangent,)))
        wanted = tuple(jax.ShapeDtypeStruct(np.shape(args[list(inputs).index(n)]), _dtype(inputs[n])) for n in active)
        found = jax.pure_callback(pull, wanted, *args, *(several[n] for n in smooth), vmap_method="sequential")
        gradient = dict(zip(active, found))
        return tuple(gradient.get(n) for n in inputs)

    apply.defvjp(forward, backward)
    return apply  # type: ignore[no-any-return]
