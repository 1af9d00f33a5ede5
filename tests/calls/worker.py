"""Make calls one after another; what is found goes to a file, a line of JSON each.

    worker.py PROGRESS RESULTS FIRST COUNT [ONLY]
    worker.py --show SEED [ONLY]

PROGRESS is a file in which the seed of the call that runs stands, and which library runs it, so
that the process that started this one knows what ended it. CUPOLA_TEST_CALLS_FAULT is a statement
that changes the library `xp` first, to see that faults are found. ONLY
is a pattern of the names that are called. --show only prints a call.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import signal
import struct
import sys
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

import differences  # noqa: F401  (its rules)
import function_differences  # noqa: F401
import numpy as np
import numpy_output_faults  # noqa: F401
import open_faults  # noqa: F401
import random_differences  # noqa: F401
import result_differences  # noqa: F401
from call import Call, generate
from comparison import Difference, Outcome, compare, fetched
from numpy_faults import breaks_numpy
from rules import reason_for
from targets import targets

STARTING, NUMPYS, OURS = range(3)  # which library runs
RECORD = struct.Struct("qq")
# Of all cores together, so that a busy machine changes nothing.
NUMPY_SECONDS = 2.0  # what NumPy takes longer for is left out
OUR_SECONDS = 20.0
MOST_MEMORY = 4 << 30  # of the process, so that absurd sizes fail at once in both


def is_on_cuda() -> bool:
    return os.environ.get("CUPOLA_PLATFORM") == "cuda"


def limit_memory() -> None:
    """CUDA reserves addresses for all memory that there is, so that only what is used counts."""
    limit, most = resource.RLIMIT_AS, MOST_MEMORY
    if is_on_cuda():
        limit, most = resource.RLIMIT_DATA, 4 * MOST_MEMORY
    resource.setrlimit(limit, (most, most))


class TooLongError(Exception):
    """The time of a call is over."""


def interrupt(*_: Any) -> None:
    raise TooLongError


def within(seconds: float, run: Any) -> Outcome:
    """The outcome of run(), which gives names and values."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return Outcome(run())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Outcome(None, error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


class Worker:
    """Calls, and the counts of what came of them."""

    def __init__(self, progress: Path, results: TextIO, own: Any, only: str) -> None:
        self.own = own
        self.results = results
        with progress.open("r+b") as file:
            self.progress = mmap.mmap(file.fileno(), RECORD.size)
        self.groups = targets(own, np, only)
        self.counts: Counter[str] = Counter()
        self.called: set[str] = set()

    def note(self, seed: int, library: int) -> None:
        self.progress[: RECORD.size] = RECORD.pack(seed, library)

    def rehearse(self, call: Call) -> Any:
        return within(NUMPY_SECONDS, lambda: call.run(np)).result

    def make(self, seed: int) -> None:
        self.note(seed, NUMPYS)
        call = generate(seed, self.groups, self.rehearse)
        if breaks_numpy(call):
            self.counts["not for NumPy"] += 1
            return
        expected = within(NUMPY_SECONDS, lambda: call.run(np))
        self.counts["calls"] += 1
        self.called.add(call.target.name)
        if isinstance(expected.error, TooLongError):
            self.counts["too long for NumPy"] += 1
            return
        self.note(seed, OURS)
        found = within(OUR_SECONDS, lambda: self.run_ours(call))
        if isinstance(found.error, TooLongError):
            difference: Difference | None = Difference("slow", f"over {OUR_SECONDS:.0f} s")
        else:
            difference = compare(call.target, expected, found)
        self.counts["returned" if expected.error is None else "raised"] += 1
        if difference is not None:
            self.report(call, difference, expected, found)

    def run_ours(self, call: Call) -> dict[str, Any]:
        return {name: fetched(value) for name, value in call.run(self.own).items()}

    def report(self, call: Call, difference: Difference, expected: Outcome, found: Outcome) -> None:
        reason = reason_for(call, difference, expected, found)
        if reason is not None:
            self.counts[f"allowed: {reason}"] += 1
            return
        line = {"seed": call.seed, "target": call.target.name, "kind": difference.kind}
        self.write({**line, "text": difference.text, "program": call.program()})

    def write(self, line: dict[str, Any]) -> None:
        print(json.dumps(line), file=self.results, flush=True)


def show(seed: int, only: str) -> None:
    """Print the line of a call, and before it what NumPy is asked to find a shape for out=."""
    import cupola

    def rehearse(call: Call) -> Any:
        print(f"# {call.text()}", flush=True)
        return within(NUMPY_SECONDS, lambda: call.run(np)).result

    print(generate(seed, targets(cupola, np, only), rehearse).program())


def main() -> None:
    progress, results = map(Path, sys.argv[1:3])
    first, count = map(int, sys.argv[3:5])
    import cupola
    from cupola._functions import few_elements

    few_elements.asks_numpy = False
    exec(os.environ.get("CUPOLA_TEST_CALLS_FAULT", ""), {"xp": cupola, "np": np})
    limit_memory()
    with results.open("a") as file:
        worker = Worker(progress, file, cupola, *sys.argv[5:] or "*")
        for seed in range(first, first + count):
            worker.make(seed)
        known = sorted(target.name for group in worker.groups.values() for target in group)
        called = sorted(worker.called)
        worker.write({"counts": worker.counts, "called": called, "known": known})
    os._exit(0)  # what the end of a process does is not looked at here


if __name__ == "__main__":
    signal.signal(signal.SIGPROF, interrupt)
    if sys.argv[1] == "--show":
        show(int(sys.argv[2]), *sys.argv[3:] or "*")
    else:
        main()
