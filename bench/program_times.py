"""Processor time of the programs beside NumPy's, on CPU devices, at three sizes.

    bench/program_times.py [--only NAME ...] [--sizes SIZE ...] [--seconds S] [--json FILE]

Both sides compute the same operands in turns, in one process; a figure is the median of the turns,
of what all threads of the process computed for one run, until the result is there. Turns are long
since the system counts what other threads compute in steps of milliseconds. One begins when no
thread computes: those of a BLAS library go on looking for work after their last call. A ratio is
NumPy's time to ours: above 1 we are faster. Results are compared with NumPy's first; a difference
ends it.
"""

import argparse
import importlib
import json
import math
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cupola as cp
from measure import agree, come_to_rest

SIZES = ("small", "cpu", "cuda")
LEAST_TURNS = 5
SECONDS = 1.0  # for the turns of one program at one size, beyond the least
TURN_SECONDS = 0.05
REST = 1.0  # seconds that a turn waits at most for threads of the one before
MILLISECONDS = 1e3


def all_programs() -> list[str]:
    folder = Path(__file__).resolve().parent / "programs"
    return sorted(path.stem for path in folder.glob("[a-z]*.py"))


def settled(result: Any) -> Any:
    cp.eval(result)
    result.device.synchronize()
    return result


def turn(run: Callable[[], Any]) -> tuple[float, int]:
    """Seconds of one run of one side, over its turn, and how many there were."""
    come_to_rest(REST)
    runs = 0
    begin = time.process_time()
    end = time.perf_counter() + TURN_SECONDS
    while runs == 0 or time.perf_counter() < end:
        run()
        runs += 1
    return (time.process_time() - begin) / runs, runs


def measure(name: str, size: str, seconds: float) -> dict[str, Any]:
    program = importlib.import_module(f"programs.{name}")
    ours = program.operands(np.random.default_rng(1), program.SIZES[size])
    theirs = [each.copy() for each in ours]
    arrays = [cp.asarray(each) for each in ours]
    sides = (
        lambda: program.run(np, *theirs),
        lambda: settled(program.run(cp, *arrays)),
    )
    agree(program.TOLERANCE, cp.asnumpy(sides[1]()), sides[0]())
    turns: tuple[list[tuple[float, int]], list[tuple[float, int]]] = ([], [])
    end = time.perf_counter() + seconds
    while len(turns[1]) < LEAST_TURNS or time.perf_counter() < end:
        for found, side in zip(turns, sides, strict=True):
            found.append(turn(side))
    numpy, own = (statistics.median(taken for taken, _ in found) for found in turns)
    return {
        "name": name,
        "size": size,
        "elements": max(each.size for each in ours),
        "numpy_ms": round(numpy * MILLISECONDS, 4),
        "cupola_ms": round(own * MILLISECONDS, 4),
        "ratio": round(numpy / own, 3),
        "runs": sum(runs for _, runs in turns[1]),
    }


def geometric_mean(rows: list[dict[str, Any]]) -> float:
    return round(math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows)), 3)


def main() -> None:
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
            print(
                f"{size:6} {name:24} {row['numpy_ms']:12.3f} {row['cupola_ms']:12.3f} ms "
                f"{row['ratio']:8.2f}",
                flush=True,
            )
    means = {
        size: geometric_mean([row for row in rows if row["size"] == size])
        for size in arguments.sizes
    }
    means["all"] = geometric_mean(rows)
    print(means)
    if arguments.json:
        document = {
            "cupola": cp.__version__,
            "numpy": np.__version__,
            "processors": len(os.sched_getaffinity(0)),
            "geometric_means": means,
            "rows": rows,
        }
        arguments.json.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
