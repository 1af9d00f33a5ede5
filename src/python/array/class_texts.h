#pragma once
// The docstrings of the classes of arrays, devices and streams.

namespace cupola::python {

inline constexpr const char* kNdarrayText = R"(An n-dimensional array of one dtype on one device.

Made by `cupola.array`, `cupola.zeros` and the like.

Parameters
----------
shape : int or tuple of ints
dtype : optional
    Default: float64.
memptr : MemoryPointer, optional
    Memory to use; default: new memory, whose elements are undefined.
strides : tuple of ints, optional
    In bytes; default: those of `order`.
order : {'C', 'F'}
device : optional
    Default: that of `memptr`, else the current device.
buffer : object with the buffer protocol, optional
    Memory of the host to use, on CPU devices; it is read-only where the buffer is.
offset : int
    Where the elements begin in `buffer`, in bytes.

Raises
------
ValueError
    For negative extents, and strides that leave the memory.
TypeError
    For a buffer that is too small, and one for an array on a GPU or a set of devices.

Examples
--------
>>> import cupola as cp
>>> a = cp.ndarray((2, 3), "float32", order="F")
>>> a.shape, a.strides
((2, 3), (4, 8)))";

inline constexpr const char* kDeviceText =
    R"(A device: "cpu:0", "cuda:1", or a number on the default platform.

Several devices as one, on which an array may lie that is larger than each: "cuda:0-3",
"cuda:0,2", or a list of devices.

As a `with` scope it is where the thread's new arrays are made.

Parameters
----------
device : str, int, Device or list of them, optional
    Default: the current device.

Raises
------
cupola.errors.DeviceError
    For a device that there is not.
ValueError
    For a text that names none.

Examples
--------
>>> import cupola as cp
>>> with cp.Device("cpu:0"):
...     a = cp.ones(3)
>>> a.device
<Device 'cpu:0'>)";

inline constexpr const char* kStreamText = R"(A queue of work on one device, done in order.

As a `with` scope it is the thread's current stream on its device.

Each thread has a default stream of its own. `Stream.ptds` is the calling thread's;
`Stream.null` stands for those of all threads together, and for the streams that were made
with non_blocking=False: its synchronize(), done, record(), wait_event() and callbacks are
about all of them, and work is put on the thread's own one. Both act on the current device.
Arrays need no stream to be right: uses of one array are ordered whatever their streams.

Parameters
----------
null : bool
    `Stream.null` itself.
non_blocking : bool
    Whether `Stream.null` does not wait for it.
ptds : bool
    `Stream.ptds` itself.
priority : int, optional
    Lower numbers come first; default: that of the device.
device : optional
    Default: the current device.

Examples
--------
>>> import cupola as cp
>>> stream = cp.Stream()
>>> with stream:
...     a = cp.ones(3) + 1
>>> stream.synchronize()
>>> a.tolist()
[2.0, 2.0, 2.0])";

}  // namespace cupola::python
