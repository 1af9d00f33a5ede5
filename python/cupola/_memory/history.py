"""What memory looks like now, and what happened to it."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device

__all__ = ["memory_snapshot", "memory_timeline", "record_memory_history"]

_live_at_start: dict[str, int] = {}


def _live_bytes() -> dict[str, int]:
    live: dict[str, int] = defaultdict(int)
    for device, _, _, _, _, blocks in _core.memory_segments():
        live[str(device)] += sum(size for _, size, is_live, _ in blocks if is_live)
    return live


def record_memory_history(
    enabled: bool | str | None = True, *, max_entries: int = 100_000, stacks: bool = True
) -> None:
    """Start or stop recording what the memory pools do.

    Parameters
    ----------
    enabled : bool
        False or None stops; what was recorded can still be read.
    max_entries : int
        The oldest entries are forgotten beyond so many.
    stacks : bool
        Each allocation remembers the Python call stack that asked for it.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        For `max_entries` below 1.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.record_memory_history()
    >>> cp.record_memory_history(False)
    """
    if not enabled:
        _core.stop_recording_memory()
        return
    if max_entries < 1:
        raise ValueError(f"max_entries must be positive, not {max_entries}")
    _live_at_start.clear()
    _live_at_start.update(_live_bytes())
    _core.start_recording_memory(max_entries, stacks)


def _block(address: int, size: int, is_live: bool, frames: list[Any]) -> dict[str, Any]:
    return {
        "address": address,
        "size": size,
        "requested_size": size if is_live else 0,
        "state": "active_allocated" if is_live else "inactive",
        "frames": frames,
    }


def _segment(row: tuple[Any, ...], numbers: dict[str, int]) -> dict[str, Any]:
    device, address, size, stream, is_small, blocks = row
    live = sum(block[1] for block in blocks if block[2])
    return {
        "device": numbers[str(device)],
        "address": address,
        "total_size": size,
        "allocated_size": live,
        "active_size": live,
        "requested_size": live,
        "stream": stream,
        "segment_type": "small" if is_small else "large",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "frames": [],
        "blocks": [_block(*block) for block in blocks],
    }


def _events(row: tuple[Any, ...]) -> list[dict[str, Any]]:
    """An event in the viewer's words: a free is asked for and done at once."""
    action, device, address, size, stream, time, _, frames = row
    event = {"addr": address, "size": size, "stream": stream, "time_us": time, "frames": frames}
    if action == "free":
        return [{"action": name, **event} for name in ("free_requested", "free_completed")]
    if action == "oom":
        event["device_free"] = device.mem_info[0]
    return [{"action": action, **event}]


def memory_snapshot() -> dict[str, Any]:
    """The state of the memory pools, and what was recorded.

    Returns
    -------
    dict
        In the form that PyTorch's memory viewer (https://pytorch.org/memory_viz) opens once it is
        pickled to a file: 'segments' with their blocks, and 'device_traces', a list for each
        device. 'device_names' says which device each number stands for.

    Examples
    --------
    >>> import pickle
    >>> cp.record_memory_history()
    >>> a = cp.ones(1000)
    >>> with open("snapshot.pickle", "wb") as file:
    ...     pickle.dump(cp.memory_snapshot(), file)
    >>> cp.record_memory_history(False)
    """
    segments = _core.memory_segments()
    events = _core.memory_events()
    names = sorted({str(row[0]) for row in segments} | {str(row[1]) for row in events})
    platform = _core.default_platform()
    names.sort(key=lambda name: (not name.startswith(platform), name.split(":")[0], _number(name)))
    numbers = {name: i for i, name in enumerate(names)}
    traces: list[list[dict[str, Any]]] = [[] for _ in names]
    for row in events:
        traces[numbers[str(row[1])]] += _events(row)
    return {
        "segments": [_segment(row, numbers) for row in segments],
        "device_traces": traces,
        "device_names": names,
        "allocator_settings": {},
        "external_annotations": [],
    }


def _number(name: str) -> int:
    return Device(name).id


def _series(device: str) -> tuple[list[float], list[float], list[float]]:
    """Seconds since the first event, and gibibytes of live blocks and of all that is held."""
    seconds: list[float] = []
    live: list[float] = []
    held: list[float] = []
    bytes_live = _live_at_start.get(device, 0)
    start = None
    for action, where, _, size, _, time, reserved, _ in _core.memory_events():
        start = time if start is None else start
        if str(where) != device:
            continue
        bytes_live += {"alloc": size, "free": -size}.get(action, 0)
        seconds.append((time - start) / 1e6)
        live.append(bytes_live / 2**30)
        held.append(reserved / 2**30)
    return seconds, live, held


def memory_timeline(path: str | os.PathLike[str], device: Any = None) -> None:
    """Draw the memory over time that `record_memory_history` recorded, as a PNG file.

    Parameters
    ----------
    path : str or path
    device : optional
        Default: every device with something recorded, one panel each.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        When nothing was recorded.
    ImportError
        Without matplotlib.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.record_memory_history()
    >>> a = cp.ones(1000)
    >>> cp.memory_timeline("memory.png")  # doctest: +SKIP
    >>> cp.record_memory_history(False)
    """
    events = _core.memory_events()
    names = sorted({str(row[1]) for row in events}, key=lambda name: (name[:3], _number(name)))
    if device is not None:
        wanted = str(_core.Device(device))
        names = [name for name in names if name == wanted]
    if not names:
        raise ValueError("nothing was recorded: call cupola.record_memory_history() first")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 1 + 3 * len(names)), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, name in zip(figure.subplots(len(names), squeeze=False)[:, 0], names, strict=True):
        seconds, live, held = _series(name)
        axes.step(seconds, held, where="post", label="held by the pools", color="tab:gray")
        axes.fill_between(seconds, live, step="post", label="live", alpha=0.6)
        axes.set(title=name, xlabel="seconds", ylabel="GiB", ylim=(0, None))
        axes.legend(loc="upper left")
    figure.savefig(path, format="png", dpi=120)
