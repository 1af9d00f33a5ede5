"""Methods of arrays that only CuPy has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import DTypeLike

    _Base = ndarray
else:
    _Base = object


class CArray:
    """An array with its extents and strides, as a kernel's argument by value."""

    __slots__ = ("_carray",)

    def __init__(self, array: ndarray) -> None:
        self._carray = array

    def __repr__(self) -> str:
        return f"<CArray of shape {self._carray.shape}, {self._carray.dtype}>"


class CupyMethods(_Base):
    """Copied to `ndarray`, member by member."""

    def toDlpack(self) -> Any:  # noqa: N802
        """A DLPack capsule of the array, for one other array; the memory is shared.

        Returns
        -------
        capsule

        Examples
        --------
        >>> import cupola as cp
        >>> cp.fromDlpack(cp.arange(3).toDlpack())
        array([0, 1, 2])
        """
        return self.__dlpack__()

    def argmax(
        self,
        axis: int | None = None,
        out: ndarray | None = None,
        dtype: DTypeLike = None,
        keepdims: bool = False,
    ) -> ndarray:
        """Where the largest elements are, along an axis; the positions of CuPy's method.

        Parameters
        ----------
        axis : int, optional
            Default: of the flattened array.
        out : ndarray, optional
            Gets the result.
        dtype : dtype, optional
            Of the result.
        keepdims : bool, optional
            Whether the axis stays, with extent 1.

        Returns
        -------
        ndarray
            Of int64; of equal elements, the first.

        Raises
        ------
        ValueError
            Where there are no elements.
        AxisError
            For an axis that is not there.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([[1, 5], [7, 2]]).argmax(axis=1)
        array([1, 0])
        """
        return _core.argmax(self, axis, out, dtype=dtype, keepdims=keepdims)

    def argmin(
        self,
        axis: int | None = None,
        out: ndarray | None = None,
        dtype: DTypeLike = None,
        keepdims: bool = False,
    ) -> ndarray:
        """Where the smallest elements are, along an axis; the positions of CuPy's method.

        Parameters
        ----------
        axis : int, optional
            Default: of the flattened array.
        out : ndarray, optional
            Gets the result.
        dtype : dtype, optional
            Of the result.
        keepdims : bool, optional
            Whether the axis stays, with extent 1.

        Returns
        -------
        ndarray
            Of int64; of equal elements, the first.

        Raises
        ------
        ValueError
            Where there are no elements.
        AxisError
            For an axis that is not there.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([[1, 5], [7, 2]]).argmin(axis=1)
        array([0, 1])
        """
        return _core.argmin(self, axis, out, dtype=dtype, keepdims=keepdims)

    @property
    def cstruct(self) -> Any:
        """The array as the argument of a raw kernel whose parameter is `CArray<T, ndim>`.

        `<cupy/carray.cuh>` has that type. The array need not be contiguous; it is ordered with
        its other uses like one that is given as a pointer.
        """
        return CArray(self)

    def reduced_view(self, dtype: DTypeLike = None) -> ndarray:
        """A view with as few dimensions as possible: neighbours without a gap become one.

        Dimensions of one element go. With `dtype`, the bytes are read as that dtype.

        Parameters
        ----------
        dtype : dtype, optional
            Default: the same.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.zeros((2, 1, 3)).reduced_view().shape
        (6,)
        """
        array = self if dtype is None else _core.view_as(self, dtype)
        shape: list[int] = []
        strides: list[int] = []
        for count, stride in zip(array.shape, array.strides, strict=True):
            if count == 1:
                continue
            if shape and strides[-1] == count * stride:
                shape[-1] *= count
                strides[-1] = stride
            else:
                shape.append(count)
                strides.append(stride)
        return _core.reshape(array, (array.size,) if array.size == 0 else tuple(shape))

    def scatter_add(self, slices: Any, value: Any) -> None:
        """Add to the elements of self[slices], once for each time that one is named.

        Parameters
        ----------
        slices : index
            What self[slices] takes; integer arrays may name an element several times.
        value : array_like
            Repeated to the shape of self[slices], and of the array's dtype.

        Raises
        ------
        IndexError
            For an index out of bounds.

        See Also
        --------
        cupola.cupyx.scatter_add : The same as a function, with an example.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.zeros(3)
        >>> a.scatter_add([0, 0, 2], 1)
        >>> a
        array([2., 0., 1.])
        """
        from cupola._cupy.scatter import scatter_add

        scatter_add(self, slices, value)

    def scatter_max(self, slices: Any, value: Any) -> None:
        """Let elements of self[slices] be the largest of themselves and the values for them.

        Parameters
        ----------
        slices : index
            What self[slices] takes; integer arrays may name an element several times.
        value : array_like
            Repeated to the shape of self[slices], and of the array's dtype.

        Raises
        ------
        IndexError
            For an index out of bounds.

        See Also
        --------
        cupola.cupyx.scatter_max : The same as a function, with an example.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.array([1, 5, 3])
        >>> a.scatter_max([0, 1, 0], [2, 4, 8])
        >>> a
        array([8, 5, 3])
        """
        from cupola._cupy.scatter import scatter_max

        scatter_max(self, slices, value)

    def scatter_min(self, slices: Any, value: Any) -> None:
        """Let elements of self[slices] be the smallest of themselves and the values for them.

        Parameters
        ----------
        slices : index
            What self[slices] takes; integer arrays may name an element several times.
        value : array_like
            Repeated to the shape of self[slices], and of the array's dtype.

        Raises
        ------
        IndexError
            For an index out of bounds.

        See Also
        --------
        cupola.cupyx.scatter_min : The same as a function, with an example.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.array([1, 5, 3])
        >>> a.scatter_min([0, 1, 0], [2, 4, 8])
        >>> a
        array([1, 4, 3])
        """
        from cupola._cupy.scatter import scatter_min

        scatter_min(self, slices, value)
