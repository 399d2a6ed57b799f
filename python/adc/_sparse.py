"""Sparse matrices as SciPy has them."""

from __future__ import annotations

from typing import Any


def matrix(value: Any, col: Any, starts: Any, shape: tuple[int, int]) -> Any:
    """In compressed rows; the entries are in the order of rows, and of columns in each row."""
    try:
        from scipy.sparse import csr_array
    except ImportError as e:
        raise ImportError("sparse derivatives are matrices of SciPy: pip install scipy") from e
    made = csr_array((value, col, starts), shape=shape)
    made.has_canonical_format = True
    return made
