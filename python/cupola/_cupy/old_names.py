"""Names that NumPy 2 has dropped and CuPy 13 still has, and a few that only CuPy has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.exceptions import AxisError as AxisError
from numpy.exceptions import ComplexWarning as ComplexWarning
from numpy.exceptions import ModuleDeprecationWarning as ModuleDeprecationWarning
from numpy.exceptions import RankWarning as RankWarning
from numpy.exceptions import TooHardError as TooHardError
from numpy.exceptions import VisibleDeprecationWarning as VisibleDeprecationWarning
from numpy.lib.npyio import DataSource as DataSource

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.creation.arrays import asarray
from cupola._functions.mathematics.differences import trapezoid
from cupola._functions.mathematics.elementwise import round
from cupola._functions.mathematics.scans import cumprod
from cupola._functions.mathematics.sums import prod
from cupola._functions.sorting.set_operations import isin
from cupola._functions.sorting.sorting import sort
from cupola._functions.statistics.extremes import all, any

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DTypeLike

__all__ = [
    "NAN",
    "NINF",
    "NZERO",
    "PINF",
    "PZERO",
    "AxisError",
    "ComplexWarning",
    "DataSource",
    "Inf",
    "Infinity",
    "ModuleDeprecationWarning",
    "NaN",
    "RankWarning",
    "TooHardError",
    "VisibleDeprecationWarning",
    "alltrue",
    "asfarray",
    "byte_bounds",
    "cfloat",
    "complex_",
    "cumproduct",
    "float_",
    "fromDlpack",
    "in1d",
    "infty",
    "is_available",
    "msort",
    "product",
    "round_",
    "singlecomplex",
    "sometrue",
    "toDlpack",
    "trapz",
    "who",
]

Inf = Infinity = PINF = infty = np.inf
NINF = -np.inf
NAN = NaN = np.nan
PZERO = 0.0
NZERO = -0.0

float_ = np.float64
complex_ = cfloat = np.complex128
singlecomplex = np.complex64

alltrue = all
sometrue = any
product = prod
cumproduct = cumprod
round_ = round
trapz = trapezoid


def in1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, invert: bool = False
) -> ndarray:
    """Whether each element of `ar1`, in one dimension, is in `ar2`. `isin` keeps the shape.

    Parameters
    ----------
    ar1, ar2 : array_like
    assume_unique : bool
        Makes no difference.
    invert : bool
        Whether each element is not in `ar2`.

    Returns
    -------
    ndarray
        Of dtype bool and shape (ar1.size,).

    Examples
    --------
    >>> cp.in1d(cp.array([[1, 2], [3, 4]]), cp.array([2, 3]))
    array([False,  True,  True, False])
    """
    return isin(_core.ravel(asarray(ar1), "C"), ar2, assume_unique, invert)


def msort(a: ArrayLike) -> ndarray:
    """A copy sorted along the first dimension.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        Of a's shape and dtype.

    Raises
    ------
    numpy.exceptions.AxisError
        For an array without dimensions.

    Examples
    --------
    >>> cp.msort(cp.array([[3, 1], [2, 4]]))
    array([[2, 1],
           [3, 4]])
    """
    return sort(a, axis=0)


def asfarray(a: ArrayLike, dtype: DTypeLike = np.float64) -> ndarray:
    """An array of a floating dtype; float64 in the place of dtypes that are not floating.

    Parameters
    ----------
    a : array_like
    dtype : optional

    Returns
    -------
    ndarray
        `a` itself where it has the dtype.

    Examples
    --------
    >>> cp.asfarray([1, 2])
    array([1., 2.])
    """
    kind = np.dtype(dtype)
    return asarray(a, kind if np.issubdtype(kind, np.inexact) else np.float64)


def byte_bounds(a: ndarray) -> tuple[int, int]:
    """The address of an array's first byte, and that behind its last one.

    They are addresses of the device, between which all elements lie; there may be others too.

    Parameters
    ----------
    a : ndarray

    Returns
    -------
    (int, int)

    Raises
    ------
    TypeError
        For what is no array of a device.

    Examples
    --------
    >>> first, end = cp.byte_bounds(cp.zeros((2, 3))[:, ::2])
    >>> end - first
    48
    """
    if not isinstance(a, ndarray):
        raise TypeError(f"byte_bounds needs a cupola.ndarray, not {type(a).__name__}")
    first = end = a.data.ptr
    if a.size == 0:
        return first, first
    for count, stride in zip(a.shape, a.strides, strict=True):
        if stride < 0:
            first += (count - 1) * stride
        else:
            end += (count - 1) * stride
    return first, end + a.itemsize


def fromDlpack(dltensor: Any) -> ndarray:  # noqa: N802
    """The array of a DLPack capsule, which is used up; its memory is shared.

    `from_dlpack` takes the object itself, and orders the streams of both libraries.

    Parameters
    ----------
    dltensor : capsule
        Named "dltensor".

    Returns
    -------
    ndarray
        Over the memory that the capsule holds.

    Raises
    ------
    ValueError
        For a capsule that was used already.

    Examples
    --------
    >>> cp.fromDlpack(cp.arange(3).toDlpack())
    array([0, 1, 2])
    """
    return _core.import_capsule(dltensor)


def toDlpack(array: ndarray) -> Any:  # noqa: N802
    """A DLPack capsule of an array, for one other array; the memory is shared.

    Parameters
    ----------
    array : ndarray

    Returns
    -------
    capsule
        Named "dltensor".

    Examples
    --------
    >>> cp.fromDlpack(cp.toDlpack(cp.ones(2)))
    array([1., 1.])
    """
    return array.__dlpack__()


def is_available() -> bool:
    """Whether a CUDA device can be used; initialises nothing.

    Without one the package computes on the CPU, whose devices `cupola.cuda.Device` names.

    Returns
    -------
    bool

    Examples
    --------
    >>> cp.is_available() == cp.cuda.is_available()
    True
    """
    from cupola.cuda import is_available as available

    return available()


def who(vardict: dict[str, Any] | None = None) -> None:
    """Print the arrays in a dictionary: name, shape, bytes and dtype.

    Of views that begin at one address the largest counts.

    Parameters
    ----------
    vardict : dict, optional
        Names and values. Default: the caller's global variables.

    Returns
    -------
    None

    Examples
    --------
    >>> cp.who({"x": cp.zeros((2, 3)), "n": 1})
    Name            Shape            Bytes            Type
    ===========================================================
    <BLANKLINE>
    x               2 x 3            48               float64
    <BLANKLINE>
    Upper bound on total bytes  =       48
    """
    if vardict is None:
        import sys

        vardict = sys._getframe(1).f_globals
    arrays = {name: value for name, value in vardict.items() if isinstance(value, ndarray)}
    rows = [
        (name, " x ".join(map(str, a.shape)), str(a.nbytes), str(a.dtype))
        for name, a in arrays.items()
    ]
    sizes: dict[int, int] = {}
    for a in arrays.values():
        sizes[a.data.ptr] = max(a.nbytes, sizes.get(a.data.ptr, 0))
    if rows:
        print(f"{'Name':<15} {'Shape':<16} {'Bytes':<16} Type")
        print("=" * 59 + "\n")
    for name, shape, size, kind in rows:
        print(f"{name:<15} {shape:<16} {size:<16} {kind}")
    print(f"\nUpper bound on total bytes  =       {sum(sizes.values())}")
