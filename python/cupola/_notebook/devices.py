"""Devices, pools and memory as notebooks show them, and a view of them that goes on."""

from __future__ import annotations

import threading
from collections import defaultdict
from importlib import import_module
from typing import Any

from cupola import _cupola as _core
from cupola._notebook.html import COLOURS, Cell, Share, bar, facts, heading, note, page, table
from cupola._observation.load import DeviceLoad, Load, Rates, look, rates
from cupola._observation.quantities import bytes_text

_FREE = "rgba(128,128,128,.35)"
_MOST_PLACES = 20


def _memory_bar(device: DeviceLoad) -> str:
    parts = (
        ("arrays", device.live, COLOURS[0]),
        ("pools", device.cached, COLOURS[5]),
        ("others", device.others, COLOURS[1]),
        ("free", device.free, _FREE),
    )
    return bar(
        [Share(name, size, colour, f"{name}: {bytes_text(size)}") for name, size, colour in parts]
    )


def _device_html(device: DeviceLoad) -> str:
    values = (
        (device.device, device.name),
        ("arrays", bytes_text(device.live)),
        ("pools", bytes_text(device.cached)),
        ("others", bytes_text(device.others)),
        ("free", f"{bytes_text(device.free)} of {bytes_text(device.total)}"),
        ("streams", f"{device.streams}, {device.busy_streams} busy"),
    )
    return facts(values) + _memory_bar(device)


def _traffic_html(load: Load, rate: Rates) -> str:
    return facts(
        (
            ("kernels", f"{rate.kernels:,.0f}/s, {bytes_text(rate.kernel_bytes)}/s"),
            ("to devices", f"{bytes_text(rate.to_device)}/s"),
            ("to the host", f"{bytes_text(rate.to_host)}/s"),
            ("between devices", f"{bytes_text(rate.between_devices)}/s"),
            ("in flight", bytes_text(load.in_flight)),
        )
    )


def devices_html(load: Load, before: Load | None = None) -> str:
    """Memory and streams of each device; what happened since `before`, where that is given."""
    traffic = _traffic_html(load, rates(before, load)) if before else ""
    return page(*map(_device_html, load.devices), traffic)


class DeviceView:
    """Devices, looked at when it is shown."""

    def _repr_html_(self) -> str:
        return devices_html(look())

    def __repr__(self) -> str:
        lines = [
            f"{device.device}: {bytes_text(device.live)} of arrays, {bytes_text(device.cached)} in "
            f"pools, {bytes_text(device.free)} free of {bytes_text(device.total)}; "
            f"{device.streams} streams, {device.busy_streams} busy"
            for device in look().devices
        ]
        return "\n".join(lines)


class LiveView:
    """Shows the devices in an output of a notebook, anew every `interval` seconds.

    Parameters
    ----------
    interval : float
        Seconds.

    Notes
    -----
    With ipywidgets it is a widget with a button that stops it; else the output is replaced. It ends
    with `stop()`, and with the process.
    """

    def __init__(self, interval: float = 1.0) -> None:
        if not interval > 0:
            raise ValueError(f"interval must be positive, not {interval}")
        self._interval = interval
        self._stop = threading.Event()
        self._before: Load | None = None
        self._thread: threading.Thread | None = None
        self._widget: Any = None
        self._handle: Any = None

    def show(self) -> LiveView:
        """Display it, and begin."""
        from IPython.display import HTML, display

        _core.start_traffic_meter()
        try:
            widgets: Any = import_module("ipywidgets")
        except ImportError:
            self._handle = display(HTML(self._text()), display_id=True)
        else:
            self._widget = widgets.HTML(self._text())
            button = widgets.Button(description="stop")
            button.on_click(lambda _: self.stop(wait=False))
            display(widgets.VBox([self._widget, button]))
        self._thread = threading.Thread(target=self._run, name="cupola-live", daemon=True)
        self._thread.start()
        return self

    def stop(self, wait: bool = True) -> None:
        """End it; what it showed last stays."""
        if self._stop.is_set() or self._thread is None:
            return
        self._stop.set()
        _core.stop_traffic_meter()
        if wait:
            self._thread.join()

    def _text(self) -> str:
        now = look()
        text = devices_html(now, self._before or now)
        self._before = now
        return text

    def _run(self) -> None:
        from IPython.display import HTML

        while not self._stop.wait(self._interval):
            if self._widget is not None:
                self._widget.value = self._text()
            else:
                self._handle.update(HTML(self._text()))


def is_snapshot(value: Any) -> bool:
    """Whether it is what `memory_snapshot` gives."""
    return {"segments", "device_traces", "device_names"} <= value.keys()


def _line_of(block: dict[str, Any]) -> str:
    frames = block["frames"]
    if not frames:
        return "no line known"
    return f"{frames[0]['filename'].rpartition('/')[2]}:{frames[0]['line']} ({frames[0]['name']})"


def _holders(segments: list[dict[str, Any]]) -> str:
    held: dict[str, list[int]] = defaultdict(list)
    for segment in segments:
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                held[_line_of(block)].append(block["size"])
    order = sorted(held.items(), key=lambda item: -sum(item[1]))[:_MOST_PLACES]
    rows = [
        [Cell(bytes_text(sum(sizes)), sum(sizes)), Cell(str(len(sizes)), len(sizes)), Cell(line)]
        for line, sizes in order
    ]
    if not rows or set(held) == {"no line known"}:
        return note("record_memory_history() before the arrays are made tells their lines")
    return heading("who holds most") + table(("bytes", "blocks", "line"), rows)


def snapshot_html(snapshot: dict[str, Any]) -> str:
    """Pools by device, each segment with its blocks, and the lines that hold most."""
    parts = []
    for number, name in enumerate(snapshot["device_names"]):
        segments = [each for each in snapshot["segments"] if each["device"] == number]
        total = sum(each["total_size"] for each in segments)
        live = sum(each["allocated_size"] for each in segments)
        values = (
            (name, f"{len(segments)} segments"),
            ("held", bytes_text(total)),
            ("live", bytes_text(live)),
            ("recorded events", len(snapshot["device_traces"][number])),
        )
        parts.append(facts(values))
        for segment in sorted(segments, key=lambda each: -each["total_size"])[:_MOST_PLACES]:
            shares = [
                Share(
                    "",
                    block["size"],
                    COLOURS[0] if block["state"] == "active_allocated" else _FREE,
                    f"{bytes_text(block['size'])} {block['state']}, {_line_of(block)}",
                )
                for block in segment["blocks"]
            ]
            parts.append(bar(shares))
    return page(*parts, _holders(snapshot["segments"]))
