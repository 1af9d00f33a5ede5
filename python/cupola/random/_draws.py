"""Keys from seeds, and the numbers of draws."""

from __future__ import annotations

import operator
import os
import threading
import weakref
from typing import Any

import numpy as np

from cupola._functions.arguments import on_host


def seed_sequence_of(seed: Any) -> Any:
    """NumPy's SeedSequence of a seed: None, an integer, integers, or one already."""
    if isinstance(seed, np.random.bit_generator.ISeedSequence):
        return seed
    seed = on_host(seed)
    if isinstance(seed, np.ndarray) and seed.ndim == 0:
        seed = operator.index(seed)
    return np.random.SeedSequence(seed)


class Draws:
    """A key and the number of the next draw, for any number of threads."""

    def __init__(self, seed: Any = None, number: int = 0, key: int | None = None) -> None:
        # Without a seed it is made at the first use, as NumPy loads its module for it.
        self._seed_sequence = None if seed is None else seed_sequence_of(seed)
        self._key = key
        self._number = number
        self.lock = threading.Lock()
        _all.add(self)

    @property
    def seed_sequence(self) -> Any:
        """What the key is made from."""
        with self.lock:
            return self._sequence()

    def take(self) -> tuple[int, int]:
        """The key, and a number that no other call gets."""
        with self.lock:
            number = self._number
            self._number = number + 1
            key = self._key
            return self._made_key() if key is None else key, number

    def place(self) -> tuple[int, int]:
        """The key and the number of the next draw."""
        with self.lock:
            return self._made_key(), self._number

    def move(self, key: int, number: int) -> None:
        """Go on with this key and this draw; numbers are taken modulo 2**63."""
        if not 0 <= key < 2**64:
            raise ValueError("the key of a state must be an integer of 64 bits")
        with self.lock:
            self._key, self._number = key, number % 2**63

    def _made_key(self) -> int:
        if self._key is None:
            self._key = int(self._sequence().generate_state(1, np.uint64)[0])
        return self._key

    def _sequence(self) -> Any:
        if self._seed_sequence is None:
            self._seed_sequence = np.random.SeedSequence()
        return self._seed_sequence

    def state(self) -> tuple[Any, int, int]:
        """The arguments that make the same draws again."""
        with self.lock:
            return self._sequence(), self._number, self._made_key()

    def __reduce__(self) -> Any:
        return Draws, self.state()


_all: weakref.WeakSet[Draws] = weakref.WeakSet()


def _after_fork() -> None:
    """Another thread of the parent may have held a lock."""
    for draws in _all:
        draws.lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
