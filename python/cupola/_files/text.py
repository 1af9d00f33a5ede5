"""Tables of numbers as text: `savetxt`, `loadtxt`, `genfromtxt`. NumPy's parsers read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola._cupola import ndarray
from cupola._functions.creation.arrays import array, asnumpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["genfromtxt", "loadtxt", "savetxt"]


def savetxt(
    fname: Any,
    X: ArrayLike,  # noqa: N803
    fmt: Any = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Write an array of one or two dimensions as text, a row a line.

    Parameters
    ----------
    fname : file, str or path
        Names that end with .gz, .bz2 or .xz make compressed files.
    X : array_like
    fmt : str or sequence of str
        The format of a number, of a whole row, or those of the columns.
    delimiter, newline : str
        Between numbers, and behind rows.
    header, footer : str
        Lines before and behind the rows, with `comments` before each.
    comments : str
    encoding : str, optional

    Returns
    -------
    None

    Raises
    ------
    ValueError
        For arrays of other than one or two dimensions, and not one format for each column.

    Examples
    --------
    >>> import io
    >>> import cupola as cp
    >>> file = io.StringIO()
    >>> cp.savetxt(file, cp.eye(2), "%d", ",")
    >>> file.getvalue()
    '1,0\\n0,1\\n'
    """
    host = asnumpy(X) if isinstance(X, ndarray) else X
    np.savetxt(fname, host, fmt, delimiter, newline, header, footer, comments, encoding)


def loadtxt(
    fname: Any,
    dtype: Any = float,
    comments: Any = "#",
    delimiter: str | None = None,
    converters: Any = None,
    skiprows: int = 0,
    usecols: Any = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: Any = None,
) -> Any:
    """An array of the numbers in a text, which has as many in each row.

    Parameters
    ----------
    fname : file, str, path or iterable of lines
    dtype : optional
    comments : str, sequence of str or None
        What starts a comment.
    delimiter : str, optional
        Default: white space.
    converters : function or dict of functions by columns, optional
        Make numbers of texts.
    skiprows : int
        First lines that are passed over.
    usecols : int or sequence of int, optional
        Columns to read.
    unpack : bool
        Columns in the first dimension.
    ndmin : {0, 1, 2}
        Dimensions of the result at least.
    encoding : str, optional
    max_rows : int, optional
    quotechar : str, optional
        What stands around texts with delimiters in them.
    like : ndarray, optional
        The result is on its device.

    Returns
    -------
    ndarray
        On the current device without `like`.

    Raises
    ------
    ValueError
        For what is no number, and rows of different lengths.
    TypeError
        For dtypes that arrays cannot have: text, dates, several fields.

    Examples
    --------
    >>> import io
    >>> import cupola as cp
    >>> cp.loadtxt(io.StringIO("1 2\\n3 4"), int).tolist()
    [[1, 2], [3, 4]]
    """
    parse: Any = np.loadtxt
    host = parse(
        fname,
        dtype,
        comments,
        delimiter,
        converters,
        skiprows,
        usecols,
        unpack,
        ndmin,
        encoding,
        max_rows,
        quotechar=quotechar,
    )
    return array(host, like=like)


def genfromtxt(
    fname: Any,
    dtype: Any = float,
    comments: str = "#",
    delimiter: Any = None,
    skip_header: int = 0,
    skip_footer: int = 0,
    converters: Any = None,
    missing_values: Any = None,
    filling_values: Any = None,
    usecols: Any = None,
    names: Any = None,
    excludelist: Any = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space: str = "_",
    autostrip: bool = False,
    case_sensitive: bool | str = True,
    defaultfmt: str = "f%i",
    unpack: bool | None = None,
    usemask: bool = False,
    loose: bool = True,
    invalid_raise: bool = True,
    max_rows: int | None = None,
    encoding: str | None = None,
    *,
    ndmin: int = 0,
    like: Any = None,
) -> Any:
    """An array of the numbers in a text in which some may be missing.

    Parameters
    ----------
    fname : file, str, path or iterable of lines
    dtype : optional
    comments : str
        What starts a comment.
    delimiter : str, int or sequence of int, optional
        Default: white space. Numbers are the widths of columns.
    skip_header, skip_footer : int
        First and last lines that are passed over.
    converters : dict of functions by columns, optional
        Make numbers of texts.
    missing_values, filling_values : optional
        Texts that mean that a number is missing, and what stands for it then; also by columns.
    usecols : sequence of int, optional
        Columns to read.
    names, excludelist, deletechars, replace_space, case_sensitive, defaultfmt
        Of columns with names, which only choose among them here.
    autostrip : bool
        Without white space around texts.
    unpack : bool, optional
        Columns in the first dimension.
    usemask : bool
        Must be False.
    loose : bool
        What is no number is missing; False: ValueError.
    invalid_raise : bool
        Rows of other lengths are errors; False: they are left out, with a warning.
    max_rows : int, optional
    encoding : str, optional
    ndmin : {0, 1, 2}
        Dimensions of the result at least.
    like : ndarray, optional
        The result is on its device.

    Returns
    -------
    ndarray
        On the current device without `like`.

    Raises
    ------
    ValueError
        For rows of different lengths.
    TypeError
        For dtypes that arrays cannot have, as those of columns with names, and masked arrays.

    Examples
    --------
    >>> import io
    >>> import cupola as cp
    >>> cp.genfromtxt(io.StringIO("1,,3"), delimiter=",", filling_values=0).tolist()
    [1.0, 0.0, 3.0]
    """
    parse: Any = np.genfromtxt
    host = parse(
        fname,
        dtype,
        comments,
        delimiter,
        skip_header,
        skip_footer,
        converters,
        missing_values,
        filling_values,
        usecols,
        names,
        excludelist,
        deletechars,
        replace_space,
        autostrip,
        case_sensitive,
        defaultfmt,
        unpack,
        usemask,
        loose,
        invalid_raise,
        max_rows,
        encoding,
        ndmin=ndmin,
    )
    if isinstance(host, np.ma.MaskedArray):
        raise TypeError("usemask=True needs masked arrays; use filling_values for what is missing")
    return array(host, like=like)
