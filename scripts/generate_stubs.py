#!/usr/bin/env python3
"""Writes python/cupola/_cupola.pyi and ufuncs.pyi from the built package.

--check compares instead of writing and fails on a difference.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent / "python/cupola"

BINARY = ["add", "and", "divmod", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow"]
BINARY += ["rshift", "sub", "truediv", "xor"]
COMPARE = ["lt", "le", "eq", "ne", "gt", "ge"]
ARRAY_OPERATORS = {f"__{name}__" for name in [*COMPARE, "neg", "pos", "abs", "invert"]}
ARRAY_OPERATORS |= {f"__{prefix}{name}__" for name in BINARY for prefix in ("", "r", "i")}

# Types that the bindings, which take and return any object, do not tell.
RETURNS = {
    "T": "ndarray",
    "mT": "ndarray",
    "real": "ndarray",
    "imag": "ndarray",
    "shape": "tuple[int, ...]",
    "strides": "tuple[int, ...]",
    "base": "ndarray | None",
    "ndarray.dtype": "np.dtype[Any]",
    "ufunc.__call__": "_Result_co",
    "ufunc.outer": "_Result_co",
    "ufunc.accumulate": "ndarray",
    "ufunc.reduce": "ndarray",
    "ufunc.reduceat": "ndarray",
    "_layout_flags": "tuple[bool, bool, bool]",
    "__getitem__": "ndarray",
    "__eq__": "bool",
    "__copy__": "ndarray",
    "__deepcopy__": "ndarray",
    "__index__": "int",
    "__int__": "int",
    "__float__": "float",
    "__complex__": "complex",
    "__divmod__": "tuple[ndarray, ndarray]",
    "__rdivmod__": "tuple[ndarray, ndarray]",
    "__iter__": "Iterator[ndarray]",
    "__array__": "np.ndarray",
    "__dlpack_device__": "tuple[int, int]",
    "__cuda_array_interface__": "dict[str, Any]",
    "attributes": "dict[str, Any]",
    "mem_info": "tuple[int, int]",
    "types": "list[str]",
    "signature": "None",
    "__enter__": "Self",
    "use": "Any",
    "copyto": "None",
    "put": "None",
    "put_along_axis": "None",
    "nonzero": "tuple[ndarray, ...]",
    "slogdet": "tuple[ndarray, ndarray]",
    "qr": "tuple[ndarray, ndarray]",
    "qr_reflectors": "tuple[ndarray, ndarray]",
    "eig": "tuple[ndarray, ndarray]",
    "eigh": "tuple[ndarray, ndarray]",
    "svd": "tuple[ndarray, ndarray, ndarray]",
    "broadcast_arrays": "tuple[ndarray, ...]",
    "split_at": "list[ndarray]",
    "download": "np.ndarray",
    "memory_of": "tuple[MemoryBlock, int]",
    "memory_events": "list[tuple[Any, ...]]",
    "memory_segments": "list[tuple[Any, ...]]",
    "memory_account": "dict[str, int]",
    "statistics": "tuple[int, ...]",
}
PAIRS = {"__divmod__", "__rdivmod__"}
RETURNS |= {f"ndarray.{name}": "ndarray" for name in ARRAY_OPERATORS - PAIRS}
ARRAY_FUNCTIONS = """
    arange array_on_memory as_array astype attach_shared broadcast_to cholesky choose clip
    concatenate copy det diag dot eigvalsh empty_like expand_dims eye fft fftfreq fftn fftshift
    flatnonzero from_pointer full hfft ifft ifftn ifftshift ihfft import_capsule inner inv
    inv_or_nan irfft irfftn linspace matmul outer qr_r random_bits random_exponential
    random_integers random_normal random_uniform repeat rfft rfftfreq rfftn roll select solve
    squeeze stack svdvals take_along_axis tensordot to_device tri tril triu upload vdot view_as
    where
"""
RETURNS |= {f"_cupola.{name}": "ndarray" for name in ARRAY_FUNCTIONS.split()}

HEADER = '''# ruff: noqa: N801, N802, N803, N818
"""The compiled part of cupola. Written by scripts/generate_stubs.py; do not edit."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, Self

import numpy as np
from typing_extensions import TypeVar

from cupola._devices.sets import PlacedPart
from cupola._array.descriptions import FlatIterator, Flags
from cupola._memory.pointers import MemoryPointer
from cupola._typing import (
    ArrayLike,
    AxisLike,
    AstypeCastingLike,
    CastingLike,
    DeviceLike,
    DTypeLike,
    ModeLike,
    OrderLike,
    ShapeLike,
    SourceLike,
)

# What a call of a ufunc gives.
_Result_co = TypeVar("_Result_co", covariant=True, default=Any)
'''


def return_type(owner: str, name: str, told: str) -> str:
    """The most exact type known of what a binding returns."""
    for key in (f"{owner}.{name}", name):
        if key in RETURNS and (owner != "_cupola" or "." in key or name in NAMED_ONLY):
            return RETURNS[key]
    return clean(told)


NAMED_ONLY = {
    "copyto",
    "put",
    "put_along_axis",
    "nonzero",
    "slogdet",
    "qr",
    "qr_reflectors",
    "eig",
    "eigh",
    "svd",
    "broadcast_arrays",
    "split_at",
    "download",
    "memory_of",
    "memory_events",
    "memory_segments",
    "memory_account",
}


def clean(text: str) -> str:
    """C++ names and `object` in a signature, as Python types."""
    text = re.sub(r"\b(cupola\.)?_cupola\.|\bcupola\.(cuda\.)?|\bcollections\.abc\.", "", text)
    text = re.sub(r"\bobject\b( \| None)?(?!:)", "Any", text)
    return re.sub(r"\*(\w+)\b(?!:)", r"*\1: Any", text)


def default(value: Any) -> str:
    """A default argument; what has no literal is an ellipsis."""
    literal = isinstance(value, bool | int | float | str | types.NoneType)
    return repr(value).replace("'", '"') if literal else "..."


def native_signature(owner: str, name: str, function: Any) -> str:
    """`def name(...) -> type` of a function of the bindings."""
    text, _, defaults = function.__nb_signature__[0]
    for number, value in reversed(list(enumerate(defaults or ()))):
        text = text.replace(f"\\{number}", default(value))
    match = re.fullmatch(r"def (\w+)\((.*)\) -> (.*)", text, re.S)
    assert match, text
    arguments = re.sub(r"\bargs: tuple, kwargs: dict", "*args: Any, **kwargs: Any", match[2])
    return f"def {name}({clean(arguments)}) -> {return_type(owner, name, match[3])}: ..."


def python_signature(name: str, function: Any, is_method: bool = False) -> str:
    """`def name(...) -> type` of a function that tells its types."""
    parameters = []
    signature = inspect.signature(function)
    for number, parameter in enumerate(signature.parameters.values()):
        if number == 0 and is_method:  # of a function that is a method: its own name for the array
            parameters.append(parameter.replace(name="self", annotation=parameter.empty))
        elif parameter.default is parameter.empty:
            parameters.append(parameter)
        else:
            parameters.append(parameter.replace(default=Verbatim(default(parameter.default))))
    text = str(signature.replace(parameters=parameters)).replace("'", "")
    return f"def {name}{text}: ..."


def is_direct(function: Any) -> bool:
    """Whether it is of src/python/functions/direct_function.h."""
    return type(function).__name__ == "function" and hasattr(function, "__text_signature__")


class Verbatim:
    """A default value that prints as given."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def property_lines(owner: str, name: str, member: property) -> list[str]:
    """A property and its setter."""
    getter = member.fget
    if isinstance(getter, types.FunctionType):
        returns = str(inspect.signature(getter).return_annotation).strip("'")
    else:
        text = getter.__nb_signature__[0][0]
        returns = return_type(owner, name, text.rpartition(" -> ")[2])
    lines = ["    @property", f"    def {name}(self) -> {returns}: ..."]
    if member.fset is not None:
        lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
    return lines


def member_lines(owner: str, name: str, member: Any) -> list[str]:
    """A member of a class."""
    if isinstance(member, property):
        return property_lines(owner, name, member)
    if hasattr(member, "__nb_signature__"):
        wide = owner == "ndarray" and name in ("__eq__", "__ne__")
        ignore = "  # type: ignore[override]" if wide else ""
        if name == "__ipow__":
            ignore = "  # type: ignore[misc]"
        static = ["    @staticmethod"] if type(member).__name__ == "nb_func" else []
        return [*static, f"    {native_signature(owner, name, member)}{ignore}"]
    if isinstance(member, types.FunctionType) or is_direct(member):
        return [f"    {python_signature(name, member, is_method=True)}"]
    if name == "__hash__" and member is None:
        return ["    __hash__ = None  # type: ignore[assignment]"]
    if isinstance(member, int):
        return [f"    {name}: int"]
    if type(member).__module__.startswith("cupola"):
        return [f"    {name}: ClassVar[{type(member).__name__}]"]
    return []


SKIPPED = {"__module__", "__doc__", "__new__", "__name__", "__signature__"}
SKIPPED |= {"__buffer__", "__release_buffer__"}


def class_lines(cls: type) -> list[str]:
    """A class of the bindings."""
    base = cls.__bases__[0]
    derived = f"({base.__name__})" if base.__module__.startswith("cupola") else ""
    if cls.__name__ == "ufunc":
        derived = "(Generic[_Result_co])"
    lines = ["", "", f"class {cls.__name__}{derived}:"]
    for name, member in sorted(vars(cls).items()):
        if not hasattr(cls, name):
            continue  # it only tells what to write instead
        if name not in SKIPPED and (cls.__name__, name) != ("ufunc", "__getattr__"):
            lines += member_lines(cls.__name__, name, member)
    if cls.__name__ == "ufunc":
        lines += ["    __name__: str", "    __qualname__: str"]
    if cls.__name__ == "ndarray":
        lines.append("    def __buffer__(self, flags: int, /) -> memoryview: ...")
    return lines


def module_stub(module: types.ModuleType) -> str:
    """The text of _cupola.pyi."""
    lines = [HEADER]
    functions: list[str] = []
    for name, member in sorted(vars(module).items()):
        if isinstance(member, type) and issubclass(member, Exception):
            lines.append(f"\nclass {name}({member.__bases__[0].__name__}): ...")
        elif isinstance(member, type):
            functions += class_lines(member)
        elif hasattr(member, "__nb_signature__"):
            functions.append("\n" + native_signature("_cupola", name, member))
        elif is_direct(member):
            functions.append("\n" + python_signature(name, member))
    return "\n".join([*lines, "\n_ufuncs: dict[str, ufunc]", *functions]) + "\n"


def ufunc_stub(module: types.ModuleType) -> str:
    """The text of ufuncs.pyi: every universal function by name."""
    names = sorted(module._ufuncs)
    results = {1: "ndarray", 2: "tuple[ndarray, ndarray]"}
    lines = ['"""Universal functions. Written by scripts/generate_stubs.py; do not edit."""', ""]
    lines += ["from typing import Any", "", "from cupola._cupola import ndarray, ufunc", ""]
    lines += ["__all__ = [", *(f'    "{name}",' for name in names), "]", ""]
    lines += [f"{name}: ufunc[{results[module._ufuncs[name].nout]}]" for name in names]
    lines += ["", "def signature_of(function: ufunc) -> Any: ..."]
    return "\n".join(lines) + "\n"


UFUNCS = "_functions/mathematics/ufuncs.pyi"


def formatted(text: str) -> str:
    """As ruff sorts and formats stubs, so that the files pass its check."""
    ruff = Path(sys.executable).parent / "ruff"
    for arguments in (["check", "--fix", "--quiet", "--exit-zero"], ["format"]):
        command = [ruff, *arguments, "--stdin-filename", PACKAGE / "stub.pyi", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


def main() -> int:
    """Write or check the files."""
    from cupola import _cupola

    texts = {"_cupola.pyi": module_stub(_cupola), UFUNCS: ufunc_stub(_cupola)}
    status = 0
    for name, text in texts.items():
        path, wanted = PACKAGE / name, formatted(text)
        if "--check" not in sys.argv:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            print(f"{path.name} differs from what scripts/generate_stubs.py writes")
            status = 1
    return status


if __name__ == "__main__":
    raise SystemExit(main())
