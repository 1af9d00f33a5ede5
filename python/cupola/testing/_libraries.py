"""Tests that are called with NumPy and with this package, and the comparison of what comes."""

from __future__ import annotations

import functools
import importlib
import inspect
import traceback
import unittest
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cupola._cupola import ndarray

Test = Callable[..., Any]
Decorator = Callable[[Test], Test]
Accepted = bool | type[BaseException] | tuple[type[BaseException], ...]
Tolerance = float | Mapping[Any, float]


class _Outcome:
    """What a test returned or raised for a library."""

    def __init__(self, test: Test, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.value: Any = None
        self.error: Exception | None = None
        try:
            self.value = test(*args, **kwargs)
        except unittest.SkipTest:
            raise
        except Exception as error:
            self.error = error

    def text(self) -> str:
        if self.error is None:
            return f"returned {type(self.value).__name__}"
        return "raised\n" + "".join(traceback.format_exception(self.error))


def _public_type(error: Exception) -> type:
    """The error's class, or the first base of it that is no private one of NumPy."""
    return next(cls for cls in type(error).__mro__ if not cls.__module__.startswith("numpy._"))


def _check_errors(ours: _Outcome, numpys: _Outcome, accepted: Accepted) -> bool:
    """Whether both raised, as they may; AssertionError where only one did or they differ."""
    if ours.error is None and numpys.error is None:
        return False
    if ours.error is None or numpys.error is None:
        raise AssertionError(f"only one raised: cupola {ours.text()}\nnumpy {numpys.text()}") from (
            ours.error or numpys.error
        )
    if not isinstance(ours.error, _public_type(numpys.error)):
        raise AssertionError(
            f"other errors: cupola {ours.text()}\nnumpy {numpys.text()}"
        ) from ours.error
    allowed = Exception if accepted is True else accepted
    if allowed is False or not isinstance(ours.error, allowed):
        raise ours.error
    return True


class Libraries:
    """The keywords by which a test gets its libraries: this package or NumPy, and the counterparts
    of `scipy.sparse` and `scipy`."""

    def __init__(self, name: str, sp_name: str | None, scipy_name: str | None) -> None:
        chosen = ((name, "cupola", "numpy"), (sp_name, "cupola.cupyx.scipy.sparse", "scipy.sparse"))
        scipy = (scipy_name, "cupola.cupyx.scipy", "scipy")
        self._modules = {
            keyword: (own, numpys) for keyword, own, numpys in (*chosen, scipy) if keyword
        }

    def both(self, test: Test, args: Any, kwargs: Any, accepted: Accepted) -> Any:
        """The results of both; None where both raised."""
        pairs = {
            keyword: tuple(map(importlib.import_module, paths))
            for keyword, paths in self._modules.items()
        }
        ours, numpys = (
            _Outcome(test, args, {**kwargs, **{key: pair[i] for key, pair in pairs.items()}})
            for i in (0, 1)
        )
        return None if _check_errors(ours, numpys, accepted) else (ours.value, numpys.value)

    def __contains__(self, keyword: str) -> bool:
        return keyword in self._modules


def decorator(
    libraries: Libraries, accepted: Accepted, compare: Callable[[Any, Any], None]
) -> Decorator:
    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> None:
            values = libraries.both(test, args, kwargs, accepted)
            if values is not None:
                compare(*values)

        signature = inspect.signature(test)
        kept = [each for key, each in signature.parameters.items() if key not in libraries]
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return run

    return decorate


def _arrays(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]


def _dtype_of(value: Any) -> Any:
    return value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype


def _check_form(ours: Any, numpys: Any, type_check: bool, contiguous_check: bool) -> None:
    shapes, kinds = (np.shape(ours), np.shape(numpys)), None
    if shapes[0] != shapes[1]:
        raise AssertionError(f"shapes differ: cupola {shapes[0]}, numpy {shapes[1]}")
    if type_check:
        kinds = _dtype_of(ours), _dtype_of(numpys)
        if kinds[0] != kinds[1]:
            raise AssertionError(f"dtypes differ: cupola {kinds[0]}, numpy {kinds[1]}")
    if contiguous_check and isinstance(ours, ndarray) and isinstance(numpys, np.ndarray):
        for flag in ("c_contiguous", "f_contiguous"):
            if getattr(numpys.flags, flag) and not getattr(ours.flags, flag):
                raise AssertionError(f"numpy's array is {flag}, and cupola's is not")


def of_arrays(
    check: Callable[[Any, Any], None],
    libraries: Libraries,
    type_check: bool,
    accepted: Accepted,
    contiguous_check: bool = False,
) -> Decorator:
    def compare(ours: Any, numpys: Any) -> None:
        pairs = _arrays(ours), _arrays(numpys)
        if len(pairs[0]) != len(pairs[1]):
            raise AssertionError(f"{len(pairs[0])} results of cupola, {len(pairs[1])} of numpy")
        for one, other in zip(*pairs, strict=True):
            _check_form(one, other, type_check, contiguous_check)
            check(one, other)

    return decorator(libraries, accepted, compare)


def tolerance_for(tolerance: Tolerance, numpys: Any) -> float:
    """That of the dtype, where there is one for each."""
    if not isinstance(tolerance, Mapping):
        return tolerance
    dtype = _dtype_of(numpys)
    for key, value in tolerance.items():
        if not (isinstance(key, str) and key == "default") and np.dtype(key) == dtype:
            return value
    if "default" in tolerance:
        return tolerance["default"]
    raise TypeError(f"there is no tolerance for {dtype} and no 'default'")
