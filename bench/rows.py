"""The rows of all areas, and how they are measured: the order, the sizes, the operands."""

import fnmatch
from collections.abc import Iterator, Sequence
from typing import Any

import cases_counting
import cases_cpu
import cases_factor
import cases_few
import cases_fft
import cases_host
import cases_large
import cases_matmul
import cases_process
import cases_programs
import cases_random
import cases_sets
import cases_small
import cases_sorting
import cases_threads
import cases_transfers
import cases_updates
import cupola
import report
from libraries import Library
from measure import Effort, measure
from registry import CASES, Case, Inputs

# The order of the table. Arrays over all devices come while these have equal room.
AREAS = (
    cases_sets,
    cases_process,
    cases_small,
    cases_few,
    cases_host,
    cases_threads,
    cases_transfers,
    cases_large,
    cases_updates,
    cases_matmul,
    cases_factor,
    cases_sorting,
    cases_counting,
    cases_programs,
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
SIDES_ON_SETS = 16384  # of arrays over GPUs, a multiple of it
# One device holds its own operands and results and its parts of those over several.
LIVE_ON_SETS = 7
QUICK = Effort(sample=0.005, rounds=3, budget=0.5)


def chosen(patterns: Sequence[str], platform: str, devices: int) -> list[Case]:
    """Rows of the platform of which name or area matches a pattern; all without patterns."""
    order = [area.__name__.removeprefix("cases_") for area in AREAS]
    return [
        case
        for case in sorted(CASES, key=lambda case: order.index(case.area))
        if platform in case.platforms
        and (devices > 1 or case.area != SETS)
        and (
            not patterns
            or any(fnmatch.fnmatch(text, p) for p in patterns for text in (case.name, case.area))
        )
    ]


def whole_record(platform: str, devices: int) -> list[str]:
    """Rows of a complete record; of several devices, those of arrays over all of them."""
    return [case.name for case in chosen([SETS] if devices > 1 else [], platform, devices)]


def effort_on(platform: str, budget: float) -> Effort:
    """On a CPU the threads of other libraries take processors from the next sample."""
    return Effort(budget=budget, rest=0.2 if platform == "cpu" else 0.0)


def size_on(platform: str, quick: bool) -> Size:
    return (QUICK_SIZES if quick else SIZES)[platform]


def size_on_sets(platform: str, device_bytes: int) -> Size:
    """Of arrays over several devices: smaller where a device's memory could not hold them."""
    side, order = SIZES_ON_SETS[platform]
    while platform == "cuda" and side > SIDES_ON_SETS and device_bytes < LIVE_ON_SETS * 4 * side**2:
        side -= SIDES_ON_SETS
    return side, order


def one_row(
    case: Case, known: Sequence[Library], small: Inputs, full: Inputs, effort: Effort
) -> dict[str, Any]:
    names = ("cupola", *case.peers_on(known[0].platform))
    turn = {library.name: library for library in known if library.name in names}
    return report.row_of(case, measure(case, turn, small, full, effort), full)


def measured(
    cases: Sequence[Case],
    known: Sequence[Library],
    on_sets: Sequence[Library],
    effort: Effort,
    seed: int,
    quick: bool,
) -> Iterator[dict[str, Any]]:
    """Rows of the JSON file, one after the other."""
    platform = known[0].platform
    size = size_on(platform, quick)
    device_bytes = cupola.Device(f"{platform}:0").mem_info[1]
    for of_sets, turn, sizes in (
        (True, on_sets, (CHECKED_ON_SETS, size_on_sets(platform, device_bytes))),
        (False, known, (CHECKED, size)),
    ):
        small = Inputs(*sizes[0], seed, small=True)
        full = Inputs(*sizes[1], seed, small=quick)
        for case in cases:
            if (case.area == SETS) == of_sets:
                yield one_row(case, turn, small, full, effort)
