"""The methods of `ndarray`: functions as they are, and what has other arguments than a function."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.conversions import Conversions
from cupola._array.cupy_methods import CupyMethods
from cupola._array.descriptions import FlatIterator
from cupola._array.memory_attributes import MemoryAttributes
from cupola._array.pickling import array_of_host, host_values
from cupola._cupola import ndarray
from cupola._functions.creation.filled import element_of_none
from cupola._functions.indexing import assignment, selection
from cupola._functions.linalg import products
from cupola._functions.manipulation import rearranging, shapes
from cupola._functions.mathematics import elementwise, scans, sums
from cupola._functions.sorting import sorting
from cupola._functions.statistics import extremes

if TYPE_CHECKING:
    from cupola._typing import (
        ArrayLike,
        CastingLike,
        DTypeLike,
        ModeLike,
        OrderLike,
    )


if TYPE_CHECKING:
    _Base = ndarray
else:
    _Base = object


def _rebuild(host: Any, dtype: Any) -> ndarray:
    """A pickled array: on the current device."""
    array = array_of_host(host)
    return _core.view_as(array, dtype) if dtype is not None else array


def _one_argument(values: tuple[Any, ...]) -> Any:
    """f(2, 3) and f((2, 3)) mean the same."""
    return values[0] if len(values) == 1 else values


# The array is their first argument.
_FUNCTIONS = (
    *(extremes.all, extremes.any),
    *(extremes.max, extremes.min, extremes.ptp),
    *(products.dot, products.trace, elementwise.round, rearranging.repeat),
    *(scans.cumprod, scans.cumsum, selection.choose, selection.nonzero, selection.take),
    *(shapes.diagonal, shapes.ravel, shapes.squeeze),
    *(sorting.argpartition, sorting.argsort, sorting.searchsorted),
    *(sums.mean, sums.prod, sums.std, sums.sum, sums.var),
)


class _Methods(_Base):
    """Copied to `ndarray`, member by member."""

    # ---- shape

    def reshape(self, *shape: Any, order: OrderLike = "C", copy: bool | None = None) -> ndarray:
        """The elements in another shape; a view where possible.

        Parameters
        ----------
        *shape : int or tuple of int
            One of them may be -1: what is left.
        order : {'C', 'F', 'A'}, optional
            In which elements are counted.
        copy : bool, optional
            True: always a copy; False: never; default: where no view is possible.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For another number of elements, and for copy=False where no view is possible.
        TypeError
            Without a shape.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.arange(6).reshape(2, -1)
        array([[0, 1, 2],
               [3, 4, 5]])
        """
        if not shape:
            raise TypeError("reshape() takes exactly 1 argument (0 given)")
        return _core.reshape(self, _one_argument(shape), order, copy=copy)

    def transpose(self, *axes: Any) -> ndarray:
        """A view with the dimensions in another order.

        Parameters
        ----------
        *axes : int or tuple of int, optional
            Default: reversed.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For axes that are not all dimensions, each once.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.zeros((2, 3, 4)).transpose(1, 0, 2).shape
        (3, 2, 4)
        """
        return _core.transpose(self, _one_argument(axes) if axes else None)

    def swapaxes(self, axis1: int, axis2: int, /) -> ndarray:
        """A view with two dimensions exchanged.

        Parameters
        ----------
        axis1, axis2 : int

        Returns
        -------
        ndarray

        Raises
        ------
        AxisError
            For an axis that is not there.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.zeros((2, 3, 4)).swapaxes(0, 2).shape
        (4, 3, 2)
        """
        return _core.swapaxes(self, axis1, axis2)

    # ---- elements

    def fill(self, value: Any) -> None:
        """Set every element to a number.

        Parameters
        ----------
        value : number
            Converted to the array's dtype.

        Raises
        ------
        ValueError
            For a sequence or an array with dimensions.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.zeros(3)
        >>> a.fill(2)
        >>> a
        array([2., 2., 2.])
        """
        if not isinstance(value, (int, float)) and np.ndim(value) > 0:
            raise ValueError(
                f"fill needs a number, not a sequence or an array of shape {np.shape(value)}"
            )
        self[...] = element_of_none(self.dtype) if value is None else value

    def put(self, indices: Any, values: Any, mode: ModeLike = "raise") -> None:
        """Set the elements at flat positions.

        Parameters
        ----------
        indices : array_like of int
            Positions in C order.
        values : array_like
            Repeated to as many.
        mode : {'raise', 'wrap', 'clip'}, optional
            What becomes of positions out of bounds.

        Raises
        ------
        IndexError
            For a position out of bounds, with mode 'raise'.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.zeros(4)
        >>> a.put([0, 2], [5, 7])
        >>> a
        array([5., 0., 7., 0.])
        """
        assignment.put(self, indices, values, mode)

    def sort(
        self,
        axis: int = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool | None = None,
    ) -> None:
        """Sort the elements in place; equal ones stay in order.

        Parameters
        ----------
        axis : int, optional
            Default: the last one.
        kind : str, optional
            As in NumPy; there is one way.
        order : None
            There are no fields.
        stable : bool, optional
            Has no meaning: the order is stable.
        descending : bool, optional
            The largest first, and NaN before it.

        Raises
        ------
        AxisError
            For an axis that is not there.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.array([3, 1, 2])
        >>> a.sort()
        >>> a
        array([1, 2, 3])
        """
        sorting.sort_in_place(self, axis, kind, order, stable, descending)

    def partition(
        self, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None
    ) -> None:
        """Bring the kth smallest element to its place, in place, and smaller ones before it.

        Parameters
        ----------
        kth : int or sequence of int
            Positions that get the element they have in sorted order.
        axis : int, optional
            Default: the last one.
        kind : str, optional
            As in NumPy; there is one way.
        order : None
            There are no fields.

        Raises
        ------
        ValueError
            For a position out of bounds.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.array([4, 2, 3, 1])
        >>> a.partition(2)
        >>> int(a[2])
        3
        """
        sorting.partition_in_place(self, kth, axis, kind, order)

    def compress(
        self, condition: ArrayLike, axis: int | None = None, out: ndarray | None = None
    ) -> ndarray:
        """Slices along `axis` where `condition` holds.

        Parameters
        ----------
        condition : array_like of bool
            Of one dimension; what it does not reach is left out.
        axis : int, optional
            Default: of the flattened array.
        out : ndarray, optional
            Gets the result.

        Returns
        -------
        ndarray

        Raises
        ------
        IndexError
            For True beyond the axis.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([1, 2, 3]).compress([True, False, True])
        array([1, 3])
        """
        return selection.compress(condition, self, axis, out)

    def clip(
        self,
        min: Any = None,
        max: Any = None,
        out: ndarray | None = None,
        *,
        where: Any = True,
        dtype: DTypeLike = None,
        casting: CastingLike = "same_kind",
    ) -> ndarray:
        """Elements limited to [min, max].

        Parameters
        ----------
        min, max : array_like, optional
            Bounds; None: none.
        out : ndarray, optional
            Gets the result.
        where : array_like of bool, optional
            Which elements are computed.
        dtype : dtype, optional
            Of the computation.
        casting : str, optional
            What may be converted.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.arange(5).clip(1, 3)
        array([1, 1, 2, 3, 3])
        """
        return selection.limited(self, min, max, out, where, dtype, casting)

    def conj(self) -> ndarray:
        """Complex conjugate; itself where the dtype is not complex.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([1 + 2j]).conj()
        array([1.-2.j])
        """
        return _core._ufuncs["conjugate"](self) if self.dtype.kind == "c" else self

    def conjugate(self) -> ndarray:
        """Complex conjugate; itself where the dtype is not complex.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([1 + 2j]).conjugate()
        array([1.-2.j])
        """
        return _core._ufuncs["conjugate"](self) if self.dtype.kind == "c" else self

    def __round__(self, ndigits: int | None = None) -> Any:
        """Python's round() of an array without dimensions, as of NumPy's scalars.

        Without `ndigits` an int, which waits for the value; else an array of the same dtype.
        """
        if self.ndim or self.dtype.kind in "bc":
            raise TypeError("only real arrays without dimensions define __round__; cupola.round")
        if ndigits is None:
            return round(_core.item(self))
        return elementwise.round(self, operator.index(ndigits))

    # ---- pickling

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if isinstance(self.dtype, np.dtype) and self.dtype.name != "bfloat16":
            return _rebuild, (host_values(self), None)
        return _rebuild, (host_values(_core.view_as(self, np.uint16)), "bfloat16")

    # ---- descriptions

    @property
    def flat(self) -> FlatIterator:
        """The elements in C order; assigning sets them all."""
        return FlatIterator(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        FlatIterator(self)[:] = value

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The package, which is the namespace of the array API standard.

        Raises
        ------
        ValueError
            For a version of the standard that the package does not follow.
        """
        import cupola
        from cupola._array.standard import check_version

        check_version(api_version)
        return cupola


def install() -> None:
    """Give `ndarray` its methods, under names that pickling and help() find."""
    for function in _FUNCTIONS:
        setattr(ndarray, function.__name__, function)
    owners = (_Methods, Conversions, MemoryAttributes, CupyMethods)
    members = {name: member for each in owners for name, member in vars(each).items()}
    for name, member in members.items():
        if name in ("__module__", "__dict__", "__weakref__", "__doc__"):
            continue
        if callable(member):
            member.__qualname__ = f"ndarray.{name}"
            member.__module__ = "cupola"
        setattr(ndarray, name, member)
