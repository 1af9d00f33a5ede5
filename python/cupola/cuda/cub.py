"""What CuPy programs ask about its use of CUB: this library has kernels of its own instead."""

from __future__ import annotations

__all__ = ["available", "get_build_version"]

available = False
"""Whether sums and sorts use CUB."""


def get_build_version() -> int:
    """The version of CUB that the library was built with: 0, none.

    Returns
    -------
    int

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.cub.get_build_version()
    0
    """
    return 0
