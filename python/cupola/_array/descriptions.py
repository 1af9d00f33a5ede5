"""Small objects that describe an array: its flags, its elements in one row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.indexing.assignment import put

_LETTERS = {
    "C": "c_contiguous",
    "F": "f_contiguous",
    "O": "owndata",
    "W": "writeable",
    "A": "aligned",
    "X": "writebackifcopy",
    "B": "behaved",
    "CA": "carray",
    "FA": "farray",
}
_BITS = (0x1, 0x2, 0x4, 0x100, 0x400)  # NumPy's, of C, F, O, A and W


class Flags:
    """What `a.flags` is."""

    __slots__ = ("_array", "_c", "_f", "_owndata", "_writeable")

    def __init__(self, array: ndarray) -> None:
        self._array = array
        self._c, self._f, self._writeable = array._layout_flags
        self._owndata = array.base is None

    @property
    def c_contiguous(self) -> bool:
        """In C order."""
        return self._c

    @property
    def f_contiguous(self) -> bool:
        """In Fortran order."""
        return self._f

    @property
    def owndata(self) -> bool:
        """Whether the array is no view of another one."""
        return self._owndata

    @property
    def writeable(self) -> bool:
        """Whether elements can be set; assigning is `ndarray.setflags(write=)`."""
        return self._writeable

    @writeable.setter
    def writeable(self, value: Any) -> None:
        self._array._set_writable(bool(value))
        self._writeable = self._array._layout_flags[2]

    aligned = True
    writebackifcopy = False

    @property
    def contiguous(self) -> bool:
        """In C order."""
        return self.c_contiguous

    @property
    def fortran(self) -> bool:
        """In Fortran order and not in C order."""
        return self.fnc

    @property
    def fnc(self) -> bool:
        """In Fortran order and not in C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """In Fortran or C order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def behaved(self) -> bool:
        """Aligned, and elements can be set."""
        return self.aligned and self._writeable

    @property
    def carray(self) -> bool:
        """`behaved`, and in C order."""
        return self.behaved and self.c_contiguous

    @property
    def farray(self) -> bool:
        """`behaved`, and in Fortran order and not in C order."""
        return self.behaved and self.fnc

    @property
    def num(self) -> int:
        """All flags as the bits of a number."""
        states = (self.c_contiguous, self.f_contiguous, self.owndata, self.aligned, self._writeable)
        return sum(bit for bit, is_set in zip(_BITS, states, strict=True) if is_set)

    def __getitem__(self, name: str) -> bool:
        attribute = _LETTERS.get(name, name.lower() if name.isupper() and name != "NUM" else "")
        if not hasattr(self, attribute) or attribute.startswith("_"):
            raise KeyError("Unknown flag")
        return bool(getattr(self, attribute))

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in ("W", "WRITEABLE"):
            raise KeyError("Unknown flag")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = "C_CONTIGUOUS F_CONTIGUOUS OWNDATA WRITEABLE ALIGNED WRITEBACKIFCOPY"
        return "".join(f"  {name} : {self[name]}\n" for name in names.split())


_NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices"
)


def _flat_index(index: Any) -> Any:
    """What NumPy's flat iterators take an index for: a number is one of its own conversion."""
    if isinstance(index, tuple) and len(index) == 1:
        (index,) = index
    if index is None:
        raise IndexError(_NO_INDEX)
    if isinstance(index, bool) or (
        isinstance(index, ndarray) and index.ndim == 0 and index.dtype == np.bool_
    ):
        _warn_of_index("Indexing flat iterators with a 0-dimensional boolean index is deprecated")
        return 0 if index else slice(0, 0)
    known = isinstance(index, int | slice | tuple | ndarray | np.ndarray)
    if known or index is Ellipsis or isinstance(index, np.integer):
        return index
    places = _converted_index(index)
    if places is not index:
        _warn_of_index("Invalid non-array indices for iterator objects are deprecated")
    return places


def _converted_index(index: Any) -> Any:
    """Of what is no array: the integers that its numbers are cut to."""
    numbers = np.asarray(index)
    if numbers.dtype == np.bool_:
        raise IndexError("boolean indices for iterators are not supported: use a boolean array")
    if numbers.dtype.kind in "iu" or numbers.size == 0:
        return index
    try:
        with np.errstate(invalid="ignore"):
            return numbers.astype(np.intp).tolist()
    except ValueError:
        raise IndexError(_NO_INDEX) from None


def _warn_of_index(text: str) -> None:
    warnings.warn(text, DeprecationWarning, stacklevel=4)  # where [] stands


class FlatIterator:
    """The elements of an array in C order, to read and to write: what `ndarray.flat` is.

    Elements are arrays without dimensions on the device of the array.

    Parameters
    ----------
    array : ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.zeros((2, 3))
    >>> a.flat[1::2] = 7
    >>> a.tolist()
    [[0.0, 7.0, 0.0], [7.0, 0.0, 7.0]]
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: ndarray) -> None:
        self._array = array
        self._next = 0

    def _cupola_operand(self) -> ndarray:
        return self._line

    # Comparisons are those of the elements.
    def __eq__(self, other: Any) -> Any:
        return self._line == other

    def __ne__(self, other: Any) -> Any:
        return self._line != other

    def __lt__(self, other: Any) -> Any:
        return self._line < other

    def __le__(self, other: Any) -> Any:
        return self._line <= other

    def __gt__(self, other: Any) -> Any:
        return self._line > other

    def __ge__(self, other: Any) -> Any:
        return self._line >= other

    @property
    def _line(self) -> ndarray:
        return _core.ravel(self._array)

    @property
    def base(self) -> ndarray:
        """The array."""
        return self._array

    @property
    def index(self) -> int:
        """The place of the next element in C order."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """The indices of the next element, a tuple of ints."""
        shape = self._array.shape
        if not shape:
            return ()
        rest, inner = self._next, []
        for extent in reversed(shape[1:]):
            rest, place = divmod(rest, extent) if extent else (rest, 0)
            inner.append(place)
        return (rest, *reversed(inner))

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[ndarray]:
        return self

    def __next__(self) -> ndarray:
        if self._next >= self._array.size:
            raise StopIteration
        place = self.coords
        self._next += 1
        return self._array[place]

    def copy(self) -> ndarray:
        """A new array of one dimension.

        Returns
        -------
        ndarray
            Of shape (size,).

        Examples
        --------
        >>> import cupola as cp
        >>> cp.arange(4).reshape(2, 2).flat.copy()
        array([0, 1, 2, 3])
        """
        return _core.copy(_core.reshape(self._array, (-1,)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.copy().__array__(dtype)

    def __getitem__(self, index: Any) -> ndarray:
        return self._line[_flat_index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, tuple) and (not index or (len(index) == 1 and index[0] is Ellipsis)):
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        array = self._array
        positions = _core.arange(0, array.size, 1, "int64", array.device)[_flat_index(index)]
        put(array, _core.ravel(positions), value)

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Cannot delete iterator elements")


flatiter = FlatIterator
