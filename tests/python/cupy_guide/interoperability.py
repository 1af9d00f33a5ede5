"""NumPy's functions on arrays of ours, DLPack, arrays of other libraries, streams of theirs."""

import cupy as cp
import numpy as np

x_gpu = cp.random.rand(20, 30)
solved = np.linalg.qr(x_gpu)[0]
assert isinstance(solved, cp.ndarray)
assert isinstance(np.sum(x_gpu, axis=0), cp.ndarray)
assert isinstance(np.exp(x_gpu), cp.ndarray)
np.testing.assert_allclose(np.exp(x_gpu).get(), np.exp(x_gpu.get()))
assert isinstance(np.empty_like(x_gpu, shape=(2,)), cp.ndarray)

# DLPack, by methods and by capsules; the memory is shared.
y = cp.from_dlpack(x_gpu)
y[0, 0] = 7
assert float(x_gpu[0, 0]) == 7
z = cp.fromDlpack(x_gpu.toDlpack())
assert z.data.ptr == x_gpu.data.ptr


class Foreign:
    """An array of another library: memory that it owns, shown by the interface of the platform."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


shown = cp.from_dlpack(Foreign(x_gpu))
assert shown.data.ptr == x_gpu.data.ptr
if cp.cuda.is_available():
    interface = x_gpu.__cuda_array_interface__
    assert interface["shape"] == (20, 30)
    assert interface["data"][0] == x_gpu.data.ptr

# Memory by its address, and pointers to memory of ours.
memory = cp.cuda.UnownedMemory(x_gpu.data.ptr, x_gpu.nbytes, x_gpu)
pointer = cp.cuda.MemoryPointer(memory, 0)
view = cp.ndarray((20, 30), x_gpu.dtype, pointer)
view[1, 1] = -1
assert float(x_gpu[1, 1]) == -1

# A stream of another library.
own = cp.cuda.Stream(non_blocking=True)
if cp.cuda.is_available():
    with cp.cuda.ExternalStream(own.ptr):
        assert float((x_gpu * 2)[0, 0]) == 14
with own:
    assert float((x_gpu * 2)[0, 0]) == 14
own.synchronize()

a, b = cp.arange(4), cp.arange(4)
xp = a.__array_namespace__()
assert isinstance(xp.asarray([1, 2]), cp.ndarray)
print("ok")
