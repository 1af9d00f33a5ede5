"""Processor time of the programs beside NumPy's, on CPU devices, at three sizes.

    bench/program_times.py [--only NAME ...] [--sizes SIZE ...] [--seconds S] [--json FILE]

Both sides compute the same operands in turns, in one process; a figure is the least of several
runs, of what all threads of the process computed, until the result is there. A ratio is NumPy's
time to ours: above 1 we are faster. Results are compared with NumPy's first. Exits with 1 if a
program gives something else.
"""

import argparse
import importlib
import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import cupola as cp

SIZES = ("small", "cpu", "cuda")
LEAST_RUNS = 2
SECONDS = 1.0  # for the runs of one program at one size, beyond the least
MILLISECONDS = 1e3


def all_programs() -> list[str]:
    folder = Path(__file__).resolve().parent / "programs"
    return sorted(path.stem for path in folder.glob("[a-z]*.py"))


def settled(result: Any) -> Any:
    cp.eval(result)
    result.device.synchronize()
    return result


def spent(run: Callable[[], Any]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def agree(program: ModuleType, found: np.ndarray, expected: np.ndarray) -> bool:
    largest = max(1.0, float(np.abs(expected.astype(np.float64)).max()))
    return found.dtype == expected.dtype and np.allclose(
        found, expected, 0, program.TOLERANCE * largest
    )


def measure(name: str, size: str, seconds: float) -> dict[str, Any]:
    program = importlib.import_module(f"programs.{name}")
    ours = program.operands(np.random.default_rng(1), program.SIZES[size])
    theirs = [each.copy() for each in ours]
    arrays = [cp.asarray(each) for each in ours]
    sides = (
        lambda: program.run(np, *theirs),
        lambda: settled(program.run(cp, *arrays)),
    )
    correct = agree(program, cp.asnumpy(sides[1]()), sides[0]())
    times: tuple[list[float], list[float]] = ([], [])
    end = time.perf_counter() + seconds
    while len(times[0]) < LEAST_RUNS or time.perf_counter() < end:
        for found, side in zip(times, sides, strict=True):
            found.append(spent(side))
    numpy, own = (min(found) for found in times)
    return {
        "name": name,
        "size": size,
        "elements": max(each.size for each in ours),
        "numpy_ms": round(numpy * MILLISECONDS, 4),
        "cupola_ms": round(own * MILLISECONDS, 4),
        "ratio": round(numpy / own, 3),
        "runs": len(times[0]),
        "correct": correct,
    }


def geometric_mean(rows: list[dict[str, Any]]) -> float:
    return math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows)) if rows else math.nan


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", default=all_programs(), choices=all_programs())
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), choices=SIZES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    for size in arguments.sizes:
        for name in arguments.only:
            with np.errstate(all="ignore"):
                row = measure(name, size, arguments.seconds)
            rows.append(row)
            told = "" if row["correct"] else "  WRONG"
            print(
                f"{size:6} {name:24} {row['numpy_ms']:12.3f} {row['cupola_ms']:12.3f} ms "
                f"{row['ratio']:8.2f}{told}",
                flush=True,
            )
    means = {size: geometric_mean([r for r in rows if r["size"] == size]) for size in SIZES}
    means["all"] = geometric_mean(rows)
    print({key: round(value, 3) for key, value in means.items() if not math.isnan(value)})
    if arguments.json:
        document = {
            "cupola": cp.__version__,
            "numpy": np.__version__,
            "processors": len(os.sched_getaffinity(0)),
            "geometric_means": {k: round(v, 3) for k, v in means.items() if not math.isnan(v)},
            "rows": rows,
        }
        arguments.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0 if all(row["correct"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
