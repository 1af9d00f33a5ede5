"""What makes a Dask worker one of a device: its current device, its memory, its metrics."""

from __future__ import annotations

from typing import Any

from distributed import Worker, WorkerPlugin

import cupola
from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._memory.choice import get_allocator, set_allocator
from cupola._memory.pools import MemoryPool, StripedMemoryPool
from cupola.dask._devices import known_device, parse_limit
from cupola.dask._serialization import check_version
from cupola.dask._shared import set_room


class DevicePlugin(WorkerPlugin):
    """Makes a worker of `distributed` one that uses a device, within a limit of its memory.

    Parameters
    ----------
    device : device, optional
        The current device of all threads of the worker. Default: that of the process, which in
        clusters of dask-cuda is the first of CUDA_VISIBLE_DEVICES.
    device_memory_limit : int, float or str, optional
        Bytes ("10 GiB"), or a fraction of the device's memory, beyond which the least recently
        used arrays are moved to pinned host memory; "auto": 0.8 of it; None or 0: arrays are not
        moved.

    Raises
    ------
    cupola.errors.DeviceError
        On the worker, where the device does not exist.
    VersionError
        On the worker, if its cupola is of another version.

    Examples
    --------
    >>> from cupola.dask import DevicePlugin
    >>> plugin = DevicePlugin(device_memory_limit="2 GiB")
    >>> # client.register_plugin(plugin) for the workers of a cluster that others started
    """

    name = "cupola-device"

    def __init__(self, device: Any = None, device_memory_limit: Any = "auto") -> None:
        self.device = None if device is None else str(device)
        self.device_memory_limit = device_memory_limit
        self.version = cupola.__version__
        self._pool: MemoryPool | None = None
        self._before: Any = None
        self._place: Device | None = None

    def setup(self, worker: Worker) -> None:
        """Called on the worker, before it runs any task.

        Parameters
        ----------
        worker : distributed.Worker

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from cupola.dask import DevicePlugin
        >>> worker = SimpleNamespace(metrics={})  # in the place of a distributed.Worker
        >>> plugin = DevicePlugin(device_memory_limit=None)
        >>> plugin.setup(worker)
        >>> sorted(worker.metrics)
        ['device', 'device memory', 'device memory limit', 'spilled now', 'spills']
        >>> plugin.teardown(worker)
        """
        check_version(self.version, "the client or cluster")
        place = _core.default_device() if self.device is None else known_device(self.device)
        if self.device is not None:
            _core.set_default_device(place)
            place.use()
        self._place = place
        self._before = get_allocator()
        self._limit(place)
        worker.metrics.update(
            {
                "device": lambda _: str(place),
                "device memory": lambda _: self.used_bytes(),
                "device memory limit": lambda _: self.limit(),
                "spilled now": lambda _: self.spilled_bytes(),
                "spills": lambda _: self.spills(),
            }
        )

    def _limit(self, place: Device) -> None:
        limit = parse_limit(self.device_memory_limit, place)
        set_room(place, limit)
        if limit == 0:
            return
        pool = StripedMemoryPool(spill=True) if place.is_set else MemoryPool(spill=True)
        set_allocator(pool.malloc)
        with place:
            pool.set_limit(limit)
        self._pool = pool

    def teardown(self, worker: Worker) -> None:
        """Called on the worker, when it closes or the plugin is taken away.

        Parameters
        ----------
        worker : distributed.Worker

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from cupola.dask import DevicePlugin
        >>> worker = SimpleNamespace(metrics={})  # in the place of a distributed.Worker
        >>> plugin = DevicePlugin(device_memory_limit=None)
        >>> plugin.setup(worker)
        >>> plugin.teardown(worker)
        >>> worker.metrics
        {}
        """
        if self._pool is not None:
            set_allocator(self._before)
            self._pool = None
        if self._place is not None:
            set_room(self._place, 0)
        for name in ("device", "device memory", "device memory limit", "spilled now", "spills"):
            worker.metrics.pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None, "_before": None, "_place": None}

    # -- metrics: numbers of the worker's own device

    def _of_pool(self, ask: str) -> int:
        pool, place = self._pool, self._place
        if pool is None or place is None:
            return 0
        with place:
            return int(getattr(pool, ask)())

    def used_bytes(self) -> int:
        """Bytes of the device that arrays have.

        Returns
        -------
        int

        Examples
        --------
        >>> from cupola.dask import DevicePlugin
        >>> DevicePlugin().used_bytes()  # of no worker yet
        0
        """
        if self._pool is not None or self._place is None:
            return self._of_pool("used_bytes")
        with self._place:
            return int(cupola.get_default_memory_pool().used_bytes())

    def limit(self) -> int:
        """Bytes beyond which arrays are moved; 0: they are not.

        Returns
        -------
        int

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> from cupola.dask import DevicePlugin
        >>> worker = SimpleNamespace(metrics={})  # in the place of a distributed.Worker
        >>> plugin = DevicePlugin(device_memory_limit="64 MiB")
        >>> plugin.setup(worker)
        >>> plugin.limit()
        67108864
        >>> plugin.teardown(worker)
        """
        return self._of_pool("get_limit")

    def spilled_bytes(self) -> int:
        """Bytes of arrays that are on the host now.

        Returns
        -------
        int

        Examples
        --------
        >>> from cupola.dask import DevicePlugin
        >>> DevicePlugin().spilled_bytes()  # of no worker yet
        0
        """
        return self._of_pool("spilled_bytes")

    def spills(self) -> int:
        """How often an array was moved to the host.

        Returns
        -------
        int

        Examples
        --------
        >>> from cupola.dask import DevicePlugin
        >>> DevicePlugin().spills()  # of no worker yet
        0
        """
        if self._pool is None or self._place is None:
            return 0
        with self._place:
            return int(self._pool.spill_counts().arrays_out)
