"""Questions about dtypes: NumPy's answers, and those for bfloat16."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray, promote_types

if TYPE_CHECKING:
    from cupola._typing import DTypeLike

__all__ = [
    "can_cast",
    "common_type",
    "dtype",
    "dtypes",
    "exceptions",
    "finfo",
    "iinfo",
    "isdtype",
    "issubdtype",
    "min_scalar_type",
    "promote_types",
    "result_type",
]

dtype = np.dtype
dtypes = np.dtypes
exceptions = np.exceptions
iinfo = np.iinfo
issubdtype = np.issubdtype


def _is_bfloat16(value: Any) -> bool:
    if isinstance(value, np.dtype) and value.isbuiltin == 1:
        return False  # one of NumPy's own
    return (
        getattr(value, "name", None) == "bfloat16" or getattr(value, "__name__", "") == "bfloat16"
    )


def _dtype_of(value: Any) -> Any:
    return value.dtype if isinstance(value, (ndarray, np.ndarray, np.generic)) else value


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind of the array API standard, or is one of several dtypes.

    Parameters
    ----------
    dtype : dtype
    kind : str or dtype, or tuple of them
        "bool", "signed integer", "unsigned integer", "integral", "real floating" (float16 and
        bfloat16 are among them), "complex floating", "numeric", or a dtype.

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        For a `dtype`, or kinds, that are none.
    ValueError
        For an unknown name of a kind.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isdtype(cp.float32, ("real floating", "complex floating"))
    True
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    others = tuple(each for each in kinds if not _is_bfloat16(each))
    if not _is_bfloat16(dtype):
        return bool(np.isdtype(dtype, others))
    if len(others) < len(kinds):
        return True
    return bool(np.isdtype(np.float32, tuple(k for k in others if isinstance(k, str))))


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype of an operation on these operands; Python numbers adapt to the others.

    Parameters
    ----------
    *arrays_and_dtypes : arrays, dtypes and Python numbers

    Returns
    -------
    dtype
        What NumPy's promotion gives.

    Raises
    ------
    TypeError
        Where there is none.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.result_type("int8", "float32", 3)
    dtype('float32')
    """
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    items = [_dtype_of(item) for item in arrays_and_dtypes]
    if any(_is_bfloat16(item) or (isinstance(item, str) and item == "bfloat16") for item in items):
        return _core.result_type(items)
    return np.result_type(*items)


def min_scalar_type(a: Any, /) -> Any:
    """The smallest dtype that holds a number; of an array with dimensions its own.

    Parameters
    ----------
    a : scalar or array

    Returns
    -------
    dtype
        The smallest that holds the number; of an array its own.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(a, ndarray):
        return a.dtype if a.ndim else np.min_scalar_type(_core.download(a))
    return np.min_scalar_type(a)


def can_cast(from_: Any, to: DTypeLike, casting: str = "safe") -> bool:
    """Whether the casting rule allows the conversion.

    Parameters
    ----------
    from_ : dtype or array
    to : dtype
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        For Python's numbers, which have no dtype of their own.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.can_cast("int32", "float64")
    True
    """
    source = _dtype_of(from_)
    if isinstance(source, (bool, int, float, complex)):
        raise TypeError(
            "can_cast() does not support Python ints, floats, and complex because the result used "
            "to depend on the value."
        )
    return _core.can_cast(source, to, casting)


def common_type(*arrays: Any) -> type:
    """The inexact scalar type that all arrays can be cast to.

    Parameters
    ----------
    *arrays : ndarray

    Returns
    -------
    type
        The inexact type that holds them all.

    Raises
    ------
    TypeError
        For arrays of bool.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.common_type(cp.ones(2, "float32"), cp.ones(2, "int32"))
    <class 'numpy.float64'>
    """
    return np.common_type(*(np.empty(0, _dtype_of(array)) for array in arrays))


class finfo:  # noqa: N801
    """Limits of a floating dtype, as Python floats: so the array API standard has them.

    Parameters
    ----------
    dtype : dtype or array
        Of a complex one, the limits of its parts; of bfloat16 those that ml_dtypes gives.

    Raises
    ------
    ValueError
        For a dtype that is not inexact.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.finfo(cp.float32).max
    3.4028234663852886e+38
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, dtype: DTypeLike) -> None:
        kind = _dtype_of(dtype)
        if _is_bfloat16(kind) or kind == "bfloat16":
            import ml_dtypes

            self._limits: Any = ml_dtypes.finfo(ml_dtypes.bfloat16)
        else:
            self._limits = np.finfo(kind)
        limits = self._limits
        self.dtype: Any = limits.dtype
        self.bits = int(limits.bits)
        self.iexp = int(limits.iexp)
        self.machep = int(limits.machep)
        self.maxexp = int(limits.maxexp)
        self.minexp = int(limits.minexp)
        self.negep = int(limits.negep)
        self.nexp = int(limits.nexp)
        self.nmant = int(limits.nmant)
        self.precision = int(limits.precision)
        self.eps = float(limits.eps)
        self.epsneg = float(limits.epsneg)
        self.max = float(limits.max)
        self.min = float(limits.min)
        self.resolution = float(limits.resolution)
        self.smallest_normal = float(limits.smallest_normal)
        self.smallest_subnormal = float(limits.smallest_subnormal)
        self.tiny = float(limits.tiny)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return repr(self._limits)

    def __str__(self) -> str:
        return str(self._limits)
