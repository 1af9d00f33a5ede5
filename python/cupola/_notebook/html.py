"""Pieces of HTML for notebooks: facts, tables that sort by a click, bars.

Text and lines take the page's own colour, and fills are translucent, so that a page may be light or
dark. Whatever comes from a program is escaped here.
"""

from __future__ import annotations

import html
import secrets
from collections.abc import Iterable, Sequence
from typing import NamedTuple

# Seen on white and on black alike.
COLOURS = ("#3b82c4", "#d97b29", "#3f9d5f", "#9a6fc9", "#c9534f", "#2b9ea8", "#b08d1e", "#c763a5")

_STYLE = """
.cupola{font:13px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:inherit;overflow-x:auto}
.cupola .cu-facts{margin:2px 0}
.cupola .cu-facts b{font-weight:600}
.cupola .cu-facts span{margin-right:1.4em;white-space:nowrap}
.cupola .cu-note{opacity:.7;font-size:12px;margin:2px 0}
.cupola table{border-collapse:collapse;border:0;margin:4px 0;font-size:12px;color:inherit}
.cupola table th,.cupola table td{padding:2px 10px;border:0;text-align:left!important;color:inherit;
background:none;white-space:nowrap}
.cupola table .cu-n{text-align:right!important;font-variant-numeric:tabular-nums}
.cupola table thead th{border-bottom:1px solid rgba(128,128,128,.6);font-weight:600}
.cupola table.cu-sort thead th{cursor:pointer}
.cupola table tbody tr:nth-child(even){background:rgba(128,128,128,.10)}
.cupola table tbody tr:nth-child(odd){background:none}
.cupola .cu-code,.cupola table .cu-code{font-family:ui-monospace,Menlo,Consolas,monospace;
white-space:pre}
.cupola .cu-bar{display:flex;width:100%;max-width:640px;height:18px;margin:4px 0;border-radius:3px;
overflow:hidden;background:rgba(128,128,128,.2);font-size:11px;line-height:18px}
.cupola .cu-bar div{overflow:hidden;white-space:nowrap;text-align:center;color:#fff;
box-shadow:inset -1px 0 rgba(255,255,255,.6)}
.cupola svg{max-width:100%;height:auto;color:inherit}
.cupola svg text{fill:currentColor}
.cupola summary{cursor:pointer}
"""

# Numbers by value, other columns as text; a second click turns the order round.
_SORT = """
(function(){var t=document.getElementById("%s");if(!t)return;
t.querySelectorAll("thead th").forEach(function(h,i){h.addEventListener("click",function(){
var b=t.tBodies[0],d=h.dataset.down==="1"?-1:1;h.dataset.down=d===1?"1":"0";
var k=function(r){var c=r.cells[i],v=c.dataset.value;return v===undefined?c.textContent:+v;};
Array.from(b.rows).sort(function(x,y){var p=k(x),q=k(y);
return d*(typeof p==="number"?q-p:p.localeCompare(q));}).forEach(function(r){b.appendChild(r);});
});});})();
"""


class Cell(NamedTuple):
    """A cell of a table: its text, and the number by which its column is sorted."""

    text: str
    value: float | None = None
    style: str = ""  # a class of the style sheet


class Share(NamedTuple):
    """A part of a bar."""

    name: str
    size: float
    colour: str
    title: str  # shown when the pointer is on it


def escaped(text: object) -> str:
    """As text of an element or of an attribute."""
    return html.escape(str(text), quote=True)


def page(*parts: str) -> str:
    """The parts as one output."""
    return f'<div class="cupola"><style>{_STYLE}</style>{"".join(parts)}</div>'


def facts(values: Iterable[tuple[str, object]]) -> str:
    """Names and values in one line."""
    spans = (f"<span>{escaped(name)} <b>{escaped(value)}</b></span>" for name, value in values)
    return f'<div class="cu-facts">{" ".join(spans)}</div>'


def note(text: str) -> str:
    """A line that says something about what is above it."""
    return f'<div class="cu-note">{escaped(text)}</div>'


def heading(text: str) -> str:
    """A line above a table."""
    return f'<div class="cu-facts"><b>{escaped(text)}</b></div>'


def details(summary: str, content: str) -> str:
    """What opens at a click on its summary."""
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def bar(shares: Sequence[Share]) -> str:
    """A bar whose parts have widths by their sizes."""
    total = sum(share.size for share in shares) or 1
    parts = (
        f'<div style="width:{100 * share.size / total:.3f}%;background:{share.colour}" '
        f'title="{escaped(share.title)}">{escaped(share.name)}</div>'
        for share in shares
        if share.size > 0
    )
    return f'<div class="cu-bar">{"".join(parts)}</div>'


def _cell(cell: Cell) -> str:
    number = "" if cell.value is None else f' data-value="{cell.value:.17g}"'
    style = cell.style or ("cu-n" if cell.value is not None else "")
    kind = f' class="{style}"' if style else ""
    return f"<td{kind}{number}>{escaped(cell.text)}</td>"


def _rows(rows: Sequence[Sequence[Cell]]) -> str:
    return "<tbody>" + "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows) + "</tbody>"


def plain_table(rows: Sequence[Sequence[Cell]]) -> str:
    """Cells without titles."""
    return f"<table>{_rows(rows)}</table>"


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], sorts: bool = True) -> str:
    """A table; with `sorts`, a click on a column's title orders the rows by it."""
    number = [bool(rows) and rows[0][i].value is not None for i in range(len(columns))]
    heads = "".join(map(_head, columns, number))
    name = f"cupola-{secrets.token_hex(6)}"
    kind = ' class="cu-sort"' if sorts else ""
    text = f'<table id="{name}"{kind}><thead><tr>{heads}</tr></thead>{_rows(rows)}</table>'
    return text + (f"<script>{_SORT % name}</script>" if sorts else "")


def _head(column: str, is_number: bool) -> str:
    kind = ' class="cu-n"' if is_number else ""
    return f"<th{kind}>{escaped(column)}</th>"
