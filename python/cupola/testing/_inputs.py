"""Arrays that tests begin with, the same for every library."""

from __future__ import annotations

import functools
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from cupola._functions.creation.arrays import asnumpy

__all__ = [
    "empty",
    "fix_random",
    "generate_matrix",
    "generate_seed",
    "shaped_arange",
    "shaped_linspace",
    "shaped_random",
    "shaped_reverse_arange",
]


def _in(xp: Any, host: np.ndarray, dtype: Any, order: str = "C") -> Any:
    """The elements as an array of a library; the package itself where that is None."""
    if xp is None:
        import cupola as xp
    ordered = host.astype(dtype).reshape(host.shape, order="C")
    return xp.array(ordered, order="F" if order in ("F", "f") else "C")


def _counted(values: np.ndarray, dtype: Any) -> np.ndarray:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return values % 2 == 0
    return values + values * 1j if kind == "c" else values


def shaped_arange(
    shape: tuple[int, ...], xp: Any = None, dtype: Any = np.float32, order: str = "C"
) -> Any:
    """1, 2, 3 and so on in a shape.

    Parameters
    ----------
    shape : tuple of ints
    xp : module, optional
        The library of the result: `cupola` or `numpy`. Default: cupola.
    dtype
        bool: whether the number is even; complex dtypes: the number in both parts.
    order : {'C', 'F'}
        In memory.

    Returns
    -------
    array
        1, 2, 3 and so on; of bool whether they are odd or even.

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> cp.testing.shaped_arange((2, 2))
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    values = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    return _in(xp, _counted(values, dtype), dtype, order)


def shaped_reverse_arange(
    shape: tuple[int, ...], xp: Any = None, dtype: Any = np.float32, order: str = "C"
) -> Any:
    """`shaped_arange` from the last number to the first.

    Parameters
    ----------
    shape : tuple of ints
    xp : module, optional
    dtype : optional

    Returns
    -------
    array
        The same backwards.

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.shaped_reverse_arange((2, 2)).tolist()
    [[4.0, 3.0], [2.0, 1.0]]
    """
    values = np.arange(int(np.prod(shape)), 0, -1).reshape(shape)
    return _in(xp, _counted(values, dtype), dtype, order)


def shaped_linspace(
    start: float, stop: float, shape: tuple[int, ...], xp: Any = None, dtype: Any = np.float32
) -> Any:
    """Numbers at equal distances, from `start` to `stop`, in a shape.

    Unsigned integers begin at 0 at least, booleans are between 0 and 1.

    Parameters
    ----------
    start, stop : float
    shape : tuple of ints
    xp : module, optional
    dtype, order : optional

    Returns
    -------
    array

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.shaped_linspace(0, 3, (2, 2)).tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    lowest, highest = {"u": (0, np.inf), "b": (0, 1)}.get(np.dtype(dtype).kind, (-np.inf, np.inf))
    first, last = (min(max(each, lowest), highest) for each in (start, stop))
    return _in(xp, np.linspace(first, last, int(np.prod(shape))).reshape(shape), dtype)


def shaped_random(
    shape: tuple[int, ...],
    xp: Any = None,
    dtype: Any = np.float32,
    scale: float = 10,
    seed: int = 0,
    order: str = "C",
) -> Any:
    """Random numbers in a shape, by a seed.

    From 0 to `scale`, whole ones for integers, both parts for complex dtypes; bool: either.

    Parameters
    ----------
    shape : tuple of ints
    xp : module, optional
    dtype, scale, seed, order : optional

    Returns
    -------
    array
        The same for the same seed.

    Raises
    ------
    ValueError
        For negative extents.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.shaped_random((2, 3)).shape
    (2, 3)
    """
    rng = np.random.RandomState(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        values: np.ndarray = rng.randint(2, size=shape) == 1
    elif kind == "c":
        values = rng.rand(*shape) * scale + 1j * rng.rand(*shape) * scale
    else:
        values = np.asarray(rng.rand(*shape) * scale)
    return _in(xp, np.asarray(values), dtype, order)


def generate_matrix(
    shape: tuple[int, ...], xp: Any = None, dtype: Any = np.float32, *, singular_values: Any
) -> Any:
    """Random matrices of (..., m, n) with given singular values, of shape (..., min(m, n)).

    Parameters
    ----------
    shape : tuple of ints
        (..., m, n).
    xp : module, optional
        The library of the result: `cupola` or `numpy`. Default: cupola.
    dtype : dtype, optional
        A real or complex floating one.
    singular_values : array-like
        Of shape (..., min(m, n)), or one that broadcasts to it.

    Returns
    -------
    array
        Of the shape and the dtype; the same each time.

    Raises
    ------
    ValueError
        For fewer than two dimensions, and for a negative singular value.
    TypeError
        For a dtype that is not floating, and for complex singular values.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.testing.generate_matrix((3, 2), dtype="float64", singular_values=[4, 1])
    >>> cp.linalg.svd(a)[1].round(6)
    array([4., 1.])
    """
    kind = np.dtype(dtype)
    if len(shape) < 2:
        raise ValueError(f"matrices have at least two dimensions, not {shape}")
    if kind.kind not in "fc":
        raise TypeError(f"the dtype must be floating, not {kind}")
    given = asnumpy(singular_values)
    if np.iscomplexobj(given):
        raise TypeError("singular values are real numbers")
    if (given < 0).any():
        raise ValueError("singular values are not negative")
    rng = np.random.default_rng(0)
    raw = rng.standard_normal(shape)
    if kind.kind == "c":
        raw = raw + 1j * rng.standard_normal(shape)
    left, _, right = np.linalg.svd(raw, full_matrices=False)
    values = np.broadcast_to(given, (*shape[:-2], min(shape[-2:])))
    return _in(xp, (left * values[..., None, :]) @ right, dtype)


def empty(xp: Any = None, dtype: Any = np.float32) -> Any:
    """An array without elements, of shape (0,).

    Parameters
    ----------
    xp : module, optional
        The library of the result: `cupola` or `numpy`. Default: cupola.
    dtype : dtype, optional

    Returns
    -------
    array

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.empty(dtype="int8")
    array([], dtype=int8)
    """
    return _in(xp, np.zeros(0), dtype)


_seeds: list[np.random.RandomState] = []


def generate_seed() -> int:
    """A number for a seed; under `fix_random` always the same ones.

    Returns
    -------
    int
        From 0 to 2 to the power of 31, less 2.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.generate_seed() >= 0
    True
    """
    source = _seeds[-1] if _seeds else np.random
    return int(source.randint(0x7FFFFFFF))


def fix_random() -> Callable[[Any], Any]:
    """A decorator of tests, or of classes of them, that makes random numbers the same each time.

    They are those of Python, NumPy, this package and `generate_seed`. States are put back.

    Returns
    -------
    function
        Takes a function, or a class whose methods `test...` it replaces.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.fix_random()
    ... def test():
    ...     return cp.testing.generate_seed()
    >>> test() == test()
    True
    """

    def decorate(target: Any) -> Any:
        if isinstance(target, type):
            for name, member in list(vars(target).items()):
                if name.startswith("test") and isinstance(member, types.FunctionType):
                    setattr(target, name, decorate(member))
            return target

        @functools.wraps(target)
        def run(*args: Any, **kwargs: Any) -> Any:
            import cupola

            ours = cupola.random.get_random_state()
            before = random.getstate(), np.random.get_state(), ours.get_state()
            _seeds.append(np.random.RandomState(100))
            random.seed(100)
            np.random.seed(100)
            ours.seed(100)
            try:
                return target(*args, **kwargs)
            finally:
                _seeds.pop()
                random.setstate(before[0])
                np.random.set_state(before[1])
                ours.set_state(before[2])

        return run

    return decorate
