"""Programs that compute until the interpreter ends, and after it."""

import pytest
from cupola_under_test import on_cuda
from support.subprocesses import run_python

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

DAEMON = """
import threading, time
import cupola as cp

begun = threading.Barrier({threads} + 1)

def work():
    a = cp.arange(1000.0)
    begun.wait()
    while True:
        {call}

for _ in range({threads}):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.05)
print("main ends")
"""

CALLS = ["float(a.sum())", "a.get()", "(a + 1).tolist()", "cp.Device().synchronize()"]


@pytest.mark.parametrize("call", CALLS)
def test_daemon_threads_may_compute_when_the_interpreter_ends(call: str) -> None:
    for _ in range(3):
        result = run_python(DAEMON.format(call=call, threads=3))
        assert (result.returncode, result.stdout) == (0, "main ends\n"), result.stderr
        # Nothing calls the driver of a CUDA device at the end: a thread that wants to is told so.
        assert result.stderr == "" or on_cuda()


def test_daemon_threads_may_allocate_by_a_function_when_the_interpreter_ends() -> None:
    setting = "cp.cuda.set_allocator(lambda size: pool.malloc(size))"
    code = f"import cupola as cp\npool = cp.cuda.MemoryPool()\n{setting}\n"
    for _ in range(3):
        result = run_python(code + DAEMON.format(call="(a + 1).sum()", threads=2))
        assert (result.returncode, result.stdout) == (0, "main ends\n"), result.stderr


def test_exit_handlers_compute() -> None:
    code = """
import atexit
import cupola as cp

a = cp.arange(10.0)
atexit.register(lambda: print(float((a + 1).sum())))
"""
    result = run_python(code)
    assert (result.returncode, result.stdout) == (0, "55.0\n"), result.stderr


def test_objects_that_finalisation_destroys_compute() -> None:
    code = """
import cupola as cp

class Last:
    def __init__(self):
        self.a = cp.arange(10.0)
    def __del__(self):
        print(float((self.a + 1)[4]))

last = Last()
"""
    result = run_python(code, CUPOLA_PLATFORM="cpu")  # CUDA devices are out of use by then
    assert (result.returncode, result.stdout) == (0, "5.0\n"), result.stderr


def test_what_streams_hold_ends_after_the_interpreter() -> None:
    """Functions that wait behind a kernel, and their arguments, are left alone by then."""
    code = """
import sys
import time
import numpy as np
import cupola as cp

spin = cp.RawKernel(r'''
extern "C" __global__ void spin(long n, double* out) {
  double x = 0;
  for (long i = 0; i < n; ++i) x = x * 0.999 + 1;
  out[0] = x;
}''', "spin")
out = cp.empty(1)
stream = cp.cuda.Stream()

def busy(n):
    spin((1,), (1,), (np.int64(n), out), stream=stream)

busy(1)
stream.synchronize()
begun = time.perf_counter()
busy(10**7)
stream.synchronize()
busy(int(1e7 * float(sys.argv[1]) / (time.perf_counter() - begun)))
for i in range(300):
    stream.launch_host_func(lambda _: None, (object(),))
"""
    for milliseconds in (5, 15, 25, 35, 45, 60):
        result = run_python(f"import sys\nsys.argv[1:] = [{milliseconds / 1000}]\n" + code)
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
