"""What arrays of collective operations must be."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola._cupola import ndarray

__all__ = ["check_equal", "check_operation", "check_pair", "first", "flat", "target"]

_OPERATIONS = ("sum", "prod", "max", "min")
_REDUCIBLE = "bBiIlLqQefdFD"


def flat(array: ndarray, name: str) -> ndarray:
    """The elements in the order of the memory, which they share."""
    if not isinstance(array, ndarray):
        raise TypeError(f"{name} must be an array on a device, not {type(array).__name__}")
    _core.evaluate(array)
    if array.flags.c_contiguous:
        return array.reshape(-1)
    if array.flags.f_contiguous:
        return array.T.reshape(-1)
    raise RuntimeError(
        f"{name} must be C or Fortran contiguous; cupola.ascontiguousarray copies it"
    )


def target(array: ndarray, name: str) -> ndarray:
    """The same of an array that is written."""
    elements = flat(array, name)
    if not elements.flags.writeable:
        raise ValueError(f"{name} is read-only")
    return elements


def first(array: ndarray, count: int, name: str) -> ndarray:
    if array.size < count:
        raise ValueError(f"{name} has {array.size} elements, and {count} are needed")
    return array[:count]


def check_pair(source: ndarray, target: ndarray) -> None:
    if source.dtype != target.dtype:
        raise TypeError(f"in_array is of {source.dtype} and out_array of {target.dtype}")


def check_equal(source: ndarray, target: ndarray) -> None:
    check_pair(source, target)
    if source.size != target.size:
        raise ValueError(f"in_array has {source.size} elements and out_array {target.size}")


def check_operation(op: str, array: ndarray) -> None:
    if op not in _OPERATIONS:
        raise RuntimeError(f"op must be one of {', '.join(_OPERATIONS)}, not {op!r}")
    if array.dtype.char not in _REDUCIBLE and array.dtype.name != "bfloat16":
        raise TypeError(f"arrays of {array.dtype} cannot be reduced by NCCL; use astype")
    if array.dtype.kind == "c" and op != "sum":
        raise ValueError(f"complex arrays can be summed, not reduced by {op!r}")
