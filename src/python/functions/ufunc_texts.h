#pragma once
// The docstrings of the methods of `cupola.ufunc`.

namespace cupola::python {

inline constexpr const char* kUfuncReduceText = R"(Combines all elements along axes.

Parameters
----------
array : array_like
axis : int, tuple of ints or None, optional
    Default: the first one; None: all.
dtype : dtype, optional
    That it is computed in, and of the result; default: that of a call with two elements, and at
    least 64 bits for sums and products of integers.
out : ndarray, optional
    Gets the result.
keepdims : bool, optional
    Whether the axes stay, with extent 1.
initial : number, optional
    Where it starts; default: the identity of the function.
where : array_like of bool, optional
    Which elements take part; broadcasts to the array.

Returns
-------
ndarray
    Of the array's shape without the axes.

Raises
------
ValueError
    For a function that has not two inputs and one output, and where there are neither elements
    nor an identity.
AxisError
    For an axis that is not there.

Examples
--------
>>> import cupola as cp
>>> cp.maximum.reduce(cp.asarray([[1, 5], [7, 2]]))
array([7, 5])
>>> cp.add.reduce(cp.asarray([[1, 5], [7, 2]]), axis=None)
array(15))";

inline constexpr const char* kUfuncAccumulateText =
    R"(The combination of all elements so far, along an axis.

Parameters
----------
array : array_like
    With one dimension at least.
axis : int, optional
    Default: the first one.
dtype : dtype, optional
    That it is computed in, and of the result; default: as of `reduce`.
out : ndarray, optional
    Gets the result.

Returns
-------
ndarray
    Of the array's shape.

Raises
------
ValueError
    For a function that has not two inputs and one output, and for several axes.
TypeError
    For an array without dimensions.
AxisError
    For an axis that is not there.

Examples
--------
>>> import cupola as cp
>>> cp.multiply.accumulate([1, 2, 3, 4])
array([ 1,  2,  6, 24]))";

inline constexpr const char* kUfuncReduceatText = R"(Combinations of slices along an axis.

Parameters
----------
array : array_like
    With one dimension at least.
indices : array_like of int
    Where the slices start, of one dimension. A slice ends where the next one starts, the last
    one at the end; where the next one does not start later, it is one element.
axis : int, optional
    Default: the first one.
dtype : dtype, optional
    That it is computed in, and of the result; default: as of `reduce`.
out : ndarray, optional
    Gets the result.

Returns
-------
ndarray
    Of the array's shape, with as many elements along the axis as there are indices.

Raises
------
ValueError
    For a function that has not two inputs and one output, and for several axes.
IndexError
    For an index out of bounds.
AxisError
    For an axis that is not there.

Examples
--------
>>> import cupola as cp
>>> cp.add.reduceat(cp.arange(6), [0, 2, 4])
array([1, 5, 9]))";

inline constexpr const char* kUfuncAtText =
    R"(Works in place on the elements at indices, repeated ones repeatedly.

Parameters
----------
a : ndarray
    Gets the results.
indices : index
    What a[indices] takes; integer arrays may name an element several times.
b : array_like, optional
    The second operand of functions that have two; broadcasts to a[indices].

Raises
------
ValueError
    For a function of two outputs, without the second operand of two, and with one that there is
    not.
IndexError
    For an index out of bounds.
TypeError
    For what is no array.

Examples
--------
>>> import cupola as cp
>>> a = cp.zeros(3)
>>> cp.add.at(a, [0, 0, 2], 1)
>>> a
array([2., 0., 1.]))";

inline constexpr const char* kUfuncOuterText =
    R"(Applies the function to every pair of elements of two operands.

Parameters
----------
*args : array_like
    The two operands, of any shapes.
**kwargs
    Those of a call: `out`, `where`, `casting`, `order`, `dtype`, `signature`.

Returns
-------
ndarray or tuple of ndarrays
    Of the shape of the first operand, and that of the second one behind it.

Raises
------
ValueError
    For a function of one input.

Examples
--------
>>> import cupola as cp
>>> cp.multiply.outer([1, 2], [3, 4, 5])
array([[ 3,  4,  5],
       [ 6,  8, 10]]))";

}  // namespace cupola::python
