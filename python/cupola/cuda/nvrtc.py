"""CuPy's names for NVRTC, the compiler of CUDA C++. Programs are numbers; no GPU is needed."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Sequence
from typing import Any

from cupola._devices.libraries import TOOLKIT, cuda_files
from cupola.errors import CompileError, LibraryError

__all__ = [
    "NVRTCError",
    "addNameExpression",
    "compileProgram",
    "createProgram",
    "destroyProgram",
    "getCUBIN",
    "getLoweredName",
    "getPTX",
    "getProgramLog",
    "getVersion",
]


class NVRTCError(CompileError):
    """A call of NVRTC failed; `status` is its nvrtcResult."""

    status = 0


_libraries: list[ctypes.CDLL] = []


def _library() -> ctypes.CDLL:
    if not _libraries:
        _libraries.append(_open())
    return _libraries[0]


def _open() -> ctypes.CDLL:
    for file in cuda_files(TOOLKIT["nvrtc"]):
        try:
            library = ctypes.CDLL(file)
        except OSError:
            continue
        _open_builtins(library, file)
        return library
    raise LibraryError(
        "NVRTC cannot be found: pip install 'cupola[cuda13]' (or cuda12, as the driver is), or set "
        "CUDA_PATH to a toolkit"
    )


def _open_builtins(library: ctypes.CDLL, file: str) -> None:
    """NVRTC opens this library by its name alone, which NVIDIA's wheels have beside it."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    name = f"libnvrtc-builtins.so.{major.value}.{minor.value}"
    with contextlib.suppress(OSError):
        ctypes.CDLL(os.path.join(os.path.dirname(file), name))


def _call(name: str, *arguments: Any) -> None:
    function = getattr(_library(), name)
    status = function(*arguments)
    if status == 0:
        return
    describe = _library().nvrtcGetErrorString
    describe.restype = ctypes.c_char_p
    error = NVRTCError(f"{describe(status).decode()} ({name})")
    error.status = status
    raise error


def _program(number: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(number)


def _strings(texts: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))


def _output(program: int, size_call: str, call: str) -> bytes:
    size = ctypes.c_size_t()
    _call(size_call, _program(program), ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    _call(call, _program(program), buffer)
    return buffer.raw


def getVersion() -> tuple[int, int]:
    """Major and minor version of the compiler.

    Returns
    -------
    major, minor : int

    Raises
    ------
    LibraryError
        Where NVRTC is not installed, here and in the other functions.

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> nvrtc.getVersion() >= (12, 0)
    True
    """
    major, minor = ctypes.c_int(), ctypes.c_int()
    _call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def createProgram(
    src: str, name: str, headers: Sequence[str] = (), include_names: Sequence[str] = ()
) -> int:
    """A program of a source text and of headers by their names; destroyProgram() ends it.

    Parameters
    ----------
    src : str
        CUDA C++.
    name : str
        Of the file, for messages.
    headers : sequence of str, optional
        Their texts.
    include_names : sequence of str, optional
        Their names, one for each.

    Returns
    -------
    int
        A number that stands for the program.

    Raises
    ------
    ValueError
        For another number of names.
    NVRTCError
        When NVRTC fails, here and in the other functions.

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> program = nvrtc.createProgram("__global__ void f() {}", "f.cu")
    >>> nvrtc.compileProgram(program, ["--gpu-architecture=compute_90"])
    >>> b".visible .entry" in nvrtc.getPTX(program).encode()
    True
    >>> nvrtc.destroyProgram(program)
    """
    if len(headers) != len(include_names):
        raise ValueError(f"{len(headers)} headers have {len(include_names)} names")
    program = ctypes.c_void_p()
    _call(
        "nvrtcCreateProgram",
        ctypes.byref(program),
        ctypes.c_char_p(src.encode()),
        ctypes.c_char_p(name.encode()),
        ctypes.c_int(len(headers)),
        _strings(headers),
        _strings(include_names),
    )
    return program.value or 0


def destroyProgram(prog: int) -> None:
    """End a program.

    Parameters
    ----------
    prog : int
        What createProgram() returned.

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> nvrtc.destroyProgram(nvrtc.createProgram("__global__ void f() {}", "f.cu"))
    """
    _call("nvrtcDestroyProgram", ctypes.byref(_program(prog)))


def compileProgram(prog: int, options: Sequence[str] = ()) -> None:
    """Compile a program.

    Parameters
    ----------
    prog : int
        What createProgram() returned.
    options : sequence of str, optional
        Of NVRTC.

    Raises
    ------
    NVRTCError
        It does not compile; getProgramLog() says why.

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> program = nvrtc.createProgram("__global__ void f() { 1 + }", "f.cu")
    >>> nvrtc.compileProgram(program)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cupola.cuda.nvrtc.NVRTCError: NVRTC_ERROR_COMPILATION (nvrtcCompileProgram)
    >>> nvrtc.destroyProgram(program)
    """
    _call("nvrtcCompileProgram", _program(prog), ctypes.c_int(len(options)), _strings(options))


def getPTX(prog: int) -> str:
    """What a compiled program is, for any device.

    Parameters
    ----------
    prog : int
        A compiled program.

    Returns
    -------
    str

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> program = nvrtc.createProgram("__global__ void f() {}", "f.cu")
    >>> nvrtc.compileProgram(program, ["--gpu-architecture=compute_90"])
    >>> ".target sm_90" in nvrtc.getPTX(program)
    True
    >>> nvrtc.destroyProgram(program)
    """
    return _output(prog, "nvrtcGetPTXSize", "nvrtcGetPTX").rstrip(b"\0").decode()


def getCUBIN(prog: int) -> bytes:
    """What a program is that was compiled for one architecture (`sm_90`).

    Parameters
    ----------
    prog : int
        A compiled program.

    Returns
    -------
    bytes
        What `cupola.cuda.Module.load` takes.

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> program = nvrtc.createProgram("__global__ void f() {}", "f.cu")
    >>> nvrtc.compileProgram(program, ["--gpu-architecture=sm_90"])
    >>> nvrtc.getCUBIN(program)[1:4]
    b'ELF'
    >>> nvrtc.destroyProgram(program)
    """
    return _output(prog, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")


def getProgramLog(prog: int) -> str:
    """Errors and warnings of the compilation.

    Parameters
    ----------
    prog : int
        A program that compileProgram() was called with.

    Returns
    -------
    str

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> program = nvrtc.createProgram("__global__ void f() { g(); }", "f.cu")
    >>> try:
    ...     nvrtc.compileProgram(program)
    ... except nvrtc.NVRTCError:
    ...     print(nvrtc.getProgramLog(program).splitlines()[0])
    f.cu(1): error: identifier "g" is undefined
    >>> nvrtc.destroyProgram(program)
    """
    return _output(prog, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").rstrip(b"\0").decode()


def addNameExpression(prog: int, name: str) -> None:
    """Ask for an instance of a template, before the compilation.

    Parameters
    ----------
    prog : int
        A program that is not compiled yet.
    name : str
        As the program would write it: "f<float>".

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> source = "template <class T> __global__ void f(T* x) { *x = 1; }"
    >>> program = nvrtc.createProgram(source, "f.cu")
    >>> nvrtc.addNameExpression(program, "f<float>")
    >>> nvrtc.compileProgram(program)
    >>> nvrtc.getLoweredName(program, "f<float>")
    '_Z1fIfEvPT_'
    >>> nvrtc.destroyProgram(program)
    """
    _call("nvrtcAddNameExpression", _program(prog), ctypes.c_char_p(name.encode()))


def getLoweredName(prog: int, name: str) -> str:
    """The name of such an instance in the compiled program.

    Parameters
    ----------
    prog : int
        A compiled program.
    name : str
        What addNameExpression() was called with.

    Returns
    -------
    str

    Examples
    --------
    >>> from cupola.cuda import nvrtc
    >>> source = "template <class T> __global__ void f(T* x) { *x = 1; }"
    >>> program = nvrtc.createProgram(source, "f.cu")
    >>> nvrtc.addNameExpression(program, "f<int>")
    >>> nvrtc.compileProgram(program)
    >>> nvrtc.getLoweredName(program, "f<int>")
    '_Z1fIiEvPT_'
    >>> nvrtc.destroyProgram(program)
    """
    lowered = ctypes.c_char_p()
    _call(
        "nvrtcGetLoweredName", _program(prog), ctypes.c_char_p(name.encode()), ctypes.byref(lowered)
    )
    return (lowered.value or b"").decode()
