"""CuPy's older names for compiled kernels; `RawModule` has more."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import RawKernel, RawModule
from cupola.cuda import driver
from cupola.cuda._driver_calls import require_cuda

__all__ = ["Function", "Module"]

_COMPILED_HERE = (
    "kernels that the library compiled have no handle of their own: compile them with "
    "cupola.cuda.nvrtc, and load the cubin with Module.load"
)


class Module:
    """Compiled kernels (cubin, PTX or fatbin), loaded on a device when first launched there.

    They run on CUDA devices: on the CPU platform a launch raises DeviceError, unless the kernels
    are those of a `RawModule` with their text.

    Notes
    -----
    It begins empty: `load` or `load_file` fills it.

    Examples
    --------
    >>> import cupola as cp
    >>> text = b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
    >>> module = cp.cuda.Module()
    >>> module.load(text)
    >>> if cp.current_device().platform == "cuda":
    ...     module.get_function("f")((1,), (32,), ())
    """

    def __init__(self) -> None:
        self._module: RawModule | None = None
        self._file: Any = None
        self._loaded_on: dict[int, int] = {}

    @classmethod
    def of(cls, module: RawModule) -> Module:
        """The kernels of a `RawModule`.

        Parameters
        ----------
        module : RawModule
            With its text or a file.

        Returns
        -------
        Module

        Examples
        --------
        >>> import cupola as cp
        >>> made = cp.RawModule(code='extern "C" __global__ void f() {}')
        >>> cp.cuda.Module.of(made).mapping
        {}
        """
        made = cls()
        made._module = module
        return made

    def load_file(self, filename: str) -> None:
        """Take a file.

        Parameters
        ----------
        filename : str
            Of a cubin, PTX or fatbin.

        Raises
        ------
        OSError
            For a file that cannot be read.

        Examples
        --------
        >>> import cupola as cp
        >>> text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }"
        >>> with open("f.ptx", "w") as file:
        ...     count = file.write(text)
        >>> module = cp.cuda.Module()
        >>> module.load_file("f.ptx")
        >>> module.get_function("f").kernel.file_path
        'f.ptx'
        """
        self._module = RawModule(path=filename)

    def load(self, cubin: bytes) -> None:
        """Take the contents of a file.

        Parameters
        ----------
        cubin : bytes
            Of a cubin, PTX or fatbin.

        Examples
        --------
        >>> import cupola as cp
        >>> module = cp.cuda.Module()
        >>> module.load(b".version 7.0 .target sm_70 .address_size 64 .visible .entry f() { ret; }")
        >>> module.get_function("f").kernel
        <RawKernel f>
        """
        self._file = tempfile.NamedTemporaryFile(suffix=".cubin")  # noqa: SIM115 - lives with self
        self._file.write(cubin)
        self._file.flush()
        self.load_file(self._file.name)

    def _loaded(self) -> RawModule:
        if self._module is None:
            raise ValueError("the module is empty: call load() or load_file() first")
        return self._module

    @property
    def mapping(self) -> dict[str, str]:
        """Name expressions that get_function() takes by another name: none, it takes them all."""
        self._loaded()
        return {}

    @property
    def ptr(self) -> int:
        """The CUmodule on the current device, as a number; it lives as long as the process.

        Raises
        ------
        DeviceError
            On the CPU platform.
        ValueError
            For the kernels of a `RawModule` with their text, which have no file.
        """
        device = _core.current_device().id
        require_cuda("Module.ptr")
        if device not in self._loaded_on:
            path = self._loaded().file_path
            if path is None:
                raise ValueError(_COMPILED_HERE)
            self._loaded_on[device] = driver.moduleLoad(path)
        return self._loaded_on[device]

    def get_function(self, name: str) -> Function:
        """A kernel by its name.

        Parameters
        ----------
        name : str
            In the compiled program, or an expression of a `RawModule`.

        Returns
        -------
        Function

        Raises
        ------
        ValueError
            For an empty module.

        Examples
        --------
        >>> import cupola as cp
        >>> code = 'extern "C" __global__ void f(int* x) { x[0] = 7; }'
        >>> module = cp.cuda.Module.of(cp.RawModule(code=code))
        >>> x = cp.zeros(1, "int32")
        >>> module.get_function("f")((1,), (1,), (x,))
        >>> x.tolist()
        [7]
        """
        return Function(self, name)

    def get_global_var(self, name: str) -> Any:
        """The memory of a variable by its name, on the current device.

        Parameters
        ----------
        name : str
            In the compiled program.

        Returns
        -------
        MemoryPointer

        Raises
        ------
        ValueError
            For an empty module.

        Examples
        --------
        >>> import cupola as cp
        >>> module = cp.cuda.Module.of(cp.RawModule(code="__device__ int numbers[4];"))
        >>> pointer = module.get_global_var("numbers")
        >>> pointer.memset(0, 16)
        >>> pointer.mem.size
        16
        """
        return self._loaded().get_global(name)


class Function:
    """A kernel of a `Module`, or a `RawKernel`, whose `module` is None.

    Parameters
    ----------
    module : Module
        That has it.
    funcname : str
        Its name.

    Raises
    ------
    ValueError
        For an empty module.

    Examples
    --------
    >>> import cupola as cp
    >>> code = 'extern "C" __global__ void f(int* x) { x[threadIdx.x] = 7; }'
    >>> module = cp.cuda.Module.of(cp.RawModule(code=code))
    >>> cp.cuda.Function(module, "f").kernel.name
    'f'
    """

    module: Module | None

    def __init__(self, module: Module, funcname: str) -> None:
        self.module = module
        self.kernel: RawKernel = module._loaded().get_function(funcname)

    @property
    def ptr(self) -> int:
        """The CUfunction on the current device, as a number; see `Module.ptr`.

        Raises
        ------
        DeviceError
            On the CPU platform.
        ValueError
            For a kernel that the library compiled.
        """
        require_cuda("Function.ptr")
        if self.module is None:
            raise ValueError(_COMPILED_HERE)
        return driver.moduleGetFunction(self.module.ptr, self.kernel.name)

    @classmethod
    def of(cls, kernel: RawKernel) -> Function:
        """A `RawKernel`.

        Parameters
        ----------
        kernel : RawKernel

        Returns
        -------
        Function
            Whose `module` is None.

        Examples
        --------
        >>> import cupola as cp
        >>> kernel = cp.RawKernel('extern "C" __global__ void f(int* x) { x[0] = 7; }', "f")
        >>> cp.cuda.Function.of(kernel).module is None
        True
        """
        made = cls.__new__(cls)
        made.module = None
        made.kernel = kernel
        return made

    def __call__(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Launch it: blocks, threads of each, arguments, bytes of dynamic shared memory."""
        self.kernel(tuple(grid), tuple(block), tuple(args), shared_mem=shared_mem, stream=stream)

    def linear_launch(
        self,
        size: int,
        args: Sequence[Any],
        shared_mem: int = 0,
        block_max_size: int = 128,
        stream: Any = None,
        enable_cooperative_groups: bool | None = None,
    ) -> None:
        """Launch at least `size` threads in one dimension.

        Parameters
        ----------
        size : int
            Threads.
        args : sequence
            Arrays, numbers and scalars of NumPy.
        shared_mem : int, optional
            Bytes of dynamic shared memory of a block.
        block_max_size : int, optional
            The most threads of a block.
        stream : Stream, optional
            Default: the current one.
        enable_cooperative_groups : bool, optional
            What the kernel was made with.

        Raises
        ------
        ValueError
            For `enable_cooperative_groups` other than what the kernel was made with, or None.

        Examples
        --------
        >>> import cupola as cp
        >>> code = '''extern "C" __global__ void f(int* x, int n) {
        ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...     if (i < n) x[i] = i;
        ... }'''
        >>> x = cp.zeros(4, "int32")
        >>> cp.RawKernel(code, "f").kernel.linear_launch(x.size, (x, cp.int32(x.size)))
        >>> x.tolist()
        [0, 1, 2, 3]
        """
        if enable_cooperative_groups not in (None, self.kernel.enable_cooperative_groups):
            raise ValueError("the kernel was made with another enable_cooperative_groups")
        block = max(1, min(block_max_size, size))
        self((-(-size // block),), (block,), args, shared_mem, stream)
