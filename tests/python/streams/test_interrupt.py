"""Ctrl-C ends the program's wait for long work, and nothing else."""

import pytest
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda
from support.subprocesses import run_python

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

WAIT = """
import os, signal, sys, threading, time
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])  # the work takes long everywhere
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what runs in the background
import cupola as cp

def compute():
    a = cp.ones(20_000_000)
    for _ in range({steps}):
        a = cp.sin(a) + 1
        {between}
    return a

{before}
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.perf_counter()
try:
    {wait}
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted" if time.perf_counter() - begun < 2 else "late")
    other = cp.cuda.Stream()
    with other:
        print(float(cp.arange(5.0).sum()))
sys.stdout.flush()
os._exit(0)
"""

WAITS = {
    "one kernel": ("", "", "float(compute().sum())"),
    "many kernels": ("cp.eval(a)", "", "float(compute()[0])"),
    "a copy to the host": ("", "a = compute(); cp.eval(a)", "a.get()"),
    "a synchronization": ("", "a = compute(); cp.eval(a)", "cp.Device().synchronize()"),
    "an event": (
        "",
        "a = compute(); cp.eval(a); event = cp.cuda.Event(); event.record()",
        "event.synchronize()",
    ),
    "a stream": ("", "a = compute(); cp.eval(a)", "cp.cuda.get_current_stream().synchronize()"),
}


@pytest.mark.parametrize("case", WAITS)
def test_a_wait_is_interrupted(case: str) -> None:
    between, before, wait = WAITS[case]
    # The hostile platform has no threads to wait for: who waits does the work.
    result = run_python(
        WAIT.format(steps=60, between=between, before=before, wait=wait),
        CUPOLA_PLATFORM="cpu",
        CUPOLA_ADVERSARY="",
    )
    assert result.stdout.split() == ["interrupted", "10.0"], result.stderr


WAITS_ON_CUDA = """
import signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
small, large = cp.zeros(8), cp.zeros(1 << 20)
pinned = cp.zeros_like_pinned(np.zeros(8))
stream = cp.cuda.Stream()
handle = ctypes.c_void_p(stream.ptr)
waits = {
    "a stream": lambda: stream.synchronize(),
    "a device": lambda: cp.Device().synchronize(),
    "an event": lambda: event.synchronize(),
    "a number": lambda: float(b[0]),
    "a small copy": lambda: b.get(),
    "a large copy": lambda: c.get(),
    "a copy to pinned memory": lambda: b.get(out=pinned),
    "a copy by address": lambda: cp.cuda.runtime.memcpy(pinned.ctypes.data, b.data.ptr, 64, 2),
}
event = stream.record()
with stream:
    b, c = small + 1, large + 1
    cp.eval(b, c)
    for name, wait in waits.items():
        wait()
        fake.fake_cuda_hold(handle)
        event = stream.record()
        timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            wait()
            print(name, "is not interrupted")
        except KeyboardInterrupt:
            print(name, event.done)
        timer.join()
        fake.fake_cuda_release(handle)
        wait()
"""


@needs_fake_cuda
def test_waits_on_cuda_are_interrupted() -> None:
    """While the device is still at work; the next ones come through."""
    waits = output_on_fake_cuda(WAITS_ON_CUDA).splitlines()
    assert len(waits) == 8
    assert all(wait.endswith(" False") for wait in waits), waits
