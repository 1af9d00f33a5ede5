"""What chunks that overlap mean: copies of the same values, or shares of them."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core

if TYPE_CHECKING:
    from cupola._cupola import ndarray

__all__ = ["Mode", "mode_from"]


class Mode(enum.StrEnum):
    """How an element that several chunks hold is made of their values.

    REPLICA: they are equal. MIN, MAX, SUM, PROD: it is their minimum, maximum, sum or product.

    Parameters
    ----------
    value : str
        "replica", "min", "max", "sum" or "prod".

    Examples
    --------
    >>> from cupola.cupyx.distributed.array import Mode
    >>> Mode("sum") is Mode.SUM, Mode.SUM.identity("int32")
    (True, 0)
    """

    REPLICA = "replica"
    MIN = "min"
    MAX = "max"
    SUM = "sum"
    PROD = "prod"

    def __repr__(self) -> str:
        return repr(self.value)

    @property
    def idempotent(self) -> bool:
        """Whether a share that is counted twice changes nothing."""
        return self not in (Mode.SUM, Mode.PROD)

    def combine(self, a: ndarray, b: ndarray) -> ndarray:
        """Both shares of the same elements as one.

        Parameters
        ----------
        a, b : ndarray
            Of one shape and dtype.

        Returns
        -------
        ndarray
        """
        combined: ndarray = _core._ufuncs[_UFUNCS[self]](a, b)
        return combined

    def identity(self, dtype: Any) -> Any:
        """The share that changes nothing.

        Parameters
        ----------
        dtype : dtype

        Returns
        -------
        number

        Raises
        ------
        TypeError
            For a minimum or maximum of complex numbers.
        """
        if self in (Mode.SUM, Mode.PROD):
            return int(self is Mode.PROD)
        kind = np.dtype(dtype).kind
        if kind == "c":
            raise TypeError(f"mode {self.value!r} is of numbers that have an order, not of {dtype}")
        if kind == "b":
            return self is Mode.MIN
        if kind == "f":
            return np.inf if self is Mode.MIN else -np.inf
        limits = np.iinfo(dtype)
        return limits.max if self is Mode.MIN else limits.min


_UFUNCS = {Mode.MIN: "minimum", Mode.MAX: "maximum", Mode.SUM: "add", Mode.PROD: "multiply"}


def mode_from(mode: Mode | str) -> Mode:
    """A mode by its name.

    Raises
    ------
    RuntimeError
        For another object.
    """
    try:
        return Mode(mode)
    except ValueError:
        names = [each.value for each in Mode]
        raise RuntimeError(f"`mode` must be one of {names}, not {mode!r}") from None
