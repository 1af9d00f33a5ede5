"""Single elements: what is stored and read, its conversions and errors, and its order."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, name

VALUES = [0, 1, -1, 127, 128, -128, 255, 256, 2**31, 2**63, -(2**63), 2**64, 10**30, True, False]
VALUES += [
    0.0,
    -0.0,
    1.5,
    300.7,
    -1.0,
    1e300,
    float("inf"),
    float("nan"),
    1j,
    None,
    [1],
    [0],
    (),
    [1, 2],
]


def stored(xp: Any, dtype: Any, key: Any, value: Any) -> Any:
    array = xp.arange(6).astype(dtype).reshape(2, 3)
    array[key] = value
    return array


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_numbers(dtype: Any, value: Any) -> None:
    with np.errstate(all="ignore"):
        agree(lambda xp: stored(xp, dtype, (1, -2), value))


@pytest.mark.parametrize("key", [(0, 0), (-2, -3), (1, 3), (-3, 0), (2**70, 0), (0, 0, 0), (), 1])
def test_places(key: Any) -> None:
    agree(lambda xp: stored(xp, "f8", key, 7))
    agree(lambda xp: xp.arange(6.0).reshape(2, 3)[key])


@pytest.mark.parametrize("source", NUMPY_DTYPES, ids=name)
def test_elements_of_other_arrays(source: Any) -> None:
    for target in ("?", "i4", "f4", "c16"):

        def assigned(xp: Any, target: str = target) -> Any:
            array = xp.zeros(4, target)
            array[2] = xp.arange(3).astype(source)[2]
            return array

        with np.errstate(all="ignore"):
            agree(assigned)


def test_views_see_elements_and_are_read_only_where_they_are() -> None:
    a = cp.arange(12.0).reshape(3, 4)
    view = a.T[1:, ::-1]
    view[0, 0] = -1
    assert float(a[2, 1]) == -1
    fixed = cp.broadcast_to(a[0], (2, 4))
    with pytest.raises(ValueError, match="read-only"):
        fixed[0, 0] = 1


def test_what_was_asked_for_before_has_the_old_element() -> None:
    a = cp.arange(1000.0)
    doubled = a * 2
    a[3] = -1
    assert float(doubled[3]) == 6
    total = a.sum()
    a[3] = 3
    assert float(total) == 999 * 500 - 4


@pytest.mark.cupola_only
def test_other_streams_are_waited_for() -> None:
    a = cp.arange(300_000.0)
    for turn in range(20):
        stream = cp.cuda.Stream()
        with stream:
            b = cp.sqrt(a * a + 1)
            cp.eval(b)
        a[5] = turn
        with stream:
            a *= 1
        assert float(a[5]) == turn
        expected = 26.0 if turn == 0 else (turn - 1) ** 2 + 1.0
        assert float(b[5]) == pytest.approx(expected**0.5)


def test_loops_over_elements() -> None:
    def recurrence(xp: Any) -> Any:
        v = xp.zeros(50)
        v[0] = 1
        for i in range(1, 50):
            v[i] = v[i - 1] * 0.5 + i
            v[i - 1] += v[i] * 2
            if v[i] > 3:
                v[i] -= 1
        return v

    agree(recurrence)


# Operations of elements are done at the call where the host can: they must be what arrays give.
OPERATIONS = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "remainder",
    "power",
    "maximum",
    "less",
    "equal",
    "logical_and",
    "arctan2",
    "hypot",
    "copysign",
]


@pytest.mark.cupola_only
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_operations_have_the_bits_of_arrays(operation: str, dtype: Any) -> None:
    rng = np.random.default_rng(7)
    values = (rng.random((2, 40)) * 9 + 1).astype(dtype)
    function = getattr(cp, operation)
    a, b = cp.asarray(values[0]), cp.asarray(values[1])
    try:
        together = function(a, b)
    except TypeError:
        return
    single = [function(x, y) for x, y in zip(a, b, strict=True)]
    assert single[0].dtype == together.dtype
    assert cp.asnumpy(together).tobytes() == cp.asnumpy(cp.stack(single)).tobytes()


@pytest.mark.cupola_only
@pytest.mark.parametrize(
    "function", ["sqrt", "exp", "sin", "negative", "absolute", "rint", "isnan"]
)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16", "i4"])
def test_functions_have_the_bits_of_arrays(function: str, dtype: str) -> None:
    a = cp.asarray((np.random.default_rng(3).random(40) * 9 - 4).astype(dtype))
    try:
        together = getattr(cp, function)(a)
    except TypeError:
        return
    single = [getattr(cp, function)(x) for x in a]
    assert cp.asnumpy(together).tobytes() == cp.asnumpy(cp.stack(single)).tobytes()


@pytest.mark.parametrize("exponent", [0, 2, 0.5, -1.5, 3])
def test_powers(exponent: float) -> None:
    values = np.array([-2.0, -0.5, 0.0, 2.0, np.inf, np.nan])
    with np.errstate(all="ignore"):
        # What is no root or product may differ from NumPy in the last bit.
        agree(
            lambda xp: [xp.asarray(values)[i] ** exponent for i in range(6)], tolerance=Tolerance(1)
        )


def test_accumulators() -> None:
    def sums(xp: Any) -> Any:
        v = xp.arange(1.0, 9.0)
        total: Any = 0.0
        kept = []
        for x in v:
            total += x
            kept.append(total * 1)
        product = v[0] * 1
        other = product * 1
        for x in v:
            product *= x
        other -= 1
        scaled = v * product
        product += 1
        return [total, product, other, scaled, *kept]

    agree(sums)


def test_an_update_that_its_type_refuses_gives_a_new_name() -> None:
    def updated(xp: Any) -> Any:
        i = xp.arange(5)
        x = i[3]
        x += 2.5
        i[2] *= 3
        return [x, i]

    agree(updated)


@pytest.mark.cupola_only
def test_results_of_elements_are_arrays() -> None:
    v = cp.arange(4.0)
    x = v[3] * 2
    assert isinstance(x, cp.ndarray)
    assert (x.shape, x.dtype, x.device, x.size, x.strides) == ((), np.float64, v.device, 1, ())
    v[3] = 0
    assert float(x) == 6
    y = x[()]
    x += 1
    assert float(y) == 7
    assert float(cp.asnumpy(x)) == 7
    out = cp.zeros(())
    assert cp.multiply(v[1], 5, out=out) is out
    assert float(out) == 5


def test_positions_are_checked_again_after_an_element_was_written() -> None:
    v, places = cp.arange(10.0), cp.arange(3)
    big = cp.arange(6000)
    assert float(v[places].sum() + cp.arange(6000.0)[big].sum()) > 0
    places[0] = 10
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 10"):
        to_numpy(v[places])
    places[0] = -10
    assert float(v[places][0]) == 0
    big[4000] = 10**12
    with pytest.raises(IndexError, match="index 1000000000000 is out of bounds"):
        to_numpy(cp.arange(6000.0)[big])


def test_few_elements_by_index_arrays() -> None:
    def moved(xp: Any) -> Any:
        a = xp.arange(60.0).reshape(3, 4, 5)
        i, j = xp.asarray([2, -1, 0]), xp.asarray([[1, 2, -4], [0, 0, 3]], dtype=xp.int32)
        results = [a[i], a[i, j], a[j % 3], a[i, i, i], a.T[i], a[:, ::2][i], a[i][:, i]]
        a[i] = a[i] + 1
        a[i, i] = -5
        a[i, i, i] = xp.asarray([1.0, 2.0, 3.0])
        a[j % 3] = 0.5
        b = xp.arange(10)
        b[b[3:6]] = 100
        b[b[:3]] = b[7:]
        b[xp.asarray([1, 1, 1])] = xp.asarray([7, 8, 9])
        b[xp.asarray([4])] = b[5]
        return [*results, a, b, a[a > 3], b[b < 9], b[xp.zeros(10, bool)]]

    agree(moved)


@pytest.mark.cupola_only
def test_few_elements_wait_for_what_was_asked_for_before() -> None:
    a, places = cp.arange(100.0), cp.asarray([3, 5])
    doubled = a * 2
    a[places] = -1
    assert float(doubled[3]) == 6
    stream = cp.cuda.Stream()
    for turn in range(20):
        with stream:
            large = cp.sqrt(cp.arange(400_000.0) * 0 + turn)
            cp.eval(large)
            part = large[:50]
        part[places] = part[places] + 1
        assert float(large[3]) == turn**0.5 + 1
        copy = large[3:6].copy()
        large[3:6] = 0
        assert cp.asnumpy(copy).tolist() == [turn**0.5 + 1, turn**0.5, turn**0.5 + 1]
