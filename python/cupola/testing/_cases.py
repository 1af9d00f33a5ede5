"""Tests that are called once for each of several cases."""

from __future__ import annotations

import functools
import inspect
import sys
import unittest
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

Test = Callable[..., Any]
Decorator = Callable[[Test], Test]


def _skipped() -> tuple[type[BaseException], ...]:
    """What unittest and pytest raise for a test that is skipped: the next case runs."""
    pytest = sys.modules.get("pytest")
    return (unittest.SkipTest,) if pytest is None else (unittest.SkipTest, pytest.skip.Exception)


def for_each(cases: Iterable[Mapping[str, Any]]) -> Decorator:
    """Call the test with the keywords of each case; what fails says with which."""
    known = list(cases)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> None:
            for case in known:
                try:
                    test(*args, **{**kwargs, **case})
                except _skipped():
                    continue
                except Exception as error:
                    error.add_note(f"with {_text(case)}")
                    raise

        # pytest reads the signature, and would look for fixtures of the names that cases give.
        return without(run, test, set().union(*known) if known else set())

    return decorate


def without(run: Test, test: Test, names: set[str]) -> Test:
    signature = inspect.signature(test)
    kept = [each for name, each in signature.parameters.items() if name not in names]
    run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return run


def _text(case: Mapping[str, Any]) -> str:
    def value(each: Any) -> str:
        return np.dtype(each).name if isinstance(each, type) else repr(each)

    return ", ".join(f"{name}={value(each)}" for name, each in case.items())
