"""Calls of the platform that fail: a clean error that says so, and what comes next works."""

import pytest
from cupola_under_test import on_cuda
from support.subprocesses import output_of

pytestmark = [
    pytest.mark.cupola_only,
    pytest.mark.skipif(on_cuda(), reason="the hostile CPU platform fails calls"),
    pytest.mark.long,
]

PROGRAM = """
import numpy as np
import cupola as cp

OPERATIONS = {
    "copy to a device and back": lambda: (cp.asnumpy(cp.asarray(source)), source),
    "elementwise": lambda: (cp.asnumpy(cp.asarray(source) * 2 + 1), source * 2 + 1),
    "sum": lambda: (float(cp.asarray(source).sum()), source.sum()),
    "columns": lambda: (cp.asnumpy(cp.asarray(source).max(axis=0)), source.max(axis=0)),
    "product": lambda: (cp.asnumpy(cp.asarray(source) @ cp.asarray(source.T)), source @ source.T),
    "sort": lambda: (cp.asnumpy(cp.sort(cp.asarray(source), axis=0)), np.sort(source, axis=0)),
    "selection": lambda: (cp.asnumpy(selected(cp.asarray(source))), selected(source)),
    "write": lambda: (cp.asnumpy(filled()), np.full((7, 9), 5.0)),
    "cumulative": lambda: (cp.asnumpy(cp.cumsum(cp.asarray(source))), np.cumsum(source)),
    "other device": lambda: (cp.asnumpy(cp.asarray(source).to_device("cpu:1") + 1), source + 1),
}
source = np.arange(63.0).reshape(7, 9)[::-1]


def selected(a):
    return a[a > 9]


def filled():
    a = cp.zeros((7, 9))
    a[...] = 5
    return a


failed = succeeded = 0
for turn in range(60):
    for name, operation in OPERATIONS.items():
        for _ in range(100):
            try:
                found, expected = operation()
            except (cp.errors.DeviceError, cp.errors.OutOfMemoryError) as error:
                assert "injected fault" in str(error), (name, error)
                failed += 1
                continue
            np.testing.assert_array_equal(found, expected, err_msg=name)
            succeeded += 1
            break
        else:
            raise AssertionError(f"{name} never succeeds")
assert succeeded == 60 * len(OPERATIONS)
print(failed)
"""


@pytest.mark.parametrize("rate", [10, 50])
@pytest.mark.parametrize("eager", ["0", "1"])
def test_one_call_in_some_fails(rate: int, eager: str) -> None:
    failed = output_of(
        PROGRAM,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_DEVICES="2",
        CUPOLA_ADVERSARY="11",
        CUPOLA_ADVERSARY_FAIL=f"1/{rate}",
        CUPOLA_EAGER=eager,
    )
    assert int(failed) > 600 / rate


@pytest.mark.parametrize("number", [3, 8, 20, 41])
def test_one_certain_call_fails(number: int) -> None:
    failed = output_of(
        PROGRAM,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_DEVICES="2",
        CUPOLA_ADVERSARY="11",
        CUPOLA_ADVERSARY_FAIL=str(number),
    )
    assert int(failed) <= 1
