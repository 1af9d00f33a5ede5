"""Programs' subclasses of `ndarray`: `array.view(cls)` makes their objects."""

from __future__ import annotations

import warnings
from typing import Any

from cupola._cupola import ndarray


def viewed_as(array: ndarray, kind: type, source: ndarray) -> ndarray:
    """An object of a subclass over the memory of an array; `source` is what was viewed."""
    made: ndarray = ndarray.__new__(kind)
    ndarray.__init__(made, array.shape, array.dtype, array.data, array.strides)
    if not array.flags.writeable:
        made.flags.writeable = False
    if hasattr(made, "__array_finalize__"):
        made.__array_finalize__(source)
    return made


def _is_complete(array: ndarray) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return array.ndim >= 0
        except TypeError:
            return False


def _initialize(self: ndarray, *args: Any, **kwargs: Any) -> None:
    """Nothing for what `__new__` made by a view: its arguments are those of the class."""
    if not _is_complete(self):
        ndarray.__init__(self, *args, **kwargs)


def _prepare(cls: Any, **kwargs: Any) -> None:
    """Python calls `__init__` with the arguments of a subclass's own `__new__`."""
    super(ndarray, cls).__init_subclass__(**kwargs)
    has_own_new = any("__new__" in vars(base) for base in cls.__mro__[: cls.__mro__.index(ndarray)])
    if has_own_new and cls.__init__ is ndarray.__init__:
        cls.__init__ = _initialize


def install() -> None:
    """Give `ndarray` what its subclasses need."""
    ndarray.__init_subclass__ = classmethod(_prepare)  # type: ignore[assignment]
