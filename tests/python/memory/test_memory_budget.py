"""A device that has no memory left says so, and works again afterwards."""

import pytest
from support.subprocesses import output_of, run_python

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]
BUDGET = {
    "CUPOLA_PLATFORM": "cpu",
    "CUPOLA_CPU_DEVICES": "2",
    "CUPOLA_CPU_DEVICE_MEMORY": str(64 << 20),
}

EXCEEDED = """
import cupola as cp
held = cp.zeros(2 << 20)
try:
    cp.zeros(20 << 20)
except MemoryError as error:
    assert isinstance(error, cp.errors.OutOfMemoryError), type(error)
    print(error)
assert float((held + 1).sum()) == 2 << 20
other = cp.ones(4 << 20, device="cpu:1")
assert float(other.sum()) == 4 << 20
"""

OF_A_RESULT = """
import cupola as cp
a = cp.ones(3 << 20)
kept = [a]
try:
    for _ in range(10):
        following = kept[-1] + 1
        float(following[0])
        kept.append(following)
    raise SystemExit("nothing was raised")
except cp.errors.OutOfMemoryError:
    pass
assert float(a.sum()) == 3 << 20
out = kept[-1]
before = float(out[0])
try:
    cp.concatenate([a, a, a])
    raise SystemExit("nothing was raised")
except cp.errors.OutOfMemoryError:
    pass
assert float(out[-1]) == before
del kept, out, following
again = [cp.ones(3 << 20)]
assert float(again[0].sum()) == 3 << 20
print("usable")
"""

MANY_TIMES = """
import cupola as cp
for i in range(100):
    a = cp.full(3 << 20, i, dtype="uint64")
    assert int(a[-1]) == i
print("reused")
"""

NEVER_STORED = """
import cupola as cp
a = cp.ones(5 << 20)
assert float((2 * a).sum()) == 10 << 20
print("summed")
"""

KEPT_BY_WHAT_WAITS = """
import cupola as cp
pool = cp.get_default_memory_pool()
a = cp.ones(3 << 20)
cp.eval(a)
waiting = a + 1
assert pool.used_bytes() == a.nbytes, "the result is stored at once"
del a
small = cp.ones(8) + 1
assert pool.used_bytes() < 25 << 20, "the operand is kept beside its result"
assert float(waiting[-1]) == 2
print("freed")
"""


def test_message_and_use_afterwards() -> None:
    """The message names the device, what was asked and the budget."""
    message = output_of(EXCEEDED, **BUDGET)
    assert "cpu:0" in message
    assert "160" in message or str(160 << 20) in message
    assert "64" in message or str(64 << 20) in message


def test_results_that_do_not_fit() -> None:
    assert output_of(OF_A_RESULT, **BUDGET) == "usable"


def test_large_results_that_are_never_stored() -> None:
    assert output_of(NEVER_STORED, CUPOLA_EAGER="0", **BUDGET) == "summed"


def test_memory_that_only_waiting_results_hold_is_freed() -> None:
    assert output_of(KEPT_BY_WHAT_WAITS, CUPOLA_EAGER="0", **BUDGET) == "freed"


def test_freed_memory_is_used_again() -> None:
    assert output_of(MANY_TIMES, **BUDGET) == "reused"


def test_larger_than_any_device() -> None:
    code = "import cupola as cp; cp.empty(1 << 60, 'u1')"
    result = run_python(code, **BUDGET)
    assert result.returncode == 1
    assert "OutOfMemoryError" in result.stderr


LARGER_THAN_A_DEVICE = """
import cupola as cp
import numpy as np

cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc)
n = 12 << 20
try:
    a = cp.full(n, 1.1, dtype=np.float64)
    print("made", a.shape, a.nbytes)
except cp.cuda.memory.OutOfMemoryError as error:
    print("out of memory:", error)
print(float(cp.full(1 << 10, 1.1, dtype=np.float64).sum()))
"""

ONE_ON_EACH_DEVICE = """
import cupola as cp
import numpy as np

held = []
for d in cp.cuda.Device.available_gpus():
    with cp.cuda.Device(d):
        try:
            held.append(cp.full(n := 6 << 20, 1.1, dtype=np.float64))
        except cp.cuda.memory.OutOfMemoryError:
            print(f"device {d} is full")
            continue
        print(d, held[-1].device.id, held[-1].shape, held[-1].nbytes)
assert all(float(a[-1]) == 1.1 for a in held)
"""


def test_managed_memory_larger_than_a_device() -> None:
    """The program goes on, with the array or without."""
    first, *_, last = output_of(LARGER_THAN_A_DEVICE, **BUDGET).split("\n")
    assert first.startswith("out of memory:") or (first == "made (12582912,) 100663296")
    assert abs(float(last) - 1126.4) < 1e-9


def test_an_array_on_each_device() -> None:
    sizes = {**BUDGET, "CUPOLA_CPU_DEVICES": "3", "CUPOLA_CPU_DEVICE_MEMORY": "64M,32M,64M"}
    assert output_of(ONE_ON_EACH_DEVICE, **sizes).split("\n") == [
        "0 0 (6291456,) 50331648",
        "device 1 is full",
        "2 2 (6291456,) 50331648",
    ]
