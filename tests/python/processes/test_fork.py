"""Forked children: CPU devices go on there, CUDA devices say at once what to do instead."""

from pathlib import Path

import pytest
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda, run_on_fake_cuda
from support.subprocesses import output_of, run_python

pytestmark = pytest.mark.cupola_only

# status(pid): how a child ended; one that hangs is ended by its alarm.
HELPERS = """
import os, signal, sys, threading, warnings
import numpy as np
import cupola as cp
warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork.*")

def in_child(body):
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            body()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1]

def compute(seed, device="cpu:0", n=300_000):
    host = np.random.default_rng(seed).random((3, n // 3))
    a = cp.asarray(host, device=device)
    assert np.array_equal(cp.asnumpy(a * 2 + 1), host * 2 + 1)
    assert np.allclose(float((a @ a.T).sum()), (host @ host.T).sum())
    assert np.array_equal(cp.asnumpy(a.ravel()[5:1000:7]), host.ravel()[5:1000:7])
    a[1:] = 7
    assert float(a[1:].min()) == 7
"""


def run_on_cpu(code: str, **environment: str) -> str:
    return output_of(HELPERS + code, CUPOLA_PLATFORM="cpu", **environment)


def test_cpu_arrays_in_a_child() -> None:
    """Inherited arrays, pending ones too, and new ones; both sides have their own contents."""
    code = """
a = cp.arange(100_000.0, device="cpu:0")
pending = a * 3 + 1
view = a[::-1]

def child():
    assert np.array_equal(cp.asnumpy(pending), np.arange(100_000.0) * 3 + 1)
    a[:] = -1
    assert float(view.sum()) == -100_000
    assert repr(a[:3]) == "array([-1., -1., -1.])"
    compute(1)

assert in_child(child) == 0
assert float(view[0]) == 99_999
assert np.array_equal(cp.asnumpy(pending), np.arange(100_000.0) * 3 + 1)
compute(2)
print("parent goes on")
"""
    assert run_on_cpu(code) == "parent goes on"


def test_a_fork_while_sixteen_threads_compute() -> None:
    """Many times; each child computes, and its own threads do."""
    code = """
compute(0)  # imports what NumPy imports late: Python's own locks of that stay with a thread
stop = threading.Event()
failures = []

def work(seed):
    try:
        while not stop.is_set():
            compute(seed)
    except BaseException as error:
        failures.append(error)

threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
for thread in threads:
    thread.start()

def child():
    compute(99)
    own = [threading.Thread(target=compute, args=(i,)) for i in range(4)]
    for thread in own:
        thread.start()
    for thread in own:
        thread.join()

results = [in_child(child) for _ in range(12)]
stop.set()
for thread in threads:
    thread.join()
print(results == [0] * 12, failures)
"""
    assert run_on_cpu(code, CUPOLA_CPU_DEVICES="2") == "True []"


def test_a_child_writes_what_other_threads_were_reading() -> None:
    """A thread that the fork caught between handing work over and noting it hurts nobody."""
    code = """
shared = cp.ones(20_000, device="cpu:0")
stop = threading.Event()
failures = []

def work():
    try:
        while not stop.is_set():
            assert float((shared + 1).sum()) == 40_000
    except BaseException as error:
        failures.append(error)

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()

def child():
    global shared
    shared += 1
    assert float(shared.min()) == float(shared.max()) == 2
    compute(1)

results = [in_child(child) for _ in range(20)]
stop.set()
for thread in threads:
    thread.join()
print(results == [0] * 20, failures)
"""
    assert run_on_cpu(code) == "True []"


def test_children_of_children() -> None:
    code = """
def child():
    compute(1)
    assert in_child(lambda: compute(2)) == 0
    compute(3)

compute(0)
print(in_child(child), in_child(child))
"""
    assert run_on_cpu(code) == "0 0"


@pytest.mark.parametrize("end", ["os._exit(3)", "sys.exit(3)"])
def test_a_child_that_only_exits(end: str) -> None:
    code = f"""
a = cp.ones(200_000, device="cpu:0")
b = a + 1
pid = os.fork()
if pid == 0:
    signal.alarm(60)
    {end}
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), float(b.sum()))
"""
    assert run_on_cpu(code) == "3 400000.0"


WORKER = """
import multiprocessing, sys
import numpy as np
import cupola as cp

def work(n):
    a = cp.arange(float(n), device="cpu:0")
    return float((a * a).sum())

def send(n, queue):
    queue.put(work(n))

if __name__ == "__main__":
    method = sys.argv[1]
    before = work(1000)
    context = multiprocessing.get_context(method)
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        results = list(executor.map(work, range(10, 20)))
    assert results == [float(sum(i * i for i in range(n))) for n in range(10, 20)], results
    queue = context.Queue()
    process = context.Process(target=send, args=(100, queue))
    process.start()
    assert queue.get(timeout=60) == float(sum(i * i for i in range(100)))
    process.join(60)
    assert process.exitcode == 0
    assert work(1000) == before
    print("done")
"""


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_ways_to_start_processes(method: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(WORKER)
    code = f"""
import runpy, sys
sys.argv = [{str(program)!r}, {method!r}]
import subprocess, os
done = subprocess.run([sys.executable, *sys.argv], timeout=110)
sys.exit(done.returncode)
"""
    assert output_of(code, CUPOLA_PLATFORM="cpu", PYTHONWARNINGS="ignore") == "done"


def test_no_warning_without_cuda() -> None:
    code = """
import os, sys, warnings
import cupola as cp
warnings.simplefilter("error", RuntimeWarning)
float(cp.ones(3, device="cpu:0").sum())
pid = os.fork()
if pid == 0:
    os._exit(0)
print(os.waitpid(pid, 0)[1], cp.cuda.is_initialized())
"""
    result = run_python(code, CUPOLA_PLATFORM="cpu")
    assert result.stdout.strip() == "0 False", result.stderr
    assert "CUDA" not in result.stderr


# ---- CUDA, on the fake driver

AFTER_FORK = """
import signal, warnings
warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork.*")

def in_child(body):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            body()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


@needs_fake_cuda
def test_before_cuda_is_initialised_a_child_can_use_it() -> None:
    """After import, discovery, a kernel object and an unused stream."""
    code = (
        AFTER_FORK
        + """
d = cp.cuda.Device(1)
assert cp.cuda.runtime.getDeviceCount() == 2
assert d.name == "Fake GPU 1" and d.mem_info[1] > 0 and d.uuid and d.pci_bus_id
assert cp.cuda.available_gpus() == [0, 1]
with d:
    assert cp.cuda.get_device_id() == 1
with d:
    stream, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
kernel = cp.RawKernel('extern "C" __global__ void f(float* x) {}', "f")
assert not cp.cuda.is_initialized()

def child():
    assert cp.cuda.runtime.getDeviceCount() == 2
    assert d.mem_info[0] > 0
    assert cp.empty(1000, device="cuda:1").shape == (1000,)
    assert cp.cuda.is_initialized()
    d.use()
    for _ in range(2):
        with stream:
            kernel((1,), (32,), (cp.empty(10, np.float32),))
            event.record()
        stream.synchronize()
        event.synchronize()

print(in_child(child), cp.cuda.is_initialized())
print(cp.empty(1000, device="cuda:0").device, cp.cuda.is_initialized())
"""
    )
    assert output_on_fake_cuda(code) == "0 False\ncuda:0 True"


@needs_fake_cuda
def test_after_cuda_is_initialised_a_child_is_told() -> None:
    """Every use raises at once, with what initialised CUDA and where, and the ways out."""
    code = (
        AFTER_FORK
        + """
os.environ["CUPOLA_FORK_WARNING"] = "0"
def initialise_here():
    return cp.empty((2, 3), np.float32, device="cuda:0")

a = initialise_here()
b = a[::-1]
with cp.cuda.Device(0):
    stream = cp.cuda.Stream()
    with stream:
        cp.zeros(10)
    stream.synchronize()
USES = {
    "empty": lambda: cp.empty(10, device="cuda:0"),
    "other device": lambda: cp.empty(10, device="cuda:1"),
    "upload": lambda: cp.asarray(np.ones(3), device="cuda:0"),
    "download": lambda: cp.asnumpy(a),
    "item": lambda: float(a[0, 0]),
    "add": lambda: cp.asnumpy(a + 1),
    "in place": lambda: a.__iadd__(1),
    "assign": lambda: a.__setitem__(0, 1),
    "stream": lambda: stream.synchronize(),
    "new stream": lambda: cp.cuda.Stream().record(),
    "synchronize": lambda: cp.cuda.Device(0).synchronize(),
}

def child():
    for name, use in USES.items():
        try:
            use()
        except cp.errors.ForkedProcessError as error:
            text = str(error)
            for part in ("cuInit", "initialise_here", "spawn", "forkserver"):
                assert part in text, (name, text)
        else:
            raise AssertionError(name + " did nothing")
    assert a.shape == (2, 3) and a.dtype == np.float32 and str(a.device) == "cuda:0"
    assert repr(a) == "<array of shape (2, 3), dtype float32 on cuda:0, out of reach here>", repr(a)
    assert str(b) == "<array of shape (2, 3), dtype float32 on cuda:0, out of reach here>"
    assert cp.cuda.runtime.getDeviceCount() == 2
    assert not cp.cuda.is_initialized()
    host = cp.arange(1000.0, device="cpu:0")
    assert float(host.sum()) == 499500.0
    for name in ("a", "b", "stream"):
        del globals()[name]

print(in_child(child))
c = cp.empty((2, 3), np.float32, device="cuda:0")
del a, b, c
cp.cuda.Device(0).synchronize()
print("parent goes on")
"""
    )
    assert output_on_fake_cuda(code) == "0\nparent goes on"


@needs_fake_cuda
@pytest.mark.parametrize("end", ["os._exit(3)", "sys.exit(3)"])
def test_a_child_that_inherits_cuda_ends_silently(end: str) -> None:
    code = f"""
os.environ["CUPOLA_FORK_WARNING"] = "0"
a = cp.empty(100, device="cuda:0")
pid = os.fork()
if pid == 0:
    {end}
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert output_on_fake_cuda(code, PYTHONWARNINGS="ignore::DeprecationWarning") == "3"


WARN = """
import warnings
a = cp.empty(100, device="cuda:0")
def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
fork()
fork()
"""


@needs_fake_cuda
def test_the_parent_is_warned_once() -> None:
    result = run_on_fake_cuda(WARN)
    assert result.returncode == 0
    assert result.stderr.count("RuntimeWarning") == 1, result.stderr
    for part in ("cuInit", "<string>", "spawn", "CUPOLA_FORK_WARNING"):
        assert part in result.stderr


@needs_fake_cuda
@pytest.mark.parametrize(
    "silence", [{"CUPOLA_FORK_WARNING": "0"}, {"PYTHONWARNINGS": "ignore::RuntimeWarning"}]
)
def test_the_warning_can_be_silenced(silence: dict[str, str]) -> None:
    assert "RuntimeWarning" not in run_on_fake_cuda(WARN, **silence).stderr


@needs_fake_cuda
def test_another_library_initialised_cuda() -> None:
    """Noticed before the fork, without having initialised anything ourselves."""
    code = (
        AFTER_FORK
        + """
cp.cuda.runtime.getDeviceCount()
assert not cp.cuda.is_initialized()
assert fake.cuInit(0) == 0
assert cp.cuda.is_initialized()
os.environ["CUPOLA_FORK_WARNING"] = "0"

def child():
    try:
        cp.empty(3, device="cuda:0")
    except cp.errors.ForkedProcessError as error:
        assert "another library" in str(error), error
    else:
        raise AssertionError

print(in_child(child))
"""
    )
    assert output_on_fake_cuda(code) == "0"
