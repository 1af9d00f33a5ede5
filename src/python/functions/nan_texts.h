#pragma once
// The docstrings of the reductions that pass over NaN.

namespace cupola::python {

inline constexpr const char* kNansumText = R"(Sum of elements, with NaN as 0.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
dtype : optional
    Of the result, and in which it is computed; default: int64 or uint64 for smaller integers, else
    that of `a`.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
initial : number, optional
    What the result starts from.
where : array of bool, optional
    Which elements count.

Returns
-------
ndarray
    Without the axes.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> float(cp.nansum(cp.asarray([1.0, cp.nan, 3.0])))
4.0)";

inline constexpr const char* kNanprodText = R"(Product of elements, with NaN as 1.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
dtype : optional
    Of the result, and in which it is computed; default: int64 or uint64 for smaller integers, else
    that of `a`.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
initial : number, optional
    What the result starts from.
where : array of bool, optional
    Which elements count.

Returns
-------
ndarray
    Without the axes.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> float(cp.nanprod(cp.asarray([1.0, cp.nan, 3.0])))
3.0)";

inline constexpr const char* kNanminText = R"(Smallest element that is not NaN.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
initial : number, optional
    What the result starts from.
where : array of bool, optional
    Which elements count.

Returns
-------
ndarray
    Of the dtype of `a`; NaN where there is nothing else.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For no elements without `initial`.

Examples
--------
>>> import cupola as cp
>>> float(cp.nanmin(cp.asarray([1.0, cp.nan, 3.0])))
1.0)";

inline constexpr const char* kNanmaxText = R"(Largest element that is not NaN.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
initial : number, optional
    What the result starts from.
where : array of bool, optional
    Which elements count.

Returns
-------
ndarray
    Of the dtype of `a`; NaN where there is nothing else.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For no elements without `initial`.

Examples
--------
>>> import cupola as cp
>>> float(cp.nanmax(cp.asarray([1.0, cp.nan, 3.0])))
3.0)";

inline constexpr const char* kNanmeanText = R"(Arithmetic mean of the elements that are not NaN.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
dtype : optional
    Of the result; default: float64 for integers, else that of `a`.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
where : array of bool, optional
    Which elements count.

Returns
-------
ndarray
    Without the axes. NaN of no elements, with a RuntimeWarning where `a` has none.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> float(cp.nanmean(cp.asarray([1.0, cp.nan, 3.0])))
2.0)";

inline constexpr const char* kNanvarText = R"(Variance of the elements that are not NaN.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
dtype : optional
    Of the result; default: float64 for integers, else that of `a`.
out : ndarray, optional
    Takes the result.
ddof, correction : number
    The squares are divided by their number less this.
keepdims : bool
    These dimensions stay, with extent 1.
where : array of bool, optional
    Which elements count.
mean : array, optional
    The mean, where it is known (computed with keepdims=True).

Returns
-------
ndarray
    Real. A RuntimeWarning tells of not more elements than `ddof`.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For both `ddof` and `correction`.

Examples
--------
>>> import cupola as cp
>>> float(cp.nanvar(cp.asarray([1.0, cp.nan, 3.0])))
1.0)";

inline constexpr const char* kNanstdText = R"(Standard deviation of the elements that are not NaN.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
dtype : optional
    Of the result; default: float64 for integers, else that of `a`.
out : ndarray, optional
    Takes the result.
ddof, correction : number
    The squares are divided by their number less this.
keepdims : bool
    These dimensions stay, with extent 1.
where : array of bool, optional
    Which elements count.
mean : array, optional
    The mean, where it is known (computed with keepdims=True).

Returns
-------
ndarray
    Real. A RuntimeWarning tells of not more elements than `ddof`.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For both `ddof` and `correction`.

Examples
--------
>>> import cupola as cp
>>> float(cp.nanstd(cp.asarray([1.0, cp.nan, 3.0])))
1.0)";

inline constexpr const char* kNanargminText =
    R"(Index of the first smallest element that is not NaN.

Parameters
----------
a : array_like
axis : int or None
    Along which elements are compared. None: all of them, and the index is that of `ravel`.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.

Returns
-------
ndarray
    Of int64, without the axis.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For what is only NaN, and for no elements.

Examples
--------
>>> import cupola as cp
>>> int(cp.nanargmin(cp.asarray([1.0, cp.nan, 3.0])))
0)";

inline constexpr const char* kNanargmaxText = R"(Index of the first largest element that is not NaN.

Parameters
----------
a : array_like
axis : int or None
    Along which elements are compared. None: all of them, and the index is that of `ravel`.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.

Returns
-------
ndarray
    Of int64, without the axis.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For what is only NaN, and for no elements.

Examples
--------
>>> import cupola as cp
>>> int(cp.nanargmax(cp.asarray([1.0, cp.nan, 3.0])))
2)";

}  // namespace cupola::python
