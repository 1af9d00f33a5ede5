"""CuPy's names for calls of the CUDA driver. Handles are numbers.

They act on the current device, with its primary context unless another was made the thread's own.
On the CPU platform all but `get_build_version` raise `DeviceError`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from cupola import _cupola as _core
from cupola.cuda._driver_calls import CUDADriverError, call, check, primary_context

__all__ = [
    "CUDADriverError",
    "check_status",
    "ctxCreate",
    "ctxDestroy",
    "ctxGetCurrent",
    "ctxGetDevice",
    "ctxSetCurrent",
    "funcGetAttribute",
    "funcSetAttribute",
    "get_build_version",
    "launchKernel",
    "moduleGetFunction",
    "moduleGetGlobal",
    "moduleLoad",
    "moduleLoadData",
    "moduleUnload",
    "occupancyMaxActiveBlocksPerMultiprocessor",
    "streamGetCtx",
]


def check_status(status: int) -> None:
    """Raise CUDADriverError for the code of a call that failed."""
    check(status, "check_status")


def get_build_version() -> int:
    """The version of the CUDA toolkit in use, as in 13000; 0 on the CPU platform."""
    return _core.runtime_version(_core.default_platform())


def _pointer(number: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(number)


# ---- contexts


def ctxGetCurrent() -> int:
    """The thread's own context; 0 where it has none, as is usual: the library brings its own."""
    context = ctypes.c_void_p()
    call("cuCtxGetCurrent", ctypes.byref(context))
    return context.value or 0


def ctxSetCurrent(ctx: int) -> None:
    """Make a context the thread's own, or none for 0."""
    call("cuCtxSetCurrent", _pointer(ctx))


def ctxCreate(device: int) -> int:
    """A new context on a device, which becomes the thread's own; ctxDestroy() ends it."""
    handle, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(handle), ctypes.c_int(device))
    call("cuCtxCreate_v2", ctypes.byref(context), ctypes.c_uint(0), handle)
    return context.value or 0


def ctxDestroy(ctx: int) -> None:
    """End a context of ctxCreate()."""
    call("cuCtxDestroy_v2", _pointer(ctx))


def ctxGetDevice() -> int:
    """The number of the current device in the driver."""
    device = ctypes.c_int()
    with primary_context():
        call("cuCtxGetDevice", ctypes.byref(device))
    return device.value


def streamGetCtx(stream: int) -> int:
    """The context of a stream, by the stream's `ptr`."""
    context = ctypes.c_void_p()
    with primary_context():
        call("cuStreamGetCtx", _pointer(stream), ctypes.byref(context))
    return context.value or 0


# ---- modules and functions


def moduleLoad(filename: str) -> int:
    """Load a file (cubin, PTX or fatbin) on the current device; moduleUnload() ends it."""
    module = ctypes.c_void_p()
    with primary_context():
        call("cuModuleLoad", ctypes.byref(module), ctypes.c_char_p(filename.encode()))
    return module.value or 0


def moduleLoadData(image: bytes) -> int:
    """As moduleLoad(), of the contents of such a file."""
    module = ctypes.c_void_p()
    with primary_context():
        call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(image))
    return module.value or 0


def moduleUnload(module: int) -> None:
    """End a module of moduleLoad() or moduleLoadData()."""
    with primary_context():
        call("cuModuleUnload", _pointer(module))


def moduleGetFunction(module: int, funcname: str) -> int:
    """A kernel of a module by its name."""
    function = ctypes.c_void_p()
    with primary_context():
        name = ctypes.c_char_p(funcname.encode())
        call("cuModuleGetFunction", ctypes.byref(function), _pointer(module), name)
    return function.value or 0


def moduleGetGlobal(module: int, varname: str) -> int:
    """The address of a variable of a module by its name."""
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    with primary_context():
        name = ctypes.c_char_p(varname.encode())
        call(
            "cuModuleGetGlobal_v2",
            ctypes.byref(address),
            ctypes.byref(size),
            _pointer(module),
            name,
        )
    return address.value


def funcGetAttribute(attribute: int, func: int) -> int:
    """What a kernel is, by the number of a CUfunction_attribute."""
    value = ctypes.c_int()
    with primary_context():
        call("cuFuncGetAttribute", ctypes.byref(value), ctypes.c_int(attribute), _pointer(func))
    return value.value


def funcSetAttribute(func: int, attribute: int, value: int) -> None:
    """Set what can be set of a kernel."""
    with primary_context():
        call("cuFuncSetAttribute", _pointer(func), ctypes.c_int(attribute), ctypes.c_int(value))


def occupancyMaxActiveBlocksPerMultiprocessor(
    func: int, blockSize: int, dynamicSMemSize: int
) -> int:
    """How many blocks of a kernel a multiprocessor runs at the same time."""
    blocks = ctypes.c_int()
    with primary_context():
        call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.byref(blocks),
            _pointer(func),
            ctypes.c_int(blockSize),
            ctypes.c_size_t(dynamicSMemSize),
        )
    return blocks.value


def launchKernel(
    f: int,
    grid: Sequence[int],
    block: Sequence[int],
    shared_mem: int,
    stream: int,
    arguments: Sequence[Any],
) -> None:
    """Launch a kernel; `arguments` are ctypes values, one for each parameter."""
    values = (ctypes.c_void_p * len(arguments))(
        *(ctypes.cast(ctypes.pointer(each), ctypes.c_void_p) for each in arguments)
    )
    sizes = [ctypes.c_uint(each) for each in (*grid, *block, shared_mem)]
    with primary_context():
        call("cuLaunchKernel", _pointer(f), *sizes, _pointer(stream), values, None)
