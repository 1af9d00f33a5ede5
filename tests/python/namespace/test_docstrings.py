"""Every public function, class and method has the sections of NumPy's docstrings."""

import importlib
import inspect
import re
import types
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
    "cupola.lib",
    "cupola.lib.stride_tricks",
    "cupola._functions.mathematics.scimath",
    "cupola.polynomial",
    *(f"cupola.polynomial.{name}" for name in BASES),
)

# Where functions that return nothing have no section that says so.
MODULES_OF_CALLS = (
    *("cupola.testing", "cupola.fft.config", "cupola.dask", "cupola.prof", "cupola.cuda"),
    *("cupola.multiprocessing", "cupola.as_cupy", "cupola.doctor"),
    *(f"cupola.interop.{name}" for name in ("arrow", "einops", "matplotlib", "numba", "zarr")),
    *(
        f"cupola.cuda.{name}"
        for name in (
            *("compiler", "cub", "device", "driver", "environment", "function", "graph", "memory"),
            *("memory_hook", "memory_hooks", "nccl", "nvrtc", "nvtx", "pinned_memory"),
            *("profiler", "runtime", "stream", "texture", "thrust"),
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
# Methods of which a section would have no meaning, and why.
WITHOUT_SECTIONS = {"LocalCluster.scale": "raises always, and only of a cluster that runs"}
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


def has_parameters(function: Any) -> bool:
    try:
        return bool(inspect.signature(function).parameters)
    except ValueError:  # of a class that Python itself makes
        return True


def missing_of_class(cls: type) -> set[str]:
    """A class that takes its arguments as a base of it does may leave them to the base."""
    if issubclass(cls, BaseException):
        return set()
    found = set().union(*(sections(base.__doc__) for base in cls.__mro__ if base is not object))
    needed = {"Examples"} - sections(cls.__doc__)
    if has_parameters(cls) and not found & {"Parameters", "Attributes"}:
        needed.add("Parameters")  # what only functions make has attributes instead
    return needed


def missing_of_function(function: Any) -> set[str]:
    needed = {"Parameters", "Returns", "Examples"}
    if not has_parameters(function):
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


def imported(name: str) -> Any:
    try:
        module = importlib.import_module(name)
        list(public_objects(module))  # some names are imported when they are asked for
        return module
    except ModuleNotFoundError as error:
        if str(error.name).startswith("cupola"):
            raise
        pytest.skip(f"{error.name} is not installed")


@pytest.mark.parametrize("name", MODULES)
def test_sections(name: str) -> None:
    assert missing(imported(name)) == {}


def returns_nothing(function: Any) -> bool:
    compiled = getattr(function, "__nb_signature__", None)
    if compiled is not None:
        return compiled[0][0].endswith("-> None")
    return inspect.signature(function).return_annotation in ("None", None)


@pytest.mark.parametrize("name", MODULES_OF_CALLS)
def test_sections_of_calls(name: str) -> None:
    module = imported(name)
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


def public_members(cls: type) -> Iterator[tuple[str, Any]]:
    """What a class has of ours, its own and inherited, as it stands in the class."""
    for name in sorted(set(dir(cls))):
        owner = next((base for base in cls.__mro__ if name in vars(base)), object)
        if name[0] != "_" and owner.__module__.split(".")[0] == "cupola":
            yield name, vars(owner)[name]


def is_property(member: Any) -> bool:
    return isinstance(member, property | types.GetSetDescriptorType)


def said_of_property(member: Any) -> str:
    """Without the signature that bindings put first."""
    return re.sub(r"^\(self\) -> .*\n*", "", member.__doc__ or "")


def missing_of_method(member: Any) -> set[str]:
    """A method that returns nothing has no section that says so, and `self` is no parameter."""
    is_bound = not isinstance(member, staticmethod) and type(member).__name__ != "nb_func"
    function = member.__func__ if isinstance(member, staticmethod | classmethod) else member
    needed = {"Parameters", "Returns", "Examples"}
    if len(inspect.signature(function).parameters) == is_bound:
        needed -= {"Parameters"}
    if returns_nothing(function):
        needed -= {"Returns"}
    found = sections(function.__doc__)
    return needed - found - ({"Returns"} if "Yields" in found else set())


def missing_of_members(cls: type) -> dict[str, set[str]]:
    """Properties say something in a line."""
    lacks = {}
    for name, member in public_members(cls):
        if is_property(member):
            found = set() if said_of_property(member) else {"a line"}
        elif isinstance(member, type) or not callable(getattr(cls, name, None)):
            continue
        else:
            found = missing_of_method(member)
        if found:
            lacks[f"{cls.__name__}.{name}"] = found
    return lacks


@pytest.mark.parametrize("name", [*MODULES, *MODULES_OF_CALLS])
def test_sections_of_methods(name: str) -> None:
    lacks = {}
    for _, value in public_objects(imported(name)):
        if isinstance(value, type) and not issubclass(value, BaseException):
            lacks |= missing_of_members(value)
    assert {each: found for each, found in lacks.items() if each not in WITHOUT_SECTIONS} == {}


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

        def __init__(self, a: int) -> None: ...

    assert missing_of_function(function) == {"Returns", "Examples"}
    assert missing_of_function(lambda: None) == {"Returns", "Examples"}
    assert missing_of_class(Made) == {"Parameters", "Examples"}

    def call() -> None:
        """A line."""

    assert returns_nothing(call)
    assert not returns_nothing(function)
    assert missing_of_class(type("Child", (cp.random.Philox,), {})) == {"Examples"}
    assert missing_of_class(cp.random.Philox) == set()


def test_a_missing_section_of_a_method_is_noticed() -> None:
    class Made:
        """A line."""

        def shown(self) -> None:
            """A line."""

        def given(self, a: int) -> int:
            """A line."""
            return a

        @staticmethod
        def free(a: int) -> int:
            """A line.

            Parameters
            ----------
            a : int
            """
            return a

        @property
        def size(self) -> int:
            return 0

    Made.__module__ = "cupola"
    assert missing_of_members(Made) == {
        "Made.shown": {"Examples"},
        "Made.given": {"Parameters", "Returns", "Examples"},
        "Made.free": {"Returns", "Examples"},
        "Made.size": {"a line"},
    }
    compiled = dict(public_members(cp.Stream))
    assert missing_of_method(compiled["record"]) == set()
    assert not returns_nothing(compiled["record"])
    assert returns_nothing(compiled["wait_event"])
