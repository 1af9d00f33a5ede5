"""The results as rows of the JSON file and as a table."""

import os
import platform as host_platform
from pathlib import Path
from typing import Any

import cupola
from measure import Cell
from registry import Case, Inputs

# Rows that move device memory and nothing else are held against a plain copy.
LIMIT_ROW = "copy"
LIMITED = "large"
OFF_DEVICE = ("asarray", "to NumPy, new memory", "to NumPy, memory of the result before")


def row_of(case: Case, cells: dict[str, Cell], inputs: Inputs) -> dict[str, Any]:
    """A row of the JSON file: figures, Cupola's speed relative to each peer, and failures."""
    figures = {n: case.figure(c.seconds, inputs) for n, c in cells.items() if c.samples}
    ours = figures.get("cupola")
    return {
        "name": case.name,
        "area": case.area,
        "unit": case.unit,
        "figures": figures,
        "ratios": {
            name: case.faster(ours, figure)
            for name, figure in figures.items()
            if name != "cupola" and ours is not None
        },
        "spread": {
            name: (max(c.samples) - min(c.samples)) / c.seconds
            for name, c in cells.items()
            if c.samples
        },
        "samples": {name: len(c.samples) for name, c in cells.items() if c.samples},
        "fails": {name: cell.error for name, cell in cells.items() if cell.error},
    }


def add_limit(rows: list[dict[str, Any]]) -> float | None:
    """Gives rows of device memory their share of the best copy in this run; GB/s of that copy."""
    copies = [max(r["figures"].values()) for r in rows if is_limit(r) and r["figures"]]
    if not copies:
        return None
    for row in rows:
        if row["area"] == LIMITED and row["name"] not in OFF_DEVICE and "cupola" in row["figures"]:
            row["of_copy"] = row["figures"]["cupola"] / copies[0]
    return copies[0]


def is_limit(row: dict[str, Any]) -> bool:
    return row["area"] == LIMITED and row["name"] == LIMIT_ROW


def text_of(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.3g}"


def table(rows: list[dict[str, Any]], names: list[str]) -> str:
    """Figures of each library, then how many times faster Cupola is than each peer."""
    peers = [name for name in names if name != "cupola"]
    lines = [["", "unit", *names, *(f"x {name}" for name in peers), "of copy"]]
    for row in rows:
        figures = [
            "fails"
            if n in row["fails"]
            else text_of(row["figures"][n])
            if n in row["figures"]
            else ""
            for n in names
        ]
        ratios = [f"{row['ratios'][n]:.2f}" if n in row["ratios"] else "" for n in peers]
        share = f"{row['of_copy']:.0%}" if "of_copy" in row else ""
        lines.append([row["name"], row["unit"], *figures, *ratios, share])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def failures(rows: list[dict[str, Any]]) -> str:
    return "\n".join(
        f"fails: {row['name']}, {name}: {why}" for row in rows for name, why in row["fails"].items()
    )


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return models[0] if models else host_platform.processor()


def machine() -> dict[str, Any]:
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "python": host_platform.python_version(),
    }


def gpu() -> str | None:
    """Name of the first GPU."""
    devices = (cupola.show_config("dicts") or {})["devices"]
    names = [device.get("name") for device in devices if device["device"].startswith("cuda")]
    return names[0] if names else None
