"""Decorators that call a test once for each memory order, casting rule or set of axes."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from cupola.testing._cases import Decorator, Test, for_each, without

__all__ = [
    "for_CF_orders",
    "for_castings",
    "for_contiguous_axes",
    "for_orders",
]


def for_orders(orders: Iterable[Any], name: str = "order") -> Decorator:
    """Call the test with each of some memory orders as keyword `name`.

    Parameters
    ----------
    orders : iterable
        What the keyword is.
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.for_orders("CF")
    ... def test(order):
    ...     print(cp.ones((2, 2), order=order).flags.c_contiguous)
    >>> test()
    True
    False
    """
    return for_each({name: each} for each in orders)


def for_CF_orders(name: str = "order") -> Decorator:  # noqa: N802
    """`for_orders` with 'C', 'F' and their small letters, and None.

    Parameters
    ----------
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.for_CF_orders()
    ... def test(order):
    ...     print(order)
    >>> test()
    None
    C
    F
    c
    f
    """
    return for_orders([None, "C", "F", "c", "f"], name)


def for_castings(castings: Iterable[str] | None = None, name: str = "casting") -> Decorator:
    """Call the test with each casting rule, or some of them, as keyword `name`.

    Parameters
    ----------
    castings : iterable of str, optional
        Default: all five.
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> @cp.testing.for_castings(["no", "safe"])
    ... def test(casting):
    ...     print(cp.can_cast("int8", "int16", casting))
    >>> test()
    False
    True
    """
    rules = ["no", "equiv", "safe", "same_kind", "unsafe"] if castings is None else castings
    return for_each({name: each} for each in rules)


def for_contiguous_axes(name: str = "axis") -> Decorator:
    """Call a test, whose object has `shape` and `order`, with the axes that a reduction joins.

    They are the last ones of an array in C order, and the first ones in Fortran order.

    Parameters
    ----------
    name : str, optional
        The keyword.

    Returns
    -------
    function
        A decorator.

    Examples
    --------
    >>> import cupola as cp
    >>> class Tests:
    ...     shape, order = (2, 3, 4), "C"
    ...     @cp.testing.for_contiguous_axes()
    ...     def test(self, axis):
    ...         print(axis)
    >>> Tests().test()
    (1, 2)
    (2,)
    """

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            ndim = len(self.shape)
            for first in range(1, ndim):
                is_fortran = self.order in ("f", "F")
                axes = range(first) if is_fortran else range(first, ndim)
                test(self, *args, **{**kwargs, name: tuple(axes)})

        return without(run, test, {name})

    return decorate
