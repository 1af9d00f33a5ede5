"""Functions of the last dimensions of their arguments, repeated over the others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._translation.core_dimensions import Names, call, parse

__all__ = ["GeneralizedUFunc"]


class GeneralizedUFunc:
    """A function by its signature, with NumPy's keywords of generalised universal functions.

    Parameters
    ----------
    func : function
        Of arrays with the core dimensions of `signature`; a tuple for several results.
    signature : str
        As "(m,n),(n)->(m)".
    name, doc : str
        Default: those of `func`.
    supports_batched : bool
        Whether `func` takes arrays with dimensions before the core ones, which it repeats by
        itself: one call then, else one for each slice.
    supports_out : bool
        Whether `func` takes `out`, an array or a tuple of them.

    Raises
    ------
    ValueError
        For a signature that is none; from a call, for arguments without its dimensions.
    TypeError
        From a call, for a wrong number of arguments, or a keyword that does not fit the signature.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> total = cupyx.GeneralizedUFunc(lambda v: v.sum(-1), "(n)->()", supports_batched=True)
    >>> total(cp.arange(6).reshape(2, 3))
    array([ 3, 12])
    >>> total(cp.arange(6).reshape(2, 3), axis=0)
    array([3, 5, 7])
    """

    def __init__(
        self,
        func: Callable[..., Any],
        signature: str,
        *,
        name: str | None = None,
        doc: str | None = None,
        supports_batched: bool = False,
        supports_out: bool = False,
    ) -> None:
        self._function = func
        self._cores = parse(signature)
        self._is_batched = supports_batched
        self._takes_out = supports_out
        self.signature = signature
        self.__name__ = name if name is not None else getattr(func, "__name__", "gufunc")
        self.__doc__ = doc if doc is not None else getattr(func, "__doc__", None)

    def __repr__(self) -> str:
        return f"<GeneralizedUFunc {self.__name__!r} {self.signature}>"

    def __call__(
        self,
        *args: Any,
        out: Any = None,
        axes: Sequence[Any] | None = None,
        axis: int | None = None,
        keepdims: bool = False,
    ) -> Any:
        inputs, outputs = self._cores
        if len(args) != len(inputs):
            raise TypeError(f"{self.__name__} takes {len(inputs)} arguments, not {len(args)}")
        places = _places(self._cores, axes, axis, keepdims)
        arrays = [
            _to_end(_core.as_array(each), place)
            for each, place in zip(args, places[: len(inputs)], strict=True)
        ]
        targets = _outs(out, len(outputs))
        results = self._results(arrays, targets, places[len(inputs) :], keepdims)
        finished = tuple(
            _from_end(result, names, place, len(inputs[0]) if keepdims else 0, target)
            for result, names, place, target in zip(
                results, outputs, places[len(inputs) :], targets, strict=True
            )
        )
        return finished[0] if len(finished) == 1 else finished

    def _results(
        self, arrays: list[ndarray], targets: list[Any], places: list[Any], keepdims: bool
    ) -> tuple[ndarray, ...]:
        if not self._is_batched:
            results = call(self._function, arrays, self._cores, [])
        elif self._takes_out and not keepdims and _are_plain(targets, places):
            results = self._function(*arrays, out=targets[0] if len(targets) == 1 else (*targets,))
        else:
            results = self._function(*arrays)
        found = results if isinstance(results, tuple) else (results,)
        if len(found) != len(targets):
            raise ValueError(f"{self.__name__} gave {len(found)} results, not {len(targets)}")
        return tuple(_core.as_array(each) for each in found)


def _are_plain(targets: list[Any], places: list[Any]) -> bool:
    """Whether the function itself can write all results."""
    return not any(places) and all(each is not None for each in targets)


def _outs(out: Any, count: int) -> list[Any]:
    targets = [None] * count if out is None else list(out) if isinstance(out, tuple) else [out]
    if len(targets) != count:
        raise ValueError(f"out has {len(targets)} arrays instead of {count}")
    return targets


def _places(
    cores: tuple[Names, Names], axes: Sequence[Any] | None, axis: int | None, keepdims: bool
) -> list[tuple[int, ...]]:
    """Where the core dimensions of each argument and result are; () where they are the last."""
    inputs, outputs = cores
    everything = [*inputs, *outputs]
    if keepdims and (any(outputs) or len({len(core) for core in inputs}) > 1):
        raise TypeError("keepdims needs arguments of as many core dimensions, and results of none")
    if axes is not None and axis is not None:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    if axis is not None:
        if (
            any(len(core) != 1 for core in inputs)
            or len({*inputs}) != 1
            or any(core not in ((), inputs[0]) for core in outputs)
        ):
            raise TypeError("'axis' needs a signature of one core dimension, the same everywhere")
        place = (operator.index(axis),)
        return [place if core or keepdims else () for core in everything]
    if axes is None:
        return [()] * len(everything)
    given = [(each,) if isinstance(each, int | np.integer) else tuple(each) for each in axes]
    if len(given) == len(inputs) and not any(outputs):
        given += [given[0] if keepdims else ()] * len(outputs)
    lengths = [len(core) for core in everything]
    if keepdims:
        lengths[len(inputs) :] = [len(inputs[0])] * len(outputs)
    if [len(each) for each in given] != lengths:
        raise ValueError(f"axes needs {lengths} axes of the arguments and results, not {axes!r}")
    return given


def _to_end(array: ndarray, place: tuple[int, ...]) -> ndarray:
    return _core.moveaxis(array, place, tuple(range(-len(place), 0))) if place else array


def _from_end(
    result: ndarray, names: tuple[str, ...], place: tuple[int, ...], kept: int, target: Any
) -> ndarray:
    """A result with its core dimensions where they belong, in the array for it if there is one."""
    if kept and not names:
        result = _core.reshape(result, (*result.shape, *[1] * kept))
    if place:
        result = _core.moveaxis(result, tuple(range(-len(place), 0)), place)
    if target is None or target is result:
        return result
    if target.shape != result.shape:
        raise ValueError(f"out has shape {target.shape} instead of {result.shape}")
    _core.copyto(target, result)
    return target
