"""`rawkernel`: a Python function becomes a CUDA kernel."""

from __future__ import annotations

import functools
import inspect
import struct
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from cupola._cupola import RawKernel, ndarray
from cupola.cupyx.jit._program import KernelProgram, kernel_name, written_names
from cupola.cupyx.jit._types import ArrayType
from cupola.cupyx.jit._typing_rules import scalar_type

_MODES = ("cuda", "numpy")


class JitRawKernel:
    """A kernel, or a function that kernels call: what `rawkernel` makes.

    It is translated and compiled when it is first launched with arguments of their types.
    """

    __name__: str

    def __init__(self, func: Callable[..., Any], mode: str, device: bool) -> None:
        functools.update_wrapper(self, func)
        self._func = func
        self._mode = mode
        self._device = device
        self._kernels: dict[tuple[Any, ...], RawKernel] = {}

    def __call__(
        self, grid: Any, block: Any, args: Any, shared_mem: int = 0, stream: Any = None
    ) -> None:
        """Launch it.

        Parameters
        ----------
        grid, block : int or tuple of int
            Blocks of the grid, threads of a block; up to three extents.
        args : tuple
            Arrays, numbers of Python and scalars of NumPy.
        shared_mem : int
            Bytes of dynamic shared memory of a block.
        stream : Stream, optional
            By default the current one of the arrays' device.

        Raises
        ------
        TypeError, ValueError, NameError, IndexError
            For what cannot be translated, with file and line; for arguments of another number
            or type.
        LaunchError
            For extents that no device has.
        """
        if self._device:
            raise TypeError(
                f"{self.__name__} is a device function: kernels call it, it is not launched"
            )
        args = tuple(args)
        types = tuple(self._type(number, each) for number, each in enumerate(args))
        kernel = self._kernels.get(types)
        if kernel is None:
            kernel = self._kernels.setdefault(types, self._kernel(types))
        given: list[Any] = []
        for each, kind in zip(args, types, strict=True):
            given += [each, _layout(each)] if isinstance(kind, ArrayType) else [kind.type(each)]
        kernel(grid, block, given, shared_mem=shared_mem, stream=stream, allow_strided=True)

    def __getitem__(self, launch: Any) -> Callable[..., None]:
        """``kernel[grid, block](*args)``, also ``kernel[grid, block, shared_mem, stream]``."""
        if not isinstance(launch, tuple) or not 2 <= len(launch) <= 4:
            raise TypeError(
                f"{self.__name__}[...] takes grid, block and, if needed, shared_mem and stream"
            )
        grid, block, *rest = launch
        given = dict(zip(("shared_mem", "stream"), rest, strict=False))
        return lambda *args, **kwargs: self(grid, block, args, **{**given, **kwargs})

    def _type(self, number: int, value: Any) -> Any:
        if isinstance(value, ndarray):
            flags = value.flags
            return ArrayType(value.dtype, value.ndim, flags.c_contiguous, flags.writeable)
        if isinstance(value, (bool, int, float, complex, np.bool_, np.number)):
            return scalar_type(self._mode, value)
        raise TypeError(
            f"argument {number + 1} of {self.__name__} must be an array of the package, a number "
            f"or a scalar of NumPy, not {type(value).__name__}"
        )

    def _kernel(self, types: tuple[Any, ...]) -> RawKernel:
        names = list(inspect.signature(self._func, follow_wrapped=False).parameters)
        if len(names) != len(types):
            raise TypeError(
                f"{self.__name__} takes {len(names)} argument{'s' * (len(names) != 1)}, "
                f"{len(types)} {'was' if len(types) == 1 else 'were'} given"
            )
        arguments = dict(zip(names, types, strict=True))
        ranks = {name: kind.ndim for name, kind in arguments.items() if isinstance(kind, ArrayType)}
        for name in ranks.keys() - written_names(self._func, ranks):
            kind = arguments[name]
            arguments[name] = ArrayType(kind.dtype, kind.ndim, kind.c_contiguous, False)
        program = KernelProgram(self._mode)
        code = program.kernel(self._func, arguments)
        return RawKernel(
            code,
            kernel_name(self._func),
            options=("--std=c++20",),
            enable_cooperative_groups=program.is_cooperative,
        )

    @property
    def cached_codes(self) -> dict[tuple[Any, ...], str]:
        """The CUDA C++ texts by the types of the arguments that they are for."""
        if not self._kernels:
            warnings.warn(
                f"{self.__name__} has no code yet: it is translated when it is first launched",
                stacklevel=2,
            )
        return {types: kernel.code for types, kernel in self._kernels.items()}

    @property
    def cached_code(self) -> str:
        """The only CUDA C++ text; with a warning, the first of several."""
        codes = self.cached_codes
        if len(codes) > 1:
            warnings.warn(
                f"{self.__name__} has codes for several types: see cached_codes", stacklevel=2
            )
        return next(iter(codes.values()), "")

    def __repr__(self) -> str:
        what = "device function" if self._device else "kernel"
        return f"<{what} {self.__name__} of jit.rawkernel>"


def _layout(array: ndarray) -> bytes:
    words = (*array.shape, *array.strides) or (0, 0)
    return struct.pack(f"={len(words)}q", *words)


def rawkernel(
    *, mode: str = "cuda", device: bool = False
) -> Callable[[Callable[..., Any]], JitRawKernel]:
    """Make a kernel of a Python function.

    The function is not called: its text is translated to CUDA C++ for the types of the arguments
    and compiled. It may have assignments, also to elements of arrays, `if`, `while`, `for` over
    `range`, conditional expressions, tuples, universal functions, functions of `math`, NumPy's
    scalar types as conversions, constants from outside, the functions of this module, and calls
    of device functions. Indices are not checked and do not wrap around.

    Parameters
    ----------
    mode : {'cuda', 'numpy'}
        How types are promoted. 'cuda': as in C, where constants and Python's numbers are int32
        and float32 if they fit; 'numpy': as NumPy does, and they are int64 and float64.
    device : bool
        Whether it is a function that kernels call, rather than a kernel.

    Returns
    -------
    function
        The decorator, which gives a kernel: ``kernel[grid, block](*args)`` launches it, and so
        does ``kernel(grid, block, args, shared_mem=0, stream=None)``.

    Raises
    ------
    ValueError
        For another mode.
    TypeError, ValueError, NameError, IndexError
        When it is launched, for what cannot be translated, with file and line.

    Notes
    -----
    A variable keeps the type of its first value; integers become each other, integers become real
    numbers, and real numbers complex ones, but not the other way: convert them.

    Examples
    --------
    >>> from cupola.cupyx import jit
    >>> @jit.rawkernel()
    ... def scaled(x, y, factor):
    ...     for i in range(jit.grid(1), x.size, jit.gridsize(1)):
    ...         y[i] = x[i] * factor
    >>> scaled
    <kernel scaled of jit.rawkernel>

    ``scaled[4, 128](x, y, 2.5)`` launches 4 blocks of 128 threads.
    """
    if mode not in _MODES:
        raise ValueError(f"mode must be 'cuda' or 'numpy', not {mode!r}")

    def decorate(func: Callable[..., Any]) -> JitRawKernel:
        if not callable(func):
            raise TypeError(f"rawkernel takes a function, not {type(func).__name__}")
        return JitRawKernel(func, mode, device)

    return decorate


__all__ = ["JitRawKernel", "rawkernel"]
