"""Dask over these arrays: chunks on devices, messages without copies, one worker per device.

`dask.array.from_array(a, chunks=..., asarray=False)` divides an array that is there;
`map_blocks(cupola.asarray)` and the backend "cupola" make chunks where they are computed:

    with dask.config.set({"array.backend": "cupola"}):
        x = dask.array.ones((10_000, 10_000))

`LocalCluster` starts a worker for each device, `python -m cupola dask worker` does so for a
scheduler that runs elsewhere, and `DevicePlugin` makes a worker that others started one of these.

Nothing here needs to be imported for the chunks and the messages: whichever of the libraries comes
second tells Dask about the other. `import cupola` does not import Dask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cupola.dask._backend import Backend
    from cupola.dask._cluster import LocalCluster
    from cupola.dask._worker import DevicePlugin

__all__ = ["Backend", "DevicePlugin", "LocalCluster"]

_MODULE_OF = {"Backend": "_backend", "DevicePlugin": "_worker", "LocalCluster": "_cluster"}

if not TYPE_CHECKING:  # which would allow every name

    def __getattr__(name: str) -> Any:
        """A cluster needs `distributed`; chunks need `dask.array` only."""
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
