#!/usr/bin/env python3
"""Times Cupola beside NumPy, CuPy, PyTorch and JAX, as far as they are installed.

All libraries take turns in one process; each result is compared with NumPy's before it is timed;
a figure is the median of several samples, each of which ends when the device is done. The file is
written after every row, and with --merge it gathers the rows of several calls.
"""

import argparse
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cupola
import installed
import judgement
import libraries
import record
import report
import rows
from measure import Effort
from registry import Case

RESULTS = Path(__file__).resolve().parent / "results"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--json",
        type=Path,
        help="write the results here; without --only and "
        "--quick, or with --merge, the default is bench/results/PLATFORM.json",
    )
    parser.add_argument(
        "--merge",
        action="store_true",
        help="keep the rows that are in the file already and are not measured now",
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
        default=",".join((*libraries.PLAIN, *libraries.COMPILED)),
        metavar="NAMES",
        help="compare with these only (default: %(default)s)",
    )
    return parser.parse_args()


def path_of(options: argparse.Namespace, platform: str) -> Path | None:
    """Where the results go, if anywhere."""
    if options.json is None and (options.merge or not (options.only or options.quick)):
        return RESULTS / f"{platform}.json"
    path: Path | None = options.json
    return path


def facts_of(platform: str, devices: int, quick: bool) -> record.Document:
    return {
        "platform": platform,
        "gpu": report.gpu() if platform == "cuda" else None,
        "elements": rows.size_on(platform, quick)[0] ** 2,
        "devices": devices,
        "quick": quick,
    }


def earlier_record(path: Path | None, facts: record.Document) -> record.Document | None:
    """What the file holds that rows are to be merged into."""
    if path is None or not path.exists():
        return None
    earlier = record.read(path)
    record.check_mergeable(earlier, facts)
    return earlier


def documents(
    cases: list[Case], facts: record.Document, options: argparse.Namespace
) -> Iterator[record.Document]:
    """What this call knows after each row."""
    start = time.perf_counter()
    platform = facts["platform"]
    known = installed.installed(platform, ("cupola", *options.libraries.split(",")))
    on_sets = installed.over_devices(platform)
    effort = rows.QUICK if options.quick else rows.effort_on(platform, options.budget)
    seed = secrets.randbits(32)
    done: list[record.Document] = []
    for row in rows.measured(cases, known, on_sets, effort, seed, options.quick):
        done.append(row)
        taken = time.perf_counter() - start
        told = f"{taken:.0f} s: {len(done)}/{len(cases)} {row['name']}"
        print(told, file=sys.stderr, flush=True)
        yield {
            **facts,
            "versions": {library.name: library.version for library in known},
            "asked": [case.name for case in cases],
            "calls": [record.call_of(done, seed, effort.budget, taken)],
            "rows": list(done),
        }


def kept(
    cases: list[Case],
    earlier: record.Document | None,
    facts: record.Document,
    options: argparse.Namespace,
    path: Path | None,
) -> tuple[record.Document, record.Document]:
    """Measures; this call's document, and the file's."""
    machine = facts["platform"], facts["devices"]
    order = [case.name for case in rows.chosen([], *machine)]
    complete = rows.whole_record(*machine)
    now = whole = record.Document()
    try:
        for now in documents(cases, facts, options):
            document = record.merged(earlier, now) if earlier else now
            whole = record.finished(document, order, complete)
            if path is not None:
                record.write(path, whole)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr, flush=True)
    return now, whole


def show(now: record.Document, whole: record.Document, quick: bool) -> None:
    names = [*now["versions"], *(name for row in now["rows"] for name in row["figures"])]
    print(report.table(now["rows"], list(dict.fromkeys(names))))
    print(report.failures(now["rows"]))
    if not quick:
        print(judgement.shortfalls(whole))


def main() -> int:
    options = arguments()
    platform = str(cupola.empty(0).device).partition(":")[0]
    devices = len(cupola.all_devices(platform))
    cases = rows.chosen(options.only, platform, devices)
    if not cases:
        print(f"no row matches {options.only}", file=sys.stderr)
        return 2
    facts = facts_of(platform, devices, options.quick)
    path = path_of(options, platform)
    try:
        earlier = earlier_record(path, facts) if options.merge else None
    except record.MergeError as error:
        print(f"cannot merge into {path}: {error}", file=sys.stderr)
        return 2
    now, whole = kept(cases, earlier, facts, options, path)
    if not now:
        return 2
    show(now, whole, options.quick)
    return 1 if any("cupola" in row["fails"] for row in now["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
