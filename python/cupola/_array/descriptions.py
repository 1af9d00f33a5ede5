"""Small objects that describe an array: its flags, its elements in one row."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.indexing.assignment import put


class Flags:
    """What `a.flags` is."""

    __slots__ = ("_array", "_writeable", "c_contiguous", "f_contiguous", "owndata")

    def __init__(self, array: ndarray) -> None:
        self._array = array
        self.c_contiguous, self.f_contiguous, self._writeable = array._layout_flags
        self.owndata: bool = array.base is None

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

    def __getitem__(self, name: str) -> bool:
        names = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable"}
        attribute = names.get(name, name.lower() if name.isupper() else "")
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
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED")
        return "\n".join(f"  {name} : {self[name]}" for name in names)


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
    """What `a.flat` is: the elements in C order, to read and to write."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: ndarray) -> None:
        self._array = array
        self._next = 0

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
        """Its indices."""
        shape = self._array.shape
        if not shape:
            return ()
        inner = math.prod(shape[1:])
        first, rest = divmod(self._next, inner) if inner else (self._next, 0)
        return (first, *(int(place) for place in np.unravel_index(rest, shape[1:])))

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[ndarray]:
        return iter(_core.ravel(self._array))

    def __next__(self) -> ndarray:
        if self._next >= self._array.size:
            raise StopIteration
        self._next += 1
        return _core.ravel(self._array)[self._next - 1]

    def copy(self) -> ndarray:
        """A new array of one dimension."""
        return _core.copy(_core.reshape(self._array, (-1,)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.copy().__array__(dtype)

    def __getitem__(self, index: Any) -> ndarray:
        return _core.ravel(self._array)[_flat_index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, tuple) and (not index or (len(index) == 1 and index[0] is Ellipsis)):
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        array = self._array
        positions = _core.arange(0, array.size, 1, "int64", array.device)[_flat_index(index)]
        put(array, _core.ravel(positions), value)


flatiter = FlatIterator
