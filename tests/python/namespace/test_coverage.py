"""docs/coverage.md against the package, and the errors of names that are left out."""

import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

pytestmark = pytest.mark.cupola_only

if hasattr(cp, "errors"):
    import generate_coverage
    from cupola._functions import not_planned

    CHAPTERS = dict(generate_coverage.chapters())
    LEFT_OUT = not_planned.names_without("numpy")
else:
    CHAPTERS, LEFT_OUT = {}, []


def test_the_page_is_what_the_package_has() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate_coverage.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("title", CHAPTERS)
def test_no_name_is_missing(title: str) -> None:
    assert [row.name for row in CHAPTERS[title] if row.status == "missing"] == []


OPEN = {
    "cupy.RawKernel",
    "cupy.RawModule",
    "cupy.cuda.Function",
    "cupy.cuda.Graph",
    "cupy.cuda.Module",
}


def test_names_of_cupy_are_missing_in_a_few_places_only() -> None:
    places = dict(generate_coverage.cupy_chapters())
    assert {
        place for place, rows in places.items() if any(row.status == "missing" for row in rows)
    } <= OPEN


def only_raises(function: Any) -> bool:
    """Whether a Python function does nothing but raise, behind its docstring."""
    if not inspect.isfunction(function):
        return False
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def test_no_name_that_only_raises_counts_as_done() -> None:
    def example() -> None:
        """Only an error."""
        raise NotImplementedError

    assert only_raises(example)
    places = {own: generate_coverage.resolve(own) for _, own in generate_coverage.NUMPY}
    places |= {
        place: generate_coverage.cupy_counterpart(place) for place in generate_coverage.CUPY_NAMES
    }
    for place, owner in places.items():
        for name in dir(owner):
            if name != "__delitem__":  # which NumPy's iterators refuse, too
                assert not only_raises(getattr(owner, name, None)), f"{place}.{name}"


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_name_that_is_left_out_says_why(name: str) -> None:
    assert not hasattr(cp, name)
    reason = not_planned.reason_for("numpy", name)
    assert reason
    with pytest.raises(AttributeError) as error:
        getattr(cp, name)
    assert str(error.value) == f"module 'cupola' has no attribute '{name}': {reason}"


def test_rows_are_names_of_numpy() -> None:
    known = {*dir(np), *np.__all__, "float96", "float128", "complex192", "complex256"}
    assert set(LEFT_OUT) <= known
    for path in not_planned.DIFFERENT:
        place, _, name = path.rpartition(".")
        owner = cp if place == "standard" else generate_coverage.resolve(place)
        assert hasattr(owner, name), path


def test_other_names_are_plain_errors() -> None:
    with pytest.raises(AttributeError, match=r"^module 'cupola' has no attribute 'nosuch'$"):
        cp.nosuch  # noqa: B018


def test_numpys_function_of_a_name_that_is_left_out_says_why() -> None:
    with pytest.raises(TypeError, match=r"no numpy\.bmat|no numpy\.asmatrix|cupola"):
        np.datetime_as_string(cp.ones(2))
