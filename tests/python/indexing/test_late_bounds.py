"""Positions that a held stream is still to compute: no call waits for them, and what is out of
bounds is raised where values are observed.
"""

import numpy as np
import pytest
from cupola_under_test import cp
from support.streams import held_back, returns_without_waiting

pytestmark = pytest.mark.cupola_only

COUNT = 10_000


def put(x, i):
    cp.put(x, i, -1)
    return x


def put_along_axis(x, i):
    cp.put_along_axis(x, i, -1, 0)
    return x


def assign(x, i):
    x[i] = -1
    return x


def add_in_place(x, i):
    x[i] += 1
    return x


def add_at(x, i):
    cp.add.at(x, i, 1)
    return x


CALLS = {
    "x[i]": lambda x, i: x[i],
    "rows": lambda x, i: cp.reshape(x, (-1, 1))[i],
    "columns": lambda x, i: cp.reshape(x, (1, -1))[:, i],
    "pairs": lambda x, i: cp.reshape(x, (1, -1))[i * 0, i],
    "take": lambda x, i: cp.take(x, i),
    "take along": lambda x, i: cp.take_along_axis(x, i, 0),
    "choose": lambda x, i: cp.choose(i % 2, [x, -x]),
    "unravel": lambda x, i: cp.unravel_index(i, (COUNT // 2, 2))[0],
    "ravel": lambda x, i: cp.ravel_multi_index((i, i), (COUNT, COUNT)),
    "put": put,
    "put along": put_along_axis,
    "assign": assign,
    "add": add_in_place,
    "add.at": add_at,
    "reduceat": lambda x, i: cp.add.reduceat(x, i),
    "digitize": lambda x, i: cp.digitize(i, x),
    "falling": lambda x, i: cp.digitize(i, x[::-1], right=True),
    "lexsort": lambda x, i: cp.lexsort((i, x, i, x)),
}
WRONG = {
    "x[i]": lambda x, i: x[i + 1],
    "low": lambda x, i: x[-2 - i],
    "take": lambda x, i: cp.take(x, i + 1),
    "assign": lambda x, i: assign(x, i + 1),
    "choose": lambda x, i: cp.choose(i % 2 + 1, [x, -x]),
    "unravel": lambda x, i: cp.unravel_index(i + 1, (COUNT,))[0],
    "ravel": lambda x, i: cp.ravel_multi_index((i, i), (COUNT, COUNT - 1)),
    "reduceat": lambda x, i: cp.add.reduceat(x, i + 1),
    "reduceat below": lambda x, i: cp.add.reduceat(x, i - 1),
    "digitize": lambda x, i: cp.digitize(x, i),
}


def computed(array):
    cp.eval(array)
    return array


@pytest.fixture
def positions():
    return np.random.default_rng(5).permutation(COUNT)


@pytest.mark.parametrize("name", CALLS)
def test_nobody_waits_for_positions(name, positions):
    call, stream = CALLS[name], cp.Stream()
    expected = cp.asnumpy(call(cp.arange(COUNT), cp.asarray(positions)))
    with stream:
        x, i = computed(cp.arange(COUNT)), cp.asarray(positions)
        call(x * 1, computed(i * 1))  # kernels are not loaded while a stream is held
    stream.synchronize()

    def without_waiting():
        with stream:
            return call(x, computed(i * 1))

    with held_back(stream):
        result = returns_without_waiting(without_waiting)
    assert np.array_equal(cp.asnumpy(result), expected)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_out_of_bounds_is_raised_where_values_are_observed(name, positions):
    call, stream = WRONG[name], cp.Stream()
    error = ValueError if name in ("choose", "unravel", "ravel", "digitize") else IndexError
    with stream:
        x, i = computed(cp.arange(COUNT)), cp.asarray(positions)
        with pytest.raises(error):
            cp.asnumpy(call(x * 1, computed(i * 1)))  # loads kernels
        with held_back(stream) as gate:
            result = call(x, computed(i * 1))
            gate.set()
            with pytest.raises(error, match=r"asked for at .*test_late_bounds\.py:"):
                cp.asnumpy(result)
        assert len(cp.asnumpy(x)) == COUNT  # it is told once


def test_a_thread_that_reads_what_another_indexed_is_told(positions):
    stream, other = cp.Stream(), cp.Stream()
    with stream:
        x, i = computed(cp.arange(COUNT)), cp.asarray(positions)
        float(computed(computed(x[computed(i + 0)]) * 2)[0])  # loads kernels
        with held_back(stream) as gate:
            result = computed(x[computed(i + 1)])
            gate.set()
            with other, pytest.raises(IndexError):
                float(computed(result * 2)[0])


OBSERVED = {
    "x[mask]": lambda x: len(x[x > 3]),
    "x[mask] = v": lambda x: assign(x, x > x[0] * 0 + 3),
    "bool": lambda x: bool(x[0] >= 0),
    "x[i] of a number": lambda x: x[int(x[2])],
    "nonzero": cp.nonzero,
}


@pytest.mark.parametrize("name", OBSERVED)
def test_whatever_observes_tells(name, positions):
    call, stream = OBSERVED[name], cp.Stream()
    with stream:
        x, i = computed(cp.arange(COUNT)), cp.asarray(positions)
        call(computed(x * 1))
        computed(x[computed(i * 1)])  # kernels are not loaded while a stream is held
        with held_back(stream) as gate:
            computed(x[computed(i + 1)])
            gate.set()
            with pytest.raises(IndexError, match=r"asked for at .*test_late_bounds\.py:"):
                cp.asnumpy(call(computed(x * 1)))


def test_what_the_host_knows_is_raised_at_the_call():
    stream = cp.Stream()
    with stream:
        x = computed(cp.arange(10))
        computed(x + 1)
        stream.synchronize()
        with held_back(stream):
            computed(x + 1)
            for wrong in ([1, 10], np.array([-11, 3]), (np.array([10], "u1"),)):
                with pytest.raises(IndexError, match="is out of bounds for axis 0 with size 10"):
                    x[wrong]
            with pytest.raises(IndexError):
                x[[10]] = 3
