"""What each call costs on devices that it has nothing to do with: no context, no memory."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest
from cupola_under_test import cp, is_alone, on_cuda
from support.fake_cuda import FOLDER, run_on_fake_cuda
from support.subprocesses import run_python

pytestmark = pytest.mark.cupola_only

GPUS = cp.cuda.runtime.getDeviceCount() if on_cuda() else 0
ALONE = is_alone()
FAKE = (FOLDER / "libcuda.so.1").exists() and GPUS == 0

# Each runs in a fresh process. `used` is the last device; `report()` follows.
PROGRAM = """
import sys
import numpy as np
import cupola as cp
from cupola import _cupola as core

devices = cp.all_devices()
used, others = devices[-1], devices[:-1]

def state():
    return [(core.has_context(d), d.mem_info[0]) for d in others]

host = np.arange(64.0).reshape(8, 8)
before = state()
"""

# What a device has free is every process's doing: it counts where no other is at work.
REPORT = (
    f"\ncounts = {ALONE}"
    + """
def report(moment):
    for device, (context, free), (_, free_before) in zip(others, state(), before):
        # cuInit itself takes a few MiB on every device that is visible.
        if context or (counts and free_before - free > 32 << 20):
            print(moment, device, "context" if context else "", free_before - free)

report("after")
import gc
globals().pop("a", None)
gc.collect()
cp.cuda.get_default_memory_pool().free_all_blocks()
report("after release")
"""
)

# Nothing of this may initialise CUDA at all.
QUESTIONS = {
    "import": "",
    "count": "cp.cuda.runtime.getDeviceCount()",
    "available": "cp.cuda.available_gpus(), cp.cuda.is_available()",
    "name": "[d.name for d in devices]",
    "memory": "[d.mem_info for d in devices]",
    "uuid": "[(d.uuid, d.pci_bus_id, d.compute_capability) for d in devices]",
    "memGetInfo": "cp.cuda.runtime.memGetInfo()",
    "versions": "cp.cuda.runtime.driverGetVersion(), cp.cuda.runtime.runtimeGetVersion()",
    "by address": "cp.cuda.Device.from_pci_bus_id(used.pci_bus_id)",
    "current": "cp.cuda.get_device_id(), cp.cuda.Device()",
    "scope": "with used: pass",
    "use": "used.use()",
    "stream": "cp.cuda.Stream(non_blocking=True)",
    "raw kernel": "cp.RawKernel('extern \"C\" __global__ void f() {}', 'f')",
    "config": "cp.show_config()",
    "pointer": "cp.cuda.runtime.pointerGetAttributes(host.ctypes.data)",
    "has context": "core.has_context(used)",
}

# All of it on the device `used`.
WORK = {
    "attributes": "used.attributes",
    "peer": "cp.cuda.runtime.deviceCanAccessPeer(0, len(devices) - 1)",
    "empty": "a = cp.empty(1000, device=used)",
    "scope": "with used:\n    a = cp.empty(1000)\na = None",
    "nested scopes": "with devices[0]:\n    with used:\n        a = cp.empty(10)\n    cp.Device()",
    "upload": "a = cp.asarray(host, device=used)",
    "download": "cp.asnumpy(cp.asarray(host, device=used))",
    "from device scope 0": "a = cp.asarray(host, device=used)\n"
    "with devices[0]:\n    b = cp.asnumpy(a)",
    "synchronize": "a = cp.empty(9, device=used)\nused.synchronize()",
    "zeros": "a = cp.zeros((5, 5), device=used)\nused.synchronize()",
    "add": "a = cp.asarray(host, device=used)\nb = a + 1\nused.synchronize()",
    "add outside the scope": "with used:\n    a = cp.zeros(9)\nb = a * 2\nused.synchronize()",
    "sum": "a = cp.asarray(host, device=used)\nb = a.sum()\nused.synchronize()",
    "setitem": "a = cp.asarray(host, device=used)\na[1:3] = 7\nused.synchronize()",
    "copy": "a = cp.asarray(host, device=used).copy()\nused.synchronize()",
    "stream": "with used:\n    s = cp.cuda.Stream()\n"
    "    with s:\n        a = cp.zeros(9)\n    s.synchronize()",
    "event": "with used:\n    e = cp.cuda.Event()\n    e.record()\n    e.synchronize()",
    "pinned": "with used:\n    m = cp.cuda.alloc_pinned_memory(1000)",
    "malloc": "with used:\n    p = cp.cuda.runtime.malloc(1000)\n    cp.cuda.runtime.free(p)",
    "pool": "with used:\n    a = cp.empty(1000)\n    del a\n"
    "    cp.get_default_memory_pool().free_all_blocks()",
    "thread": "import threading\n"
    "def work():\n    with used:\n        a = cp.zeros(100)\n        used.synchronize()\n"
    "t = [threading.Thread(target=work) for _ in range(8)]\n"
    "[x.start() for x in t]\n[x.join() for x in t]",
    "set": "a = cp.asarray(host, device=used)\na.set(host * 2)\nused.synchronize()",
    "flush": "a = cp.asarray(host, device=used, blocking=False)\ncp.flush()",
    "elementwise kernel": "f = cp.ElementwiseKernel('T x', 'T y', 'y = x * x', 'square_of')\n"
    "b = f(cp.asarray(host, device=used))\nused.synchronize()",
    "reduction kernel": "f = cp.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0', 't')\n"
    "b = f(cp.asarray(host, device=used))\nused.synchronize()",
    "raw launch": "f = cp.RawKernel('extern \"C\" __global__ void f(double* x) {}', 'f')\n"
    "a = cp.asarray(host, device=used)\nwith used:\n    f((1,), (1,), (a,))\n"
    "    s = cp.cuda.Stream()\n    f((1,), (1,), (a,), stream=s)\n    s.synchronize()",
    "dlpack": "a = cp.asarray(host, device=used)\nb = cp.from_dlpack(a)\nused.synchronize()",
    "interface": "a = cp.asarray(host, device=used)\na.__cuda_array_interface__",
    "timed events": "with used:\n    e, f = cp.cuda.Event(), cp.cuda.Event()\n    e.record()\n"
    "    f.record()\n    f.synchronize()\n    cp.cuda.get_elapsed_time(e, f)",
    "profile": "with used, cp.profile():\n    cp.zeros(9) + 1",
    "random generator": "with used:\n    g = cp.random.default_rng(3)\n    b = g.random(9)\n"
    "    c = g.standard_normal(9) + g.integers(7, size=9)\nused.synchronize()",
    "exception": "a = cp.asarray(host, device=used)\ntry:\n    a + cp.zeros((3, 3), device=used)\n"
    "except ValueError:\n    pass",
    "out of memory": "try:\n    cp.empty(1 << 40, device=used)\n"
    "except cp.errors.OutOfMemoryError:\n    pass",
}

# These need what the driver without GPUs has not.
LIBRARIES = {
    "matmul": "a = cp.asarray(host, device=used)\nb = a @ a\nused.synchronize()",
    "solve": "a = cp.eye(8, device=used)\nb = cp.linalg.solve(a, a)\nused.synchronize()",
    "svd": "a = cp.eye(8, device=used)\nb = cp.linalg.svd(a)\nused.synchronize()",
    "sharing": "from cupola import multiprocessing as shared\n"
    "a = shared.share(cp.asarray(host, device=used))\nused.synchronize()",
}

# Every public function and method is called on the device `used` with the first arguments, of those
# below, that it takes.
EVERY_CALL = """
a, n = cp.arange(1.0, 65.0, device=used).reshape(8, 8), cp.arange(8, device=used)
m = cp.asarray(np.arange(8) % 2 == 0, device=used)
functions = [
    (a,), (a, a), (n,), (n, n), (a, 1), (n, 1), (m,), ((2, 3),), (4,), (a, n), ([a, a],), (a, 0, 1),
    (a, (0,)), (m, a, a), (a, a, a), ((a, a), 0), ("ij,jk", a, a), (n, n, 8), (a, [2]), (0, 8, 1),
    (n, (2, 4)), (a, (4, 16)), (n, n, 3), (m, a), (m, n, 2), (), (np.arange(8.0),), ((2, 3), 1.0),
    (1, 9, 3), (n, [n, n]), (a, 0.5), (lambda i: i, (3,)),
]
methods = [(), (1,), (a,), (0, 1), ((4, 16),), (n,), ("float32",), (n, n), (host,)]
# They say what is known, write files, or work on several devices.
others_do = {"all_devices", "doctor", "show_config", "split_over", "to_device", "fork", "use"}
others_do |= {"dump", "save", "savetxt", "savez", "savez_compressed", "tofile"}
others_do |= {"disp", "info", "show_runtime", "who"}
reached, missed = [], []

def call(name, make, candidates):
    for arguments in candidates:
        try:
            make()(*arguments)
            cp.flush()
            reached.append(name)
            break
        except Exception:
            pass
    else:
        missed.append(name)
    if any(core.has_context(d) for d in others):
        print(name, "makes a context")
        sys.exit()

def names_of(space):
    return [n for n in getattr(space, "__all__", None) or dir(space) if n not in others_do]

with used:
    for label in ("", "linalg", "fft", "random"):
        space = getattr(cp, label) if label else cp
        for name in names_of(space):
            function = getattr(space, name, None)
            public = not name.startswith("_") and callable(function)
            if public and not isinstance(function, type):
                call(f"{label}.{name}", lambda: function, functions)
    for name in names_of(cp.ndarray):
        if not name.startswith("__") and callable(getattr(a, name, None)):
            call(f"ndarray.{name}", lambda: getattr(a.copy(), name), methods)
    used.synchronize()
if len(reached) < 0.8 * (len(reached) + len(missed)):
    print(len(reached), "of", len(reached) + len(missed), missed)
"""

# Arrays, streams and pending work are left to the end of the process; what is destroyed last looks
# at the driver.
AT_THE_END = """
a = cp.asarray(host, device=used)
b = a + 1
stream = cp.cuda.Stream()
with used:
    event = cp.cuda.Event()
    event.record()
pending = b * 2

class Last:
    def __init__(self):
        self.used = [fake.fake_cuda_used(i) for i in range(4)]
    def __del__(self, write=os.write, count=fake.fake_cuda_used):
        if self.used != [count(i) for i in range(4)]:
            write(1, b"memory at the end")

last = Last()
sys.last = last  # the module goes after all others
"""


def run(code: str) -> CompletedProcess[str]:
    if FAKE:
        return run_on_fake_cuda(code, FAKE_CUDA_DEVICES="4")
    return run_python(code, CUPOLA_PLATFORM="cuda")


def needs(gpus: int) -> Callable[..., None]:
    return pytest.mark.skipif(
        not FAKE and gpus > GPUS, reason=f"needs {gpus} GPUs or tests/fake_cuda"
    )


@needs(1)
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_initialise_nothing(name: str) -> None:
    check = "\nprint(cp.cuda.is_initialized(), [core.has_context(d) for d in devices])"
    result = run(PROGRAM + QUESTIONS[name] + check)
    assert result.returncode == 0, result.stderr
    last = result.stdout.strip().splitlines()[-1]
    assert last == f"False {[False] * (4 if FAKE else GPUS)}"


@needs(2)
@pytest.mark.parametrize("name", WORK)
def test_other_devices_are_left_alone(name: str) -> None:
    result = run(PROGRAM + WORK[name] + REPORT)
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


@pytest.mark.skipif(GPUS < 2, reason="needs 2 GPUs")
@pytest.mark.parametrize("name", LIBRARIES)
def test_libraries_leave_other_devices_alone(name: str) -> None:
    result = run(PROGRAM + LIBRARIES[name] + REPORT)
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


@needs(2)
def test_every_public_call_leaves_other_devices_alone() -> None:
    result = run(PROGRAM + EVERY_CALL + REPORT)
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


@pytest.mark.skipif(not FAKE, reason="needs tests/fake_cuda, and no GPU")
def test_the_end_of_a_process_makes_nothing() -> None:
    result = run(PROGRAM + AT_THE_END)
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


@needs(2)
def test_the_census_sees_a_context() -> None:
    """The test is able to fail."""
    result = run(PROGRAM + "b = cp.empty(3, device=devices[0])" + REPORT)
    assert "context" in result.stdout, result.stderr


# All of the first device is taken; the last one goes on with kernels, a reduction and copies, keeps
# what its pool has, and the first one recovers.
FULL_DEVICE = """
import numpy as np
import cupola as cp

devices = cp.all_devices()
used = devices[-1]
host = np.arange(64.0).reshape(8, 8)

def work():
    a = cp.asarray(host, device=used)
    b = a * 2 + 1
    return cp.asnumpy(b[::-1].copy()), float(b.sum()), float(cp.sort(b, axis=None)[3])

for _ in range(24):
    work()  # kernels that run again and again become graphs, which take memory of the device
cp.empty(8 << 20, np.uint8, device=used).data.ptr  # is kept by the pool
before = used.mem_info[0]
full, piece = [], devices[0].mem_info[1] // 4
while piece >= 1 << 20:
    try:
        full.append(cp.empty(piece, np.uint8, device=devices[0]))
        full[-1].data.ptr
    except cp.errors.OutOfMemoryError as error:
        assert str(devices[0]) in str(error), error
        piece //= 2
assert len(full) >= 3
launched = cp._cupola.counters()["launches"]
for _ in range(20):
    flipped, total, fourth = work()
assert cp._cupola.counters()["launches"] >= launched + 60
assert used.mem_info[0] == before, (used.mem_info, before)
full.clear()
cp.empty(devices[0].mem_info[1] // 4, np.uint8, device=devices[0]).data.ptr
"""

# On the driver without GPUs kernels do nothing.
VALUES = """
assert np.array_equal(flipped, (host * 2 + 1)[::-1])
assert total == (host * 2 + 1).sum()
assert fourth == 7
"""


@needs(2)
@pytest.mark.skipif(not ALONE, reason="takes a whole device")
def test_a_full_device_does_not_disturb_another() -> None:
    result = run(FULL_DEVICE + ("" if FAKE else VALUES))
    assert result.returncode == 0, result.stderr


def test_a_full_emulated_device_does_not_disturb_another() -> None:
    settings = {"CUPOLA_CPU_DEVICES": "3", "CUPOLA_CPU_DEVICE_MEMORY": "64M"}
    result = run_python(FULL_DEVICE + VALUES, CUPOLA_PLATFORM="cpu", **settings)
    assert result.returncode == 0, result.stderr
