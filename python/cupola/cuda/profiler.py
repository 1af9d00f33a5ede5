"""Starts and stops NVIDIA's profilers where they wait for it; on the CPU there are none."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola.cuda import _driver_calls as _driver

__all__ = ["start", "stop"]


def _call(name: str) -> None:
    """A function of CUDA's driver, in the context of the current device."""
    if _core.current_device().platform != "cuda":
        return
    with _driver.primary_context():
        _driver.call(name)


def start() -> None:
    """Let a profiler record from here; on the CPU it does nothing.

    See Also
    --------
    cupola.cupyx.profiler.profile : The same for a `with` block.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.profiler.start()
    >>> total = cp.arange(4).sum()
    >>> cp.cuda.profiler.stop()
    """
    _call("cuProfilerStart")


def stop() -> None:
    """Let a profiler stop; on the CPU it does nothing.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.profiler.start()
    >>> cp.cuda.profiler.stop()
    """
    _call("cuProfilerStop")
