"""Worker processes with one device each."""

from __future__ import annotations

import multiprocessing.pool as std_pool
from collections.abc import Callable, Iterable
from typing import Any

from cupola.multiprocessing._context import default_context
from cupola.multiprocessing._placing import Devices, devices_from, placing

__all__ = ["Pool"]


class Pool(std_pool.Pool):
    """The standard library's pool of workers, with devices.

    Parameters
    ----------
    processes : int, optional
        Workers; by default one for each of `devices`, or for each processor without these.
    initializer, initargs, maxtasksperchild, context
        As in `multiprocessing.Pool`.
    devices : sequence of devices or "all", optional
        Each worker begins on one of them: the one on which the fewest workers are. A worker that
        takes the place of another one gets its device.
    isolated : bool, optional
        Workers see no CUDA device but their own.

    Raises
    ------
    DeviceError
        For a device that is not there.

    Notes
    -----
    Arguments are pickled when they are handed to the workers, which may be after the call.

    Examples
    --------
    >>> import math
    >>> from cupola import multiprocessing as mp
    >>> with mp.Pool(devices=["cpu:0"]) as pool:
    ...     pool.map(math.sqrt, [4.0, 9.0])
    [2.0, 3.0]
    """

    _state = "INIT"  # for the finalizer, should the arguments be refused

    def __init__(
        self,
        processes: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        maxtasksperchild: int | None = None,
        context: Any = None,
        *,
        devices: Devices = None,
        isolated: bool = False,
    ) -> None:
        chosen = devices_from(devices)
        if processes is None and chosen:
            processes = len(chosen)
        context = placing(context or default_context.get_context(), chosen, isolated)
        super().__init__(processes, initializer, initargs, maxtasksperchild, context)

    def _setup_queues(self) -> None:
        context: Any = self._ctx  # type: ignore[attr-defined]
        self._inqueue = context.SimpleQueue()
        self._outqueue = context.SimpleQueue()
        # Tasks go through the queue that knows its arrays; one thread writes.
        self._quick_put = self._inqueue.put
        self._quick_get = self._outqueue._reader.recv
