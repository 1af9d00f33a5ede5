"""Events of a profile, summed by their names or by the lines of the program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cupola._observation.quantities import bytes_text, duration_text

Event = dict[str, Any]

TRANSFERS = ("to_device", "to_host", "between_devices")
_SECTIONS = (
    ("kernels, on the device", ("kernel",)),
    ("transfers, on the device", TRANSFERS),
    ("waits of the host", ("wait",)),
)


def place_text(event: Event) -> str:
    """'file.py:12', or nothing."""
    place = event["place"]
    return f"{place[0]}:{place[1]}" if place else ""


def span(event: Event) -> tuple[int, int]:
    """When it began and ended: on the device where that is known, else on the host."""
    side = "device" if event["device_start"] >= 0 else "host"
    return int(event[f"{side}_start"]), int(event[f"{side}_end"])


@dataclass(frozen=True)
class Group:
    """Events of one name."""

    name: str
    count: int
    seconds: float
    bytes: int
    place: str  # of most of them

    @property
    def gigabytes_per_second(self) -> float | None:
        """None where nothing is moved, or no time is known."""
        return self.bytes / self.seconds / 1e9 if self.bytes and self.seconds else None


def _group(name: str, events: list[Event]) -> Group:
    nanoseconds = sum(end - start for start, end in map(span, events))
    moved = sum(event["bytes_read"] + event["bytes_written"] for event in events)
    places = [place_text(event) for event in events]
    return Group(name, len(events), nanoseconds / 1e9, moved, max(set(places), key=places.count))


def groups_of(events: Iterable[Event]) -> list[Group]:
    """By their names, the longest first."""
    named: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        named[event["name"]].append(event)
    groups = [_group(name, of_name) for name, of_name in named.items()]
    return sorted(groups, key=lambda group: -group.seconds)


def sections(events: list[Event]) -> Iterator[tuple[str, list[Group]]]:
    """Kernels, transfers and waits, each with a title, where there are any."""
    for title, kinds in _SECTIONS:
        groups = groups_of(event for event in events if event["kind"] in kinds)
        if groups:
            yield title, groups


def text_of(title: str, groups: list[Group]) -> list[str]:
    """A table."""
    lines = [f"{title}:", f"  {'time':>9}{'count':>8}{'bytes':>10}{'GB/s':>8}  name"]
    for group in groups:
        speed = group.gigabytes_per_second
        lines.append(
            f"  {duration_text(group.seconds):>9}{group.count:>8}"
            f"{bytes_text(group.bytes) if group.bytes else '':>10}"
            f"{'' if speed is None else f'{speed:.1f}':>8}  {group.name}"
            f"{f'  {group.place}' if group.place else ''}"
        )
    return lines


@dataclass(frozen=True)
class Line:
    """What one line of the program caused."""

    file: str  # '' for what no line is known of
    number: int
    kernels: list[Group]
    transfers: list[Group]
    waits: list[Group]

    @property
    def seconds(self) -> float:
        """Of kernels and transfers on the device; waits of the host are while these run."""
        return sum(group.seconds for group in self.kernels + self.transfers)


def lines_of(events: Iterable[Event]) -> list[Line]:
    """By file and line."""
    placed: dict[tuple[str, int], list[Event]] = defaultdict(list)
    for event in events:
        place = event["place"] or ("", 0, "")
        placed[place[0], place[1]].append(event)
    lines = []
    for (file, number), of_line in sorted(placed.items()):
        parts = [groups_of(e for e in of_line if e["kind"] in kinds) for _, kinds in _SECTIONS]
        if any(parts):
            lines.append(Line(file, number, *parts))
    return lines
