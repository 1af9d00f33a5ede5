"""Choices without replacement of few of many numbers."""

import sys

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

pytestmark = pytest.mark.cupola_only


def test_few_of_many_numbers_are_chosen_without_memory_for_all() -> None:
    for generator in (cp.random.default_rng(3), cp.random.RandomState(3)):
        chosen = to_numpy(generator.choice(10**12, (4, 250), replace=False))
        assert chosen.shape == (4, 250)
        assert chosen.dtype == np.int64
        assert np.unique(chosen).size == 1000
        assert 0 <= chosen.min() < 10**10
        assert 10**12 - 10**10 < chosen.max() < 10**12
    count = 1 << 22
    assert np.unique(to_numpy(cp.random.choice(count, count // 50, False))).size == count // 50
    assert cp.random.choice(count, 0, replace=False).shape == (0,)
    again = [cp.random.default_rng(9).choice(count, 7, replace=False).tolist() for _ in range(2)]
    assert again[0] == again[1]


def test_distinct_draws_are_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["cupola.random._selections"]
    monkeypatch.setattr(module, "_LARGE", 1)
    monkeypatch.setattr(module, "_FEW", 1)
    generator = cp.random.default_rng(4)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(600):
        order = tuple(generator.choice(3, 3, replace=False).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert all(60 < number < 145 for number in counts.values()), counts
    assert sorted(generator.choice(200, 200, replace=False).tolist()) == list(range(200))
