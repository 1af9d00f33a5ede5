#!/usr/bin/env python3
"""Times Cupola beside NumPy, CuPy, PyTorch and JAX, as far as they are installed.

All libraries take turns in one process; each result is compared with NumPy's before it is timed;
a figure is the median of several samples, each of which ends when the device is done.
"""

import argparse
import fnmatch
import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aims
import cases_cpu
import cases_factor
import cases_fft
import cases_large
import cases_matmul
import cases_process
import cases_random
import cases_sets
import cases_small
import cases_sorting
import cases_threads
import cases_transfers
import cupola
import libraries
import report
from measure import Effort, measure
from registry import CASES, PEERS, Case, Inputs

RESULTS = Path(__file__).resolve().parent / "results"
# The order of the table. Arrays over all devices come while these have equal room.
AREAS = (
    cases_sets,
    cases_process,
    cases_small,
    cases_threads,
    cases_transfers,
    cases_large,
    cases_matmul,
    cases_factor,
    cases_sorting,
    cases_fft,
    cases_random,
    cases_cpu,
)

SETS = "sets"  # rows that need several devices

# (side, order): side * side float32 per operand, matrices of order x order.
Size = tuple[int, int]
CHECKED = (512, 256)
SIZES = {"cpu": (4096, 2048), "cuda": (16384, 8192)}
QUICK_SIZES = {"cpu": (1024, 512), "cuda": (4096, 2048)}
# Of arrays over several devices; they are divided at the size where results are checked, too.
CHECKED_ON_SETS = (4096, 256)
SIZES_ON_SETS = {"cpu": (4096, 1024), "cuda": (65536, 16384)}
QUICK = Effort(sample=0.005, rounds=3, budget=0.5)


def chosen(patterns: Sequence[str], platform: str) -> list[Case]:
    """Rows of the platform of which name or area matches a pattern; all without patterns."""
    order = [area.__name__.removeprefix("cases_") for area in AREAS]
    return [
        case
        for case in sorted(CASES, key=lambda case: order.index(case.area))
        if platform in case.platforms
        and (
            not patterns
            or any(fnmatch.fnmatch(text, p) for p in patterns for text in (case.name, case.area))
        )
    ]


class Rows:
    """Measures rows, and keeps what is known of them."""

    def __init__(self, effort: Effort, seed: int, wanted: int) -> None:
        self.effort, self.seed, self.wanted = effort, seed, wanted
        self.done: list[dict[str, Any]] = []

    def add(
        self, cases: list[Case], known: list[libraries.Library], checked: Size, size: Size
    ) -> None:
        small, full = Inputs(*checked, self.seed), Inputs(*size, self.seed)
        for case in cases:
            names = ("cupola", *case.peers_on(known[0].platform))
            turn = {library.name: library for library in known if library.name in names}
            cells = measure(case, turn, small, full, self.effort)
            self.done.append(report.row_of(case, cells, full))
            print(f"{len(self.done)}/{self.wanted} {case.name}", file=sys.stderr, flush=True)


def run(
    cases: list[Case],
    known: list[libraries.Library],
    on_sets: list[libraries.Library],
    size: Size,
    effort: Effort,
) -> Any:
    """Rows, the seed of their operands, and the copy's GB/s if it was among them."""
    rows = Rows(effort, secrets.randbits(32), len(cases))
    of_sets = [case for case in cases if case.area == SETS]
    try:
        if of_sets:
            rows.add(of_sets, on_sets, CHECKED_ON_SETS, SIZES_ON_SETS[known[0].platform])
        rows.add([case for case in cases if case.area != SETS], known, CHECKED, size)
    except KeyboardInterrupt:  # what was measured so far is kept
        print("stopped", file=sys.stderr, flush=True)
    return rows.done, rows.seed, report.add_limit(rows.done)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--json",
        type=Path,
        help="write the results here; without --only and "
        "--quick the default is bench/results/PLATFORM.json",
    )
    parser.add_argument("--quick", action="store_true", help="small arrays, few samples")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="rows or areas whose name matches, with * and ?; may be repeated",
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=Effort.budget,
        metavar="SECONDS",
        help="of samples, for a library and row (default: %(default)s)",
    )
    parser.add_argument(
        "--libraries",
        default=",".join(PEERS),
        metavar="NAMES",
        help="compare with these only (default: %(default)s)",
    )
    return parser.parse_args()


def main() -> int:
    options = arguments()
    start = time.perf_counter()
    platform = str(cupola.empty(0).device).partition(":")[0]
    on_sets = libraries.over_devices(platform)
    cases = [c for c in chosen(options.only, platform) if on_sets or c.area != SETS]
    if not cases:
        print(f"no row matches {options.only}", file=sys.stderr)
        return 2
    known = libraries.installed(platform, ("cupola", *options.libraries.split(",")))
    sizes = (QUICK_SIZES if options.quick else SIZES)[platform]
    rows, seed, copy = run(
        cases, known, on_sets, sizes, QUICK if options.quick else Effort(budget=options.budget)
    )
    aims.add_aims(rows, platform, len(on_sets[0].device) if on_sets else 1)
    names = [library.name for library in (*known, *on_sets)]
    print(report.table(rows, list(dict.fromkeys(names))))
    print(report.failures(rows))
    if not options.quick:
        print(aims.shortfalls(rows))
    path = options.json
    if path is None and not (options.only or options.quick):
        path = RESULTS / f"{platform}.json"
    if path is not None:
        facts = {
            "platform": platform,
            "gpu": report.gpu() if platform == "cuda" else None,
            "elements": sizes[0] ** 2,
            "seed": seed,
            "copy_gb_per_s": copy,
            "seconds": time.perf_counter() - start,
        }
        report.write_json(path, rows, known, facts)
    return 1 if any("cupola" in row["fails"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
