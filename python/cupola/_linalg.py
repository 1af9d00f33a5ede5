"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._as_method import as_method
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, CastingLike, DTypeLike

__all__ = [
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "matmul",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
]


def _operand(value: Any) -> ndarray:
    """An array as it is; a number or list as an array with NumPy's dtype for it."""
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("cupola.asarray must copy a numpy.ndarray to a device before it is used")
    return _core.as_array(value)


def _matrix(value: Any, position: int) -> ndarray:
    if isinstance(value, np.ndarray):
        raise TypeError("cupola.asarray must copy a numpy.ndarray to a device before it is used")
    array = _core.as_array(value)
    if array.ndim == 0:
        raise ValueError(
            f"matmul: Input operand {position} does not have enough dimensions (has 0, gufunc "
            "core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
        )
    return array


def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Matrix product, of stacks of matrices as well.

    Parameters
    ----------
    x1, x2 : arrays
        (..., n, k) and (..., k, m); the leading dimensions broadcast. A vector is a row on the
        left and a column on the right, and its dimension is left out of the result.

    Raises
    ------
    ValueError
        For numbers, and for extents that do not match.
    """
    if isinstance(out, tuple):
        (out,) = out
    return _core.matmul(_matrix(x1, 0), _matrix(x2, 1), out, dtype, casting)


@as_method()
def dot(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Sum of products over the last dimension of `a` and the last but one of `b`."""
    return _core.dot(_operand(a), _operand(b), out)


def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sum of the products of all elements, those of `a` conjugated."""
    return _core.vdot(_core.as_array(a), _core.as_array(b))


def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sum of products over the last dimensions."""
    return _core.inner(_operand(a), _operand(b))


def outer(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Product of every pair of elements of the two flattened arrays."""
    return _core.outer(_operand(a), _operand(b), out)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    """Sum of products along `axis`, the elements of `x1` conjugated."""
    left = _core.moveaxis(_core.as_array(x1), axis, -1)
    right = _core.moveaxis(_core.as_array(x2), axis, -1)
    if left.shape[-1] != right.shape[-1]:
        raise ValueError(f"vecdot: extents {left.shape[-1]} and {right.shape[-1]} do not match")
    if left.dtype.kind == "c":
        left = _core._ufuncs["conjugate"](left)
    return _core.matmul(left[..., None, :], right[..., :, None])[..., 0, 0]


def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> ndarray:
    """Sum of products over pairs of dimensions.

    Parameters
    ----------
    axes : int or (axes of a, axes of b)
        A number n pairs the last n dimensions of `a` with the first n of `b`.

    Raises
    ------
    ValueError
        When the extents of a pair differ.
    """
    left, right = _core.as_array(a), _core.as_array(b)
    if np.ndim(axes) == 0 and hasattr(axes, "__index__"):
        count = axes.__index__()
        if count > left.ndim or count > right.ndim:
            raise ValueError(f"shape-mismatch for sum: {count} axes of {left.shape}, {right.shape}")
        axes_a = list(range(left.ndim - count, left.ndim))
        axes_b = list(range(count))
    else:
        axes_a, axes_b = ([part] if hasattr(part, "__index__") else list(part) for part in axes)
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    return _core.tensordot(left, right, axes_a, axes_b)


@as_method()
def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
) -> ndarray:
    """Sum of a diagonal."""
    return _core.sum(_core.diagonal(_core.as_array(a), offset, axis1, axis2), -1, dtype, out)


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """Kronecker product."""
    left, right = _core.as_array(a), _core.as_array(b)
    rank = builtins.max(left.ndim, right.ndim)
    left = _core.reshape(left, (1,) * (rank - left.ndim) + left.shape)
    right = _core.reshape(right, (1,) * (rank - right.ndim) + right.shape)
    left = _core.expand_dims(left, tuple(range(1, 2 * rank, 2)))
    right = _core.expand_dims(right, tuple(range(0, 2 * rank, 2)))
    shape = tuple(m * n for m, n in zip(left.shape[::2], right.shape[1::2], strict=True))
    return _core.reshape(left * right, shape)


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> ndarray:
    """Vector product of vectors of three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    left = _core.moveaxis(_core.as_array(a), axisa, -1)
    right = _core.moveaxis(_core.as_array(b), axisb, -1)
    if left.shape[-1] != 3 or right.shape[-1] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{left.shape[-1]} and {right.shape[-1]} dimensional instead."
        )
    parts = [
        left[..., i] * right[..., j] - left[..., j] * right[..., i]
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    return _core.moveaxis(_core.stack(parts, -1), -1, axisc)


# ---- einsum


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
    optimize : bool, 'greedy', 'optimal' or a path
        How the order of pairwise products is found.

    Raises
    ------
    ValueError
        For a text that does not fit the arrays.
    """
    text, arrays = _parse(operands)
    if dtype is not None:
        arrays = [_core.astype(array, dtype, "K", casting, False) for array in arrays]
    common = np.result_type(*(array.dtype for array in arrays)) if len(arrays) > 1 else None
    result = _contract(text, arrays, optimize)
    if common is not None and result.dtype != common and dtype is None:
        result = _core.astype(result, common)
    if out is None:
        return result if order in ("K", "A") else _core.copy(result, order)
    _core.copyto(out, result, "same_kind")
    return out


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
    return _without_ellipsis(terms, output if arrow else None, arrays), arrays


def _from_lists(operands: tuple[Any, ...]) -> tuple[str, list[ndarray]]:
    has_output = len(operands) % 2 == 1
    pairs = operands[:-1] if has_output else operands
    arrays = [_core.as_array(item) for item in pairs[::2]]
    terms = [_label_text(labels) for labels in pairs[1::2]]
    text = ",".join(terms)
    return (text + "->" + _label_text(operands[-1]) if has_output else text), arrays


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _label_text(labels: Any) -> str:
    return "".join("..." if label is Ellipsis else _LETTERS[label] for label in labels)


def _without_ellipsis(terms: list[str], output: str | None, arrays: list[ndarray]) -> str:
    if any(not set(term.replace("...", "")) <= set(_LETTERS) for term in [*terms, output or ""]):
        raise ValueError(f"invalid subscript in einstein sum subscripts string {','.join(terms)!r}")
    free = [letter for letter in _LETTERS if not any(letter in term for term in terms)]
    longest = 0
    for term, array in zip(terms, arrays, strict=True):
        named = len(term.replace("...", ""))
        if named > array.ndim or (named < array.ndim and "..." not in term):
            raise ValueError(
                f"einstein sum subscripts string {term!r} does not fit an operand of shape "
                f"{array.shape}"
            )
        longest = builtins.max(longest, array.ndim - named if "..." in term else 0)
    broadcast = "".join(free[:longest])
    full = [
        term.replace("...", broadcast[longest - (array.ndim - len(term.replace("...", ""))) :])
        for term, array in zip(terms, arrays, strict=True)
    ]
    if output is None:
        joined = "".join(term.replace("...", "") for term in terms)
        output = broadcast + "".join(sorted(c for c in set(joined) if joined.count(c) == 1))
    else:
        output = output.replace("...", broadcast)
    for letter in output:
        if output.count(letter) > 1:
            raise ValueError(f"einstein sum output label {letter!r} appears more than once")
        if not any(letter in term for term in full):
            raise ValueError(f"einstein sum output label {letter!r} is in no operand")
    return ",".join(full) + "->" + output


def _contract(text: str, arrays: list[ndarray], optimize: Any) -> ndarray:
    inputs, _, output = text.partition("->")
    terms = inputs.split(",")
    extents = _extents(terms, arrays)
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


def _extents(terms: list[str], arrays: list[ndarray]) -> dict[str, int]:
    extents: dict[str, int] = {}
    for term, array in zip(terms, arrays, strict=True):
        for letter, extent in zip(term, array.shape, strict=True):
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
        dtype = array.dtype if array.dtype.name != "bool" else None
        array = _core.any(array, summed) if dtype is None else _core.sum(array, summed, dtype)
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


def _pairwise(
    left: tuple[ndarray, str], right: tuple[ndarray, str], kept: set[str]
) -> tuple[ndarray, str]:
    """The product of two, summed over the labels that nobody needs any more, as one matmul."""
    a, a_term = _summed(left, set(right[1]) | kept)
    b, b_term = _summed(right, set(a_term) | kept)
    if a.dtype.name == "bool" and b.dtype.name == "bool":
        return _pairwise_by_product((a, a_term), (b, b_term), kept)
    batch = [c for c in a_term if c in b_term and c in kept]
    summed = [c for c in a_term if c in b_term and c not in kept]
    rows = [c for c in a_term if c not in b_term]
    columns = [c for c in b_term if c not in a_term]
    sizes = dict(zip(a_term, a.shape, strict=True)) | dict(zip(b_term, b.shape, strict=True))
    if not summed:
        return _pairwise_by_product((a, a_term), (b, b_term), kept)

    def grouped(array: ndarray, term: str, *groups: list[str]) -> ndarray:
        order = [term.index(c) for group in (batch, *groups) for c in group]
        shape = tuple(sizes[c] for c in batch) + tuple(
            int(np.prod([sizes[c] for c in group], dtype=np.int64)) for group in groups
        )
        return _core.reshape(_core.transpose(array, order), shape)

    product = _core.matmul(grouped(a, a_term, rows, summed), grouped(b, b_term, summed, columns))
    term = "".join(batch + rows + columns)
    return _core.reshape(product, tuple(sizes[c] for c in term)), term


def _summed(operand: tuple[ndarray, str], needed: set[str]) -> tuple[ndarray, str]:
    array, term = operand
    kept = "".join(letter for letter in term if letter in needed)
    return _single(array, term, kept), kept


def _pairwise_by_product(
    left: tuple[ndarray, str], right: tuple[ndarray, str], kept: set[str]
) -> tuple[ndarray, str]:
    a, a_term = left
    b, b_term = right
    term = a_term + "".join(c for c in b_term if c not in a_term)
    a = _core.reshape(a, a.shape + (1,) * (len(term) - len(a_term)))
    order = sorted(range(len(b_term)), key=lambda i: term.index(b_term[i]))
    sizes = dict(zip(b_term, b.shape, strict=True))
    b = _core.reshape(
        _core.transpose(b, order), tuple(sizes[c] if c in b_term else 1 for c in term)
    )
    product = a * b
    if product.dtype.kind in "fc":
        product += 0  # a sum starts from zero, also one of a single product: -0.0 becomes 0.0
    return _summed((product, term), kept)
