"""`a[mask]` before its elements are counted: what is done with it is done to the whole array."""

import json
import operator
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import agree
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda
from support.subprocesses import run_python

SIZES = [1, 33, 5000, 300_001]


def operands(size: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(size)
    return rng.integers(-9, 10, size).astype(dtype), rng.random(size) < 0.4


def both(size: int, run: Callable[..., Any], dtype: Any = np.float64) -> None:
    """Runs the program on arrays of NumPy and of ours, and compares what it returns."""
    a, mask = operands(size, dtype)
    agree(lambda xp, x, m: run(xp, x.copy(), m.copy()), a, mask)


REDUCTIONS: list[Callable[[Any, Any, Any], Any]] = [
    lambda xp, a, m: a[m].sum(),
    lambda xp, a, m: xp.sum(a[m]),
    lambda xp, a, m: a[m].sum(axis=0),
    lambda xp, a, m: a[m].sum(-1, keepdims=True),
    lambda xp, a, m: a[m].sum(initial=3),
    lambda xp, a, m: a[m].sum(dtype=np.float32),
    lambda xp, a, m: a[m].sum(out=xp.zeros(())),
    lambda xp, a, m: (a[m] != 0).any(),
    lambda xp, a, m: (a[m] > -9).all(),
    lambda xp, a, m: xp.count_nonzero(a[m]),
    lambda xp, a, m: a[a > 0].mean(),
    lambda xp, a, m: a[a > 0].var().round(8),
    lambda xp, a, m: a[a > 0].std(ddof=1).round(8),
    lambda xp, a, m: xp.nansum(a[m]),
    lambda xp, a, m: a[m].max(initial=-20),
    lambda xp, a, m: (a[m] * 2 - 1).sum(),
    lambda xp, a, m: (a[m] * a[m]).sum(),
    lambda xp, a, m: (a[m] - a[m].mean() if m.any() else a[m]).sum().round(6),
    lambda xp, a, m: xp.abs(-a[m]).sum(),
]


@pytest.mark.parametrize("size", [33, 5000, 300_001])
@pytest.mark.parametrize("number", range(len(REDUCTIONS)))
def test_reductions(number: int, size: int) -> None:
    both(size, REDUCTIONS[number])


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "c16"])
def test_dtypes_of_sums(dtype: str) -> None:
    both(5000, lambda xp, a, m: [a[m].sum(), a[m].mean().round(2), a[m].prod(dtype="i8")], dtype)


def test_nothing_selected() -> None:
    def run(xp: Any, a: Any, m: Any) -> list[Any]:
        none = a > 100
        return [a[none].sum(), a[none].prod(), a[none].any(), a[none].all(), xp.sum(a[none] + 1)]

    both(5000, run)
    a = from_numpy(operands(5000)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # where the number is known at the call
        assert np.isnan(float(a[a > 100].mean()))
    with pytest.raises(ValueError, match="zero-size array"):
        a[a > 100].max()


UPDATES: list[Callable[[Any, Any, Any], None]] = [
    lambda xp, a, m: operator.setitem(a, m, a[m] + 1),
    lambda xp, a, m: operator.setitem(a, m, 2 - a[m]),
    lambda xp, a, m: operator.setitem(a, m, a[m] ** 2 + xp.arange(a.size)[m]),
    lambda xp, a, m: operator.setitem(a, m, -a[m] * a[m]),
    lambda xp, a, m: operator.setitem(a, m, (a[m] > 0) & (a[m] < 4)),
    lambda xp, a, m: operator.setitem(a, m, a[m] + a[0]),
    lambda xp, a, m: operator.setitem(a[1:], m[1:], a[:-1][m[1:]]),
    lambda xp, a, m: operator.setitem(a, m, a[::-1][m]),
    lambda xp, a, m: operator.setitem(a, ~m, a[m].sum()),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("number", range(len(UPDATES)))
def test_updates(number: int, size: int) -> None:
    def run(xp: Any, a: Any, m: Any) -> Any:
        UPDATES[number](xp, a, m)
        return a

    both(size, run)


@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "f8"])
def test_in_place_operators(dtype: str) -> None:
    def run(xp: Any, a: Any, m: Any) -> Any:
        a[m] += 3
        a[m] -= a[m]
        a[~m] *= 2
        a[a > 4] -= 1
        a[m] |= 5 if a.dtype.kind == "i" else 0
        return a

    def run_floating(xp: Any, a: Any, m: Any) -> Any:
        a[m] += 0.5
        a[a < 0] /= 3
        a[m] **= 2
        a[~m] += np.float64(1e-3)
        return a

    both(5000, run if dtype[0] == "i" else run_floating, dtype)


def test_a_name_has_the_elements_of_its_moment() -> None:
    def run(xp: Any, a: Any, m: Any) -> list[Any]:
        before = a[m]
        masked = xp.arange(a.size)[m]
        a[:] = 7
        squares = (a * 3)[m] ** 2
        m[: m.size // 2] = False
        after = a[m]
        a[m] = -1
        named = a[~m]
        same = named
        same += 5
        return [before, masked, squares, after, named, a]

    both(5000, run)


def test_masks_that_read_what_is_written() -> None:
    def run(xp: Any, a: Any, m: Any) -> Any:
        m[m] = ~m[m]
        b = a > 0
        b[b] = b[b] & True
        c = a.copy()
        c[c > 0] = c[c > 0] - 1  # two masks
        return [m, b, c]

    both(5000, run)


def test_errors_are_those_of_counted_elements() -> None:
    a, mask = (from_numpy(each) for each in operands(5000, np.int8))
    with pytest.raises(TypeError):
        a[mask] += 0.5
    with pytest.raises(OverflowError):
        a[mask] += 300
    with pytest.raises(ValueError, match="cannot assign"):
        a[mask] = a[~mask]
    with pytest.raises(IndexError):
        a[mask[:-1]]
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a[mask] += 1


def test_what_is_known_without_a_count() -> None:
    a, mask = (from_numpy(each) for each in operands(5000, np.float32))
    selected = a[mask]
    assert (type(selected), selected.ndim) == (cp.ndarray, 1)
    assert (selected.dtype, selected.device) == (np.float32, a.device)
    assert selected.shape == (int(mask.sum()),) == (len(selected),)


@pytest.mark.cupola_only
def test_many_threads_count_once() -> None:
    a, mask = operands(300_001)
    selected = from_numpy(a)[from_numpy(mask)]
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(selected.get())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    for each in found:
        np.testing.assert_array_equal(each, a[mask])


@pytest.mark.cupola_only
def test_updates_while_other_threads_wait_for_the_device() -> None:
    """They have what was selected counted between two steps of the update."""
    count, size = 5000, 200
    a, mask = from_numpy(np.zeros(size)), from_numpy(np.arange(size) % 2 == 0)
    done = threading.Event()

    def wait_again() -> None:
        while not done.is_set():
            cp.cuda.Device().synchronize()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=wait_again) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for _ in range(count):
            a[mask] += 1
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    np.testing.assert_array_equal(a.get(), np.where(np.arange(size) % 2 == 0, count, 0))


BITS = """
import cupola as cp, numpy as np
a = cp.asarray(np.random.default_rng(5).random(100_003))
print([float(x).hex() for x in (a[a > 0.3].sum(), (a[a > 0.5] * 3).mean(), a[a < 0.1].std())])
"""


@pytest.mark.parametrize("adversary", ["", "7"])
def test_eager_and_deferred_have_the_same_bits(adversary: str) -> None:
    found = [
        run_python(BITS, CUPOLA_ADVERSARY=adversary, CUPOLA_EAGER=eager).stdout
        for eager in ("0", "1")
    ]
    assert found[0] == found[1] != ""


HOSTILE = """
import sys
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-k", "not bits and not hostile", FILE]))
"""


@pytest.mark.cupola_only
def test_on_a_hostile_device() -> None:
    """There the host waits for each answer, as for a GPU's."""
    done = run_python(f"FILE = {__file__!r}\n{HOSTILE}", CUPOLA_ADVERSARY="11", CUPOLA_DEVICE="")
    assert done.returncode == 0, done.stdout


COUNTING = """
fake.fake_cuda_take_calls.restype = ctypes.c_size_t
fake.fake_cuda_take_calls.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
import json

def calls():
    text = ctypes.create_string_buffer(1 << 20)
    assert fake.fake_cuda_take_calls(text, 1 << 20) < 1 << 20
    return text.value.decode().split()

def counts(program):
    a = cp.asarray(np.zeros(SIZE))
    b = cp.asarray(np.ones(SIZE))
    m = cp.asarray(np.ones(SIZE, bool))
    cp.cuda.Device().synchronize()
    calls()
    result = program(a, b, m)
    cp.eval(a if result is None else result)
    made = calls()
    waits = ("cuStreamSynchronize", "cuEventSynchronize", "cuMemcpyDtoH")
    return [sum(each.startswith(names) for each in made) for names in ("cuLaunchKernel", waits)]

def update(a, b, m):
    a[m] += 1

def formula(a, b, m):
    a[m] = a[m] ** 2 + b[m]

fake.fake_cuda_watch_calls()
print(json.dumps({
    "sum": counts(lambda a, b, m: a[m].sum()),
    "mean": counts(lambda a, b, m: a[a > 0].mean()),
    "count": counts(lambda a, b, m: cp.count_nonzero(a[m])),
    "update": counts(update),
    "formula": counts(formula),
}))
"""


@needs_fake_cuda
@pytest.mark.cupola_only
@pytest.mark.parametrize("size", [200, 1_000_000])
def test_nobody_waits_and_one_kernel_does_it(size: int) -> None:
    found = json.loads(output_on_fake_cuda(f"SIZE = {size}\n" + COUNTING, CUPOLA_DEVICE=""))
    assert {name: waits for name, (_, waits) in found.items()} == dict.fromkeys(found, 0)
    of_sum = 1 if size == 200 else 2
    kernels = dict.fromkeys(("sum", "mean", "count"), of_sum) | {"update": 1, "formula": 1}
    assert {name: found[name][0] for name in kernels} == kernels
