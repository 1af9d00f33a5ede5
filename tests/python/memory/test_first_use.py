"""The first use of everything by 64 threads at once, in fresh processes."""

import pytest
from cupola_under_test import is_alone, on_cuda
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda
from support.subprocesses import output_of

pytestmark = pytest.mark.cupola_only

# Runs `body` in 64 threads that start together, then prints what `counters` counted.
PROGRAM = """
import threading, sys
import cupola as cp
sys.setswitchinterval(1e-5)
barrier = threading.Barrier(64)
errors, results = [], [None] * 64
{before}
def work(i):
    barrier.wait()
    try:
        {body}
    except BaseException as error:
        errors.append(error)
threads = [threading.Thread(target=work, args=(i,)) for i in range(64)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(100)
assert not any(thread.is_alive() for thread in threads), "a thread hangs"
if errors:
    raise errors[0]
counters = cp._cupola.counters()
{after}
print("ok")
"""

USES = {
    "devices": ("", "results[i] = cp.cuda.runtime.getDeviceCount() > 0", "assert all(results)"),
    "properties": (
        "",
        "results[i] = cp.cuda.runtime.getDeviceProperties(0)['name']",
        "assert len(set(results)) == 1 and results[0]",
    ),
    "memory": ("", "results[i] = float(cp.full(100, i).sum())", "assert results[9] == 900"),
    "kernel": (
        "import numpy as np",
        "results[i] = cp.asnumpy(cp.hypot(cp.full(33, 3.0), cp.full(33, 4.0)) + i)",
        "assert all((results[i] == 5.0 + i).all() for i in range(64))",
    ),
    "matmul": (
        "",
        "results[i] = float((cp.ones((7, 7)) @ cp.ones((7, 7)))[0, 0])",
        "assert results == [7.0] * 64 and counters['library_handles'] <= 8",
    ),
    "solve": (
        "",
        "results[i] = float(cp.linalg.solve(cp.eye(7) * 2, cp.full(7, 14.0))[0])",
        "assert results == [7.0] * 64 and counters['library_handles'] <= 8",
    ),
    "fft": (
        "",
        "results[i] = float(cp.fft.irfft(cp.fft.rfft(cp.ones(48)))[7])",
        "assert all(abs(result - 1) < 1e-12 for result in results)",
    ),
    "streams": (
        "",
        "s = cp.cuda.Stream(); e = s.record(); cp.cuda.Stream.null.wait_event(e); e.synchronize();"
        " results[i] = s.id",
        "assert len(set(results)) == 64",
    ),
    "host functions": (
        "",
        "s = cp.cuda.Stream(); s.launch_host_func(lambda k: results.__setitem__(k, k), i);"
        " s.synchronize()",
        "assert results == list(range(64))",
    ),
    "modules": (
        "module = cp.RawModule(code='__global__ void k() {}')",
        "module.compile()",
        "assert counters['compilations'] <= 1",
    ),
    "broken modules": (
        "module = cp.RawModule(code='no C++')",
        """try:
            module.compile()
        except cp.errors.CompileError as error:
            results[i] = str(error)""",
        "assert len(set(results)) == 1 and counters['compilations'] <= 1",
    ),
}


@pytest.mark.parametrize("use", USES)
def test_first_use_by_64_threads(use: str) -> None:
    before, body, after = USES[use]
    program = PROGRAM.format(before=before, body=body, after=after)
    for _ in range(3):
        assert output_of(program).endswith("ok")


# Threads use kernels on device 0, then on the last one: each is compiled once, and loaded where it
# is used, once.
KERNELS = PROGRAM.format(
    before="""
devices = cp.all_devices()
a, b = (cp.arange(100.0, device=device) for device in (devices[0], devices[-1]))
cp.flush()
at_first = cp._cupola.counters()
kernel = cp.RawKernel('extern "C" __global__ void k(double* x) {}', "k")
kernel.compile()  # and loaded on device 0

def use(array):
    with array.device:
        kernel((1,), (1,), (array,))
        return float(cp.cbrt(array * 2 + 1)[13])
""",
    body="results[i] = use(a)",
    after="""
def difference(name, later, earlier):
    return later[name] - earlier[name]

def made(counters):
    return sum(difference(name, counters, at_first) for name in ("compilations", "compiled_found"))

# A launch of any thread computes what the others have asked for until then, so that the three steps
# are cut anywhere: 6 pieces, the element that is read and the kernel, each alone or launched
# together with its like.
loads = difference("module_loads", counters, at_first)
assert 2 <= loads <= made(counters) <= 2 * (6 + 2), (counters, at_first)
for i in range(64):
    use(a)
again = cp._cupola.counters()
assert made(again) == made(counters), again
assert again["module_loads"] == counters["module_loads"], again
for i in range(2):
    use(b)
elsewhere = cp._cupola.counters()
assert made(elsewhere) == made(counters), elsewhere
on_the_last = difference("module_loads", elsewhere, again)
assert on_the_last <= loads and (on_the_last > 0) == (len(devices) > 1), (loads, again, elsewhere)
used = {str(devices[0]), str(devices[-1])}
assert {str(d) for d in devices if cp._cupola.has_context(d)} == used
""",
)


def test_one_compilation_of_each_kernel_and_one_load_for_each_device() -> None:
    if not on_cuda():
        pytest.skip("needs a GPU")
    assert output_of(KERNELS + "assert len(set(results)) == 1, results").endswith("ok")


@needs_fake_cuda
def test_kernels_are_loaded_where_they_are_used() -> None:
    """The same on the driver without GPUs, on which kernels do nothing."""
    assert output_on_fake_cuda(KERNELS, FAKE_CUDA_DEVICES="4").endswith("ok")


SHORT_LIVED = """
import threading
import cupola as cp

def run(count):
    for _ in range(count // 8):
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

def work():
    a = cp.ones((64, 64))
    float(({product} + 1).sum())

def taken_by_1000():
    free = cp.cuda.Device().mem_info[0]
    run(1000)
    cp.cuda.runtime.deviceSynchronize()
    return free - cp.cuda.Device().mem_info[0]

run(64)
cp.cuda.runtime.deviceSynchronize()
counted = cp._cupola.counters()
taken = taken_by_1000()
now = cp._cupola.counters()
assert taken <= 4 << 20, taken
for name in ("streams", "events", "library_handles", "module_loads"):
    assert now[name] - counted[name] <= 8, (name, counted, now)
print("ok")
"""


@pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
@pytest.mark.skipif(not is_alone(), reason="others use memory of the device meanwhile")
def test_short_lived_threads_leave_memory_and_handles_where_they_began() -> None:
    assert output_of(SHORT_LIVED.replace("{product}", "a @ a")).endswith("ok")


@needs_fake_cuda
def test_short_lived_threads_leave_nothing_on_the_driver() -> None:
    """The same on the driver without GPUs, which has no cuBLAS."""
    assert output_on_fake_cuda(SHORT_LIVED.replace("{product}", "a * a")).endswith("ok")


@pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
def test_kernels_with_debug_information_fit_too() -> None:
    """Compiled without optimisation a kernel takes the most registers that it can."""
    program = """
import cupola as cp
a = cp.arange(1.0, 5001.0).reshape(50, 100)
for f in (cp.exp, cp.sin, cp.tanh, cp.log1p, cp.cbrt, cp.sqrt):
    b = f(a) * a + f(a.T).T - a
    for axis in (None, 0, 1):
        b.sum(axis=axis), b.max(axis=axis), b.argmin(axis=axis), b.var(axis=axis)
    cp.cumsum(b, axis=1), cp.cumprod(b, axis=0)
z = a.astype("complex128")
float(abs((z ** 2.5 + cp.exp(z / 5000)).sum()))
a[a > 100] = 0
a[[1, 2, 1]] += 5
print(float(a.sum()) >= 0)
"""
    assert output_of(program, CUPOLA_KERNEL_DEBUG="1") == "True"
