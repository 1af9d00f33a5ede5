"""Nsight Compute's command line, and the CSV of its page `raw`."""

import csv
import io
import math
import re
from pathlib import Path

SECTIONS = ("SpeedOfLight", "Occupancy", "LaunchStats", "WarpStateStats")
SECONDS = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "s": 1.0}  # by the first letter of the unit

# Names of a metric, of which versions and architectures have one or the other.
DURATION = ("gpu__time_duration.sum", "gpu__time_duration.avg")
SHARES = {
    "dram_percent": (
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    ),
    "compute_percent": ("sm__throughput.avg.pct_of_peak_sustained_elapsed",),
    "occupancy_percent": ("sm__warps_active.avg.pct_of_peak_sustained_active",),
    "registers_per_thread": ("launch__registers_per_thread",),
}
STALL = re.compile(
    r"smsp__average_warps_issue_stalled_(?P<reason>\w+?)(?P<rest>_not_issued)?"
    r"_per_issue_active\.ratio"
)
LISTED_STALLS = 3
MOST_KERNELS = 48  # of one row: each runs several times
LONGEST_NAME = 100


def command(log: Path) -> list:
    """To be followed by a program that tells Nsight Compute where to begin and end."""
    sections = [option for section in SECTIONS for option in ("--section", section)]
    return [
        *("ncu", "--csv", "--page", "raw", "--print-units", "base", "--log-file", log),
        *("--clock-control", "none", "--profile-from-start", "off"),
        *("--launch-count", str(MOST_KERNELS)),
        *("--target-processes", "application-only", *sections),
    ]


def saw_no_kernel(said: str) -> bool:
    """Whether a program ended without a launch, as one that copies does."""
    return "No kernels were profiled" in said


def number(text: str | None) -> float | None:
    """Without separators of thousands; None where there is no number, as in `n/a`."""
    try:
        value = float((text or "").replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def first(row: dict[str, str], names: tuple[str, ...]) -> tuple[str, float] | tuple[str, None]:
    """The first of the metrics that has a number, and its name."""
    for name in names:
        if (value := number(row.get(name))) is not None:
            return name, value
    return "", None


def stalls(row: dict[str, str]) -> dict[str, float]:
    """Cycles per issued instruction that a warp waits, for the main reasons; most first."""
    cycles = {
        match["reason"]: value
        for name, text in row.items()
        if (match := STALL.fullmatch(name)) and not match["rest"] and (value := number(text))
    }
    cycles.pop("selected", None)  # not a wait: the warp issues
    return dict(sorted(cycles.items(), key=lambda item: -item[1])[:LISTED_STALLS])


def kernel(row: dict[str, str], units: dict[str, str]) -> dict:
    """What the record tells of one launch."""
    name, duration = first(row, DURATION)
    scale = SECONDS.get(units.get(name, "")[:1], 1e-9)
    return {
        "kernel": row.get("Kernel Name", "")[:LONGEST_NAME],
        "microseconds": None if duration is None else round(duration * scale * 1e6, 3),
        **{fact: first(row, names)[1] for fact, names in SHARES.items()},
        "stalls": stalls(row),
    }


def kernels(text: str) -> list[dict]:
    """The launches in the output of `ncu --csv --page raw`.

    Messages of the tool and of the program come before the header; the row after it, which has no
    ID, holds the units.
    """
    header = re.search(r'^"ID",.*$', text, re.MULTILINE)
    if header is None:
        return []
    lines = [line for line in text[header.start() :].splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    units = next((row for row in rows if not row["ID"]), {})
    return [kernel(row, units) for row in rows if row["ID"].isdigit()]


def together(launches: list[dict]) -> list[dict]:
    """One entry for the launches of a kernel: their number, their time, what the longest showed.

    Kernels of one name that differ in registers are different ones.
    """
    entries: dict[tuple, list[dict]] = {}
    for launch in launches:
        entries.setdefault((launch["kernel"], launch["registers_per_thread"]), []).append(launch)
    return [
        {
            **max(alike, key=lambda launch: launch["microseconds"] or 0.0),
            "launches": len(alike),
            "microseconds": round(sum(launch["microseconds"] or 0.0 for launch in alike), 3),
        }
        for alike in entries.values()
    ]


def complaint(text: str) -> str:
    """The first error that the tool reports; nothing if there is none."""
    found = re.search(r"^==(?:ERROR|WARNING)== *(.*)$", text, re.MULTILINE)
    return found[1] if found else ""
