"""Arrays of other packages as NumPy's, and back: what a check of foreign functions displaces and compares."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable

import numpy as np

Array = np.ndarray[Any, Any]

#: Spacing of numbers at 1, by the name of the type.
EPSILON = {
    "float64": 2.0**-52,
    "float32": 2.0**-23,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "complex128": 2.0**-52,
    "complex64": 2.0**-23,
}


def dtype_name(x: Any) -> str:
    """``float32``, whatever package it is of."""
    # NumPy cannot make arrays of every type of torch.
    dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    return str(dtype).rpartition(".")[2]


def wide(x: Any) -> Array:
    """A copy in double precision."""
    if hasattr(x, "detach"):
        x = x.detach().cpu()
        x = (x.to_dense() if getattr(x, "is_sparse", False) else x).resolve_conj().resolve_neg()
        x = x.float() if dtype_name(x) == "bfloat16" else x
        x = x.numpy()
    x = np.asarray(x)
    if x.dtype == object:
        raise TypeError("a value of the function is no array of numbers")
    return np.array(x, dtype=np.complex128 if np.iscomplexobj(x) else np.float64)


@dataclasses.dataclass
class Input:
    """An argument: what it is called, its value in double precision, and how to make another of its kind."""

    name: str
    given: Any
    value: Array
    epsilon: float | None

    @staticmethod
    def of(name: str, given: Any) -> Input:
        dtype = dtype_name(given)
        return Input(name, given, wide(given), EPSILON.get(dtype))

    def like(self, value: Array) -> Any:
        """An argument of the same package and type."""
        given = self.given
        if isinstance(given, (float, complex)) and not isinstance(given, np.generic):
            return value.item()
        module = type(given).__module__.partition(".")[0]
        if module == "torch":
            import torch

            made = torch.from_numpy(np.array(value)).to(dtype=given.dtype, device=given.device)
            return made.requires_grad_(given.requires_grad)
        if module in ("jax", "jaxlib"):
            import jax.numpy as jnp

            return jnp.asarray(value).astype(given.dtype)
        made = value.astype(getattr(given, "dtype", value.dtype))
        return made[()] if isinstance(given, np.generic) else made


@dataclasses.dataclass
class Call:
    """How a function is called: arguments in order, or by name."""

    inputs: list[Input]
    by_name: bool

    def __call__(self, f: Callable[..., Any], values: list[Any], *more: Any) -> Any:
        if self.by_name:
            return f(*more, **{i.name: v for i, v in zip(self.inputs, values)})
        return f(*values, *more)

    def fits(self, f: Callable[..., Any], given: int, more: int) -> bool:
        try:
            signature = inspect.signature(f)
        except (TypeError, ValueError):
            return more > 0
        extra = [None] * more
        try:
            if self.by_name and given:
                signature.bind(*extra, **{i.name: None for i in self.inputs})
            else:
                signature.bind(*[None] * given, *extra)
        except TypeError:
            return False
        return True


def outputs_of(returned: Any) -> list[Any]:
    """The results: one, several, or the values of a dictionary."""
    if isinstance(returned, dict):
        return list(returned.values())
    return list(returned) if isinstance(returned, (tuple, list)) else [returned]


def of_inputs(returned: Any, inputs: list[Input], active: list[int], what: str) -> dict[str, Array]:
    """What a derivative function returned for each input: in order, by name, or a single one."""
    if isinstance(returned, dict):
        all_ = {i.name: returned.get(i.name) for i in inputs}
    else:
        several = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        names = [i.name for i in inputs]
        if len(several) == len(active) != len(names):
            names = [inputs[k].name for k in active]
        if len(several) != len(names):
            raise TypeError(f"`{what}` returned {len(several)} derivatives for {len(names)} inputs")
        all_ = dict(zip(names, several))
    out = {}
    for k in active:
        i, g = inputs[k], all_[inputs[k].name]
        if g is None:
            # As torch and others say that nothing depends on it.
            g = np.zeros(i.value.shape)
        g = wide(g)
        if g.shape != i.value.shape:
            raise TypeError(f"`{what}` returned an array of shape {g.shape} for `{i.name}`, which has {i.value.shape}")
        out[i.name] = g
    return out
