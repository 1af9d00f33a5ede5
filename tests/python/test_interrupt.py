"""Ctrl-C ends the program's wait for long work, and nothing else."""

import pytest
from support.subprocesses import run_python

pytestmark = pytest.mark.cupola_only

WAIT = """
import os, signal, threading, time
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
