"""Modules of the CUDA driver, their kernels and variables."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from cupola.cuda._driver_calls import call, primary_context


def moduleLoad(filename: str) -> int:
    """Load a file (cubin, PTX or fatbin) on the current device; moduleUnload() ends it.

    Parameters
    ----------
    filename : str
        Of the file.

    Returns
    -------
    int
        Its handle, a CUmodule.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    See Also
    --------
    moduleLoadData : The contents of a file.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         with open("f.ptx", "wb") as file:
    ...             count = file.write(text)
    ...         module = driver.moduleLoad("f.ptx")
    ...         driver.moduleUnload(module)
    """
    module = ctypes.c_void_p()
    with primary_context():
        call("cuModuleLoad", ctypes.byref(module), ctypes.c_char_p(filename.encode()))
    return module.value or 0


def moduleLoadData(image: bytes) -> int:
    """Load the contents of a file (cubin, PTX or fatbin) on the current device.

    moduleUnload() ends it.

    Parameters
    ----------
    image : bytes
        The contents.

    Returns
    -------
    int
        Its handle, a CUmodule.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         driver.moduleUnload(module)
    """
    module = ctypes.c_void_p()
    with primary_context():
        call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(image))
    return module.value or 0


def moduleUnload(module: int) -> None:
    """End a module of moduleLoad() or moduleLoadData().

    Parameters
    ----------
    module : int
        Handle of the module, a CUmodule.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         driver.moduleUnload(module)
    """
    with primary_context():
        call("cuModuleUnload", ctypes.c_void_p(module))


def moduleGetFunction(module: int, funcname: str) -> int:
    """A kernel of a module by its name.

    Parameters
    ----------
    module : int
        Handle of the module, a CUmodule.
    funcname : str
        Its name in the compiled program.

    Returns
    -------
    int
        Its handle, a CUfunction.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         kernel = driver.moduleGetFunction(module, "f")
    ...         driver.moduleUnload(module)
    """
    function = ctypes.c_void_p()
    with primary_context():
        name = ctypes.c_char_p(funcname.encode())
        call("cuModuleGetFunction", ctypes.byref(function), ctypes.c_void_p(module), name)
    return function.value or 0


def moduleGetGlobal(module: int, varname: str) -> int:
    """The address of a variable of a module by its name.

    Parameters
    ----------
    module : int
        Handle of the module, a CUmodule.
    varname : str
        Its name in the compiled program.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .global .u32 x;"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         address = driver.moduleGetGlobal(module, "x")
    ...         driver.moduleUnload(module)
    """
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    with primary_context():
        name = ctypes.c_char_p(varname.encode())
        call(
            "cuModuleGetGlobal_v2",
            ctypes.byref(address),
            ctypes.byref(size),
            ctypes.c_void_p(module),
            name,
        )
    return address.value


def funcGetAttribute(attribute: int, func: int) -> int:
    """What a kernel is, by the number of a CUfunction_attribute.

    Parameters
    ----------
    attribute : int
        As 0, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK.
    func : int
        Handle of the kernel, a CUfunction.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         kernel = driver.moduleGetFunction(module, "f")
    ...         threads = driver.funcGetAttribute(0, kernel)
    ...         driver.moduleUnload(module)
    """
    value = ctypes.c_int()
    with primary_context():
        call(
            "cuFuncGetAttribute",
            ctypes.byref(value),
            ctypes.c_int(attribute),
            ctypes.c_void_p(func),
        )
    return value.value


def funcSetAttribute(func: int, attribute: int, value: int) -> None:
    """Set what can be set of a kernel.

    Parameters
    ----------
    func : int
        Handle of the kernel, a CUfunction.
    attribute : int
        As 8, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
    value : int

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         kernel = driver.moduleGetFunction(module, "f")
    ...         driver.funcSetAttribute(kernel, 8, 1024)
    ...         driver.moduleUnload(module)
    """
    with primary_context():
        call(
            "cuFuncSetAttribute",
            ctypes.c_void_p(func),
            ctypes.c_int(attribute),
            ctypes.c_int(value),
        )


def occupancyMaxActiveBlocksPerMultiprocessor(
    func: int, blockSize: int, dynamicSMemSize: int
) -> int:
    """How many blocks of a kernel a multiprocessor runs at the same time.

    Parameters
    ----------
    func : int
        Handle of the kernel, a CUfunction.
    blockSize : int
        Threads of a block.
    dynamicSMemSize : int
        Bytes of dynamic shared memory of a block.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         kernel = driver.moduleGetFunction(module, "f")
    ...         blocks = driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel, 128, 0)
    ...         driver.moduleUnload(module)
    """
    blocks = ctypes.c_int()
    with primary_context():
        call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.byref(blocks),
            ctypes.c_void_p(func),
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
    """Launch a kernel. It is no use of arrays that the library sees: order it by its stream.

    Parameters
    ----------
    f : int
        Handle of the kernel, a CUfunction.
    grid, block : sequence of int
        Three extents each: blocks of the grid, threads of a block.
    shared_mem : int
        Bytes of dynamic shared memory of a block.
    stream : int
        The stream's `ptr`.
    arguments : sequence
        Values of ctypes, one for each parameter.

    Raises
    ------
    DeviceError
        On the CPU platform; CUDADriverError, which is one, where CUDA fails.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import driver
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         module = driver.moduleLoadData(text)
    ...         kernel = driver.moduleGetFunction(module, "f")
    ...         stream = cp.cuda.get_current_stream()
    ...         driver.launchKernel(kernel, (1, 1, 1), (32, 1, 1), 0, stream.ptr, [])
    ...         stream.synchronize()
    ...         driver.moduleUnload(module)
    """
    values = (ctypes.c_void_p * len(arguments))(
        *(ctypes.cast(ctypes.pointer(each), ctypes.c_void_p) for each in arguments)
    )
    sizes = [ctypes.c_uint(each) for each in (*grid, *block, shared_mem)]
    with primary_context():
        call("cuLaunchKernel", ctypes.c_void_p(f), *sizes, ctypes.c_void_p(stream), values, None)
