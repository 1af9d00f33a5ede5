"""What CuPy programs of before `cupyx.profiler` import as `cupy.prof`."""

from __future__ import annotations

from cupola.cupyx.profiler import time_range

__all__ = ["TimeRangeDecorator", "time_range"]


class TimeRangeDecorator(time_range):
    """A decorator of functions whose calls are ranges in NVIDIA's profilers.

    Parameters
    ----------
    message : str, optional
        Name of the range; default: that of the function.
    color_id : int, optional
        Number of a colour.
    argb_color : int, optional
        The colour itself.
    sync : bool
        Whether the range ends when the device has done the work.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.prof import TimeRangeDecorator
    >>> @TimeRangeDecorator("doubling")
    ... def doubled(x):
    ...     return x * 2
    >>> doubled(cp.arange(3))
    array([0, 2, 4])
    """
