"""Calls of the platform that fail on purpose (CUPOLA_ADVERSARY_FAIL).

Each must give an error that says so and leave all as it was: what is done again succeeds.
"""

import os
from collections.abc import Callable
from typing import Any

INJECTED = "CUPOLA_ADVERSARY_FAIL" in os.environ
TRIES = 40  # of what is done again


def is_injected(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, is such a failure."""
    if error is None:
        return False
    if isinstance(error, BaseExceptionGroup):
        return any(is_injected(each) for each in error.exceptions)
    return "injected fault" in str(error) or is_injected(error.__cause__ or error.__context__)


def until_not_injected(attempt: Callable[[], tuple[Any, Exception | None]]) -> Any:
    """The first outcome that is none of these failures."""
    for _ in range(TRIES if INJECTED else 1):
        outcome = attempt()
        if not is_injected(outcome[1]):
            break
    return outcome
