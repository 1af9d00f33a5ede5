"""The events of a profile over time, as SVG: a track for each thread and each stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cupola._notebook.html import COLOURS, escaped
from cupola._observation.profile_groups import place_text, span
from cupola._observation.quantities import bytes_text, duration_text

Event = dict[str, Any]

_WIDTH = 900.0
_LEFT = 150.0  # of the tracks: names stand before it
_TRACK = 22.0
_TOP = 20.0  # of the first track: times stand above it
_MOST_BOXES = 3000
_COLOUR_OF = {
    "kernel": COLOURS[0],
    "to_device": COLOURS[1],
    "to_host": COLOURS[2],
    "between_devices": COLOURS[3],
    "wait": COLOURS[4],
}
_WORDS = {
    "kernel": "kernel",
    "to_device": "copy to a device",
    "to_host": "copy to the host",
    "between_devices": "copy between devices",
    "wait": "the host waits",
}


def _track(event: Event) -> str:
    if event["kind"] == "wait":
        return f"host, thread {event['thread']}"
    if event["device_start"] < 0:
        return f"{event['device']}, time unknown"
    return f"{event['device']}, stream {event['stream']}"


def _shown(events: Sequence[Event]) -> list[Event]:
    """The longest ones, where there are more than a page can show."""
    timed = [event for event in events if event["kind"] in _COLOUR_OF]
    if len(timed) <= _MOST_BOXES:
        return timed
    longest = sorted(timed, key=lambda event: span(event)[0] - span(event)[1])
    return longest[:_MOST_BOXES]


class _Scale:
    """Nanoseconds to places."""

    def __init__(self, events: Sequence[Event]) -> None:
        spans = [span(event) for event in events]
        self.start = min(start for start, _ in spans)
        self.length = max(max(end for _, end in spans) - self.start, 1)

    def x(self, time: float) -> float:
        return _LEFT + (_WIDTH - _LEFT) * (time - self.start) / self.length

    def ticks(self) -> list[float]:
        """Some round times."""
        step = 1.0
        while self.length / step > 8:
            for factor in (2, 2.5, 2):
                step *= factor
                if self.length / step <= 8:
                    break
        return [i * step for i in range(int(self.length / step) + 1)]


def _box(event: Event, scale: _Scale, y: float) -> str:
    start, end = span(event)
    x = scale.x(start)
    width = max(scale.x(end) - x, 0.8)
    moved = event["bytes_read"] + event["bytes_written"]
    lines = [f"{_WORDS[event['kind']]}: {event['name']}", duration_text((end - start) / 1e9)]
    if moved:
        lines.append(bytes_text(moved))
    if event["place"]:
        lines.append(place_text(event))
    title = escaped("\n".join(lines))
    return (
        f'<rect x="{x:.2f}" y="{y:.1f}" width="{width:.2f}" height="{_TRACK - 6:.0f}" '
        f'fill="{_COLOUR_OF[event["kind"]]}"><title>{title}</title></rect>'
    )


def _axis(scale: _Scale, height: float) -> str:
    parts = []
    for tick in scale.ticks():
        x = scale.x(scale.start + tick)
        if x > _WIDTH - 20:
            continue
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 4}" y2="{height}" '
            f'stroke="currentColor" stroke-opacity="0.2"/>'
            f'<text x="{x + 3:.1f}" y="{_TOP - 8}" font-size="10">'
            f"{escaped(duration_text(tick / 1e9) if tick else '0')}</text>"
        )
    return "".join(parts)


def _legend(events: Sequence[Event], y: float) -> str:
    parts = []
    x = _LEFT
    kinds = {event["kind"] for event in events}
    for kind in (kind for kind in _COLOUR_OF if kind in kinds):
        parts.append(
            f'<rect x="{x}" y="{y}" width="10" height="10" fill="{_COLOUR_OF[kind]}"/>'
            f'<text x="{x + 14}" y="{y + 9}" font-size="10">{escaped(_WORDS[kind])}</text>'
        )
        x += 40 + 6 * len(_WORDS[kind])
    return "".join(parts)


def timeline_svg(events: Sequence[Event]) -> str:
    """The element; '' where nothing has a time."""
    shown = _shown(events)
    if not shown:
        return ""
    scale = _Scale(shown)
    names = sorted({_track(event) for event in shown}, key=lambda name: (name[:4] != "host", name))
    place = {name: _TOP + i * _TRACK for i, name in enumerate(names)}
    bottom = _TOP + len(names) * _TRACK
    labels = "".join(
        f'<text x="0" y="{y + 13:.1f}" font-size="11">{escaped(name)}</text>'
        for name, y in place.items()
    )
    boxes = "".join(_box(event, scale, place[_track(event)] + 2) for event in shown)
    height = bottom + 22
    return (
        f'<svg viewBox="0 0 {_WIDTH:.0f} {height:.0f}" width="{_WIDTH:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="timeline">'
        f"{_axis(scale, bottom)}{labels}{boxes}{_legend(shown, bottom + 6)}</svg>"
    )
