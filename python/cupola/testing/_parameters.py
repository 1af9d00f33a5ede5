"""Classes of tests that run once for each of several sets of attributes."""

from __future__ import annotations

import itertools
import sys
import types
import unittest
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["parameterize", "product", "product_dict"]


def product(parameter: Mapping[str, Iterable[Any]] | list[Any]) -> list[dict[str, Any]]:
    """All combinations of values, as dictionaries of names and values.

    Parameters
    ----------
    parameter : dict or list
        Names and the values of each; or a list of lists of dictionaries, as of `product_dict`.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.product({"n": [1, 2], "order": ["C"]})
    [{'n': 1, 'order': 'C'}, {'n': 2, 'order': 'C'}]
    """
    if isinstance(parameter, Mapping):
        names = sorted(parameter)
        rows = itertools.product(*(parameter[name] for name in names))
        return [dict(zip(names, row, strict=True)) for row in rows]
    return product_dict(*parameter)


def product_dict(*parameters: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All combinations of dictionaries, one of each list, each as one dictionary.

    Parameters
    ----------
    *parameters : iterables of dict

    Returns
    -------
    list of dict

    Examples
    --------
    >>> import cupola as cp
    >>> cp.testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [
        {name: value for each in row for name, value in each.items()}
        for row in itertools.product(*parameters)
    ]


def parameterize(*params: Mapping[str, Any], _ids: bool = True) -> Callable[[type], Any]:
    """A decorator of a class of tests, which run with the attributes of each dictionary.

    A class of unittest becomes several classes in its module, one for each dictionary. Of other
    classes pytest runs each test once for each dictionary.

    Parameters
    ----------
    *params : dict
        Attributes of the test's object, as of `product`.
    _ids : bool, optional
        Name tests of pytest by the attributes; if not, by the dictionary's number.

    Returns
    -------
    function
        A decorator of a class.

    Raises
    ------
    ImportError
        For a class that is not of unittest, without pytest.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.parameterize(*cp.testing.product({"n": [1, 2]}))
    ... class TestOnes:
    ...     def test_sum(self):
    ...         assert cp.ones(self.n).sum() == self.n
    """

    def decorate(cls: type) -> Any:
        if issubclass(cls, unittest.TestCase):
            module = sys.modules[cls.__module__]
            for number, each in enumerate(params):
                name = f"{cls.__name__}_param_{number}"
                members = {key: _as_attribute(value) for key, value in each.items()}
                members["__module__"] = cls.__module__
                setattr(module, name, type(name, (cls,), members))
            return None
        import pytest

        ids = _label if _ids else [str(number) for number in range(len(params))]

        @pytest.fixture(autouse=True, scope="class", params=params, ids=ids)
        def _with_parameters(self: Any, request: Any) -> None:
            for name, value in request.param.items():
                setattr(request.cls, name, _as_attribute(value))

        cls._with_parameters = _with_parameters  # type: ignore[attr-defined]
        return cls

    return decorate


def _as_attribute(value: Any) -> Any:
    """A function is no method of the test."""
    return staticmethod(value) if isinstance(value, types.FunctionType) else value


def _label(parameter: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in parameter.items())
