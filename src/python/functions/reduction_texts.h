#pragma once
// The docstrings of reductions and running sums.

namespace cupola::python {

inline constexpr const char* kSumText = R"(Sum of elements.

Parameters
----------
a : array
axis : int, tuple of ints or None
    None: over all elements.
dtype : optional
    Of the sum and the result; default: int64 or uint64 for smaller integers, else a's.
out : array, optional
keepdims : bool
    Keep the dimensions summed over, with extent 1.
initial : number
    Where the sum starts.
where : array of bool
    The elements to include.

Returns
-------
ndarray

Raises
------
numpy.exceptions.AxisError

Examples
--------
>>> import cupola as cp
>>> cp.sum(cp.ones((2, 3)), axis=1).tolist()
[3.0, 3.0])";

inline constexpr const char* kProdText = R"(Product of elements.

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
    Without the axes; of no elements 1.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.prod(cp.asarray([[1, 2], [3, 4]]), axis=1).tolist()
[2, 12])";

inline constexpr const char* kMeanText = R"(Arithmetic mean.

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
    Without the axes. NaN of no elements, with a RuntimeWarning.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.mean(cp.asarray([[1, 2], [3, 6]]), axis=0).tolist()
[2.0, 4.0])";

inline constexpr const char* kVarText = R"(Variance: mean squared distance from the mean.

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
>>> float(cp.var(cp.asarray([1.0, 2.0, 3.0, 6.0]), ddof=1))
4.666666666666667)";

inline constexpr const char* kStdText = R"(Standard deviation: the square root of the variance.

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
>>> float(cp.std(cp.asarray([1.0, 3.0])))
1.0)";

inline constexpr const char* kCountText = R"(Number of elements that are not zero.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
keepdims : bool
    These dimensions stay, with extent 1.

Returns
-------
ndarray
    Of int64.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> int(cp.count_nonzero(cp.asarray([0, 3, 0, 4])))
2)";

inline constexpr const char* kCumsumText = R"(Running sum.

Parameters
----------
a : array_like
axis : int or None
    Along which it runs. None: over `ravel(a)`.
dtype : optional
    Of the result, and in which it is computed; default: int64 or uint64 for smaller integers, else
    that of `a`.
out : ndarray, optional
    Takes the result.

Returns
-------
ndarray
    Of the shape of `a`, or of one dimension.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.cumsum(cp.asarray([1, 2, 3])).tolist()
[1, 3, 6])";

inline constexpr const char* kCumprodText = R"(Running product.

Parameters
----------
a : array_like
axis : int or None
    Along which it runs. None: over `ravel(a)`.
dtype : optional
    Of the result, and in which it is computed; default: int64 or uint64 for smaller integers, else
    that of `a`.
out : ndarray, optional
    Takes the result.

Returns
-------
ndarray
    Of the shape of `a`, or of one dimension.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.cumprod(cp.asarray([1, 2, 3])).tolist()
[1, 2, 6])";

inline constexpr const char* kMinText = R"(Smallest element.

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
    Of the dtype of `a`; NaN where there is one.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For no elements without `initial`.

Examples
--------
>>> import cupola as cp
>>> cp.min(cp.asarray([[3, 1], [2, 5]]), axis=0).tolist()
[2, 1])";

inline constexpr const char* kMaxText = R"(Largest element.

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
    Of the dtype of `a`; NaN where there is one.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For no elements without `initial`.

Examples
--------
>>> import cupola as cp
>>> cp.max(cp.asarray([[3, 1], [2, 5]]), axis=0).tolist()
[3, 5])";

inline constexpr const char* kAnyText = R"(Whether any element is not zero.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
where : array of bool, optional
    Which elements count.

Returns
-------
ndarray
    Of bool; False of no elements.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.any(cp.asarray([[0, 1], [0, 0]]), axis=1).tolist()
[True, False])";

inline constexpr const char* kAllText = R"(Whether all elements are not zero.

Parameters
----------
a : array_like
axis : int, tuple of ints or None
    Along which elements are taken together. None: all of them.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
where : array of bool, optional
    Which elements count.

Returns
-------
ndarray
    Of bool; True of no elements.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.all(cp.asarray([[2, 1], [0, 1]]), axis=1).tolist()
[True, False])";

inline constexpr const char* kArgminText =
    R"(Index of the first smallest element; NaN counts as smallest.

Parameters
----------
a : array_like
axis : int or None
    Along which elements are compared. None: all of them, and the index is that of `ravel`.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
dtype : integer dtype, optional
    Of the result; default: int64.

Returns
-------
ndarray
    Without the axis.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For no elements.
TypeError
    For a dtype that is not one of integers.

Examples
--------
>>> import cupola as cp
>>> int(cp.argmin(cp.asarray([3, 1, 1])))
1)";

inline constexpr const char* kArgmaxText =
    R"(Index of the first largest element; NaN counts as largest.

Parameters
----------
a : array_like
axis : int or None
    Along which elements are compared. None: all of them, and the index is that of `ravel`.
out : ndarray, optional
    Takes the result.
keepdims : bool
    These dimensions stay, with extent 1.
dtype : integer dtype, optional
    Of the result; default: int64.

Returns
-------
ndarray
    Without the axis.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.
ValueError
    For no elements.
TypeError
    For a dtype that is not one of integers.

Examples
--------
>>> import cupola as cp
>>> int(cp.argmax(cp.asarray([3, 7, 7])))
1)";

}  // namespace cupola::python
