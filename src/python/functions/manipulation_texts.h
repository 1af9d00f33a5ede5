#pragma once
// The docstrings of views and rearranged arrays.

namespace cupola::python {

inline constexpr const char* kReshapeText = R"(The elements in another shape.

Parameters
----------
a : array_like
shape : int or sequence of ints
    One extent may be -1: what is left.
order : {'C', 'F', 'A'}
    In which elements are read and placed.
copy : bool or None
    True: always copy. None: only where needed. False: ValueError where needed.

Returns
-------
ndarray
    A view where possible.

Raises
------
ValueError
    For a shape of another number of elements, and where `copy` forbids what is needed.

Examples
--------
>>> import cupola as cp
>>> cp.reshape(cp.arange(6), (2, -1)).tolist()
[[0, 1, 2], [3, 4, 5]])";

inline constexpr const char* kRavelText = R"(The elements in one dimension.

Parameters
----------
a : array_like
order : {'C', 'F', 'A', 'K'}
    In which elements are read; 'K': as they lie in memory.

Returns
-------
ndarray
    A view where possible.

Examples
--------
>>> import cupola as cp
>>> cp.ravel(cp.asarray([[1, 2], [3, 4]]), "F").tolist()
[1, 3, 2, 4])";

inline constexpr const char* kTransposeText = R"(An array with its dimensions in another order.

Parameters
----------
a : array_like
axes : sequence of ints, optional
    Default: from the last to the first.

Returns
-------
ndarray
    A view, of the dtype of `a`.

Raises
------
ValueError
    For axes that are not all of them, each once.
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.transpose(cp.ones((2, 3, 4)), (1, 0, 2)).shape
(3, 2, 4))";

inline constexpr const char* kMoveaxisText =
    R"(An array with some dimensions at new places, the others in their order.

Parameters
----------
a : array_like
source, destination : int or sequence of ints
    Where they are, and where they go.

Returns
-------
ndarray
    A view, of the dtype of `a`.

Raises
------
ValueError
    For an axis twice, and for other numbers of places than of axes.
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.moveaxis(cp.ones((2, 3, 4)), 0, -1).shape
(3, 4, 2))";

inline constexpr const char* kSwapaxesText = R"(An array with two dimensions exchanged.

Parameters
----------
a : array_like
axis1, axis2 : int

Returns
-------
ndarray
    A view, of the dtype of `a`.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.swapaxes(cp.ones((2, 3, 4)), 0, 2).shape
(4, 3, 2))";

inline constexpr const char* kDiagonalText = R"(The diagonals of two dimensions.

Parameters
----------
a : array_like
    Of two dimensions at least.
offset : int
    How far from the main diagonal; above it where positive.
axis1, axis2 : int
    The dimensions that the diagonals are taken of.

Returns
-------
ndarray
    A view without these dimensions, with the diagonal as the last one.

Raises
------
ValueError
    For fewer than two dimensions, and twice the same.
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.diagonal(cp.asarray([[1, 2], [3, 4]])).tolist()
[1, 4])";

inline constexpr const char* kFlipText = R"(An array with the order of elements reversed.

Parameters
----------
m : array_like
axis : int, tuple of ints or None
    None: along all of them.

Returns
-------
ndarray
    A view, of the dtype of `m`.

Raises
------
numpy.exceptions.AxisError
    For an axis that there is not.

Examples
--------
>>> import cupola as cp
>>> cp.flip(cp.asarray([[1, 2], [3, 4]]), 1).tolist()
[[2, 1], [4, 3]])";

inline constexpr const char* kTileText = R"(An array repeated along its dimensions.

Parameters
----------
A : array_like
reps : int or sequence of ints
    How often along each dimension; dimensions that `A` lacks are new ones in front.

Returns
-------
ndarray

Raises
------
ValueError
    For negative numbers.

Examples
--------
>>> import cupola as cp
>>> cp.tile(cp.asarray([1, 2]), (2, 2)).tolist()
[[1, 2, 1, 2], [1, 2, 1, 2]])";

}  // namespace cupola::python
