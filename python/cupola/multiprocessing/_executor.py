"""Futures of calls in processes with one device each."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from cupola.multiprocessing._context import default_context
from cupola.multiprocessing._messages import Message
from cupola.multiprocessing._placing import Devices, devices_from, placing

__all__ = ["ProcessPoolExecutor"]

T = TypeVar("T")


def _call(message: tuple[Callable[..., T], tuple[Any, ...], dict[str, Any]]) -> T:
    function, args, kwargs = message
    return function(*args, **kwargs)


class ProcessPoolExecutor(concurrent.futures.ProcessPoolExecutor):
    """The standard library's executor, with devices.

    Parameters
    ----------
    max_workers : int, optional
        Workers; by default one for each of `devices`, or for each processor without these.
    mp_context : context, optional
        One of `cupola.multiprocessing.get_context`.
    initializer, initargs, max_tasks_per_child
        As in `concurrent.futures.ProcessPoolExecutor`.
    devices : sequence of devices or "all", optional
        Each worker begins on one of them: the one on which the fewest workers are.
    isolated : bool, optional
        Workers see no CUDA device but their own.

    Raises
    ------
    DeviceError
        For a device that is not there.

    Notes
    -----
    Arguments are pickled at the call.

    Examples
    --------
    >>> import math
    >>> from cupola.multiprocessing import ProcessPoolExecutor
    >>> with ProcessPoolExecutor(devices=["cpu:0"]) as executor:
    ...     executor.submit(math.sqrt, 4.0).result()
    2.0
    """

    def __init__(
        self,
        max_workers: int | None = None,
        mp_context: Any = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        *,
        max_tasks_per_child: int | None = None,
        devices: Devices = None,
        isolated: bool = False,
    ) -> None:
        chosen = devices_from(devices)
        if max_workers is None and chosen:
            max_workers = len(chosen)
        context: Any = placing(mp_context or default_context.get_context(), chosen, isolated)
        super().__init__(
            max_workers,
            context,
            initializer,
            tuple(initargs),
            max_tasks_per_child=max_tasks_per_child,
        )

    def submit(
        self, fn: Callable[..., T], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[T]:
        """Schedule a call.

        Parameters
        ----------
        fn : function
        args, kwargs
            What it is called with; arrays in them are shared.

        Returns
        -------
        concurrent.futures.Future
            It has what the call returns or raises, or what pickling raises.

        Examples
        --------
        >>> import math
        >>> from cupola.multiprocessing import ProcessPoolExecutor
        >>> with ProcessPoolExecutor(devices=["cpu:0"]) as executor:
        ...     future = executor.submit(math.sqrt, 4.0)
        ...     future.result()
        2.0
        """
        channel: Any = self._call_queue._writer  # type: ignore[attr-defined]
        try:
            message: Any = Message((fn, args, kwargs), channel)
        except Exception as error:
            failed: concurrent.futures.Future[T] = concurrent.futures.Future()
            failed.set_exception(error)
            return failed
        return super().submit(_call, message)
