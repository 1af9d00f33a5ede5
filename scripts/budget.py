"""How long each step of `make test` may take, and the table that says how long it took."""

import contextlib
import time
from collections.abc import Iterator

LIMIT = 35 * 60  # seconds for all of it, with an empty compiler cache, on two idle cores

# Seconds that each step is to take so; docs/dev/testing.md says where they go.
BUDGET = {
    "build": 480,
    "check": 60,
    "cpp": 120,
    "fake-cuda": 15,
    "programs": 15,
    "calls": 45,
    "python": 300,
    "configurations": 150,
    "build asan": 345,
    "asan": 100,
    "build tsan": 285,
    "tsan": 150,
    "mutants": 60,
    "readme": 15,
    "docs": 120,
    "neighbours": 110,
}
# Of these one for each commit.
IN_TURNS = (("build asan", "asan"), ("build tsan", "tsan"), ("mutants", "docs", "neighbours"))


def most() -> int:
    """Seconds of a run that takes the longest turn."""
    turns = [sum(BUDGET[step] for step in steps) for steps in IN_TURNS]
    return sum(BUDGET.values()) - sum(turns) + max(turns)


class Times:
    """Seconds that steps took, in their order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def measure(self, step: str) -> Iterator[None]:
        """Adds what the block takes to the step's time, less that of steps measured within it."""
        start, within = time.monotonic(), sum(self.seconds.values())
        try:
            yield
        finally:
            within = sum(self.seconds.values()) - within
            self.seconds.setdefault(step, 0)
            self.seconds[step] += time.monotonic() - start - within


def table(seconds: dict[str, float], limit: float = LIMIT) -> str:
    """Step, seconds and budget of each; how the sum compares with the limit is the last line."""
    width = max([len("step"), *map(len, seconds)])
    lines = [f"{'step':{width}}  seconds  budget"]
    for step, taken in seconds.items():
        budget = BUDGET.get(step)
        remark = "  OVER ITS BUDGET" if budget is not None and taken > budget else ""
        shown = "none" if budget is None else f"{budget}"
        lines.append(f"{step:{width}}  {taken:7.0f}  {shown:>6}{remark}")
    total = sum(seconds.values())
    missing = [step for step in BUDGET if step not in seconds]
    word = "within" if total <= limit else "OVER"
    lines.append(
        f"{total / 60:.1f} minutes: {word} the limit of {limit / 60:.0f}"
        + (f"; not run: {', '.join(missing)}" if missing else "")
    )
    return "\n".join(lines)
