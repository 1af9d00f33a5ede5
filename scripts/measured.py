"""The records of measurements, as rows of the documents' tables."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent.parent / "bench/results"

# Name of a column -> the names of its figures in a record, of which the best stands there.
PLAIN = {
    "Cupola": ("cupola",),
    "NumPy": ("numpy",),
    "CuPy": ("cupy",),
    "PyTorch": ("torch",),
    "JAX": ("jax",),
    "compiled by hand": ("torch compiled", "jax compiled", "cupy fused"),
}
SMALLER_IS_BETTER = {"ns", "us", "ms", "s"}


@dataclass(frozen=True)
class Record:
    """A record: its rows by name, and what they were measured on, in words."""

    rows: dict[str, dict[str, Any]]
    machine: str


def text_of(figure: float) -> str:
    """Three digits that count, thousands in full."""
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.3g}"


def _versions(versions: dict[str, str]) -> str:
    names = {"numpy": "NumPy", "cupy": "CuPy", "torch": "PyTorch", "jax": "JAX", "cuda": "CUDA"}
    return ", ".join(f"{names[key]} {versions[key]}" for key in names if key in versions)


def gpu() -> Record:
    """What one GPU does (bench/results/gpu_check.json)."""
    record = json.loads((RESULTS / "gpu_check.json").read_text())["benchmarks"]
    machine = f"{record['device']['name']}, {_versions(record['versions'])}, {record['date'][:10]}"
    return Record({row["name"]: row for row in record["rows"]}, machine)


def cpu() -> Record:
    """What one CPU device does (bench/results/cpu.json)."""
    record = json.loads((RESULTS / "cpu.json").read_text())
    machine = f"one CPU device, {_versions(record['versions'])}, {record['date'][:10]}"
    return Record({row["name"]: row for row in record["rows"]}, machine)


def gpus(count: int) -> Record:
    """What several GPUs do as one device."""
    record = json.loads((RESULTS / "gpu_check.json").read_text())["sets"][str(count)]
    machine = f"{record['device']['count']} {record['device']['name']}, {record['date'][:10]}"
    return Record({row["name"]: row for row in record["benchmarks"]["rows"]}, machine)


RECORDS = {
    "gpu": gpu,
    "cpu": cpu,
    **{f"gpus-{count}": functools.partial(gpus, count) for count in (2, 4)},
}


def figure(row: dict[str, Any], names: Sequence[str]) -> float | None:
    """The best of some figures of a row; None where it has none of them."""
    found = [row["figures"][name] for name in names if name in row["figures"]]
    if not found:
        return None
    return min(found) if row["unit"] in SMALLER_IS_BETTER else max(found)


def table(rows: Iterable[dict[str, Any]], columns: dict[str, Sequence[str]]) -> list[list[str]]:
    """Cells of a table with its head; columns without a figure are left out."""
    rows = list(rows)
    used = {
        name: keys
        for name, keys in columns.items()
        if any(figure(row, keys) is not None for row in rows)
    }
    cells = [["", "unit", *used]]
    for row in rows:
        found = [figure(row, keys) for keys in used.values()]
        cells.append([row["name"], row["unit"], *("" if f is None else text_of(f) for f in found)])
    return cells


def markdown(cells: list[list[str]]) -> str:
    """A table in Markdown; figures to the right."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in cells]
    rule = ["---", "---", *["--:"] * (len(head) - 2)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])
