"""What values of a kernel are besides numbers: arrays, pointers, tuples, groups, objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cupola._translation.values import Value, is_weak, native

INTEGERS = "iu"


@dataclass(frozen=True)
class ArrayType:
    """An argument, or the view of a part of one."""

    dtype: np.dtype
    ndim: int
    c_contiguous: bool
    writable: bool

    def text(self) -> str:
        """The type in C++."""
        const = "" if self.writable else "const "
        contiguous = "true" if self.c_contiguous else "false"
        return f"Array<{const}{native(self.dtype)}, {self.ndim}, {contiguous}>"


@dataclass(frozen=True)
class StorageType:
    """`TempStorage` of a reduction."""

    owner: str

    def text(self) -> str:
        """The type in C++."""
        return f"{self.owner}::TempStorage"


@dataclass(frozen=True)
class PointerType:
    """Shared memory, or where the elements of an array begin.

    `form` is "address", or what its iterator in C++ is called by: "strided", "constant" or
    "counting".
    """

    element: Any
    writable: bool = True
    form: str = "address"

    def text(self) -> str:
        """The type in C++."""
        if self.form in ("constant", "counting"):
            return f"{self.form.title()}Iterator<{text_of(self.element)}>"
        target = f"{'' if self.writable else 'const '}{text_of(self.element)}"
        return f"StridedIterator<{target}>" if self.form == "strided" else f"{target}*"


@dataclass(frozen=True)
class GroupType:
    """`thread_block` or `grid`."""

    name: str

    def text(self) -> str:
        """Groups have no state: all threads know theirs."""
        return "int"


@dataclass(frozen=True)
class ReducerType:
    """A `WarpReduce` or `BlockReduce` with its storage."""

    dtype: np.dtype
    owner: str

    def text(self) -> str:
        """The storage is what it consists of."""
        return f"{self.owner}::TempStorage*"


@dataclass(frozen=True)
class DimensionsType:
    """Three numbers x, y and z."""


@dataclass(frozen=True)
class VoidType:
    """What a function without a result returns."""


@dataclass(frozen=True)
class TupleType:
    """Values side by side."""

    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class ObjectType:
    """An object of Python that the translation itself uses."""

    target: Any


@dataclass(frozen=True, eq=False)
class MethodType:
    """A method of a value: called with the translation, the node and the arguments."""

    name: str
    call: Any


VOID = VoidType()


def object_value(target: Any) -> Value:
    """The value that stands for an object of Python."""
    return Value("", ObjectType(target))


def method_value(name: str, call: Any) -> Value:
    """The value that stands for a method."""
    return Value("", MethodType(name, call))


def is_number(kind: Any) -> bool:
    """Whether it is the type of numbers."""
    return isinstance(kind, np.dtype) or is_weak(kind)


def is_stored(kind: Any) -> bool:
    """Whether a variable can have that type."""
    return is_number(kind) or hasattr(kind, "text")


def text_of(kind: Any) -> str:
    """The type in C++."""
    return native(kind) if is_number(kind) else kind.text()


def shown(kind: Any) -> str:
    """The type in a message."""
    if is_number(kind):
        return kind.__name__ if is_weak(kind) else kind.name
    if isinstance(kind, ArrayType):
        return f"an array of {kind.dtype} with {kind.ndim} dimensions"
    if isinstance(kind, PointerType):
        what = "a pointer to" if kind.form == "address" else f"a {kind.form} iterator of"
        return f"{what} {shown(kind.element)}"
    if isinstance(kind, ObjectType):
        return f"{kind.target!r}"
    names = {
        TupleType: "a tuple",
        VoidType: "nothing",
        MethodType: "a method",
        DimensionsType: "three numbers",
        GroupType: "a group of threads",
        StorageType: "temporary storage",
        ReducerType: "a reduction",
    }
    return names[type(kind)]
