"""The older name of `cupyx.profiler.benchmark`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cupola.cupyx.profiler import PerfCaseResult, benchmark

__all__ = ["repeat"]


def repeat(
    func: Callable[..., Any],
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = math.inf,
    devices: Sequence[int] | None = None,
) -> PerfCaseResult:
    """`cupyx.profiler.benchmark`, with a DeprecationWarning.

    Parameters
    ----------
    func, args, kwargs, n_repeat, name, n_warmup, max_duration, devices
        Of `benchmark`.

    Returns
    -------
    PerfCaseResult

    Raises
    ------
    ValueError, TypeError
        As `benchmark` raises them.

    See Also
    --------
    cupola.cupyx.profiler.benchmark : The name to use.

    Examples
    --------
    >>> import warnings
    >>> import cupola as cp
    >>> from cupola.cupyx.time import repeat
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     result = repeat(cp.sqrt, (cp.ones(10),), n_repeat=3, n_warmup=1)
    >>> result.cpu_times.shape
    (3,)
    """
    warnings.warn(
        "cupyx.time.repeat is deprecated; use cupyx.profiler.benchmark",
        DeprecationWarning,
        stacklevel=2,
    )
    return benchmark(
        func,
        args,
        kwargs,
        n_repeat,
        name=name,
        n_warmup=n_warmup,
        max_duration=max_duration,
        devices=devices,
    )
