"""Sums over more rows than one machine has: likelihoods, losses and their gradients, block by block.

adc proves from the program that a function is a sum over rows (plus terms that depend on no row, times factors that depend on no
row) and makes the program of one block. Engines that are there already run the blocks: a list in this process, a Dask cluster, MPI.
Blocks are added in a tree whose shape follows from their number alone, so the bits do not depend on who computed what, or when.

>>> import adc, numpy as np
>>> from adc.rows import value_and_grad
>>> f = adc.parse("fn f[N](x: f64[N], a: f64) -> f64 { sum((x[i] - a)^2 for i)/f64(N) + a^2 }").fn("f")
>>> value_and_grad(f, rows=("x",), wrt="a")(x=[np.array([1.0, 2.0]), np.array([4.0])], a=0.0)
(7.0, -4.666666666666666)
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

import numpy as np

from ._adc import Function
from ._errors import UsageError

__all__ = ["tree_sum", "value_and_grad"]

#: Blocks that one task of a reduction adds up.
FAN_IN = 8


def _add(parts: Sequence[Any]) -> Any:
    """Adds results of blocks, the first two first."""
    total = parts[0]
    for part in parts[1:]:
        total = _plus(total, part)
    return total


def _plus(a: Any, b: Any) -> Any:
    if isinstance(a, dict):
        return {name: _plus(x, b[name]) for name, x in a.items()}
    if isinstance(a, tuple):
        both = [_plus(x, y) for x, y in zip(a, b)]
        return type(a)(*both) if hasattr(a, "_fields") else tuple(both)
    return a + b


def tree_sum(parts: Iterable[Any], fan_in: int = FAN_IN) -> Any:
    """The sum in a tree: of ``fan_in`` parts at a time, of those sums again, and so on."""
    level = list(parts)
    while len(level) > 1:
        level = [_add(level[k : k + fan_in]) for k in range(0, len(level), fan_in)]
    return level[0]


def _block(program: Any, fixed: dict[str, Any], rows: dict[str, Any], total: int, first: bool) -> Any:
    """Value and gradient of a block: what a worker runs."""
    return program(**fixed, **rows, rows_total=total, rows_first=first)


def value_and_grad(
    f: Function, rows: str | Sequence[str], wrt: str | Sequence[str] | None = None, *, fan_in: int = FAN_IN
) -> Callable[..., Any]:
    """Value and gradient of ``f``, a sum over the rows of the parameters ``rows``.

    What is returned takes these parameters as lists of blocks, or as Dask arrays in chunks of rows, and the others as they are. With
    Dask arrays the blocks run where Dask runs them; with ``comm=`` of mpi4py each rank gives its own blocks and has the result.
    ``wrt`` is as in ``Function.value_and_grad``, by default every real or complex parameter that has no rows.

    A function that is no such sum is refused here, with the place that stands in the way.
    """
    names = (rows,) if isinstance(rows, str) else tuple(rows)
    block = f.by_rows(list(names))
    if wrt is None:
        kinds = {name: declared.partition("[")[0] for name, declared in f.inputs.items()}
        wrt = tuple(n for n, kind in kinds.items() if n not in names and kind not in ("i64", "bool"))
    for name in (wrt,) if isinstance(wrt, str) else wrt:
        if name in names:
            raise UsageError(f"the gradient by `{name}` has an entry for each row: call a block's own program for that")
    program = block.value_and_grad(wrt)

    def call(*, comm: Any = None, **inputs: Any) -> Any:
        missing = [n for n in names if n not in inputs]
        if missing:
            raise UsageError(f"no value was given for `{missing[0]}`")
        given = {name: inputs[name] for name in names}
        fixed = {name: value for name, value in inputs.items() if name not in names}
        if comm is not None:
            return _mpi(program, fixed, given, comm, fan_in)
        if any(_is_dask(value) for value in given.values()):
            return _dask(program, fixed, given, fan_in)
        blocks, sizes = _blocks(given)
        total = sum(sizes)
        return tree_sum((_block(program, fixed, b, total, k == 0) for k, b in enumerate(blocks)), fan_in)

    call.__doc__ = f"Value and gradient of `{f.__name__}` over blocks of rows of {', '.join(names)}."
    return call


def _blocks(given: dict[str, Any]) -> tuple[list[dict[str, Any]], list[int]]:
    """The blocks, and how many rows each has."""
    lists = {name: list(value) if isinstance(value, (list, tuple)) else [value] for name, value in given.items()}
    counts = {name: [np.shape(b)[0] if np.ndim(b) else -1 for b in blocks] for name, blocks in lists.items()}
    first = next(iter(counts))
    for name, sizes in counts.items():
        if -1 in sizes or not sizes:
            raise UsageError(f"`{name}` is a list of blocks, each an array with rows, or one such array")
        if sizes != counts[first]:
            raise UsageError(f"the blocks of `{name}` have {sizes} rows, those of `{first}` {counts[first]}")
    return [dict(zip(lists, block)) for block in zip(*lists.values())], counts[first]


def _is_dask(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "dask"


def _dask(program: Any, fixed: dict[str, Any], given: dict[str, Any], fan_in: int) -> Any:
    """A graph: a task for each block, and for each sum of ``fan_in`` of them. Dask says where they run, and runs what was lost with
    a worker again."""
    import dask
    import dask.array as da

    sizes: tuple[int, ...] | None = None
    arrays = {}
    for name, value in given.items():
        value = value if _is_dask(value) else da.from_array(np.asarray(value))
        value = value.rechunk({axis: -1 for axis in range(1, value.ndim)})
        if any(np.isnan(n) for n in value.chunks[0]):
            raise UsageError(f"the chunks of `{name}` have unknown sizes: call `compute_chunk_sizes()`")
        if sizes is None:
            sizes = value.chunks[0]
        arrays[name] = value.rechunk({0: sizes})
    assert sizes is not None
    total = int(sum(sizes))
    parts = {name: value.to_delayed().ravel() for name, value in arrays.items()}
    run, add = dask.delayed(_block, pure=True), dask.delayed(_add, pure=True)
    shared = dask.delayed((program, fixed), pure=True)
    level = [
        run(shared[0], shared[1], {name: p[k] for name, p in parts.items()}, total, k == 0) for k in range(len(sizes))
    ]
    while len(level) > 1:
        level = [add(level[k : k + fan_in]) for k in range(0, len(level), fan_in)]
    return level[0].compute()


def _mpi(program: Any, fixed: dict[str, Any], given: dict[str, Any], comm: Any, fan_in: int) -> Any:
    """Every rank adds its own blocks, and the sums of all ranks in the order of ranks. An error of one is that of all."""
    try:
        blocks, sizes = _blocks(given)
        failed = None
    except Exception as e:
        blocks, sizes, failed = [], [], e
    totals = comm.allgather(sum(sizes))
    # The first rank that has a block has the terms that depend on no row.
    first = next((rank for rank, n in enumerate(comm.allgather(len(blocks))) if n), 0)
    own = None
    if failed is None and blocks:
        try:
            mine = comm.Get_rank() == first
            parts = (_block(program, fixed, b, sum(totals), mine and k == 0) for k, b in enumerate(blocks))
            own = tree_sum(parts, fan_in)
        except Exception as e:
            failed = e
    everything = comm.allgather((own, failed))
    for _, error in everything:
        if error is not None:
            raise error
    return tree_sum((part for part, _ in everything if part is not None), fan_in)
