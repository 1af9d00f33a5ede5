"""Arrays as notebooks show them: what they are, where they lie, and the values at their corners."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from cupola import _cupola as _core
from cupola._notebook.html import COLOURS, Cell, Share, bar, facts, note, page, plain_table
from cupola._observation.quantities import bytes_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cupola._cupola import ndarray
    from cupola._devices.sets import PlacedPart

_ROWS = 3  # at each end
_COLUMNS = 4


def _ends(extent: int, most: int) -> list[slice]:
    if extent <= 2 * most + 1:
        return [slice(None)]
    return [slice(0, most), slice(extent - most, None)]


def _corners(a: ndarray) -> tuple[np.ndarray, bool, bool]:
    """The values at the corners of the last two axes, at the first places of the others, on the
    host, and whether rows and columns are left out between them."""
    extents = (1, 1, *a.shape)[-2:]
    rows, columns = _ends(extents[0], _ROWS), _ends(extents[1], _COLUMNS)
    first = (0,) * max(a.ndim - 2, 0)
    parts = []
    for row, column in product(rows, columns):
        index = (*first, row, column) if a.ndim >= 2 else (column,) * a.ndim
        part = a[index]
        if not isinstance(part.dtype, np.dtype):
            part = _core.astype(part, np.float32)
        shape = (1, 1, *part.shape)[-2:]
        parts.append(_core.download_to_print(part).reshape(shape))
    pairs = [np.hstack(parts[i : i + len(columns)]) for i in range(0, len(parts), len(columns))]
    return np.vstack(pairs), len(rows) > 1, len(columns) > 1


def _texts(values: np.ndarray) -> list[list[str]]:
    """Each element as NumPy prints it beside the others."""
    text = np.array2string(values, separator="\t", threshold=values.size + 1, max_line_width=10**9)
    lines = text.replace("[", "").replace("]", "").split("\n")
    return [[i.replace(" ", "") for i in line.split("\t") if i.strip()] for line in lines]


def _values_table(a: ndarray) -> str:
    values, skips_rows, skips_columns = _corners(a)
    rows = _texts(values)
    if skips_columns:
        rows = [[*row[:_COLUMNS], "…", *row[_COLUMNS:]] for row in rows]
    if skips_rows:
        rows.insert(_ROWS, ["⋮" for _ in rows[0]])
    table = plain_table([[Cell(item, style="cu-n cu-code") for item in row] for row in rows])
    leading = a.ndim - 2
    if leading <= 0:
        return table
    count = prod(a.shape[:leading])
    index = ", ".join(["0"] * leading + [":", ":"])
    return note(f"[{index}], the first of {count:,}") + table


def placement_bar(parts: Sequence[PlacedPart]) -> str:
    """Where each part of an array's memory lies."""
    devices = list(dict.fromkeys(str(part.device) for part in parts))
    shares = []
    for part in parts:
        size = part.bytes[1] - part.bytes[0]
        name = str(part.device)
        rows = f"rows {part.elements[0]:,} to {part.elements[1]:,}"
        colour = COLOURS[devices.index(name) % len(COLOURS)]
        shares.append(Share(name, size, colour, f"{name}: {bytes_text(size)}, {rows}"))
    return bar(shares)


def placement_html(parts: Sequence[PlacedPart]) -> str:
    """A placement by itself."""
    return page(placement_bar(parts)) if parts else page(note("no memory"))


def _layout(a: ndarray) -> str:
    if a.flags.c_contiguous:
        return "row-major"
    return "column-major" if a.flags.f_contiguous else f"strides {a.strides}"


def array_html(a: ndarray) -> str:
    """What `_repr_html_` gives. Evaluates the array where `repr` would; copies what it shows."""
    was_pending = _core.is_pending(a)
    known = [
        ("shape", a.shape),
        ("dtype", a.dtype),
        ("device", a.device),
        ("size", bytes_text(a.nbytes)),
    ]
    try:
        values = _values_table(a) if a.size else note("no elements")
        if _core.is_spilled(a):
            known.append(("memory", "on the host, for want of room"))
        place = placement_bar(a.placement) if a.nbytes else ""
        known.append(("layout", _layout(a)))
    except _core.ForkedProcessError:
        return page(facts(known), note("out of reach in this process, which was forked"))
    more = note("was pending: computed to be shown, as print() does") if was_pending else ""
    return page(facts(known), place, values, more)
