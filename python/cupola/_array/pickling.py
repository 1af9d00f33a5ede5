"""The elements of an array as a message carries them, in host memory.

On CPU devices the memory of an array is host memory: a message is made of it, and an array of a
message, without a copy. `pickle` with protocol 5 and buffers outside of the stream copies nothing
then, as with NumPy.
"""

from __future__ import annotations

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._memory.choice import get_allocator
from cupola._memory.pools import get_default_memory_pool


def _serves_default_pool() -> bool:
    """Else the program chose where the memory of its arrays is, and which arrays may move."""
    return get_allocator() == get_default_memory_pool().malloc


def host_values(array: ndarray) -> np.ndarray:
    """The elements, contiguous; of the array's own memory where that is possible.

    Whoever gets them reads them before the array is written again.
    """
    is_contiguous = array.flags.c_contiguous or array.flags.f_contiguous
    if array.device.platform == "cpu" and is_contiguous and _serves_default_pool():
        return np.asarray(_core.host_memory(array))
    return _core.download(array, "A")


def array_of_host(host: np.ndarray) -> ndarray:
    """An array on the current device, of elements that nobody else uses."""
    device = _core.current_device()
    address = host.__array_interface__["data"][0]
    is_contiguous = host.flags.c_contiguous or host.flags.f_contiguous
    is_adopted = (
        *(device.platform == "cpu", not device.is_set, host.size > 0, is_contiguous),
        *(address % host.itemsize == 0, _serves_default_pool()),
    )
    if not all(is_adopted):
        return _core.upload(host, None, None, "K")
    writable = bool(host.flags.writeable)
    return _core.from_pointer(address, host.shape, host.dtype, host.strides, device, host, writable)
