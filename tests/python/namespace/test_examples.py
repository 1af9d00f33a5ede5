"""The examples of the docstrings run, and show what they say."""

import doctest
import importlib
import inspect
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.compilers import skip_without_compiler

from cupola import _cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

PACKAGE = Path(__file__).parents[3] / "python/cupola"


class Runner(doctest.DocTestRunner):
    """Keeps a line of each example that shows something else."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def report_failure(self, _out: Any, test: Any, example: Any, got: str) -> None:
        """Instead of printing it."""
        self.wrong.append(f"{test.name}: {example.source}{got} is not {example.want}")

    def report_unexpected_exception(self, _out: Any, test: Any, example: Any, error: Any) -> None:
        """The same."""
        self.wrong.append(f"{test.name}: {example.source}{error[1]!r}")


def modules() -> list[str]:
    """Those with examples."""
    paths = [path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    return sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths)


A_RANK_IS_ONE_DEVICE = tuple(
    f"cupyx.distributed.{name}" for name in ("__init__", "_backend", "_collectives")
)
CAPTURES = ("cuda._runtime.graphs",)  # which streams of a set of devices do not have
WAITING = ("_observation.explain", "_observation.profile")  # show what waits to be computed


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", modules())
def test_module(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in WAITING and "CUPOLA_EAGER" in os.environ:
        pytest.skip("nothing waits")
    if name in A_RANK_IS_ONE_DEVICE and on_cuda() and cp.current_device().is_set:
        pytest.skip("the current device is a set")
    if name in CAPTURES and cp.current_device().is_set:
        pytest.skip("the current device is a set")
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(f"cupola.{name}".removesuffix(".__init__"))
    except ModuleNotFoundError as error:
        if str(error.name).startswith("cupola"):
            raise
        pytest.skip(f"{error.name} is not installed")
    runner = Runner()
    names = {"cp": cp, "np": np}
    for example in doctest.DocTestFinder(exclude_empty=False).find(module, extraglobs=names):
        runner.run(example)
    assert runner.wrong == []


CAPTURING = ("Graph", "Stream.begin_capture", "Stream.end_capture")


def compiled_texts() -> dict[str, str]:
    """Docstrings with examples of compiled functions and classes, and of the members of these."""
    found: dict[str, str] = {}
    for name, value in vars(_cupola).items():
        found[name] = str(value.__doc__)
        if isinstance(value, type):
            members = {f"{name}.{key}": str(each.__doc__) for key, each in vars(value).items()}
            found |= members
    texts = {text: name for name, text in found.items() if ">>> " in text}
    return {name: text for text, name in texts.items()}


@pytest.mark.cupola_only
def test_compiled_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # methods of arrays write files
    runner = Runner()
    texts = compiled_texts()
    assert {"sum", "ndarray.resize", "Stream.record", "Device.from_pci_bus_id"} <= texts.keys()
    for name, text in texts.items():
        if name.startswith(CAPTURING) and cp.current_device().is_set:
            continue
        globs = {"cp": cp, "np": np}
        runner.run(doctest.DocTestParser().get_doctest(text, globs, name, None, 0))
    assert runner.wrong == []
    assert runner.tries


def builtins_of_kernels() -> list[tuple[str, Any]]:
    """What kernels call, which doctest does not take for functions."""
    found = []
    for module in (cp.cupyx.jit, cp.cupyx.jit.cg, cp.cupyx.jit.cub):
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.isroutine(value) and ">>> " in str(value.__doc__):
                found.append((name, value))
    return found


@pytest.mark.cupola_only
@pytest.mark.parametrize(("name", "builtin"), builtins_of_kernels())
def test_function_of_kernels(name: str, builtin: Any) -> None:
    skip_without_compiler()
    runner = Runner()
    runner.run(doctest.DocTestParser().get_doctest(builtin.__doc__, {}, name, None, 0))
    assert runner.wrong == []
    assert runner.tries >= 4


def test_the_functions_of_kernels_are_found() -> None:
    assert {"atomic_add", "shfl_sync", "wait", "Sum", "WarpReduce"} <= dict(
        builtins_of_kernels()
    ).keys()


UFUNCS = sorted({each.__name__ for each in vars(cp).values() if type(each).__name__ == "ufunc"})


@pytest.mark.cupola_only
def test_universal_functions() -> None:
    runner = Runner()
    for name in UFUNCS:
        function = getattr(cp, name)
        assert "Parameters\n----------\n" in function.__doc__
        (example,) = doctest.DocTestFinder().find(function, name, module=cp, globs={"cp": cp})
        runner.run(example)
    assert runner.wrong == []
    assert runner.tries == 2 * len(UFUNCS) > 100  # an import and a call each
