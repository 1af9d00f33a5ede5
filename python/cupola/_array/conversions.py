"""Methods that copy arrays, or give their elements to the host, to files and to other devices."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.same_values import cast_same
from cupola._array.subclasses import viewed_as
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import AstypeCastingLike, DeviceLike, DTypeLike, OrderLike, SourceLike

    _Base = ndarray
else:
    _Base = object


_Class = type  # view() has a parameter of that name


class Conversions(_Base):
    """Copied to `ndarray`, member by member."""

    def astype(
        self,
        dtype: DTypeLike,
        order: OrderLike = "K",
        casting: AstypeCastingLike | None = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> ndarray:
        """A copy of another dtype.

        Parameters
        ----------
        dtype : dtype
        order : {'K', 'C', 'F', 'A'}, optional
            Of the copy in memory.
        casting : {'unsafe', 'same_kind', 'safe', 'equiv', 'no', 'same_value'}, optional
            What may be converted; None: everything, as in CuPy. `same_value`: every dtype, where
            the elements keep their values, which waits for the device.
        subok : bool, optional
            Has no meaning: there are no subclasses.
        copy : bool, optional
            Whether it is a copy where nothing changes; else the array itself.

        Returns
        -------
        ndarray
            Of the same shape.

        Raises
        ------
        TypeError
            For a conversion that `casting` does not allow.
        ValueError
            For elements that another dtype cannot have, with `same_value`.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([1.7, -1.7]).astype("int32")
        array([ 1, -1], dtype=int32)
        >>> cp.array([1.0, -2.0]).astype("int8", casting="same_value")
        array([ 1, -2], dtype=int8)
        """
        keeps_values = casting == "same_value"
        rule = "unsafe" if casting is None or keeps_values else casting
        result = _core.astype(self, dtype, order, rule, copy, True)
        if keeps_values:
            cast_same(self, result)
        return result

    def copy(self, order: OrderLike = "C") -> ndarray:
        """A new array with the same elements.

        Parameters
        ----------
        order : {'C', 'F', 'A', 'K'}, optional
            Of the copy in memory.

        Returns
        -------
        ndarray
            On the same device.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.arange(3)
        >>> b = a.copy()
        >>> b[0] = 7
        >>> a
        array([0, 1, 2])
        """
        return _core.copy(self, "C" if order is None else order)

    def flatten(self, order: OrderLike = "C") -> ndarray:
        """A copy in one dimension.

        Parameters
        ----------
        order : {'C', 'F', 'A', 'K'}, optional
            In which elements are counted.

        Returns
        -------
        ndarray
            Of shape (size,).

        Examples
        --------
        >>> import cupola as cp
        >>> cp.arange(4).reshape(2, 2).flatten("F")
        array([0, 2, 1, 3])
        """
        if isinstance(order, str) and order.upper() == "K":
            return _core.copy(_core.ravel(self, order))
        return _core.reshape(self, (-1,), order, copy=True)

    def get(
        self,
        stream: Any = None,
        order: OrderLike = "C",
        out: np.ndarray | None = None,
        blocking: bool = True,
    ) -> np.ndarray:
        """The elements as a NumPy array.

        Parameters
        ----------
        stream : Stream, optional
            On which the copy is made; default: the thread's current one.
        order : {'C', 'F', 'A'}, optional
            Of the result in memory.
        out : numpy.ndarray, optional
            Of the same shape and dtype: gets the elements.
        blocking : bool, optional
            False: the call returns at once, and the result holds the elements when the work of the
            stream so far is done.

        Returns
        -------
        numpy.ndarray
            `out` where that is given.

        Raises
        ------
        ValueError
            For an `out` of another shape, and for another `order`.
        TypeError
            For an `out` of another dtype.

        Examples
        --------
        >>> import cupola as cp
        >>> type(cp.arange(3).get()).__module__
        'numpy'
        """
        return _core.download(self, order, out, stream, blocking)

    def set(
        self,
        arr: Any,
        stream: Any = None,
        *,
        blocking: bool | None = None,
        source: SourceLike = "snapshot",
    ) -> None:
        """Take over the elements of a NumPy array of the same shape and dtype.

        `blocking` and `source` are those of `cupola.array`.

        Parameters
        ----------
        arr : numpy.ndarray
            Of the same shape and dtype.
        stream : Stream, optional
            On which the copy is made; default: the thread's current one.
        blocking, source
            Of `cupola.array`.

        Raises
        ------
        TypeError
            For another dtype, and for what is no NumPy array.
        ValueError
            For another shape.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> a = cp.zeros(3)
        >>> a.set(np.array([1.0, 2.0, 3.0]))
        >>> a
        array([1., 2., 3.])
        """
        if not isinstance(arr, np.ndarray):
            raise TypeError(f"Only numpy.ndarray can be set to cupola.ndarray, not {type(arr)}")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if arr.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        _core.set_elements(self, arr, stream, blocking, source)

    def item(self, *args: Any) -> bool | int | float | complex:
        """An element as a Python number.

        Parameters
        ----------
        *args : int or tuple of int, optional
            Its position in C order, or its index; default: the only one.

        Returns
        -------
        bool, int, float or complex

        Raises
        ------
        ValueError
            Without `args` for more than one element; for an index of another length.
        IndexError
            For an index out of bounds.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.arange(6).reshape(2, 3).item(1, 2)
        5
        """
        if not args or (len(args) == 1 and isinstance(args[0], tuple) and not args[0]):
            if self.size != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return _core.item(self)
        index = args[0] if len(args) == 1 else args
        if type(index) is int and self.ndim == 1:
            return _core.item(self[index])
        if isinstance(index, tuple):
            if len(index) != self.ndim:
                raise ValueError("incorrect number of indices for array")
            return _core.item(self[tuple(operator.index(part) for part in index)])
        position = operator.index(index)
        if not -self.size <= position < self.size:
            raise IndexError(f"index {position} is out of bounds for size {self.size}")
        places: list[int] = []
        position %= self.size
        for extent in reversed(self.shape):
            position, place = divmod(position, extent)
            places.append(place)
        return _core.item(self[tuple(reversed(places))])

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers.

        Returns
        -------
        list or number
            Nested as the dimensions; a number without dimensions.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.ones((2, 2)).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
        """
        if not isinstance(self.dtype, np.dtype):
            return _core.download(_core.astype(self, np.float32)).tolist()
        return _core.download(self).tolist()

    def tobytes(self, order: OrderLike = "C") -> bytes:
        r"""The bytes of the elements in C (or Fortran) order.

        Parameters
        ----------
        order : {'C', 'F', 'A'}, optional
            Of the elements.

        Returns
        -------
        bytes
            `nbytes` of them.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([1, 2], dtype="int8").tobytes()
        b'\x01\x02'
        """
        order = "C" if order is None else order
        if not isinstance(self.dtype, np.dtype):
            return _core.download(_core.view_as(self, np.uint16), order).tobytes(order)
        return _core.download(self, order).tobytes(order)

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the elements to a file in C order: their bytes, or text with `sep` between them.

        Bytes go through host memory in pieces; the parts of an array on several devices are written
        at the same time.

        Parameters
        ----------
        fid : path or file
            A file is written from its place on.
        sep : str, optional
            Between the elements of text; empty: bytes.
        format : str, optional
            Of each element of text, as of the operator %.

        Raises
        ------
        OSError
            For a file that cannot be written.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.arange(3).tofile("a.txt", sep=" ")
        >>> cp.fromfile("a.txt", dtype=int, sep=" ")
        array([0, 1, 2])
        """
        from cupola._files.raw import tofile

        tofile(self, fid, sep, format)

    def dump(self, file: Any) -> None:
        """Pickle the array to a file.

        Parameters
        ----------
        file : path or file

        Examples
        --------
        >>> import pickle
        >>> import cupola as cp
        >>> cp.arange(3).dump("a.pickle")
        >>> with open("a.pickle", "rb") as file:
        ...     pickle.load(file)
        array([0, 1, 2])
        """
        import pickle

        if hasattr(file, "write"):
            pickle.dump(self, file, protocol=pickle.HIGHEST_PROTOCOL)
            return
        with open(file, "wb") as opened:
            pickle.dump(self, opened, protocol=pickle.HIGHEST_PROTOCOL)

    def dumps(self) -> bytes:
        """The pickled array.

        Returns
        -------
        bytes

        Examples
        --------
        >>> import pickle
        >>> import cupola as cp
        >>> pickle.loads(cp.arange(3).dumps())
        array([0, 1, 2])
        """
        import pickle

        return pickle.dumps(self, protocol=pickle.HIGHEST_PROTOCOL)

    def view(self, dtype: DTypeLike = None, type: Any = ndarray) -> ndarray:
        """The same memory as a new array, with its bytes read as `dtype`.

        Parameters
        ----------
        dtype : dtype or type, optional
            Default: the same. A subclass of `ndarray` counts as `type`.
        type : type, optional
            `ndarray`, or a subclass: the result is one of its objects, whose `__array_finalize__`
            gets this array. Operations of that object give plain arrays.

        Returns
        -------
        ndarray
            Its last dimension has more or fewer elements where their size changes.

        Raises
        ------
        ValueError
            For another `type`, and for a dtype whose size does not fit the last dimension.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([1, 256], dtype="int16").view("int8")
        array([1, 0, 0, 1], dtype=int8)
        """
        if isinstance(dtype, _Class) and issubclass(dtype, ndarray):
            dtype, type = None, dtype
        if not isinstance(type, _Class) or not issubclass(type, ndarray):
            raise ValueError("Type must be a sub-type of ndarray type")
        array = _core.view_as(self, dtype)
        return array if type is ndarray else viewed_as(array, type, self)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> ndarray:
        """The array on another device; itself where it is there.

        Parameters
        ----------
        device : Device, int or str
        stream : Stream, optional
            Has no meaning: the copy is ordered with all uses of both arrays.

        Returns
        -------
        ndarray
            Itself where it is there.

        Raises
        ------
        DeviceError
            For a device that is not there.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.arange(3)
        >>> a.to_device(a.device) is a
        True
        """
        return _core.to_device(self, device)

    def byteswap(self, inplace: bool = False) -> ndarray:
        """The elements with their bytes in the other order.

        Parameters
        ----------
        inplace : bool, optional
            Whether the array itself is changed.

        Returns
        -------
        ndarray
            A copy, or the array itself.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.array([1, 256], dtype="int16").byteswap()
        array([256,   1], dtype=int16)
        """
        parts = 2 if self.dtype.kind == "c" else 1
        width = self.itemsize // parts
        swapped = _core.copy(self, "A")
        if width > 1 and self.size:
            line = _core.ravel(swapped, "K")  # a view: the copy has no gaps
            raw = _core.reshape(_core.view_as(line, np.uint8), (-1, width))
            _core.copyto(raw, _core.copy(_core.flip(raw, 1)))
        if not inplace:
            return swapped
        _core.copyto(self, swapped)
        return self
