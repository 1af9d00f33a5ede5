"""How long functions take on the host and on devices, and marks for profilers."""

from __future__ import annotations

import contextlib
import functools
import math
import operator
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Device, Event, get_elapsed_time
from cupola.cuda import nvtx, profiler

__all__ = ["PerfCaseResult", "benchmark", "profile", "time_range"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


class PerfCaseResult:
    """What `benchmark` measured; `str` gives means and spreads.

    Attributes
    ----------
    name : str
    cpu_times : numpy.ndarray
        Seconds of each call on the host, of shape (calls,).
    gpu_times : numpy.ndarray
        Seconds of its work on each device, of shape (devices, calls).

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx.profiler import benchmark
    >>> measured = benchmark(cp.ones, (10,), n_repeat=3, n_warmup=1)
    >>> measured.name, measured.cpu_times.shape
    ('ones', (3,))
    """

    def __init__(self, name: str, ts: np.ndarray, devices: Sequence[int]) -> None:
        self.name = name
        self._times = ts
        self._devices = tuple(devices)

    @property
    def cpu_times(self) -> np.ndarray:
        """Seconds of each call on the host, of shape (calls,)."""
        return self._times[0]

    @property
    def gpu_times(self) -> np.ndarray:
        """Seconds of the work of each call on each device, of shape (devices, calls)."""
        return self._times[1:]

    def _line(self, label: str, seconds: np.ndarray) -> str:
        micro = seconds * 1e6
        text = f"    {label}: {micro.mean():9.3f} us"
        if micro.size > 1:
            text += f"   +/- {micro.std():6.3f} (min: {micro.min():9.3f}"
            text += f" / max: {micro.max():9.3f}) us"
        return text

    def to_str(self, show_gpu: bool = False) -> str:
        """The host's times as text, and with `show_gpu` those of the devices.

        Parameters
        ----------
        show_gpu : bool, optional

        Returns
        -------
        str
            Means, spreads and extremes in microseconds.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.profiler import benchmark
        >>> print(benchmark(cp.ones, (10,), n_repeat=3).to_str())  # doctest: +ELLIPSIS
        ones ... CPU: ... us ...
        """
        lines = [self._line("CPU", self.cpu_times)]
        if show_gpu:
            for device, seconds in zip(self._devices, self.gpu_times, strict=True):
                lines.append(self._line(f"GPU-{device}", seconds))
        return f"{self.name:<20s}:" + " ".join(lines)

    def __str__(self) -> str:
        return self.to_str(show_gpu=True)

    def __repr__(self) -> str:
        return f"<PerfCaseResult {self}>"


def _wait_for(events: list[Event]) -> None:
    for event in events:
        event.synchronize()


def _record(events: list[Event], devices: list[Device]) -> None:
    for event, device in zip(events, devices, strict=True):
        event.record(_core.current_stream(device))


def _checked_number(name: str, value: Any) -> int:
    number = operator.index(value)
    if number < 0:
        raise ValueError(f"{name} must not be negative, but is {number}")
    return number


def benchmark(
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
    """Call a function many times, and measure each call on the host and on devices.

    Parameters
    ----------
    func : function
    args, kwargs
        What it is called with.
    n_repeat : int
        Measured calls.
    name : str, optional
        For the report. Default: the function's own.
    n_warmup : int
        Calls before those.
    max_duration : float
        Seconds after which no further call is made.
    devices : sequence of ints, optional
        The numbers of the devices that the function uses. Default: the current one.

    Returns
    -------
    PerfCaseResult

    Raises
    ------
    ValueError
        For a negative number, or args that are no tuple.
    TypeError
        For what cannot be called.

    Notes
    -----
    An array that a call returns is evaluated before the call's time ends, on the host and on the
    device: what is left pending would be measured by nobody.

    Examples
    --------
    >>> from cupola.cupyx.profiler import benchmark
    >>> result = benchmark(cp.sqrt, (cp.ones(10),), n_repeat=3, n_warmup=1)
    >>> result.cpu_times.shape, result.gpu_times.shape
    ((3,), (1, 3))
    """
    if not callable(func):
        raise TypeError("func should be a callable object.")
    if not isinstance(args, tuple):
        raise ValueError("args should be of tuple type.")
    named = dict(kwargs or {})
    repeats, warmups = _checked_number("n_repeat", n_repeat), _checked_number("n_warmup", n_warmup)
    label = name if name is not None else getattr(func, "__name__", type(func).__name__)
    numbers = [_core.current_device().id] if devices is None else list(devices)
    used = [Device(number) for number in numbers]
    starts, ends = _events(used), _events(used)
    for _ in range(warmups):
        _evaluate(func(*args, **named))
    _record(ends, used)
    _wait_for(ends)
    columns: list[list[float]] = []
    begin = time.perf_counter()
    for _ in range(repeats):
        _record(starts, used)
        first = time.perf_counter()
        _evaluate(func(*args, **named))
        host = time.perf_counter() - first
        _record(ends, used)
        _wait_for(ends)
        pairs = zip(starts, ends, strict=True)
        columns.append([host, *(get_elapsed_time(*pair) * 1e-3 for pair in pairs)])
        if time.perf_counter() - begin > max_duration:
            break
    times = np.array(columns, np.float64).reshape(len(columns), 1 + len(used)).T
    return PerfCaseResult(label, np.ascontiguousarray(times), numbers)


def _events(devices: list[Device]) -> list[Event]:
    events = []
    for device in devices:
        with device:
            events.append(Event())
    return events


def _evaluate(result: Any) -> None:
    arrays = result if isinstance(result, tuple | list) else (result,)
    _core.evaluate(*(each for each in arrays if isinstance(each, _core.ndarray)))


class time_range:  # noqa: N801
    """A range that NVIDIA's profilers show: a scope, or a decorator of functions.

    Parameters
    ----------
    message : str, optional
        Its name. Default, as a decorator: the function's.
    color_id : int, optional
        One of a few colours.
    argb_color : int, optional
        A colour; not with `color_id`.
    sync : bool
        Wait for the current device at both ends, so that the range has the device's work.

    Raises
    ------
    ValueError
        For both colours at once, or for a scope without a message.

    Examples
    --------
    >>> from cupola.cupyx.profiler import time_range
    >>> with time_range("sum", sync=True):
    ...     total = cp.arange(4).sum()
    """

    def __init__(
        self,
        message: str | None = None,
        color_id: int | None = None,
        argb_color: int | None = None,
        sync: bool = False,
    ) -> None:
        if color_id is not None and argb_color is not None:
            raise ValueError("Only either color_id or argb_color can be specified")
        self.message = message
        self.color_id = color_id
        self.argb_color = argb_color
        self.sync = sync

    def __enter__(self) -> time_range:
        if self.message is None:
            raise ValueError("when used as a context manager, the message argument cannot be None")
        self._wait()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._wait()
        nvtx.RangePop()

    def _wait(self) -> None:
        if self.sync:
            _core.current_device().synchronize()

    def __call__(self, func: _Function) -> _Function:
        message = func.__name__ if self.message is None else self.message

        @functools.wraps(func)
        def ranged(*args: Any, **kwargs: Any) -> Any:
            with time_range(message, self.color_id, self.argb_color, self.sync):
                return func(*args, **kwargs)

        return ranged  # type: ignore[return-value]


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """A scope that NVIDIA's profilers record where they wait for a program to start them.

    `cupola.profile` measures without such a tool.

    Yields
    ------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx.profiler import profile
    >>> with profile():
    ...     total = cp.arange(4).sum()
    """
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()
