#pragma once
// The docstrings of new arrays.

namespace cupola::python {

inline constexpr const char* kEmptyText = R"(An array whose elements are not set.

Parameters
----------
shape : int or sequence of ints
dtype : optional
    Default: float64.
order : {'C', 'F'}
device : optional
    Default: that of `like`, else the current device.
like : ndarray, optional
    Whose device is taken.

Returns
-------
ndarray

Raises
------
ValueError
    For negative extents, and more bytes than can be addressed.
TypeError
    For what is no dtype of arrays, and a `like` that is no array.
cupola.errors.OutOfMemoryError
    At the call.

Examples
--------
>>> import cupola as cp
>>> cp.empty((2, 3)).shape
(2, 3))";

inline constexpr const char* kZerosText = R"(An array of zeros.

Parameters
----------
shape : int or sequence of ints
dtype : optional
    Default: float64.
order : {'C', 'F'}
device : optional
    Default: that of `like`, else the current device.
like : ndarray, optional
    Whose device is taken.

Returns
-------
ndarray

Raises
------
ValueError
    For negative extents, and more bytes than can be addressed.
TypeError
    For what is no dtype of arrays, and a `like` that is no array.
cupola.errors.OutOfMemoryError
    At the call.

Examples
--------
>>> import cupola as cp
>>> cp.zeros((2, 2), "int8").tolist()
[[0, 0], [0, 0]])";

inline constexpr const char* kOnesText = R"(An array of ones.

Parameters
----------
shape : int or sequence of ints
dtype : optional
    Default: float64.
order : {'C', 'F'}
device : optional
    Default: that of `like`, else the current device.
like : ndarray, optional
    Whose device is taken.

Returns
-------
ndarray

Raises
------
ValueError
    For negative extents, and more bytes than can be addressed.
TypeError
    For what is no dtype of arrays, and a `like` that is no array.
cupola.errors.OutOfMemoryError
    At the call.

Examples
--------
>>> import cupola as cp
>>> cp.ones(3).tolist()
[1.0, 1.0, 1.0])";

inline constexpr const char* kAsarrayText =
    R"(`array`, but `a` itself where it is such an array already.

Parameters
----------
a : array_like
dtype : optional
    Default: that of `a`.
order : {'K', 'A', 'C', 'F'}
device : optional
    Default: where `a` is; for what is on the host that of `like`, else the current device.
copy : bool or None
    True: always copy. None: only where needed. False: ValueError where needed.
blocking, stream, source
    Of a copy from the host, as those of `array`.
like : ndarray, optional
    What comes from the host goes to its device.

Returns
-------
ndarray

Raises
------
TypeError
    For elements that are no numbers, and a `like` that is no array.
ValueError
    For sequences of different lengths, and where `copy` forbids what is needed.

Examples
--------
>>> import cupola as cp
>>> a = cp.asarray([1, 2])
>>> cp.asarray(a) is a, cp.asarray(a, "float32").tolist()
(True, [1.0, 2.0]))";

}  // namespace cupola::python
