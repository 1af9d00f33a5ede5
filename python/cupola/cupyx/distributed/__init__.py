"""Collective communication of processes that have an array each: CuPy's `cupyx.distributed`.
Its module `array` has arrays of one process whose chunks lie on several devices.

On CUDA devices the processes, one for each device, communicate through NCCL. On the CPU platform
they communicate through sockets, so that a distributed program runs and is tested without a GPU.

The processes find each other at the address of rank 0. Each proves to the other that it has the
same key: CUPYX_DISTRIBUTED_KEY, else a file that only the user can read in the user's cache folder.
Messages are bytes of arrays, never pickled objects. They are not encrypted: use a network that is
trusted. A process that ends or leaves makes the others raise `RuntimeError` at once; to wait for
processes that have not joined takes CUPYX_DISTRIBUTED_TIMEOUT seconds (300).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cupola.cupyx.distributed._backend import NCCLBackend

if TYPE_CHECKING:
    from cupola.cupyx.distributed import array as array

__all__ = ["NCCLBackend", "array", "init_process_group"]

_DEFAULT_HOST = "127.0.0.1"
_DEFAULT_PORT = 13333


def init_process_group(
    n_devices: int,
    rank: int,
    *,
    backend: str = "nccl",
    host: str | None = None,
    port: int | None = None,
    use_mpi: bool = False,
) -> NCCLBackend:
    """Join this process to a group of `n_devices` processes; returns when all have joined.

    Parameters
    ----------
    n_devices : int
        Number of processes, each with a device: its current one.
    rank : int
        Number of this process, from 0 to n_devices - 1.
    backend : str
        "nccl": NCCL on CUDA devices, sockets on the CPU platform.
    host : str, optional
        Address of the process of rank 0; else CUPYX_DISTRIBUTED_HOST, else 127.0.0.1.
    port : int, optional
        Its port; else CUPYX_DISTRIBUTED_PORT, else 13333.
    use_mpi : bool
        Find the other processes through mpi4py instead.

    Returns
    -------
    NCCLBackend

    Raises
    ------
    ValueError
        For another backend, a rank out of range or a port that is none.
    RuntimeError
        When a process does not join in time, has another key, another number of processes or a
        rank that is taken; on CUDA devices without NCCL.

    Examples
    --------
    >>> from cupola.cupyx.distributed import init_process_group
    >>> comm = init_process_group(1, 0)
    >>> a = cp.arange(3.0)
    >>> comm.all_reduce(a, a)
    >>> a
    array([0., 1., 2.])
    >>> comm.stop()
    """
    if backend != "nccl":
        raise ValueError(f"{backend!r} is not supported, backend must be 'nccl'")
    if host is None:
        host = os.environ.get("CUPYX_DISTRIBUTED_HOST", _DEFAULT_HOST)
    if port is None:
        port = _port_of_environment()
    return NCCLBackend(n_devices, rank, host, port, use_mpi)


def _port_of_environment() -> int:
    text = os.environ.get("CUPYX_DISTRIBUTED_PORT", str(_DEFAULT_PORT))
    if not text.isdecimal():
        raise ValueError(f"CUPYX_DISTRIBUTED_PORT must be a port number, not {text!r}")
    return int(text)


if not TYPE_CHECKING:  # which would allow every name

    def __getattr__(name: str) -> Any:
        if name == "array":
            from importlib import import_module

            return import_module("cupola.cupyx.distributed.array")
        from cupola._cupy.differences import absence

        raise AttributeError(absence("cupyx.distributed", name))
