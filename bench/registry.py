"""What a benchmark row is, and the list of all rows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from libraries import PLAIN, Library

# Areas of which NumPy would take hours at the size that a GPU is measured at.
TOO_LARGE_FOR_NUMPY = ("large", "updates", "matmul", "factor", "sorting", "counting", "programs")


@dataclass(frozen=True)
class Task:
    """One library's side of a row.

    Either `run` does the work once (what it returns is waited for and, at a small size, compared
    with NumPy's), or `seconds` does it and says how long it took.
    """

    run: Callable[[], Any] | None = None
    seconds: Callable[[], float] | None = None


class Inputs:
    """Fresh random operands: made once on the host, once on each library's device.

    `n` elements of float32 in [0, 1) per operand, also as `side` x `side`; matrices to multiply
    are `order` x `order`. `small`: rows with sizes of their own take the small one.
    """

    def __init__(self, side: int, order: int, seed: int, small: bool = False) -> None:
        self.side, self.n, self.order, self.small = side, side * side, order, small
        self._rng = np.random.default_rng(seed)
        self._host: dict[str, np.ndarray] = {}
        self._device: dict[tuple[str, str], Any] = {}
        self._made: tuple[str, Any] = ("", None)

    def host(self, name: str) -> np.ndarray:
        if name not in self._host:
            self._host[name] = self._rng.random(self.n, dtype=np.float32)
        return self._host[name]

    def made(self, key: str, make: Callable[[np.random.Generator], Any]) -> Any:
        """Operands that `make` draws once for all libraries; only the last ones are kept."""
        if self._made[0] != key:
            self._made = ("", None)
            self._made = (key, make(self._rng))
        return self._made[1]

    def on(self, library: Library, name: str) -> Any:
        """The whole operand on the library's device."""
        key = (library.arrays_of or library.name, name)
        if key not in self._device:
            self._device[key] = library.operand(self.host(name))
        return self._device[key]

    def square(self, library: Library, name: str) -> Any:
        return self.on(library, name).reshape(self.side, self.side)

    def part(self, library: Library, name: str, elements: int) -> Any:
        """A copy of the first elements."""
        return library.asarray(self.host(name)[:elements].copy())


Build = Callable[[Library, Inputs], Task]
Work = Callable[[Inputs], float]


@dataclass(frozen=True)
class Case:
    """A row: `work` units per run (bytes, operations, items), reported per second in `unit`.

    With `work` None the row is a time. `scale` converts to the unit. `compare` maps a result, on
    the host, and the Inputs to what must agree with NumPy within `tolerance` (relative to the
    largest value); None where the task checks itself.
    """

    name: str
    area: str
    unit: str
    scale: float
    build: Build
    work: Work | None = None
    peers: tuple[str, ...] = PLAIN
    platforms: tuple[str, ...] = ("cpu", "cuda")
    tolerance: float = 1e-5
    compare: Callable[[Any, Inputs], Any] | None = field(default=lambda result, _: result)

    def peers_on(self, platform: str) -> tuple[str, ...]:
        """NumPy is no peer for what a GPU does with 1 GiB: some rows would take it hours."""
        if platform == "cuda" and self.area in TOO_LARGE_FOR_NUMPY:
            return tuple(name for name in self.peers if name != "numpy")
        return self.peers

    def figure(self, seconds: float, inputs: Inputs) -> float:
        """What the table shows for a run of so many seconds."""
        return (self.work(inputs) / seconds if self.work else seconds) * self.scale

    def faster(self, ours: float, theirs: float) -> float:
        """How many times faster `ours` is, both as figures."""
        return ours / theirs if self.work else theirs / ours


CASES: list[Case] = []


def case(name: str, area: str, unit: str, scale: float, **options: Any) -> Callable[[Build], Build]:
    """Registers a function that builds a library's task as a row."""

    def register(build: Build) -> Build:
        CASES.append(Case(name, area, unit, scale, build, **options))
        return build

    return register
