"""Every public function and class has the sections of NumPy's docstrings."""

import importlib
import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from cupola_under_test import cp

pytestmark = pytest.mark.cupola_only

BASES = ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e", "polyutils")
MODULES = (
    "cupola",
    "cupola.linalg",
    "cupola.fft",
    "cupola.random",
    "cupola.lib.stride_tricks",
    "cupola._functions.mathematics.scimath",
    "cupola.polynomial",
    *(f"cupola.polynomial.{name}" for name in BASES),
)

# Where functions that return nothing have no section that says so.
MODULES_OF_CALLS = (
    *("cupola.testing", "cupola.fft.config"),
    *(
        f"cupola.cuda.{name}"
        for name in (
            *("cub", "driver", "environment", "memory", "memory_hooks", "nccl"),
            *("nvrtc", "nvtx", "pinned_memory", "profiler", "runtime", "texture", "thrust"),
        )
    ),
    *(
        f"cupola.cupyx{name}"
        for name in (
            *("", ".distributed", ".distributed.array", ".linalg", ".optimizing", ".profiler"),
            *(".time",),
        )
    ),
)
FUNCTIONS_OF_KERNELS = ("cupola.cupyx.jit", "cupola.cupyx.jit.cg", "cupola.cupyx.jit.cub")


def public_objects(module: Any) -> Iterator[tuple[str, Any]]:
    """The functions and classes of a module that are ours, without those of NumPy."""
    for name in sorted(set(getattr(module, "__all__", None) or vars(module))):
        value = getattr(module, name)
        owner = getattr(value, "__module__", None) or type(value).__module__
        if name[0] != "_" and callable(value) and owner.split(".")[0] == "cupola":
            yield name, value


def sections(text: str | None) -> set[str]:
    lines = inspect.cleandoc(text or "").split("\n")
    return {title for title, rule in pairwise(lines) if title and rule == "-" * len(title)}


def missing_of_class(cls: type) -> set[str]:
    """A class that takes its arguments as a base of it does may leave them to the base."""
    if issubclass(cls, BaseException):
        return set()
    if isinstance(cls.__doc__, property):  # each ufunc has one of its own
        return set()
    found = set().union(*(sections(base.__doc__) for base in cls.__mro__ if base is not object))
    if "Attributes" in found and "Parameters" not in found:  # what functions return
        return set()
    return {"Parameters", "Examples"} - found


def missing_of_function(function: Any) -> set[str]:
    needed = {"Parameters", "Returns", "Examples"}
    signature = inspect.signature(function)
    if not signature.parameters:
        needed -= {"Parameters"}
    found = sections(function.__doc__)
    return needed - found - ({"Returns"} if "Yields" in found else set())


def missing(module: Any) -> dict[str, set[str]]:
    lacks = {}
    for name, value in public_objects(module):
        is_class = isinstance(value, type)
        if found := missing_of_class(value) if is_class else missing_of_function(value):
            lacks[name] = found
    return lacks


@pytest.mark.parametrize("name", MODULES)
def test_sections(name: str) -> None:
    assert missing(importlib.import_module(name)) == {}


def returns_nothing(function: Any) -> bool:
    return inspect.signature(function).return_annotation in ("None", None)


@pytest.mark.parametrize("name", MODULES_OF_CALLS)
def test_sections_of_calls(name: str) -> None:
    module = importlib.import_module(name)
    lacks = missing(module)
    for each in [each for each in lacks if not isinstance(getattr(module, each), type)]:
        if returns_nothing(getattr(module, each)):
            lacks[each].discard("Returns")
    assert {each: found for each, found in lacks.items() if found} == {}


@pytest.mark.parametrize("name", FUNCTIONS_OF_KERNELS)
def test_sections_of_functions_of_kernels(name: str) -> None:
    module = importlib.import_module(name)
    functions = [value for _, value in public_objects(module) if not inspect.isroutine(value)]
    assert functions
    for function in functions:  # some return nothing, which their signatures do not say
        assert missing_of_function(function) <= {"Returns"}


def test_a_missing_section_is_noticed() -> None:
    def function(a: int) -> int:
        """A line.

        Parameters
        ----------
        a : int
        """
        return a

    class Made:
        """A line."""

    assert missing_of_function(function) == {"Returns", "Examples"}
    assert missing_of_function(lambda: None) == {"Returns", "Examples"}
    assert missing_of_class(Made) == {"Parameters", "Examples"}

    def call() -> None:
        """A line."""

    assert returns_nothing(call)
    assert not returns_nothing(function)
    assert missing_of_class(type("Child", (cp.random.Philox,), {})) == set()
