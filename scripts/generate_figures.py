#!/usr/bin/env python3
"""Writes what README.md shows of the records: its table, and docs/_static/measured.svg.

--check compares instead of writing and fails on a difference.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import Any

import measured

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs/_static/measured.svg"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

# One row of each kind of work, those where others are ahead among them.
ROWS = (
    "a + b, 1,024 elements",
    "(a*b + c)*d - a",
    "option pricing, 18 operations",
    "softmax of rows of 4,096",
    "transpose copy",
    "matmul float64",
    "sort, 64 Mi int64",
    "fft2, 4,096 x 4,096 complex64",
    "512x512 images: to device, mean, read; 16 threads",
    "k-means",
)
COLUMNS = {name: keys for name, keys in measured.PLAIN.items() if name != "NumPy"}
BARS = (
    "a + b",
    "(a*b + c)*d - a",
    "var, axis 1",
    "softmax of rows of 4,096",
    "option pricing, 18 operations",
    "transpose copy",
)  # in GB/s
COLOURS = {"Cupola": "#0b6e4f", "CuPy": "#b0b7c3", "PyTorch": "#8d99ae", "JAX": "#cfd5de"}
LEFT, WIDTH, BAR, GAP = 210, 470, 11, 14  # pixels


def table(record: measured.Record) -> str:
    rows = [record.rows[name] for name in ROWS]
    return measured.markdown(measured.table(rows, COLUMNS)) + f"\n\n{record.machine}."


def text(x: float, y: float, words: str, **attributes: Any) -> str:
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(words)}</text>'


def bars(record: measured.Record) -> tuple[list[str], float]:
    """The bars with their labels, and the height that they take."""
    most = max(max(record.rows[name]["figures"].values()) for name in BARS)
    lines, y = [], 64.0
    for name in BARS:
        row = record.rows[name]
        middle = y + len(COLOURS) * BAR / 2 + 4
        lines.append(text(LEFT - 12, middle, name, text_anchor="end"))
        for library, colour in COLOURS.items():
            figure = measured.figure(row, measured.PLAIN[library])
            if figure is not None:
                long = WIDTH * figure / most
                lines.append(
                    f'<rect x="{LEFT}" y="{y:g}" width="{long:.1f}" height="{BAR - 2}" '
                    f'fill="{colour}"/>'
                )
                if library == "Cupola":
                    words = f"{measured.text_of(figure)} GB/s"
                    lines.append(text(LEFT + long + 6, y + BAR - 2, words, fill=colour))
            y += BAR
        y += GAP
    return lines, y


def picture(record: measured.Record) -> str:
    """Speed of plain code, as the bytes that its operands and results have, by second."""
    lines, height = bars(record)
    legend, x = [], float(LEFT)
    for library, colour in COLOURS.items():
        legend.append(f'<rect x="{x:g}" y="38" width="10" height="10" fill="{colour}"/>')
        legend.append(text(x + 15, 47, library))
        x += 90
    title = "The same plain code, bytes of operands and results per second"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height + 16:g}" '
            'font-family="sans-serif" font-size="12" fill="#222">',
            f"<title>{title}</title>",
            '<rect width="100%" height="100%" fill="white"/>',
            text(LEFT, 22, title, font_size=14, font_weight="bold"),
            *legend,
            *lines,
            text(LEFT, height + 4, record.machine, font_size=10, fill="#666"),
            "</svg>",
            "",
        ]
    )


def readme(record: measured.Record) -> str:
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{table(record)}\n{END}{after}"


def main() -> int:
    record = measured.gpu()
    wanted = {README: readme(record), PICTURE: picture(record)}
    stale = [p for p, t in wanted.items() if not p.exists() or p.read_text("utf-8") != t]
    if "--check" in sys.argv:
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} is not of the records: run scripts/generate_figures.py"
            )
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
