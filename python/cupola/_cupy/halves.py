"""float16 under CuPy's name: eigenvalues, which NumPy refuses, are computed as float32 and of
float16; transforms to real numbers, which are of float16 in NumPy, are of float32.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["take_halves"]


def _of_singles(transform: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(transform)
    def function(a: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(a, "dtype", None) == np.float16:
            a = a.astype(np.float32)
        return transform(a, *args, **kwargs)

    return function


def take_halves(package: Any) -> None:
    """Let `linalg.eigh`, `linalg.eigvalsh` and the transforms take float16 as CuPy does."""
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
    for name in ("hfft", "irfft", "irfft2", "irfftn"):
        setattr(package.fft, name, _of_singles(getattr(package.fft, name)))
