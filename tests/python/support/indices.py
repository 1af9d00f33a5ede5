"""Random index expressions for a given shape."""

from typing import Any

import numpy as np
from cupola_under_test import from_numpy
from hypothesis import strategies as st

# How an index array is handed to the module under test.
FORMS = ["array", "array", "list", "numpy"]


class IndexArray:
    """An index array that each module gets in its own way."""

    def __init__(self, values: np.ndarray, form: str) -> None:
        self.values, self.form = values, form

    def under_test(self) -> Any:
        """An array of the module, a list or a NumPy array."""
        if self.form == "list" and self.values.size and self.values.ndim:
            return self.values.tolist()
        return self.values if self.form == "numpy" else from_numpy(self.values)

    def __repr__(self) -> str:
        return f"{self.form} {self.values.tolist()}:{self.values.dtype}"


@st.composite
def slice_terms(draw: Any, extent: int) -> slice:
    """Any slice, out of range ones included."""
    bound = st.one_of(st.none(), st.integers(-extent - 2, extent + 2))
    step = draw(st.sampled_from([None, None, 1, 2, 3, -1, -2, 7, -7]))
    return slice(draw(bound), draw(bound), step)


@st.composite
def basic_indices(draw: Any, shape: tuple[int, ...]) -> tuple:
    """Integers, slices, an ellipsis, new axes; the integers are in range."""
    terms: list[Any] = []
    stop = draw(st.integers(0, len(shape)))
    ellipsis_at = draw(st.one_of(st.none(), st.integers(0, stop)))
    for position in range(stop):
        if draw(st.integers(0, 6)) == 0:
            terms.append(None)
        if ellipsis_at == position:
            break
        extent = shape[position]
        if extent and draw(st.integers(0, 2)) == 0:
            terms.append(draw(st.integers(-extent, extent - 1)))
        else:
            terms.append(draw(slice_terms(extent)))
    if ellipsis_at is not None:
        terms.append(Ellipsis)
        after = draw(st.integers(0, len(shape) - min(ellipsis_at, stop)))
        for extent in shape[len(shape) - after :] if after else ():
            terms.append(draw(slice_terms(extent)))
    if draw(st.integers(0, 6)) == 0:
        terms.append(None)
    return tuple(terms)


@st.composite
def index_arrays(draw: Any, extent: int, shape: tuple[int, ...]) -> IndexArray:
    """Integers within the extent, some of them negative, in several dtypes."""
    if extent == 0:
        shape = (0,)
    dtype = draw(st.sampled_from([np.int64, np.int64, np.int32, np.int8, np.uint8, np.uint64]))
    low = 0 if np.dtype(dtype).kind == "u" else -extent
    seed = draw(st.integers(0, 9999))
    values = np.random.default_rng(seed).integers(low, max(extent, 1), shape)
    return IndexArray(np.asarray(values).astype(dtype), draw(st.sampled_from(FORMS)))


@st.composite
def masks(draw: Any, shape: tuple[int, ...]) -> IndexArray:
    """A boolean array of that shape."""
    seed, share = draw(st.integers(0, 9999)), draw(st.sampled_from([0.0, 0.3, 0.7, 1.0]))
    values = np.asarray(np.random.default_rng(seed).random(shape) < share)
    form = draw(st.sampled_from(FORMS if len(shape) else ["array", "numpy"]))
    return IndexArray(values, form)


@st.composite
def advanced_indices(draw: Any, shape: tuple[int, ...]) -> tuple:
    """Index arrays and masks mixed with integers, slices, new axes and an ellipsis."""
    terms: list[Any] = []
    common = tuple(draw(st.sampled_from([1, 2, 3, 5])) for _ in range(draw(st.integers(0, 2))))
    position = 0
    used_ellipsis = False
    masked = False
    while position < len(shape):
        kind = draw(st.sampled_from(["array", "array", "mask", "slice", "int", "new", "dots"]))
        extent = shape[position]
        if kind == "new":
            terms.append(None)
            continue
        elif kind == "dots" and not used_ellipsis:
            used_ellipsis = True
            terms.append(Ellipsis)
            position += draw(st.integers(0, len(shape) - position))
            continue
        elif kind == "mask" and not masked and not common:
            masked = True
            width = draw(st.integers(0, len(shape) - position))
            terms.append(draw(masks(shape[position : position + width])))
            position += width
            continue
        elif kind == "array":
            part = common[draw(st.integers(0, len(common))) :]
            part = tuple(1 if draw(st.integers(0, 4)) == 0 else n for n in part)
            terms.append(draw(index_arrays(extent, part)))
        elif kind == "int" and extent:
            terms.append(draw(st.integers(-extent, extent - 1)))
        else:
            terms.append(draw(slice_terms(extent)))
        position += 1
        # What follows an ellipsis must reach the last dimension.
        if not used_ellipsis and draw(st.integers(0, 5)) == 0:
            break
    return tuple(terms)


def numpy_index(index: tuple) -> Any:
    """The index for NumPy."""
    return tuple(t.values if isinstance(t, IndexArray) else t for t in index)


def index_under_test(index: tuple) -> Any:
    """The index for the module under test."""
    return tuple(t.under_test() if isinstance(t, IndexArray) else t for t in index)


class AnyIndex:
    """An index that support.compare converts for either module; a single term goes bare."""

    def __init__(self, terms: tuple, bare: bool = False) -> None:
        self.terms, self.bare = terms, bare and len(terms) == 1

    def in_numpy(self) -> Any:
        """For NumPy."""
        index = numpy_index(self.terms)
        return index[0] if self.bare else index

    def under_test(self) -> Any:
        """For the module under test."""
        index = index_under_test(self.terms)
        return index[0] if self.bare else index

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self.terms))}]"


def any_indices(shape: tuple[int, ...]) -> st.SearchStrategy:
    """Basic or advanced."""
    both = st.one_of(basic_indices(shape), advanced_indices(shape))
    return st.builds(AnyIndex, both, st.booleans())
