"""Functions that give arrays of rank 0 under CuPy's name, where the package gives a bool.

CuPy programs call `.item()` and `.get()` of them, or go on without waiting for the device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["give_arrays"]


def _functions(package: Any) -> dict[str, Callable[..., Any]]:
    def allclose(
        a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
    ) -> Any:
        return package.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan).all()

    def all_equal(a: Any, b: Any, equal_nan: bool) -> Any:
        same = package.equal(a, b)
        if equal_nan:
            same |= package.not_equal(a, a) & package.not_equal(b, b)
        return same.all()

    def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
        a, b = package.asarray(a1), package.asarray(a2)
        if a.shape != b.shape:
            return package.asarray(False, device=a.device)
        return all_equal(a, b, equal_nan)

    def array_equiv(a1: Any, a2: Any) -> Any:
        a, b = package.asarray(a1), package.asarray(a2)
        try:
            package.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            return package.asarray(False, device=a.device)
        return all_equal(a, b, False)

    return {each.__name__: each for each in (allclose, array_equal, array_equiv)}


def give_arrays(package: Any) -> None:
    """Let the package's functions give arrays; NumPy's own calls of them keep giving a bool."""
    for name, function in _functions(package).items():
        ours = getattr(package, name)
        if getattr(ours, "__numpy_form__", None) is None:
            named: Any = functools.wraps(ours)(function)
            named.__numpy_form__ = ours
            named.__module__ = "cupola"  # where a pickle finds it
            setattr(package, name, named)
