"""Functions of a model as functions of torch: values and first derivatives are adc's."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import torch

from ._adc import Function

__all__ = ["function"]


def _numpy(x: Any) -> Any:
    return x.detach().cpu().resolve_conj().resolve_neg().numpy() if isinstance(x, torch.Tensor) else x


def _tensor(x: Any, like: torch.Tensor | None) -> torch.Tensor:
    made = torch.from_numpy(np.array(x))
    return made if like is None else made.to(device=like.device)


def function(f: Function) -> Callable[..., Any]:
    """``f`` for tensors: arguments by name or in order, differentiable by every real or complex one.

    The result is a tensor, or a tuple of them. Cotangents have the same convention in both packages. Tensors may have less precision than
    the parameter, not more; results have the model's.
    """
    names = list(f.inputs)
    program, pullback = f.program(), f.vjp()
    active = list(pullback.wrt)
    seeds = [name for name, declared in f.outputs.items() if declared.partition("[")[0] not in ("i64", "bool")]

    class Apply(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            values = [_numpy(a) for a in args]
            # A tensor without axes is a number.
            values = [v[()] if isinstance(v, np.ndarray) and v.ndim == 0 else v for v in values]
            ctx.values = values
            ctx.like = next((a for a in args if isinstance(a, torch.Tensor)), None)
            results = program(*values)
            several = results if isinstance(results, tuple) else (results,)
            made = tuple(_tensor(r, ctx.like) for r in several)
            ctx.shapes = {n: (t.shape, t.dtype) for n, t in zip(f.outputs, made)}
            ctx.mark_non_differentiable(*(t for n, t in zip(f.outputs, made) if n not in seeds))
            return made if isinstance(results, tuple) else made[0]

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, *cotangents: Any) -> Any:
            given = {}
            for name, v in zip(f.outputs, cotangents):
                if name in seeds:
                    shape, dtype = ctx.shapes[name]
                    v = torch.zeros(shape, dtype=dtype) if v is None else v.to(dtype)
                    v = _numpy(v)
                    given[f"{name}_bar"] = v[()] if v.ndim == 0 else v
            _, gradient = pullback(*ctx.values, **given)
            return tuple(_tensor(gradient[n], ctx.like) if n in active else None for n in names)

    def apply(*args: Any, **kwargs: Any) -> Any:
        rest = names[len(args) :]
        unknown = [n for n in kwargs if n not in rest]
        if unknown or len(kwargs) != len(rest):
            program(*args, **kwargs)  # Says what is wrong.
        return Apply.apply(*args, *(kwargs[n] for n in rest))

    apply.__name__, apply.__doc__ = f.__name__, f.__doc__
    return apply
