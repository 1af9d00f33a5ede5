"""`vectorize`: a Python function of numbers becomes a kernel over arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ElementwiseKernel, ndarray

__all__ = ["vectorize"]


class vectorize:  # noqa: N801
    """A function of numbers, applied to each element of arrays that broadcast.

    The function is not called: its text is translated to C++ for the types of the arguments and
    compiled, as an `ElementwiseKernel` is. It may have arithmetic, comparisons, `if`, `while`,
    `for` over `range`, local variables, universal functions, functions of `math`, and calls of
    other such functions. Values have NumPy's types and results: integers wrap around, a division
    by zero raises nothing.

    Parameters
    ----------
    pyfunc : function
        Also a universal function, which is applied as it is, one of `math` that is one here, or a
        `functools.partial` with numbers. Without it, a decorator is made:
        ``@vectorize(otypes="f")``.
    otypes : str or sequence of dtypes, optional
        The types of the results; by default what the function returns.
    doc : str, optional
        The documentation; by default the function's.
    excluded : set of int and str, optional
        Parameters, by position or name, whose arguments stay single Python numbers: they are part
        of the kernel, which is compiled for each value.
    cache : bool
        Accepted; nothing is ever computed twice.
    signature : str, optional
        Of a function of arrays, like ``"(n),(n)->()"``: it is not translated, but called for each
        slice of the arguments. Excluded arguments may then be any objects.

    Raises
    ------
    TypeError
        When it is called, for a function that cannot be translated; the message has the line.
    ValueError
        For a signature that is none, and arguments or results that do not have its dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> norm = cp.vectorize(lambda v: cp.sqrt(v @ v), signature="(n)->()")
    >>> norm(cp.asarray([[3.0, 4.0], [6.0, 8.0]])).tolist()
    [5.0, 10.0]
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any] | None = None,
        otypes: str | Iterable[Any] | None = None,
        doc: str | None = None,
        excluded: Iterable[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self._dimensions: Any = None
        if signature is not None:
            from cupola._translation.core_dimensions import parse

            self._dimensions = parse(signature)
        self.pyfunc = pyfunc
        self.otypes = otypes
        self.excluded = set(excluded or ())
        self.cache = cache
        self.signature = signature
        self._doc = doc
        self._kernels: dict[Any, ElementwiseKernel] = {}
        if pyfunc is not None:
            self._take(pyfunc)

    def _take(self, pyfunc: Callable[..., Any]) -> None:
        if not callable(pyfunc):
            raise TypeError(f"vectorize takes a function, not {type(pyfunc).__name__}")
        functools.update_wrapper(self, pyfunc)
        self.pyfunc = pyfunc
        self.__doc__ = pyfunc.__doc__ if self._doc is None else self._doc

    @property
    def otypes(self) -> Any:
        """The types of the results; None: those that the function returns."""
        return self._otypes or None

    @otypes.setter
    def otypes(self, otypes: str | Iterable[Any] | None) -> None:
        self._otypes = _dtypes_of(otypes)
        self._kernels = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Arrays, or a number where an array of one element would do."""
        if self.pyfunc is None:
            self._take(*args)
            return self
        if self._dimensions is not None:
            return self._call_for_slices(args, kwargs)
        if (function := _ufunc_of(self.pyfunc)) is not None:
            return self._call_ufunc(function, args, kwargs)
        numbers, arrays = self._divided(args, kwargs)
        types = {name: array.dtype for name, array in arrays.items()}
        key = (tuple(types.items()), tuple((k, type(v), v) for k, v in numbers.items()))
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels.setdefault(key, self._kernel(types, numbers))
        if not arrays:
            found = kernel(size=1)
            values = [
                each.reshape(()) for each in (found if isinstance(found, tuple) else (found,))
            ]
            return values[0] if len(values) == 1 else tuple(values)
        return kernel(*arrays.values())

    def _call_ufunc(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A universal function is one of arrays as it is."""
        values = {str(place): value for place, value in enumerate(args)}
        results = function(*_arrays_of(values).values(), **kwargs)
        if not self._otypes:
            return results
        found = results if isinstance(results, tuple) else (results,)
        if len(self._otypes) != len(found):
            raise ValueError(f"otypes has {len(self._otypes)} types, not {len(found)}")
        cast = [each.astype(kind) for each, kind in zip(found, self._otypes, strict=True)]
        return cast[0] if len(cast) == 1 else tuple(cast)

    def _call_for_slices(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The arguments that are not excluded, by position and then by name, in slices."""
        from cupola._translation.core_dimensions import call

        assert self.pyfunc is not None
        places = [place for place in range(len(args)) if place not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]
        values = {str(place): args[place] for place in places}
        arrays = _arrays_of(values | {name: kwargs[name] for name in names})

        def function(*slices: Any) -> Any:
            given, named = list(args), dict(kwargs)
            for place, value in zip(places, slices, strict=False):
                given[place] = value
            named.update(zip(names, slices[len(places) :], strict=True))
            return self.pyfunc(*given, **named)  # type: ignore[misc]

        return call(function, list(arrays.values()), self._dimensions, self._otypes)

    def _divided(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, ndarray]]:
        """The arguments by name: numbers of the excluded parameters, and arrays."""
        function, first, named = _whole_of(self.pyfunc)
        signature = inspect.signature(function, follow_wrapped=False)
        known = {*list(signature.parameters)[: len(first)], *named}
        bound = signature.bind(*first, *args, **{**named, **kwargs})
        bound.apply_defaults()
        numbers, values = {}, {}
        for place, (name, value) in enumerate(bound.arguments.items()):
            position = place - len(first)
            kind = bound.signature.parameters[name].kind
            if kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                raise TypeError(f"vectorize: the parameter {name} must be a single argument")
            if name in known or position in self.excluded or name in self.excluded:
                if not isinstance(value, (bool, int, float, complex, np.generic)):
                    raise TypeError(
                        f"vectorize: the excluded argument {name} must be a number, "
                        f"not {type(value).__name__}"
                    )
                numbers[name] = value
            else:
                values[name] = value
        return numbers, _arrays_of(values)

    def _kernel(self, types: dict[str, np.dtype], numbers: dict[str, Any]) -> ElementwiseKernel:
        from cupola._translation.functions import translate

        found = translate(_whole_of(self.pyfunc)[0], types, numbers)
        outputs = self._otypes or found.outputs
        if len(outputs) != len(found.outputs):
            raise ValueError(
                f"otypes has {len(outputs)} types, but {found.name} returns "
                f"{len(found.outputs)} values"
            )
        return found.kernel(outputs)

    def __repr__(self) -> str:
        name = getattr(self.pyfunc, "__name__", "nothing")
        return f"<vectorize of {name}>"


def _whole_of(function: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A function, and what a `functools.partial` of it has given its first and named parameters."""
    if isinstance(function, functools.partial):
        return function.func, function.args, function.keywords
    return function, (), {}


def _ufunc_of(function: Any) -> Any:
    """The universal function that one of NumPy's, of ours or of `math` is; None for others."""
    if isinstance(function, _core.ufunc):
        return function if function.signature is None else None
    if isinstance(function, np.ufunc):
        return _core._ufuncs.get(function.__name__)
    if getattr(function, "__module__", None) != "math":
        return None
    from cupola._translation.values import MATH_UFUNCS

    return _core._ufuncs.get(MATH_UFUNCS.get(function.__name__, ""))


def _dtypes_of(otypes: str | Iterable[Any] | None) -> tuple[np.dtype, ...]:
    if otypes is None:
        return ()
    if isinstance(otypes, str):
        for each in otypes:
            if each not in np.typecodes["All"]:
                raise ValueError(f"Invalid otype specified: {each}")
    elif not np.iterable(otypes):
        raise ValueError("Invalid otype specification")
    return tuple(_core.dtype(each) for each in otypes)


def _arrays_of(values: dict[str, Any]) -> dict[str, ndarray]:
    """All as arrays on the device of those that are."""
    devices = [value.device for value in values.values() if isinstance(value, ndarray)]
    device = devices[0] if devices else None
    arrays = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            raise TypeError(f"vectorize: {name} is a numpy.ndarray; cupola.asarray copies it")
        arrays[name] = value if isinstance(value, ndarray) else _core_asarray(value, device)
    return arrays


def _core_asarray(value: Any, device: Any) -> ndarray:
    from cupola._functions.creation.arrays import asarray

    return asarray(value, device=device)
