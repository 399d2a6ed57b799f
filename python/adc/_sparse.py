"""Sparse matrices as SciPy has them."""

from __future__ import annotations

from typing import Any


def matrix(row: Any, col: Any, value: Any, shape: tuple[int, int]) -> Any:
    """In compressed rows; the entries are in the order of rows, and of columns in each row."""
    try:
        from scipy.sparse import coo_array
    except ImportError as e:
        raise ImportError("sparse derivatives are matrices of SciPy: pip install scipy") from e
    return coo_array((value, (row, col)), shape=shape).tocsr()
