"""Every expected failure has a row in a table beside this file.

A row has an expression over `cp` and `zeros`, the exception type that it must raise (NumPy's,
where NumPy raises), and a regular expression that its message must match: what was asked and what
was found.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python"))

from cupola_under_test import IS_NUMPY, cp, from_numpy, to_numpy  # noqa: E402
from support.compare import observe, public_type  # noqa: E402


def rows() -> list[Any]:
    """All rows as parameters, named by table and expression."""
    result = []
    for table in sorted(HERE.glob("*.toml")):
        for case in tomllib.loads(table.read_text())["case"]:
            marks = [pytest.mark.cupola_only] if case.get("cupola_only") else []
            name = f"{table.stem}: {case['expression']}"
            result.append(pytest.param(case, id=name, marks=marks))
    return result


def exception_type(name: str) -> type[BaseException]:
    """A built-in exception, one of numpy.exceptions or one of cupola.errors."""
    import builtins

    for place in (builtins, np.exceptions, getattr(cp, "errors", None)):
        if hasattr(place, name):
            return getattr(place, name)
    raise LookupError(name)


def names() -> dict[str, Any]:
    """What expressions may use."""

    def zeros(*shape: int, dtype: str = "float64") -> Any:
        return from_numpy(np.zeros(shape, dtype))

    result = {"cp": cp, "np": np, "zeros": zeros, "a": from_numpy(np.arange(6.0).reshape(2, 3))}
    if not IS_NUMPY:
        code = 'extern "C" __global__ void scale(float* x, float f) { x[threadIdx.x] *= f; }'
        result |= {"kernel": cp.RawKernel(code, "scale"), "x": zeros(6, dtype="float32")}
    return result


def execute(expression: str, scope: dict) -> None:
    exec(compile(expression, "expression", "exec"), scope)
    observe()


@pytest.mark.parametrize("case", rows())
def test_row(case: dict) -> None:
    scope = names()
    with pytest.raises(exception_type(case["raises"])) as caught:
        execute(case["expression"], scope)
    if not IS_NUMPY:
        assert_message(str(caught.value), case["message"])
    np.testing.assert_array_equal(to_numpy(scope["a"]), np.arange(6.0).reshape(2, 3))


def assert_message(message: str, pattern: str) -> None:
    import re

    assert re.search(pattern, message, re.IGNORECASE | re.DOTALL), f"{message!r} has no {pattern!r}"


@pytest.mark.parametrize("case", [p for p in rows() if not p.marks])
def test_row_agrees_with_numpy(case: dict) -> None:
    """The table asks for the type that NumPy raises."""
    scope = names() | {"cp": np, "a": np.arange(6.0).reshape(2, 3)}
    scope["zeros"] = lambda *shape, dtype="float64": np.zeros(shape, dtype)
    with pytest.raises(Exception) as caught:
        exec(compile(case["expression"], "expression", "exec"), scope)
    assert issubclass(public_type(caught.value), exception_type(case["raises"])), repr(caught.value)
