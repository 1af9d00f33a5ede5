"""Asynchronous faults: told once as what they were, then repeated; other devices go on."""

import pytest
from cupola_under_test import cp, on_cuda
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda, run_on_fake_cuda
from support.subprocesses import run_python

pytestmark = pytest.mark.cupola_only

# On the fake driver a fault is made by hand.
FAULT = """
a = cp.zeros(1000, device="cuda:0")
other = cp.empty(10, device="cuda:1")
cp.cuda.Device(0).synchronize()
fake.fake_cuda_fail(0, 700)
errors = []
for _ in range(3):
    try:
        cp.cuda.Device(0).synchronize()
    except cp.errors.DeviceError as error:
        errors.append(error)
"""


@needs_fake_cuda
def test_the_error_comes_once_and_then_its_repetition() -> None:
    code = (
        FAULT
        + """
first, second, third = errors
assert type(first) is cp.errors.DeviceError, type(first)
assert type(second) is type(third) is cp.errors.FaultError
for error in errors:
    assert error.status == 700, error.status
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in str(error) and "cuda:0" in str(error)
assert "last launches on cuda:0" in str(first) and "threads per block" in str(first), first
assert cp.cuda.Device(0).fault == str(first)
assert str(first) in str(second)
print("repeated")
"""
    )
    assert output_on_fake_cuda(code) == "repeated"


@needs_fake_cuda
def test_other_devices_go_on() -> None:
    code = (
        FAULT
        + """
assert cp.cuda.Device(1).fault is None
b = cp.asarray(np.arange(5.0), device="cuda:1")
cp.cuda.Device(1).synchronize()
print(cp.asnumpy(b).tolist())
try:
    with cp.cuda.Device(0):
        cp.cuda.runtime.deviceReset()
except cp.errors.DeviceError as error:
    print("new process" in str(error))
with cp.cuda.Device(1):
    cp.cuda.runtime.deviceReset()
"""
    )
    assert output_on_fake_cuda(code) == "[0.0, 1.0, 2.0, 3.0, 4.0]\nTrue"


@needs_fake_cuda
@pytest.mark.parametrize(
    ("end", "status"), [("", 0), ("sys.exit(7)", 7), ("os._exit(8)", 8), ("raise KeyError", 1)]
)
def test_the_process_ends_with_its_own_exit_code_and_no_noise(end: str, status: int) -> None:
    """With arrays, streams and threads alive, after a fault."""
    code = (
        FAULT
        + f"""
import threading
keep = [cp.empty(100, device=f"cuda:{{i % 2}}") if i % 2 else a for i in range(10)]
stream = cp.cuda.Stream()
threading.Thread(target=lambda: cp.empty(3, device="cuda:1")).start()
{end}
"""
    )
    result = run_on_fake_cuda(code)
    assert result.returncode == status, result.stderr
    # Later versions of Python show the line that raises, indented.
    noise = [line for line in result.stderr.splitlines() if "Error" in line and line[0] != " "]
    assert noise == (["KeyError"] if status == 1 else [])


@needs_fake_cuda
def test_nothing_calls_the_driver_at_the_end_of_a_healthy_process() -> None:
    code = """
import threading
arrays = [cp.zeros(1000, device=f"cuda:{i % 2}") for i in range(10)]
more = [a[::2] for a in arrays]
threads = [threading.Thread(target=lambda: cp.asarray(np.ones(100000), device="cuda:1"))
           for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
stream, event = cp.cuda.Stream(), cp.cuda.Event()
event.record()
def cycle():
    keep = [cp.empty(10, device="cuda:0")]
    keep.append(keep)
cycle()
print("end")
"""
    assert output_on_fake_cuda(code) == "end"


ILLEGAL = """
import cupola as cp
import numpy as np
kernel = cp.RawKernel(
    'extern "C" __global__ void writes_nowhere(float* x) { x[1ull << 40] = 1; }', "writes_nowhere")
a = cp.zeros(100, np.float32)
for device in cp.all_devices()[1:]:  # CUDA makes no context after a fault
    cp.ones(10, device=device)
kernel((1,), (32,), (a,))
errors = []
for _ in range(2):
    try:
        cp.cuda.Device(0).synchronize()
    except cp.errors.DeviceError as error:
        errors.append(error)
first, second = errors
assert type(first) is cp.errors.DeviceError and first.status == 700, repr(first)
assert "writes_nowhere" in str(first), first
assert type(second) is cp.errors.FaultError and second.status == 700
for use in (lambda: cp.asnumpy(a), lambda: cp.zeros(3) + 1, lambda: float(a[0])):
    try:
        cp.asnumpy(use())
    except cp.errors.DeviceError as error:
        assert "writes_nowhere" in str(error)
    else:
        raise AssertionError
if cp.cuda.runtime.getDeviceCount() > 1:
    try:
        with cp.cuda.Device(1):
            assert float((cp.ones(10) + 1).sum()) == 20
    except cp.errors.DeviceError as error:  # CUDA has ended the work of the whole process
        assert "cuda:0 had failed before" in str(error) and "writes_nowhere" in str(error), error
del a
import sys
sys.exit(5)
"""


@pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
def test_an_illegal_address() -> None:
    result = run_python(ILLEGAL, CUPOLA_PLATFORM="cuda")
    assert result.returncode == 5, result.stderr
    assert result.stderr == ""


def test_a_healthy_device_has_no_fault() -> None:
    assert cp.cuda.Device(0).fault is None
    cp.cuda.runtime.deviceReset()
