"""Many calls, in processes of some hundreds each; a process that dies is searched for the call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worker import NUMPY_SECONDS, NUMPYS, OUR_SECONDS, OURS, RECORD, STARTING, is_on_cuda

WORKER = Path(__file__).with_name("worker.py")
# A call that takes so much more than its time, of all cores together, is one that no signal ends;
# so is one that waits for so long.
HANGING_SECONDS = {STARTING: 60.0, NUMPYS: NUMPY_SECONDS + 3, OURS: OUR_SECONDS + 5}
WAITING_SECONDS = 240
LOOKS_PER_SECOND = 5
TICKS = os.sysconf("SC_CLK_TCK")


def environment() -> dict[str, str]:
    """Of the processes that call."""
    folders = [*sys.path[:3], os.environ.get("PYTHONPATH", "")]
    # Small devices: what is absurd is refused at once.
    limits = {"CUPOLA_CPU_DEVICE_MEMORY": "256M"}
    if not is_on_cuda():  # where each process would compile the same kernels
        limits["CUPOLA_DISK_CACHE"] = "0"
    return {**os.environ, **limits, "PYTHONPATH": os.pathsep.join(folders)}


@dataclass
class Ended:
    """How a process ended, and what it was at."""

    status: int | None  # None: it was stopped, because a call did not end
    seed: int
    library: int
    lines: list[dict[str, Any]]


@dataclass
class Results:
    """What was found so far."""

    counts: Counter[str] = field(default_factory=Counter)
    called: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)  # that can be called
    end: int = 0  # the seed after the last call
    findings: list[dict[str, Any]] = field(default_factory=list)

    def add(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if "seed" in line:
                self.findings.append(line)
            else:
                self.counts.update(line["counts"])
                self.called.update(line["called"])
                self.known.update(line["known"])


def run(first: int, count: int, only: str) -> Ended:
    """One process of calls."""
    with tempfile.TemporaryDirectory() as folder:
        progress, results = Path(folder, "progress"), Path(folder, "results")
        progress.write_bytes(RECORD.pack(first, STARTING))
        command = [sys.executable, str(WORKER), str(progress), str(results)]
        # What LAPACK says about NaN goes nowhere.
        process = subprocess.Popen(
            [*command, str(first), str(count), only],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=None if "CUPOLA_TEST_CALLS_STDERR" in os.environ else subprocess.DEVNULL,
        )
        status = wait(process, progress)
        seed, library = RECORD.unpack(progress.read_bytes())
        lines = results.read_text().splitlines() if results.exists() else []
        return Ended(status, seed, library, [json.loads(line) for line in lines])


def wait(process: subprocess.Popen, progress: Path) -> int | None:
    """The exit status; None where a call hangs, and the process was stopped."""
    last, since, used = b"", 0.0, 0.0
    while True:
        try:
            return process.wait(1 / LOOKS_PER_SECOND)
        except subprocess.TimeoutExpired:
            pass
        now = progress.read_bytes()
        if now != last:
            last, since, used = now, time.monotonic(), processor_seconds(process.pid)
        elif (
            processor_seconds(process.pid) - used > HANGING_SECONDS[RECORD.unpack(now)[1]]
            or time.monotonic() - since > WAITING_SECONDS
        ):
            process.kill()
            process.wait()
            return None


def processor_seconds(pid: int) -> float:
    """What a process has had so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@dataclass(frozen=True)
class Plan:
    """What to call."""

    first: int  # seed
    count: int
    per_process: int
    only: str = "*"  # a pattern of names
    seconds: float = float("inf")  # after which no more processes start
    processes: int = 1  # at a time

    def parts(self) -> list[range]:
        """The seeds of each process that ends as it should."""
        end = self.first + self.count
        starts = range(self.first, end, self.per_process)
        return [range(start, min(start + self.per_process, end)) for start in starts]


def run_all(plan: Plan, say: Callable[[str], None]) -> Results:
    """Make the calls; what is found is said at once."""
    results = Results()
    deadline = time.monotonic() + plan.seconds
    with ThreadPoolExecutor(plan.processes) as pool:
        # Parts begin in their order, so those that were made are the first ones.
        for part in pool.map(lambda seeds: run_part(seeds, plan.only, deadline, say), plan.parts()):
            results.counts.update(part.counts)
            results.called |= part.called
            results.known |= part.known
            results.findings += part.findings
            results.end = max(results.end, part.end)
    return results


def run_part(seeds: range, only: str, deadline: float, say: Callable[[str], None]) -> Results:
    """The calls of some seeds, in as many processes as it takes; none once the time is over."""
    results = Results()
    if time.monotonic() > deadline:
        return results
    seed = seeds.start
    while seed < seeds.stop:
        ended = run(seed, seeds.stop - seed, only)
        if ended.library == STARTING:
            raise RuntimeError(f"the process of call {seed} did not start: {ended.status}")
        lines = ended.lines
        if ended.status == 0:
            seed = seeds.stop
        else:
            results.counts["calls"] += ended.seed - seed + 1
            if ended.library == NUMPYS:
                results.counts["NumPy crashed or hung"] += 1
                say(f"NumPy does not survive call {ended.seed}")
            else:
                lines = [*lines, death(seed, ended, only)]
            seed = ended.seed + 1
        results.end = seed
        results.add(lines)
        for line in lines:
            if "seed" in line:
                say(f"seed {line['seed']}: {line['kind']}: {line['text']}\n    {line['program']}")
    return results


def death(first: int, ended: Ended, only: str) -> dict[str, Any]:
    """The finding that a process died: with the calls before that it takes."""
    how = "hangs" if ended.status is None else f"exit status {ended.status}"
    before = 0
    while run(ended.seed - before, before + 1, only).status == 0:
        if ended.seed - before <= first:
            how += ", not again"
            break
        before = min(2 * before + 1, ended.seed - first)
    program = shown(ended.seed, only)
    kind = "slow" if ended.status is None else "crash"
    text = how if not before else f"{how} after the {before} calls before"
    return {"seed": ended.seed, "target": "", "kind": kind, "text": text, "program": program}


def shown(seed: int, only: str) -> str:
    """The line of Python of a call."""
    command = [sys.executable, str(WORKER), "--show", str(seed), only]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment())
    return (done.stdout.splitlines() or [""])[-1]
