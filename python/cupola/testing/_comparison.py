"""Decorators of tests that compute with NumPy and with this package, and compare."""

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
from cupola._functions.creation.arrays import asnumpy
from cupola.testing import _assertions

__all__ = [
    "numpy_cupy_allclose",
    "numpy_cupy_array_almost_equal",
    "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal",
    "numpy_cupy_array_less",
    "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp",
    "numpy_cupy_equal",
    "numpy_cupy_raises",
]

Test = Callable[..., Any]
Decorator = Callable[[Test], Test]
Accepted = bool | type[BaseException] | tuple[type[BaseException], ...]


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


def _check_errors(ours: _Outcome, numpys: _Outcome, accepted: Accepted) -> bool:
    """Whether both raised, as they may; AssertionError where only one did or they differ."""
    if ours.error is None and numpys.error is None:
        return False
    if ours.error is None or numpys.error is None:
        raise AssertionError(f"only one raised: cupola {ours.text()}\nnumpy {numpys.text()}") from (
            ours.error or numpys.error
        )
    if not isinstance(ours.error, type(numpys.error)):
        raise AssertionError(
            f"other errors: cupola {ours.text()}\nnumpy {numpys.text()}"
        ) from ours.error
    allowed = Exception if accepted is True else accepted
    if allowed is False or not isinstance(ours.error, allowed):
        raise ours.error
    return True


class _Libraries:
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


def _decorator(
    libraries: _Libraries, accepted: Accepted, compare: Callable[[Any, Any], None]
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


def _of_arrays(
    check: Callable[[Any, Any], None],
    libraries: _Libraries,
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

    return _decorator(libraries, accepted, compare)


Tolerance = float | Mapping[Any, float]


def _tolerance_for(tolerance: Tolerance, numpys: Any) -> float:
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


def numpy_cupy_allclose(
    rtol: Tolerance = 1e-7,
    atol: Tolerance = 0,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    contiguous_check: bool = True,
) -> Decorator:
    """Call the test with `numpy` and with this package, and compare what it returns.

    The test returns an array, or several in a tuple or list.

    Parameters
    ----------
    rtol, atol : float or dict
        Of `assert_allclose`; a dict has those of dtypes, and under 'default' that of the others.
    err_msg, verbose
        For the text of an AssertionError.
    name : str
        The keyword of the library.
    type_check : bool
        Whether dtypes must be equal.
    accept_error : bool or exceptions
        Whether, or with which class, both may raise; the class of ours must be NumPy's or of it.
    sp_name, scipy_name : str, optional
        The keywords of `cupyx.scipy.sparse` beside `scipy.sparse`, and of `cupyx.scipy` beside
        `scipy`.
    contiguous_check : bool
        Whether ours must be contiguous where NumPy's is.

    Raises
    ------
    AssertionError
        From the test, where they differ.
    ModuleNotFoundError
        From the test, where a library is asked for that is not there.

    Examples
    --------
    >>> @cp.testing.numpy_cupy_allclose(rtol=1e-6)
    ... def test(xp):
    ...     return xp.sqrt(xp.arange(3))
    >>> test()
    """

    def check(ours: Any, numpys: Any) -> None:
        tolerances = _tolerance_for(rtol, numpys), _tolerance_for(atol, numpys)
        _assertions.assert_allclose(ours, numpys, *tolerances, err_msg, verbose)

    return _of_arrays(
        check, _Libraries(name, sp_name, scipy_name), type_check, accept_error, contiguous_check
    )


def numpy_cupy_array_almost_equal(
    decimal: int = 6,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_almost_equal`."""

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_almost_equal(ours, numpys, decimal, err_msg, verbose)

    return _of_arrays(check, _Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_almost_equal_nulp(
    nulp: int = 1,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_almost_equal_nulp`."""

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_almost_equal_nulp(ours, numpys, nulp)

    return _of_arrays(check, _Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_max_ulp(
    maxulp: int = 1,
    dtype: Any = None,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_max_ulp`."""

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_max_ulp(ours, numpys, maxulp, dtype)

    return _of_arrays(check, _Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    strides_check: bool = False,
) -> Decorator:
    """As `numpy_cupy_allclose`, with equal elements, and with `strides_check` equal strides."""

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_equal(ours, numpys, err_msg, verbose, strides_check)

    return _of_arrays(check, _Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_less(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Accepted = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`: every element of ours must be less than NumPy's."""

    def check(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_less(ours, numpys, err_msg, verbose)

    return _of_arrays(check, _Libraries(name, sp_name, scipy_name), type_check, accept_error)


def numpy_cupy_array_list_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_array_equal`, of sequences of arrays, whatever their dtypes."""

    def compare(ours: Any, numpys: Any) -> None:
        _assertions.assert_array_list_equal(ours, numpys, err_msg, verbose)

    return _decorator(_Libraries(name, sp_name, scipy_name), False, compare)


def numpy_cupy_equal(
    name: str = "xp", sp_name: str | None = None, scipy_name: str | None = None
) -> Decorator:
    """Call the test with `numpy` and with this package: what it returns must be equal by ==."""

    def compare(ours: Any, numpys: Any) -> None:
        value = asnumpy(ours) if isinstance(ours, ndarray) else ours
        if not np.all(value == numpys):
            raise AssertionError(f"not equal: cupola {ours!r}, numpy {numpys!r}")

    return _decorator(_Libraries(name, sp_name, scipy_name), False, compare)


def numpy_cupy_raises(
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
    accept_error: Accepted = Exception,
) -> Decorator:
    """Call the test with `numpy` and with this package: both must raise.

    Parameters
    ----------
    name, sp_name, scipy_name : str, optional
        The keywords of the libraries, as of `numpy_cupy_allclose`.
    accept_error : bool or exceptions
        The classes that may be raised; that of ours must be NumPy's or of it.

    Raises
    ------
    AssertionError
        From the test, where one of them does not raise, or they raise other errors.

    Examples
    --------
    >>> @cp.testing.numpy_cupy_raises(accept_error=ValueError)
    ... def test(xp):
    ...     xp.zeros(2) + xp.zeros(3)
    >>> test()
    """

    def compare(ours: Any, numpys: Any) -> None:
        raise AssertionError("neither cupola nor numpy raised")

    return _decorator(_Libraries(name, sp_name, scipy_name), accept_error, compare)
