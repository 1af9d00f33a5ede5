"""`vectorize` with a signature: a function of arrays, called for each slice of its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

_NAME = r"\w+"
_CORE = rf"\((?:{_NAME}(?:,{_NAME})*)?\)"
_LIST = rf"{_CORE}(?:,{_CORE})*"

Names = list[tuple[str, ...]]


def parse(signature: str) -> tuple[Names, Names]:
    """The names of the dimensions of each argument and of each result: "(n),()->(n)".

    Raises
    ------
    ValueError
        For another text.
    """
    text = re.sub(r"\s+", "", signature)
    if not re.fullmatch(rf"{_LIST}->{_LIST}", text):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    sides = [
        [tuple(re.findall(_NAME, core)) for core in re.findall(_CORE, side)]
        for side in text.split("->")
    ]
    return sides[0], sides[1]


def _measure(sizes: dict[str, int], array: ndarray, names: tuple[str, ...]) -> None:
    """Note the sizes of an array's last dimensions; ValueError where one differs."""
    if not names:
        return
    if array.ndim < len(names):
        raise ValueError(
            f"{array.ndim}-dimensional argument does not have enough dimensions for all core "
            f"dimensions {names!r}"
        )
    for name, size in zip(names, array.shape[array.ndim - len(names) :], strict=True):
        if sizes.setdefault(name, size) != size:
            raise ValueError(
                f"inconsistent size for core dimension {name!r}: {size!r} vs {sizes[name]!r}"
            )


def call(
    function: Callable[..., Any],
    arrays: Sequence[ndarray],
    signature: tuple[Names, Names],
    otypes: Sequence[Any],
) -> Any:
    """Call a function for each slice, and stack its results.

    The slices are views on the arrays' device, and so are the arguments of the function.
    """
    inputs, outputs = signature
    if len(arrays) != len(inputs):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(inputs)!r}, got {len(arrays)!r}"
        )
    sizes: dict[str, int] = {}
    for array, names in zip(arrays, inputs, strict=True):
        _measure(sizes, array, names)
    heads = [a.shape[: a.ndim - len(names)] for a, names in zip(arrays, inputs, strict=True)]
    shape = np.broadcast_shapes(*heads)
    wide = [
        _core.broadcast_to(a, shape + tuple(sizes[name] for name in names))
        for a, names in zip(arrays, inputs, strict=True)
    ]
    columns: list[list[ndarray]] = [[] for _ in outputs]
    for index in np.ndindex(shape):
        results = function(*(array[index] for array in wide))
        for column, result, names in zip(
            columns, _as_tuple(results, len(outputs)), outputs, strict=True
        ):
            value = _core.as_array(result, wide[0].device if wide else None)
            _measure(sizes, value, names)
            if value.ndim > len(names):
                raise ValueError(
                    f"a result of shape {value.shape} does not have the core dimensions {names!r}"
                )
            column.append(value)
    stacked = tuple(
        _stacked(column, shape, tuple(sizes.get(name, -1) for name in names), otypes, number)
        for number, (column, names) in enumerate(zip(columns, outputs, strict=True))
    )
    return stacked[0] if len(stacked) == 1 else stacked


def _as_tuple(results: Any, count: int) -> tuple[Any, ...]:
    found = len(results) if isinstance(results, tuple) else 1
    if found != count:
        raise ValueError(f"wrong number of outputs from pyfunc: expected {count!r}, got {found!r}")
    return results if isinstance(results, tuple) else (results,)


def _stacked(
    column: list[ndarray],
    shape: tuple[int, ...],
    core: tuple[int, ...],
    otypes: Sequence[Any],
    number: int,
) -> ndarray:
    dtype = otypes[number] if otypes else column[0].dtype if column else None
    if column:
        cast = [_core.astype(value, dtype, "K", "unsafe", False) for value in column]
        return _core.reshape(_core.stack(cast, 0), shape + core)
    if dtype is None:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    if -1 in core:
        raise ValueError(
            "cannot call `vectorize` with a signature including new output dimensions on size 0 "
            "inputs"
        )
    return _core.empty(shape + core, dtype)
