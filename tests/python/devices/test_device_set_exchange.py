"""Arrays over several GPUs, given to other libraries and to kernels of users."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.compilers import skip_without_compiler
from support.device_sets import COUNT
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda
from support.producer import Producer
from support.subprocesses import output_of

pytestmark = pytest.mark.cupola_only
needs_gpus = pytest.mark.skipif(not on_cuda() or COUNT < 2, reason="needs several GPUs")


def output_on_gpus(code: str) -> str:
    """What the program prints where arrays are on CUDA."""
    return output_of("import numpy as np\nimport cupola as cp\n" + code, CUPOLA_PLATFORM="cuda")


on_gpus = pytest.mark.parametrize(
    "output",
    [
        pytest.param(output_on_gpus, marks=needs_gpus, id="gpus"),
        pytest.param(output_on_fake_cuda, marks=needs_fake_cuda, id="fake"),
    ],
)

PAIR = f"""
from typing import Any
{inspect.getsource(Producer)}
pair = cp.Device("cuda:0-1")
host = np.arange(2 * cp._cupola.stripe_sizes(pair)[0] // 4, dtype="int32")
a = cp.place(host, devices=pair, even=True)
assert [str(part.device) for part in a.placement] == ["cuda:0", "cuda:1"]
"""


@on_gpus
def test_other_libraries_are_refused_what_they_cannot_reach(output: Callable[[str], str]) -> None:
    code = """
for give in (lambda: a.__cuda_array_interface__, lambda: a.__dlpack__(),
             lambda: cp.from_dlpack(Producer(a)),
             lambda: a[1:].__dlpack__(max_version=(1, 0), copy=False)):
    try: print(give())
    except BufferError as error: print(error)
"""
    lines = output(PAIR + code).splitlines()
    assert len(lines) == 4
    for line in lines:
        assert line.startswith("the array lies on 2 devices (cuda:0-1)")
        assert "copy=True" in line
        assert 'a.to_device("cuda:0")' in line
        assert "cupola.split_over(a)" in line


@on_gpus
def test_dlpack_gathers_a_copy_on_one_device(output: Callable[[str], str]) -> None:
    code = """
copies = [cp._cupola.import_capsule(a.__dlpack__(max_version=(1, 0), **how))
          for how in ({"copy": True}, {"dl_device": (2, 1)}, {"dl_device": (1, 0)})]
copies.append(cp.from_dlpack(Producer(a), copy=True))
a[:] = 0
print(a.__dlpack_device__())
for b in copies:
    print(b.device, len(b.placement), np.array_equal(cp.asnumpy(b), host))
"""
    # The last but one is the host's.
    assert output(PAIR + code).splitlines() == [
        "(2, 0)",
        "cuda:0 1 True",
        "cuda:1 1 True",
        "cpu:0 1 True",
        "cuda:0 1 True",
    ]


@on_gpus
def test_an_array_on_one_member_is_given_as_that_members(output: Callable[[str], str]) -> None:
    code = """
b = cp.place(host, devices=pair, weights=[0, 1])
print(b.device, b.__dlpack_device__())
c = cp.from_dlpack(Producer(b))
print(c.device, c.data.ptr == b.data.ptr == b.__cuda_array_interface__["data"][0])
one = a[-5:]
print(one.__dlpack_device__(), cp.from_dlpack(Producer(one)).device,
      cp.asnumpy(cp.from_dlpack(Producer(one))))
"""
    assert output(PAIR + code).splitlines() == [
        "cuda:0-1 (2, 1)",
        "cuda:1 True",
        "(2, 1) cuda:1 [1048571 1048572 1048573 1048574 1048575]",
    ]


@on_gpus
def test_dlpack_of_our_own_arrays_stays_on_the_devices(output: Callable[[str], str]) -> None:
    code = """
b = cp.from_dlpack(a)
b.set(2 * host)
print(b.device, len(b.placement), b.data.ptr == a.data.ptr, np.array_equal(cp.asnumpy(a), 2 * host))
c = cp.from_dlpack(a, copy=True)
c.set(host)
d = cp.from_dlpack(a, device="cuda:1")
print(c.device, d.device)
print(np.array_equal(cp.asnumpy(a), 2 * host), np.array_equal(cp.asnumpy(d), 2 * host))
"""
    assert output(PAIR + code).splitlines() == [
        "cuda:0-1 2 True True",
        "cuda:0-1 cuda:1",
        "True True",
    ]


TRIPLE = """
extern "C" __global__ void triple(unsigned int* x, long long n) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) x[i] *= 3;
}
"""


@needs_gpus
def test_a_raw_kernel_on_one_member_reaches_the_whole_array() -> None:
    skip_without_compiler()
    everything: Any = cp.all_devices("cuda")
    host = np.arange(len(everything) * cp._cupola.stripe_sizes(everything)[0] // 4, dtype="uint32")
    a = cp.place(host, devices=everything, even=True)
    assert [part.device for part in a.placement] == list(everything)
    triple = cp.RawKernel(TRIPLE, "triple")
    for member in everything:
        with member:
            stream = cp.Stream()
        triple((128,), (256,), (a, np.int64(host.size)), stream=stream)
        host *= 3
        np.testing.assert_array_equal(cp.asnumpy(a), host, err_msg=str(member))
    triple((128,), (256,), (a, np.int64(host.size)))
    np.testing.assert_array_equal(cp.asnumpy(a), host * 3)
