"""The examples of the docstrings run, and show what they say."""

import doctest
import importlib
import os
from pathlib import Path

import numpy as np
import pytest
from cupola_under_test import cp

from cupola import _cupola

PACKAGE = Path(__file__).parents[2] / "python/cupola"


def modules() -> list[str]:
    """Those with examples."""
    paths = [path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    return sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths)


WAITING = ("_observation.explain", "_observation.profile")  # show what waits to be computed


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", modules())
def test_module(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in WAITING and "CUPOLA_EAGER" in os.environ:
        pytest.skip("nothing waits")
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(f"cupola.{name}".removesuffix(".__init__"))
    except ModuleNotFoundError as error:
        if str(error.name).startswith("cupola"):
            raise
        pytest.skip(f"{error.name} is not installed")
    results = doctest.testmod(module, extraglobs={"cp": cp, "np": np})
    assert results.failed == 0


COMPILED = [each for each in vars(_cupola).values() if ">>> " in str(each.__doc__)]


@pytest.mark.cupola_only
def test_compiled_functions() -> None:
    runner = doctest.DocTestRunner()
    names = set()
    for function in COMPILED:
        names.add(function.__name__)
        for example in doctest.DocTestFinder().find(
            function, function.__name__, module=cp, globs={"cp": cp, "np": np}
        ):
            runner.run(example)
    assert "sum" in names
    assert runner.summarize().failed == 0
    assert runner.tries


UFUNCS = sorted({each.__name__ for each in vars(cp).values() if type(each).__name__ == "ufunc"})


@pytest.mark.cupola_only
def test_universal_functions() -> None:
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for name in UFUNCS:
        function = getattr(cp, name)
        assert "Parameters\n----------\n" in function.__doc__
        (example,) = doctest.DocTestFinder().find(function, name, module=cp, globs={"cp": cp})
        runner.run(example, out=said.append)
    results = runner.summarize()
    assert results.failed == 0, "".join(said)
    assert results.attempted == 2 * len(UFUNCS) > 100  # an import and a call each
