"""Functions about dtypes and texts that NumPy 2 has dropped and CuPy 13 still has."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from cupola._typing import DTypeLike

__all__ = [
    "disable_experimental_feature_warning",
    "disp",
    "find_common_type",
    "format_parser",
    "issctype",
    "issubclass_",
    "issubsctype",
    "obj2sctype",
    "safe_eval",
    "sctype2char",
]

disable_experimental_feature_warning = False
"""CuPy's switch of its warnings of experimental features; nothing here warns of them."""

format_parser = np.rec.format_parser


def disp(mesg: object, device: Any = None, linefeed: bool = True) -> None:
    """Write a text to `device`, an object with `write` (default: the standard output).

    Parameters
    ----------
    mesg : object
    device : object with `write`, optional
    linefeed : bool
        Whether the line is ended.

    Returns
    -------
    None

    Examples
    --------
    >>> cp.disp("done")
    done
    """
    target = sys.stdout if device is None else device
    target.write(f"{mesg}\n" if linefeed else f"{mesg}")
    target.flush()


def safe_eval(source: str) -> Any:
    """The value of a literal of Python.

    Parameters
    ----------
    source : str

    Returns
    -------
    any
        Numbers, texts, tuples, lists, dictionaries, sets, booleans and None.

    Raises
    ------
    ValueError, SyntaxError
        For text that is no literal.

    Examples
    --------
    >>> cp.safe_eval("[1, 2.5]")
    [1, 2.5]
    """
    return ast.literal_eval(source)


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """The scalar type of a dtype, of its name or of an array; `default` for other objects.

    Parameters
    ----------
    rep : any
    default : any

    Returns
    -------
    type or any
        A scalar type of NumPy, or `default`.

    Examples
    --------
    >>> cp.obj2sctype("f4")
    <class 'numpy.float32'>
    >>> cp.obj2sctype(cp.ones(2, int))
    <class 'numpy.int64'>
    """
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    if hasattr(rep, "dtype") and not isinstance(rep, type):
        return rep.dtype.type
    try:
        return np.dtype(rep).type
    except (TypeError, ValueError):
        return default


def issctype(rep: Any) -> bool:
    """Whether an object is a scalar type or a dtype, but for that of Python objects.

    Parameters
    ----------
    rep : any

    Returns
    -------
    bool

    Examples
    --------
    >>> cp.issctype(cp.int32), cp.issctype("f4")
    (True, False)
    """
    if not isinstance(rep, type | np.dtype):
        return False
    found = obj2sctype(rep)
    return found is not None and found is not np.object_


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """As `issubclass`; False where `arg1` is no class.

    Parameters
    ----------
    arg1 : any
    arg2 : class or tuple of classes

    Returns
    -------
    bool

    Examples
    --------
    >>> cp.issubclass_(cp.int32, cp.integer), cp.issubclass_(1, int)
    (True, False)
    """
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def issubsctype(arg1: Any, arg2: Any) -> bool:
    """Whether the scalar type of the first is one of the second's; see `obj2sctype`.

    Parameters
    ----------
    arg1, arg2 : dtype, scalar type or array

    Returns
    -------
    bool

    Examples
    --------
    >>> cp.issubsctype(cp.ones(2), float)
    True
    """
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def sctype2char(sctype: Any) -> str:
    """The character code of a scalar type; see `obj2sctype`.

    Parameters
    ----------
    sctype : scalar type, dtype, array or str

    Returns
    -------
    str
        One letter.

    Raises
    ------
    ValueError
        For an object without a scalar type.

    Examples
    --------
    >>> cp.sctype2char(cp.complex64)
    'F'
    """
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return np.dtype(found).char


_KINDS = "buifcSUVOMm"


def _common(types: Iterable[DTypeLike]) -> np.dtype[Any] | None:
    given = [np.dtype(each) for each in types]
    return functools.reduce(np.promote_types, given) if given else None


def find_common_type(
    array_types: Iterable[DTypeLike], scalar_types: Iterable[DTypeLike]
) -> np.dtype[Any] | None:
    """The dtype of an operation on arrays and scalars by the rules of NumPy 1: scalars count only
    if they are of a higher kind than all arrays.

    Parameters
    ----------
    array_types, scalar_types : iterable of dtype
        Of the arrays and of the scalars.

    Returns
    -------
    dtype or None
        None for no types at all.

    Examples
    --------
    >>> cp.find_common_type(["f4"], ["i8", "f8"])
    dtype('float32')
    >>> cp.find_common_type(["i8"], ["f4"])
    dtype('float64')
    """
    arrays, scalars = _common(array_types), _common(scalar_types)
    if arrays is None or scalars is None:
        return scalars if arrays is None else arrays
    if _KINDS.index(scalars.kind) > _KINDS.index(arrays.kind):
        return np.promote_types(arrays, scalars)
    return arrays
