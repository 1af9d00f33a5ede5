"""CuPy's names for compiling CUDA C++: what a kernel that does not compile raises, and NVRTC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cupola.errors import CompileException

__all__ = ["CompileException", "compile_using_nvrtc", "is_valid_kernel_name"]


def _get_message(self: CompileException) -> str:
    """The compiler's log and the numbered source: the first argument of those that CuPy's has."""
    return str(self.args[0]) if self.args else ""


def _dump(self: CompileException, f: Any) -> None:
    """Write the message to a file."""
    f.write(str(self) + "\n")
    f.flush()


for _name, _function in {
    "__str__": _get_message,
    "get_message": _get_message,
    "dump": _dump,
}.items():
    setattr(CompileException, _name, _function)


def is_valid_kernel_name(name: str) -> bool:
    """Whether a text is a name of CUDA C++ that kernels may have.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool

    Examples
    --------
    >>> cp.cuda.compiler.is_valid_kernel_name("sum_2"), cp.cuda.compiler.is_valid_kernel_name("2")
    (True, False)
    """
    return re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None


def compile_using_nvrtc(
    source: str,
    options: Sequence[str] = (),
    arch: str | None = None,
    filename: str = "kern.cu",
    name_expressions: Sequence[str] | None = None,
    log_stream: Any = None,
    cache_in_memory: bool = False,
    jitify: bool = False,
) -> tuple[bytes, dict[str, str]]:
    """Compile CUDA C++ to PTX; no GPU is needed.

    Parameters
    ----------
    source : str
    options : sequence of str, optional
        Of NVRTC.
    arch : str, optional
        A compute capability, as "90". Default: that of the current device, "75" on CPU devices.
    filename : str
        For messages.
    name_expressions : sequence of str, optional
        Of kernels that are templates.
    log_stream : object with `write`, optional
        Gets the compiler's log.
    cache_in_memory, jitify : bool
        Make no difference.

    Returns
    -------
    ptx : bytes
    names : dict of str
        For each name expression, the kernel's name in the PTX.

    Raises
    ------
    CompileException
        For a source that does not compile, with the log.
    LibraryError
        Where NVRTC is not installed.

    Examples
    --------
    >>> ptx, names = cp.cuda.compiler.compile_using_nvrtc(
    ...     "template <int N> __global__ void f(int* x) { *x = N; }", name_expressions=["f<3>"]
    ... )
    >>> names["f<3>"].encode() in ptx
    True
    """
    from cupola.cuda import nvrtc
    from cupola.cuda.device import get_compute_capability

    capability = arch or get_compute_capability()
    capability = "75" if capability == "00" else capability
    program = nvrtc.createProgram(source, filename)
    try:
        for name in name_expressions or ():
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, [*options, f"--gpu-architecture=compute_{capability}"])
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program)
            raise CompileException(log, source, filename, tuple(options), "nvrtc") from error
        if log_stream is not None:
            log_stream.write(nvrtc.getProgramLog(program))
        names = {name: nvrtc.getLoweredName(program, name) for name in name_expressions or ()}
        return nvrtc.getPTX(program).encode(), names
    finally:
        nvrtc.destroyProgram(program)
