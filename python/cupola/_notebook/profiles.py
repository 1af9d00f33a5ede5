"""Profiles as notebooks show them: tables that sort, a timeline, and the lines of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cupola._notebook.html import Cell, facts, heading, note, page, table
from cupola._notebook.timeline import timeline_svg
from cupola._observation.profile_groups import Group, Line, lines_of, sections
from cupola._observation.quantities import bytes_text, duration_text

if TYPE_CHECKING:
    from cupola._observation.profile import profile

_MOST_NAMES = 4


def _short(place: str) -> str:
    """Without the folders of the file."""
    return place.rpartition("/")[2]


def _group_row(group: Group) -> list[Cell]:
    speed = group.gigabytes_per_second
    return [
        Cell(duration_text(group.seconds), group.seconds),
        Cell(str(group.count), group.count),
        Cell(bytes_text(group.bytes) if group.bytes else "", group.bytes),
        Cell("" if speed is None else f"{speed:.1f}", speed or 0.0),
        Cell(group.name),
        Cell(_short(group.place)),
    ]


def _head(recorded: profile) -> str:
    values = [("recorded", duration_text(recorded.duration)), ("events", len(recorded.events))]
    if recorded.forgotten:
        values.append(("older ones forgotten", recorded.forgotten))
    taken = [event["bytes_read"] for event in recorded.events if event["kind"] == "alloc"]
    values.append(("memory taken", f"{bytes_text(sum(taken))} in {len(taken)} blocks"))
    return facts(values)


def _tables(recorded: profile) -> str:
    columns = ("time", "count", "bytes", "GB/s", "name", "line")
    return "".join(
        heading(title) + table(columns, [_group_row(group) for group in groups])
        for title, groups in sections(recorded.events)
    )


def profile_html(recorded: profile) -> str:
    """What `profile._repr_html_` gives."""
    if not recorded.events:
        return page(note("nothing recorded"))
    return page(_head(recorded), _tables(recorded), timeline_svg(recorded.events))


def _names(groups: Sequence[Group]) -> str:
    texts = [f"{group.name} x{group.count}" if group.count > 1 else group.name for group in groups]
    if len(texts) > _MOST_NAMES:
        texts[_MOST_NAMES - 1 :] = [f"{len(texts) - _MOST_NAMES + 1} more"]
    return "; ".join(texts)


def _line_row(label: str, number: int, line: Line | None, source: str) -> list[Cell]:
    kernels, transfers, waits = (line.kernels, line.transfers, line.waits) if line else ([], [], [])
    count = sum(group.count for group in kernels)
    moved = sum(group.bytes for group in kernels + transfers)
    waited = sum(group.seconds for group in waits)
    seconds = line.seconds if line else 0.0
    return [
        Cell(label, number),
        Cell(duration_text(seconds) if seconds else "", seconds),
        Cell(str(count) if count else "", count),
        Cell(bytes_text(moved) if moved else "", moved),
        Cell(duration_text(waited) if waited else "", waited),
        Cell(source, style="cu-code"),
        Cell(_names([*kernels, *transfers])),
    ]


def lines_html(recorded: profile, file: str, source: str) -> str:
    """The profile of a cell, beside its lines.

    Parameters
    ----------
    recorded : profile
    file : str
        The name under which the cell was compiled.
    source : str
        Its text.
    """
    lines = lines_of(recorded.events)
    own = {line.number: line for line in lines if line.file == file}
    texts = source.rstrip("\n").split("\n")
    rows = [
        _line_row(str(number), number, own.get(number), text)
        for number, text in enumerate(texts, 1)
    ]
    for line in lines:
        if line.file == file:
            continue
        label = f"{_short(line.file)}:{line.number}" if line.file else "no line known"
        rows.append(_line_row(label, len(texts) + line.number, line, ""))
    columns = ("line", "time", "kernels", "bytes", "waited", "source", "operations")
    return page(
        _head(recorded), table(columns, rows), timeline_svg(recorded.events), _tables(recorded)
    )


def lines_text(recorded: profile, file: str, source: str) -> str:
    """The same for a terminal."""
    own = {line.number: line for line in lines_of(recorded.events) if line.file == file}
    texts = [f"{'time':>9}{'kernels':>9}{'waited':>9}"]
    for number, text in enumerate(source.rstrip("\n").split("\n"), 1):
        line = own.get(number)
        cells = [""] * 3
        if line:
            waited = sum(group.seconds for group in line.waits)
            count = sum(group.count for group in line.kernels)
            cells = [
                duration_text(line.seconds) if line.seconds else "",
                str(count) if count else "",
                duration_text(waited) if waited else "",
            ]
        texts.append("".join(f"{cell:>9}" for cell in cells) + f"  {number:>3} {text}")
    return "\n".join([*texts, "", recorded.summary()])
