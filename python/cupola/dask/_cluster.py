"""A cluster on this machine: a scheduler, and a worker process for each device."""

from __future__ import annotations

import logging
from typing import Any

from distributed import Nanny, Scheduler, SpecCluster
from distributed.system import MEMORY_LIMIT

from cupola._cupola import Device
from cupola.dask import _dashboard
from cupola.dask._devices import environment_of, name_in_worker, parse_devices, parse_limit
from cupola.dask._worker import DevicePlugin


def worker_options(
    device: Device,
    device_memory_limit: Any,
    resources: dict[str, float] | None = None,
    env: dict[str, str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """What the nanny of a device's worker is made with."""
    parse_limit(device_memory_limit, device)  # here, where the caller sees what is wrong
    plugin = DevicePlugin(name_in_worker(device), device_memory_limit)
    return {
        **options,
        "resources": {str(device): 1, "device": 1, **(resources or {})},
        "env": {**environment_of(device), **(env or {})},
        "plugins": (plugin, *options.get("plugins", ())),
    }


class LocalCluster(SpecCluster):
    """A scheduler and one worker process per device of this machine.

    Parameters
    ----------
    devices : str, device or sequence of these
        "all": every device of the default platform; "cuda", "cpu": of that platform; or the
        devices themselves. A set ("cuda:0-1") is one worker, whose arrays lie over its members.
    threads_per_worker : int
        Each has a stream of its own.
    memory_limit : int, str or float, optional
        Host memory of each worker, by `distributed`'s rules. Default: an equal share.
    device_memory_limit : int, float or str, optional
        Of each worker: beyond it the least recently used arrays are moved to pinned host memory.
        Bytes, a text such as "10 GiB", a fraction, "auto" (0.8 of the device), or None: never.
    host : str
        The address to listen at.
    protocol : str
        "tcp", "tls", or "ucxx" where distributed-ucxx is installed.
    dashboard_address : str, optional
        Of Dask's dashboard, where /cupola shows the devices. None: no dashboard.
    resources : dict, optional
        Of each worker, besides {"<its device>": 1, "device": 1}.
    env : dict, optional
        Environment variables of the workers.
    asynchronous, name, silence_logs, security
        As in `distributed.LocalCluster`.
    scheduler_options : dict, optional
        Further arguments of `distributed.Scheduler`.
    **options
        Further arguments of `distributed.Nanny` and `Worker`.

    Raises
    ------
    cupola.errors.DeviceError
        For a device that does not exist; nothing is started then.
    ValueError
        For a limit that is none.

    Notes
    -----
    A task chooses a device by resources: `client.submit(f, resources={"cuda:1": 1})`. All GPUs are
    visible in each worker, its own as the first; no other is used.

    A worker that dies is started again, and Dask computes again what was lost with it. Elementwise
    results have the same bits on any number of workers; those of reductions depend on the chunks,
    as always with Dask, and not on the workers.

    Examples
    --------
    >>> from cupola.dask import LocalCluster
    >>> if __name__ == "__main__":
    ...     with LocalCluster(devices="all", dashboard_address=None) as cluster:
    ...         with cluster.get_client():
    ...             pass
    """

    def __init__(
        self,
        devices: Any = "all",
        *,
        threads_per_worker: int = 1,
        memory_limit: Any = None,
        device_memory_limit: Any = "auto",
        host: str = "127.0.0.1",
        protocol: str = "tcp",
        dashboard_address: str | None = ":8787",
        resources: dict[str, float] | None = None,
        env: dict[str, str] | None = None,
        asynchronous: bool = False,
        name: str | None = None,
        silence_logs: Any = logging.WARNING,
        security: Any = None,
        scheduler_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.devices = parse_devices(devices)
        common = {
            "host": host,
            "protocol": f"{protocol.removesuffix('://')}://",
            "security": security,
        }
        options = {
            **common,
            "nthreads": threads_per_worker,
            "memory_limit": memory_limit or MEMORY_LIMIT // len(self.devices),
            "silence_logs": silence_logs,
            "dashboard": False,
            **options,
        }
        specification = {
            str(device): {
                "cls": Nanny,
                "options": worker_options(device, device_memory_limit, resources, env, **options),
            }
            for device in self.devices
        }
        scheduler = {
            "cls": Scheduler,
            "options": {
                **common,
                "port": 0,
                "dashboard": dashboard_address is not None,
                "dashboard_address": dashboard_address,
                **(scheduler_options or {}),
            },
        }
        _dashboard.register()
        super().__init__(
            workers=specification,
            scheduler=scheduler,
            asynchronous=asynchronous,
            name=name,
            silence_logs=silence_logs,
            security=security,
        )

    def scale(self, *args: Any, **kwargs: Any) -> None:
        """There is one worker per device.

        Parameters
        ----------
        *args, **kwargs
            Of `distributed.SpecCluster.scale`.

        Raises
        ------
        NotImplementedError
            Always: other `devices` make another cluster.
        """
        del args, kwargs
        raise NotImplementedError(
            f"this cluster has a worker for each of {len(self.devices)} devices; to have others, "
            "start it with other `devices`, or add workers by `python -m cupola dask worker`"
        )
