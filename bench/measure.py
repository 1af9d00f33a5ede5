"""Timing of one row: the libraries take turns, so that what disturbs one disturbs all."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from libraries import Library, Numpy
from registry import Case, Inputs, Task

Value = TypeVar("Value")

# Seconds in which threads that are awake show: where a kernel counts what others run at its timer's
# tick only, of 4 or 10 ms, there are two at least.
LOOK = 0.024
IDLE = 0.1  # of one processor


@dataclass(frozen=True)
class Effort:
    """How long a sample lasts at least (seconds), how many there are, and when to stop early."""

    sample: float = 0.02
    rounds: int = 7
    budget: float = 2.0  # seconds per library and row; every library gets one sample
    rest: float = 0.0  # seconds that a sample waits at most for threads of the one before


@dataclass
class Cell:
    """A library's result in a row: seconds of each sample, or why there are none."""

    samples: list[float] = field(default_factory=list)
    error: str = ""

    @property
    def seconds(self) -> float:
        return statistics.median(self.samples)


class WrongResultError(Exception):
    """A library's result differs from NumPy's."""


def agree(tolerance: float, found: object, expected: object) -> None:
    """Raises WrongResultError if the results are apart by more than the tolerance."""
    f, e = (np.asarray(value, dtype=np.float64) for value in (found, expected))
    if f.shape != e.shape:
        raise WrongResultError(f"shape {f.shape}, expected {e.shape}")
    apart = float(np.max(np.abs(f - e), initial=0)) / max(
        float(np.max(np.abs(e), initial=0)), 1e-30
    )
    if not apart <= tolerance:
        raise WrongResultError(f"differs from NumPy by {apart:.1e}, allowed {tolerance:.0e}")


def on_host(library: Library, result: object) -> object:
    return result if isinstance(result, float | int) else library.to_host(result)


def check(case: Case, library: Library, inputs: Inputs) -> None:
    """Compares the library with NumPy, at the size of `inputs`."""
    if case.compare is None:
        return
    task, reference = case.build(library, inputs), case.build(Numpy("cpu"), inputs)
    if task.run is None or reference.run is None:
        return
    found = case.compare(on_host(library, task.run()), inputs)
    agree(case.tolerance, found, case.compare(reference.run(), inputs))


def repetitions(library: Library, task: Task, sample: float) -> int:
    """Runs that fill a sample, after warming up.

    As in a sample the last result is there while the next one is made, so that samples find memory
    of runs before, and arrays over all devices lie as they do while these have equal room.
    """
    if task.run is None:
        return 1
    result = None
    for _ in range(3):
        result = task.run()
        library.wait(result)
    del result
    start = time.perf_counter()
    library.wait(task.run())
    return max(1, round(sample / max(time.perf_counter() - start, 1e-7)))


def take_sample(library: Library, task: Task, repeat: int) -> float:
    """Seconds per run."""
    if task.run is None:
        assert task.seconds is not None
        return task.seconds()
    run, use, result = task.run, library.use, None
    start = time.perf_counter()
    for _ in range(repeat):
        result = run()
        use(result)
    library.wait(result)
    return (time.perf_counter() - start) / repeat


def come_to_rest(longest: float) -> None:
    """Waits until threads that look for work, as BLAS's do for 0.1 s, have gone to sleep."""
    end = time.perf_counter() + longest
    while time.perf_counter() < end:
        before = time.process_time()
        time.sleep(LOOK)
        if time.process_time() - before < IDLE * LOOK:
            return


def guarded(cell: Cell, action: Callable[[], Value]) -> Value | None:
    """The action's value; what it raises ends the cell."""
    try:
        return action()
    except Exception as error:
        cell.error = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
        return None


def measure(
    case: Case,
    libraries: Mapping[str, Library],
    small: Inputs,
    full: Inputs,
    effort: Effort,
) -> dict[str, Cell]:
    """Checks every library at the small size, then times it at the full one."""
    cells: dict[str, Cell] = {name: Cell() for name in libraries}
    tasks: dict[str, tuple[Library, Task, int]] = {}

    for library in libraries.values():
        library.begin_row()

    def prepare(library: Library) -> tuple[Library, Task, int]:
        check(case, library, small)
        task = case.build(library, full)
        return library, task, repetitions(library, task, effort.sample)

    for name, library in libraries.items():
        ready = guarded(cells[name], lambda library=library: prepare(library))
        if ready:
            tasks[name] = ready
    for _ in range(effort.rounds):
        for name, turn in tasks.items():
            cell = cells[name]
            spent = sum(cell.samples) * turn[2]
            if not cell.error and (not cell.samples or spent < effort.budget):
                come_to_rest(effort.rest)
                seconds = guarded(cell, lambda turn=turn: take_sample(*turn))
                if seconds is not None:
                    cell.samples.append(seconds)
    return cells
