"""Booleans as bits of bytes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.few_elements import few_by_numpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["packbits", "unpackbits"]


_EACH_BYTE = np.uint64(0x0101010101010101)
# Words whose byte i, from the lowest on, is the bit 7 - i or i.
_LITTLE_PLACES = np.uint64(0x0102040810204080)
_BIG_PLACES = np.uint64(0x8040201008040201)


@few_by_numpy(np.packbits)
def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """Eight elements as the bits of one byte; what is not zero is 1.

    Parameters
    ----------
    a : array_like of integers or bool
    axis : int, optional
        Along which elements make bytes. Default: the flattened array.
    bitorder : {'big', 'little'}
        The first element is the highest or the lowest bit.

    Returns
    -------
    ndarray
        uint8; the last byte is filled up with zeros.

    Raises
    ------
    TypeError
        For other dtypes.
    ValueError
        For another `bitorder`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.packbits(cp.asarray([1, 0, 1, 0, 0, 0, 0, 0, 1])).tolist()
    [160, 128]
    """
    array = _core.as_array(a)
    is_little = _is_little(bitorder)
    if array.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    moved, number = _with_axis_last(array, axis)
    extent = moved.shape[-1]
    count = -(-extent // 8)
    if extent % 8:
        bits = _core.zeros((*moved.shape[:-1], count * 8), np.uint8, device=array.device)
        bits[..., :extent] = moved != 0
    else:
        bits = _core.astype(moved != 0, np.uint8, "C")
    # The product adds to its highest byte one bit of each byte of a word, and nothing carries.
    words = bits.view(np.uint64) * (_LITTLE_PLACES if is_little else _BIG_PLACES)
    packed = _core.astype(words >> np.uint64(56), np.uint8)
    return _axis_back(packed, number, array.flags.fnc)


@few_by_numpy(np.unpackbits)
def unpackbits(
    a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> ndarray:
    """The bits of bytes as elements.

    Parameters
    ----------
    a : array_like of uint8
    axis : int, optional
        Along which bytes become elements. Default: the flattened array.
    count : int, optional
        How many elements: more than there are bits are zeros, so many are left out if negative.
    bitorder : {'big', 'little'}
        The first element is the highest or the lowest bit.

    Returns
    -------
    ndarray
        uint8, 0 or 1.

    Raises
    ------
    TypeError
        For other dtypes.
    ValueError
        For another `bitorder`, and where more is left out than there is.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.unpackbits(cp.asarray([160], dtype=cp.uint8)).tolist()
    [1, 0, 1, 0, 0, 0, 0, 0]
    """
    array = _core.as_array(a)
    is_little = _is_little(bitorder)
    if array.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    moved, number = _with_axis_last(array, axis)
    extent = moved.shape[-1] * 8
    # Each byte of a word has one bit of the byte that all of them were, and is 1 if it is.
    words = _core.astype(moved, np.uint64, "C") * _EACH_BYTE
    words = words & (_BIG_PLACES if is_little else _LITTLE_PLACES)
    bits = (((words + np.uint64(0x7F) * _EACH_BYTE) >> np.uint64(7)) & _EACH_BYTE).view(np.uint8)
    if count is not None:
        count = operator.index(count)
        if count < -extent:
            raise ValueError(f"-count must be at most the number of bits, {extent}, not {-count}")
        if count <= extent:
            bits = _core.copy(bits[..., : count if count >= 0 else extent + count])
        else:
            longer = _core.zeros((*moved.shape[:-1], count), np.uint8, device=array.device)
            longer[..., :extent] = bits
            bits = longer
    return _axis_back(bits, number, array.flags.fnc)


def _is_little(bitorder: Any) -> bool:
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    if bitorder[:1] not in ("b", "l"):
        raise ValueError("'order' must begin with 'l' or 'b'")
    return bool(bitorder[0] == "l")


def _with_axis_last(array: ndarray, axis: int | None) -> tuple[ndarray, int | None]:
    if axis is None:
        return _core.ravel(array), None
    if array.ndim == 0:
        array = _core.reshape(array, (1,))
    number = axis_in(axis, array.ndim)
    return _core.moveaxis(array, number, -1), number


def _axis_back(array: ndarray, number: int | None, is_fortran: bool) -> ndarray:
    """The last axis where it was, the elements in the order of the operand's."""
    if number is None or (number == array.ndim - 1 and not is_fortran):
        return array
    return _core.copy(_core.moveaxis(array, -1, number), "F" if is_fortran else "C")
