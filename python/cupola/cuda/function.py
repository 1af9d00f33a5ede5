"""CuPy's older names for compiled kernels; `RawModule` has more."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

from cupola._cupola import RawKernel, RawModule

__all__ = ["Function", "Module"]


class Module:
    """Compiled kernels (cubin, PTX or fatbin), loaded on a device when first launched there.

    They run on CUDA devices: on the CPU platform a launch raises DeviceError.
    """

    def __init__(self) -> None:
        self._module: RawModule | None = None
        self._file: Any = None

    def load_file(self, filename: str) -> None:
        """Take a file."""
        self._module = RawModule(path=filename)

    def load(self, cubin: bytes) -> None:
        """Take the contents of such a file."""
        self._file = tempfile.NamedTemporaryFile(suffix=".cubin")  # noqa: SIM115 - lives with self
        self._file.write(cubin)
        self._file.flush()
        self.load_file(self._file.name)

    def _loaded(self) -> RawModule:
        if self._module is None:
            raise ValueError("the module is empty: call load() or load_file() first")
        return self._module

    def get_function(self, name: str) -> Function:
        """A kernel by its name."""
        return Function(self, name)

    def get_global_var(self, name: str) -> Any:
        """The memory of a variable by its name, on the current device."""
        return self._loaded().get_global(name)


class Function:
    """A kernel of a `Module`."""

    module: Module

    def __init__(self, module: Module, funcname: str) -> None:
        self.module = module
        self.kernel: RawKernel = module._loaded().get_function(funcname)

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
    ) -> None:
        """Launch at least `size` threads in one dimension."""
        block = max(1, min(block_max_size, size))
        self((-(-size // block),), (block,), args, shared_mem, stream)
