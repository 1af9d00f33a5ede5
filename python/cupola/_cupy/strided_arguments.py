"""Views with gaps as arguments of raw kernels, which CuPy passes by the address of their first
element: programs pass the strides beside them. The package refuses them unless `allow_strided`.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

__all__ = ["pass_addresses"]


def pass_addresses(package: Any) -> None:
    """Let `RawKernel` take views with gaps, with a warning."""
    refusing = package.RawKernel.__call__
    if hasattr(refusing, "__refusing__"):
        return

    @functools.wraps(refusing)
    def __call__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        try:
            refusing(self, *args, **kwargs)
        except ValueError as error:
            text, found, _ = str(error).partition(" is not contiguous; ")
            if not found or "allow_strided" in kwargs:
                raise
            refusing(self, *args, **kwargs, allow_strided=True)
            warnings.warn(
                f"{text} is not contiguous: the kernel gets the address of its first element",
                stacklevel=2,
            )

    __call__.__refusing__ = refusing  # type: ignore[attr-defined]
    package.RawKernel.__call__ = __call__
