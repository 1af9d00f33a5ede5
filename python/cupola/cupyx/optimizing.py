"""CuPy's search for launch parameters, of which there is nothing to choose here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = ["optimize"]

_CONFIGURATION = {
    "optimize_impl",
    "max_trials",
    "timeout",
    "expected_total_time_per_trial",
    "ignore_error",
}


@contextlib.contextmanager
def optimize(
    *, key: str | None = None, path: str | None = None, readonly: bool = False, **config: Any
) -> Iterator[None]:
    """A scope in which CuPy tries launch parameters of its kernels.

    The shapes of launches follow from the kernel and the device here, so that nothing is tried, and
    no file is read or written.

    Parameters
    ----------
    key, path : str, optional
    readonly : bool, optional
    **config
        optimize_impl, max_trials, timeout, expected_total_time_per_trial and ignore_error. None of
        them has a meaning here.

    Yields
    ------
    None

    Raises
    ------
    TypeError
        For an unknown keyword.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx.optimizing import optimize
    >>> with optimize():
    ...     total = cp.arange(4).sum()
    """
    unknown = sorted(set(config) - _CONFIGURATION)
    if unknown:
        raise TypeError(f"optimize() has no keyword {unknown[0]!r}")
    yield
