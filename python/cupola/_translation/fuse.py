"""`fuse`, for programs that were written for CuPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["fuse"]


def fuse(*args: Any, kernel_name: str | None = None) -> Any:
    """Return the function as it is: operations become few kernels without a decorator.

    Parameters
    ----------
    *args : function, at most one
        Without one, a decorator is returned: ``@fuse()`` is ``@fuse``.
    kernel_name : str, optional
        Accepted for CuPy's programs; kernels are named by what they do.

    Returns
    -------
    callable
        The function itself.

    Raises
    ------
    TypeError
        For anything that cannot be called.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.fuse
    ... def square(x):
    ...     return x * x
    >>> int(square(cp.array(3)))
    9
    """
    if kernel_name is not None and not isinstance(kernel_name, str):
        raise TypeError(f"kernel_name must be a str, not {type(kernel_name).__name__}")
    if len(args) > 1:
        raise TypeError(f"fuse() takes at most one function, {len(args)} arguments were given")
    return _checked(args[0]) if args else _checked


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    if not callable(function):
        raise TypeError(f"fuse() takes a function, not {type(function).__name__}")
    return function
