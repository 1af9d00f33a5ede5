"""Programs' subclasses of `ndarray`: what `array.view(cls)` and their own `__new__` make."""

from __future__ import annotations

from typing import Any

from cupola._cupola import ndarray


def _finalized(made: ndarray, source: ndarray | None) -> ndarray:
    if hasattr(made, "__array_finalize__"):
        made.__array_finalize__(source)
    return made


def viewed_as(array: ndarray, kind: type, source: ndarray) -> ndarray:
    """An object of a subclass over the memory of an array; `source` is what was viewed."""
    made: ndarray = ndarray.__new__(kind)
    ndarray.__init__(made, array.shape, array.dtype, array.data, array.strides)
    if not array.flags.writeable:
        made.flags.writeable = False
    return _finalized(made, source)


class MadeByNew(ndarray):
    """The base of subclasses with a `__new__`, which calls this one for a complete array.

    Of `ndarray` itself, objects are complete after `__init__` only, which Python calls with the
    arguments of the subclass.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """An array by the arguments of `ndarray`."""
        made: ndarray = ndarray.__new__(cls)
        ndarray.__init__(made, *args, **kwargs)
        return _finalized(made, None)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the array is complete."""


def _prepare(cls: Any, **kwargs: Any) -> None:
    """Put `MadeByNew` between `ndarray` and a subclass with a `__new__`."""
    super(ndarray, cls).__init_subclass__(**kwargs)
    if "__new__" in vars(cls) and ndarray in cls.__bases__:
        cls.__bases__ = tuple(MadeByNew if base is ndarray else base for base in cls.__bases__)


def install() -> None:
    """Give `ndarray` what its subclasses need."""
    ndarray.__init_subclass__ = classmethod(_prepare)  # type: ignore[assignment]
