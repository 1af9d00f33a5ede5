"""Sums of products in Einstein's notation."""

from __future__ import annotations

import functools
import math
import string
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.dtypes import result_type
from cupola._functions.linalg.generalized import check_order

if TYPE_CHECKING:
    from cupola._typing import CastingLike, DTypeLike

__all__ = ["einsum"]


def einsum(
    *operands: Any,
    out: ndarray | None = None,
    optimize: Any = True,
    dtype: DTypeLike = None,
    casting: CastingLike = "safe",
    order: str = "K",
) -> ndarray:
    """Sum of products in Einstein's notation, as numpy.einsum.

    Parameters
    ----------
    *operands
        A text such as 'ij,jk->ik' and arrays; or arrays and lists of labels in turn.
    out : ndarray, optional
        Where the result is written.
    optimize : bool, 'greedy', 'optimal' or a path
        How the order of pairwise products is found.
    dtype : optional
        In which products and sums are computed; default: the common one of the operands and `out`.
    casting : optional
        How operands may be converted to that dtype, and the result to the one of `out`.
    order : {'C', 'F', 'A', 'K'}
        How the result lies in memory.

    Returns
    -------
    ndarray
        With a dimension for each label of the output. Of one operand whose labels are only
        rearranged, or taken along a diagonal, it is a view if there is no `out`, whatever `dtype`
        and `order` say.

    Raises
    ------
    ValueError
        For a text that does not fit the arrays, and an `out` of another shape.
    TypeError
        For a conversion that `casting` does not allow.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.einsum("ij,j->i", cp.ones((2, 3), "int8"), cp.arange(3)).tolist()
    [3, 3]
    """
    is_plain = out is None and dtype is None and order == "K" and casting == "safe"
    if is_plain and len(operands) == 3 and isinstance(optimize, bool):
        known = _known_product(*operands)
        if known is not None:
            return known
    check_order(order)
    _core.can_cast("bool", "bool", casting)  # ValueError for a rule that there is not
    text, arrays = _parse(operands)
    if out is None and len(arrays) == 1 and _is_view(text):
        return _contract(text, arrays, optimize)
    if order in ("A", "a"):
        order = "F" if all(array.flags.f_contiguous for array in arrays) else "C"
    given = [] if out is None else [out]
    common = result_type(*arrays, *given) if dtype is None else _core.dtype(dtype)
    _check_output(given, common, casting)
    arrays = [_core.astype(array, common, "K", casting, False, True) for array in arrays]
    if len(arrays) > 2:  # a single product of halves is cut at the end by itself
        arrays = [_widened(array) for array in arrays]
    result = _core.astype(_contract(text, arrays, optimize), common, "K", "unsafe", False)
    if out is None:
        return _core.astype(result, result.dtype, order or "K", "unsafe", False)
    if out.shape != result.shape:
        raise ValueError(f"the output has shape {out.shape}, the result {result.shape}")
    _core.copyto(out, result, casting)
    return out


def _is_view(text: str) -> bool:
    """Whether nothing of the one operand is summed."""
    term, _, output = text.partition("->")
    return set(term) <= set(output)


def _known_product(text: Any, a: Any, b: Any) -> ndarray | None:
    """Of two arrays of one dtype, where text and shapes tell all; None: of others."""
    if not (isinstance(text, str) and type(a) is ndarray and type(b) is ndarray):
        return None
    if a.dtype != b.dtype or a.dtype.kind not in "iufc" or a.dtype.itemsize < 4:
        return None
    found = _pair_of_text(text, a.shape, b.shape)
    if found is None:
        return None
    pair, output = found
    product = pair.product(a, b)
    return product if pair.term == output else _single(product, pair.term, output)


def _make_pair_of_text(
    text: str, a_shape: tuple[int, ...], b_shape: tuple[int, ...]
) -> tuple[_Pair, str] | None:
    inputs, arrow, output = text.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != 2:
        return None
    plain = _without_ellipsis(tuple(terms), output if arrow else None, (a_shape, b_shape))
    inputs, _, output = plain.partition("->")
    a_term, b_term = inputs.split(",")
    sizes = dict(zip(a_term, a_shape, strict=True)) | dict(zip(b_term, b_shape, strict=True))
    is_plain = (
        len(set(a_term)) == len(a_term)
        and len(set(b_term)) == len(b_term)
        and tuple(sizes[c] for c in a_term) == a_shape
        and set(a_term) ^ set(b_term) <= set(output)
    )
    if not is_plain:
        return None
    return _pair_of(a_term, b_term, frozenset(output), a_shape + b_shape, True), output


def _check_output(given: list[ndarray], dtype: Any, casting: str) -> None:
    """The output is read as well: sums start from it."""
    for one, other in [pair for out in given for pair in ((out.dtype, dtype), (dtype, out.dtype))]:
        if not _core.can_cast(one, other, casting):
            raise TypeError(
                f"einsum computes in {dtype}: {one} cannot be cast to {other} according to the "
                f"rule {casting!r}"
            )


def _parse(operands: tuple[Any, ...]) -> tuple[str, list[ndarray]]:
    """The text with output labels and without ellipsis, and the arrays."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(operands[0], str):
        text = operands[0].replace(" ", "")
        arrays = [_core.as_array(item) for item in operands[1:]]
    else:
        text, arrays = _from_lists(operands)
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(arrays):
        raise ValueError(
            f"einstein sum subscripts string has {len(terms)} operands, {len(arrays)} were given"
        )
    shapes = tuple(array.shape for array in arrays)
    return _plain_text(tuple(terms), output if arrow else None, shapes), arrays


def _from_lists(operands: tuple[Any, ...]) -> tuple[str, list[ndarray]]:
    has_output = len(operands) % 2 == 1
    pairs = operands[:-1] if has_output else operands
    arrays = [_core.as_array(item) for item in pairs[::2]]
    terms = [_label_text(labels) for labels in pairs[1::2]]
    text = ",".join(terms)
    return (text + "->" + _label_text(operands[-1]) if has_output else text), arrays


_LETTERS = string.ascii_uppercase + string.ascii_lowercase  # as they are sorted


def _label_text(labels: Any) -> str:
    if any(label is not Ellipsis and not 0 <= label < len(_LETTERS) for label in labels):
        raise ValueError(f"subscript is not within the valid range [0, {len(_LETTERS)})")
    return "".join("..." if label is Ellipsis else _LETTERS[label] for label in labels)


def _without_ellipsis(
    terms: tuple[str, ...], output: str | None, shapes: tuple[tuple[int, ...], ...]
) -> str:
    if any(not set(term.replace("...", "", 1)) <= set(_LETTERS) for term in [*terms, output or ""]):
        raise ValueError(f"invalid subscript in einstein sum subscripts string {','.join(terms)!r}")
    free = [letter for letter in _LETTERS if not any(letter in term for term in terms)]
    longest = 0
    for term, shape in zip(terms, shapes, strict=True):
        named = len(term.replace("...", ""))
        if named > len(shape) or (named < len(shape) and "..." not in term):
            raise ValueError(
                f"einstein sum subscripts string {term!r} does not fit an operand of shape {shape}"
            )
        longest = max(longest, len(shape) - named if "..." in term else 0)
    broadcast = "".join(free[:longest])
    full = [
        term.replace("...", broadcast[longest - (len(shape) - len(term.replace("...", ""))) :])
        for term, shape in zip(terms, shapes, strict=True)
    ]
    if output is None:
        joined = "".join(term.replace("...", "") for term in terms)
        output = broadcast + "".join(sorted(c for c in set(joined) if joined.count(c) == 1))
    else:
        if longest > 0 and "..." not in output:
            raise ValueError(
                "output has more dimensions than subscripts given in einstein sum, but no '...' "
                "ellipsis provided to broadcast the extra dimensions."
            )
        output = output.replace("...", broadcast)
    for letter in output:
        if output.count(letter) > 1:
            raise ValueError(f"einstein sum output label {letter!r} appears more than once")
        if not any(letter in term for term in full):
            raise ValueError(f"einstein sum output label {letter!r} is in no operand")
    return ",".join(full) + "->" + output


# Programs contract the same shapes again and again.
_plain_text = functools.lru_cache(maxsize=256)(_without_ellipsis)


def _contract(text: str, arrays: list[ndarray], optimize: Any) -> ndarray:
    inputs, _, output = text.partition("->")
    terms = inputs.split(",")
    extents = _extents(terms, arrays)
    if len(arrays) == 1 and set(terms[0]) == set(output):
        return _own_view(arrays[0], terms[0], output)
    work = [
        _diagonals(_stretched(array, term, extents), term)
        for array, term in zip(arrays, terms, strict=True)
    ]
    if len(work) == 1:
        return _single(*work[0], output)
    for pair in _path(terms, extents, output, optimize):
        chosen = [work[i] for i in sorted(pair, reverse=True)]
        for i in sorted(pair, reverse=True):
            del work[i]
        while len(chosen) > 1:
            right, left = chosen.pop(0), chosen.pop(0)
            kept = set(output).union(*(term for _, term in work + chosen))
            chosen.insert(0, _pairwise(left, right, kept))
        work.append(chosen[0])
    return _single(*work[0], output)


def _own_view(array: ndarray, term: str, output: str) -> ndarray:
    """Dimensions and diagonals in another order; may be written to where the array may."""
    if len(term) == len(output):
        return _core.transpose(array, [term.index(letter) for letter in output])
    steps = dict.fromkeys(output, 0)
    for letter, step in zip(term, array.strides, strict=True):
        steps[letter] += step // array.itemsize
    shape = [array.shape[term.index(letter)] for letter in output]
    return _core.strided_view(array, shape, [steps[letter] for letter in output])


def _extents(terms: list[str], arrays: list[ndarray]) -> dict[str, int]:
    extents: dict[str, int] = {}
    for term, array in zip(terms, arrays, strict=True):
        own: dict[str, int] = {}
        for letter, extent in zip(term, array.shape, strict=True):
            if own.setdefault(letter, extent) != extent:
                raise ValueError(
                    f"dimensions for collapsing index {letter!r} don't match "
                    f"({own[letter]} != {extent})"
                )
            known = extents.setdefault(letter, extent)
            if known == 1:
                extents[letter] = extent
            elif extent not in (1, known):
                raise ValueError(
                    "operands could not be broadcast together with remapped shapes: label "
                    f"{letter!r} has extents {known} and {extent}"
                )
    return extents


def _stretched(array: ndarray, term: str, extents: dict[str, int]) -> ndarray:
    shape = tuple(extents[letter] for letter in term)
    return array if shape == array.shape else _core.broadcast_to(array, shape)


def _diagonals(array: ndarray, term: str) -> tuple[ndarray, str]:
    """Takes the diagonal of labels that occur twice."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            array = _core.diagonal(array, 0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return array, term


def _single(array: ndarray, term: str, output: str) -> ndarray:
    summed = tuple(i for i, letter in enumerate(term) if letter not in output)
    if summed:
        is_bool = array.dtype == bool
        array = _core.any(array, summed) if is_bool else _core.sum(array, summed, array.dtype)
    left = [letter for letter in term if letter in output]
    return _core.transpose(array, [left.index(letter) for letter in output])


def _path(
    terms: list[str], extents: dict[str, int], output: str, optimize: Any
) -> list[tuple[int, ...]]:
    if optimize is False or len(terms) == 2:
        return [(0, len(terms) - i) for i in range(1, len(terms))]
    shapes = [
        np.broadcast_to(np.empty(()), tuple(extents[letter] for letter in term)) for term in terms
    ]
    path, _ = np.einsum_path(
        ",".join(terms) + "->" + output,
        *shapes,
        optimize="greedy" if optimize is True else optimize,
    )
    return [tuple(step) for step in path[1:]]


class _Pair(NamedTuple):
    """How two operands are multiplied: in which order and shape they are, and what comes of it."""

    orders: tuple[tuple[int, ...] | None, tuple[int, ...] | None]  # None: as they are
    shapes: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    is_matmul: bool  # else element by element
    shape: tuple[int, ...]
    term: str  # of the product

    def product(self, *operands: ndarray) -> ndarray:
        a, b = map(_arranged, operands, self.orders, self.shapes)
        if self.is_matmul:
            product = _core.matmul(a, b)
            return product if product.shape == self.shape else _core.reshape(product, self.shape)
        product = _widened(a) * _widened(b)
        # A sum starts from zero, also one of a single product, -0.0.
        return product + 0 if product.dtype.kind in "fc" else product


def _arranged(
    array: ndarray, order: tuple[int, ...] | None, shape: tuple[int, ...] | None
) -> ndarray:
    if order is not None:
        array = _core.transpose(array, order)
    return array if shape is None else _core.reshape(array, shape)


def _make_pair(
    a_term: str, b_term: str, kept: frozenset[str], sizes: tuple[int, ...], may_be_matmul: bool
) -> _Pair:
    """`sizes` are those of the labels of both, one behind the other."""
    size = dict(zip(a_term + b_term, sizes, strict=True))
    batch = [c for c in a_term if c in b_term and c in kept]
    summed = [c for c in a_term if c in b_term and c not in kept]
    rows = [c for c in a_term if c not in b_term]
    columns = [c for c in b_term if c not in a_term]
    is_matmul = may_be_matmul and bool(summed and (not batch or rows or columns))
    if is_matmul:
        term = "".join(batch + rows + columns)
        groups = ((rows, summed), (summed, columns))
        orders = [
            [own.index(c) for group in (batch, *both) for c in group]
            for own, both in zip((a_term, b_term), groups, strict=True)
        ]
        shapes = [
            [size[c] for c in batch] + [math.prod(size[c] for c in group) for group in both]
            for both in groups
        ]
    else:
        term = a_term + "".join(columns)
        orders = [
            [*range(len(a_term))],
            sorted(range(len(b_term)), key=lambda i: term.index(b_term[i])),
        ]
        shapes = [[size[c] if c in own else 1 for c in term] for own in (a_term, b_term)]
    found = [
        None if shape == [size[own[i]] for i in order] else tuple(shape)
        for own, order, shape in zip((a_term, b_term), orders, shapes, strict=True)
    ]
    kept_order = [None if [*order] == sorted(order) else tuple(order) for order in orders]
    return _Pair(
        (kept_order[0], kept_order[1]),
        (found[0], found[1]),
        is_matmul,
        tuple(size[c] for c in term),
        term,
    )


# Programs multiply the same shapes again and again.
_pair_of = functools.lru_cache(maxsize=256)(_make_pair)
_pair_of_text = functools.lru_cache(maxsize=256)(_make_pair_of_text)


def _pairwise(
    left: tuple[ndarray, str], right: tuple[ndarray, str], kept: set[str]
) -> tuple[ndarray, str]:
    """The product of two, summed over the labels that nobody needs any more."""
    a, a_term = _summed(left, set(right[1]) | kept)
    b, b_term = _summed(right, set(a_term) | kept)
    pair = _pair_of(a_term, b_term, frozenset(kept), a.shape + b.shape, a.dtype != bool)
    product = pair.product(a, b)
    return (product, pair.term) if pair.is_matmul else _summed((product, pair.term), kept)


def _summed(operand: tuple[ndarray, str], needed: set[str]) -> tuple[ndarray, str]:
    array, term = operand
    kept = "".join(letter for letter in term if letter in needed)
    return _single(array if kept == term else _widened(array), term, kept), kept


def _widened(array: ndarray) -> ndarray:
    """Halves as float32, in which they are multiplied and added; sums are cut at the end."""
    if array.dtype != np.float16:
        return array
    return _core.astype(array, np.float32, "K", "safe", False)
