"""What products share with NumPy's universal functions with core dimensions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cupola._cupola import ndarray, ufunc

if TYPE_CHECKING:
    from cupola._typing import CastingLike, DTypeLike

__all__: list[str] = []

# Loops for what no array holds: objects and long floats.
_FOREIGN_CODES = frozenset("OgG")


Product = TypeVar("Product", bound=Callable[..., Any])


class GeneralizedUfunc(ufunc):
    """A universal function over vectors or matrices; it combines no elements with each other."""

    __module__ = "cupola"
    __name__: str

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'ufunc' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self) -> str:
        return self.__name__

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        """Raise NumPy's RuntimeError."""
        raise RuntimeError("Reduction not defined on ufunc with signature")

    accumulate = reduceat = reduce

    def outer(self, *args: Any, **kwargs: Any) -> Any:
        """Raise NumPy's TypeError."""
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")

    def at(self, *args: Any, **kwargs: Any) -> Any:
        """Raise NumPy's TypeError."""
        raise TypeError(f"{self.__name__}.at does not support ufunc with non-trivial signature")

    def resolve_dtypes(self, dtypes: Any, **options: Any) -> Any:
        """The dtypes of operands and result, as NumPy finds them."""
        return getattr(np, self.__name__).resolve_dtypes(dtypes, **options)


def generalized(function: Product) -> Product:
    """The product as an object of the class `ufunc`, with what NumPy's of its name says of itself.

    Its class is its own: a call goes from there to the function, with nothing between them.
    """
    model = getattr(np, function.__name__)
    types = [text for text in model.types if not _FOREIGN_CODES & set(text)]
    members = {
        **{name: getattr(model, name) for name in ("nin", "nout", "nargs", "signature")},
        "types": types,
        "ntypes": len(types),
        "identity": None,
        "name": f"cupy_{function.__name__}",
        "__doc__": inspect.getdoc(function),
        "__module__": "cupola",
        "__call__": staticmethod(function),
    }
    made: Any = ufunc.__new__(type("ufunc", (GeneralizedUfunc,), members))
    made.__name__ = made.__qualname__ = function.__name__
    made.__signature__ = inspect.signature(function)
    return made


def check_order(order: Any) -> None:
    """Raise NumPy's errors for what is no memory order."""
    if order is not None and not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order is not None and order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")


def loop_dtype(
    name: str,
    operands: tuple[ndarray, ndarray],
    dtype: DTypeLike,
    signature: Any,
    casting: CastingLike,
) -> DTypeLike:
    """What a product is computed in: `dtype`, or what NumPy finds for `signature`."""
    if signature is None:
        return dtype
    if dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if not all(isinstance(each.dtype, np.dtype) for each in operands):
        raise TypeError(f"{name}: signature= knows no bfloat16; use dtype=")
    given = (*(each.dtype for each in operands), None)
    loop = getattr(np, name).resolve_dtypes(given, signature=signature, casting=casting)
    return loop[-1]
