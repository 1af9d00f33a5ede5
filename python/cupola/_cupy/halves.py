"""Matrices of float16 under CuPy's name, whose eigenvalues NumPy refuses: they are computed as
float32, and the results are of float16.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

__all__ = ["take_halves"]


def take_halves(package: Any) -> None:
    """Let `linalg.eigh` and `linalg.eigvalsh` take float16."""
    linalg = package.linalg
    eigh, eigvalsh = linalg.eigh, linalg.eigvalsh
    if hasattr(eigh, "__of_numpy__"):
        return

    @functools.wraps(eigh)
    def eigh_of_halves(a: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(a, "dtype", None) != np.float16:
            return eigh(a, *args, **kwargs)
        found = eigh(a.astype(np.float32), *args, **kwargs)
        return type(found)(*(each.astype(np.float16) for each in found))

    @functools.wraps(eigvalsh)
    def eigvalsh_of_halves(a: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(a, "dtype", None) != np.float16:
            return eigvalsh(a, *args, **kwargs)
        return eigvalsh(a.astype(np.float32), *args, **kwargs).astype(np.float16)

    eigh_of_halves.__of_numpy__ = eigh  # type: ignore[attr-defined]
    linalg.eigh, linalg.eigvalsh = eigh_of_halves, eigvalsh_of_halves
