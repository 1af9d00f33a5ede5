"""Functions of the last dimensions of their arguments, repeated over the others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._translation.core_dimensions import Names, call, parse
from cupola.cupyx._gufunc_loops import chosen, parsed

if TYPE_CHECKING:
    from cupola._typing import OrderLike

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
    signatures : sequence of str or tuple
        Dtypes of arguments and results, as "ff->f", or with a function that is called for them
        instead of `func`. The first to which the arguments can be cast is taken.

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
        signatures: Sequence[Any] = (),
    ) -> None:
        self._function = func
        self._cores = parse(signature)
        self._loops = parsed(signatures, func, (len(self._cores[0]), len(self._cores[1])))
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
        order: OrderLike = "K",
        dtype: Any = None,
        casting: Any = "same_kind",
        signature: Any = None,
    ) -> Any:
        inputs, outputs = self._cores
        if len(args) != len(inputs):
            raise TypeError(f"{self.__name__} takes {len(inputs)} arguments, not {len(args)}")
        places = _places(self._cores, axes, axis, keepdims)
        arrays = [_core.as_array(each) for each in args]
        loop = chosen(self._loops, arrays, dtype, casting, signature)
        function, kinds = self._function, [dtype] * len(outputs)
        if loop is not None:
            function, kinds = loop.function, [*loop.outputs]
            arrays = [
                _core.astype(array, kind, "K", casting, False)
                for array, kind in zip(arrays, loop.inputs, strict=True)
            ]
        order = _order(order, arrays)
        arrays = [
            _to_end(each, place) for each, place in zip(arrays, places[: len(inputs)], strict=True)
        ]
        targets = _outs(out, len(outputs))
        results = self._results(function, arrays, targets, places[len(inputs) :], keepdims)
        results = tuple(
            result if kind is None else _core.astype(result, kind, "K", "unsafe", False)
            for result, kind in zip(results, kinds, strict=True)
        )
        finished = tuple(
            _from_end(result, names, place, len(inputs[0]) if keepdims else 0, target, casting)
            for result, names, place, target in zip(
                results, outputs, places[len(inputs) :], targets, strict=True
            )
        )
        finished = tuple(
            _core.asarray(each, order=order) if target is None else each
            for each, target in zip(finished, targets, strict=True)
        )
        return finished[0] if len(finished) == 1 else finished

    def _results(
        self,
        function: Callable[..., Any],
        arrays: list[ndarray],
        targets: list[Any],
        places: list[Any],
        keepdims: bool,
    ) -> tuple[ndarray, ...]:
        writes = self._takes_out and not keepdims and _are_plain(targets, places)
        if writes and not self._is_batched:
            return _written(function, arrays, self._cores[0], targets, self._cores[1])
        if not self._is_batched:
            results = call(function, arrays, self._cores, [])
        elif writes:
            given = targets[0] if len(targets) == 1 else (*targets,)
            results = function(*arrays, out=given)
            results = given if results is None else results
        else:
            results = function(*arrays)
        found = results if isinstance(results, tuple) else (results,)
        if len(found) != len(targets):
            raise ValueError(f"{self.__name__} gave {len(found)} results, not {len(targets)}")
        return tuple(_core.as_array(each) for each in found)


def _order(order: OrderLike, arrays: Sequence[ndarray]) -> OrderLike:
    """The order of results: "A" is F where all arguments are F and none of them is C too."""
    if order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if order not in ("A", "a"):
        return order
    return "F" if all(each.flags.fnc for each in arrays) else "C"


def _written(
    function: Callable[..., Any],
    arrays: Sequence[ndarray],
    inputs: Names,
    targets: Sequence[ndarray],
    outputs: Names,
) -> tuple[ndarray, ...]:
    """The targets, of which the function has written each slice."""
    heads = [a.shape[: a.ndim - len(core)] for a, core in zip(arrays, inputs, strict=True)]
    shape = np.broadcast_shapes(*heads)
    for target, core in zip(targets, outputs, strict=True):
        if target.shape[: target.ndim - len(core)] != shape:
            raise ValueError(f"out has shape {target.shape}, and the loop has {shape}")
    wide = [
        _core.broadcast_to(a, shape + a.shape[a.ndim - len(core) :])
        for a, core in zip(arrays, inputs, strict=True)
    ]
    for index in np.ndindex(shape):
        parts = tuple(target[(*index, ...)] for target in targets)
        function(*(a[(*index, ...)] for a in wide), out=parts[0] if len(parts) == 1 else parts)
    return (*targets,)


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
    result: ndarray,
    names: tuple[str, ...],
    place: tuple[int, ...],
    kept: int,
    target: Any,
    casting: Any,
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
    _core.copyto(target, result, casting)
    return target
