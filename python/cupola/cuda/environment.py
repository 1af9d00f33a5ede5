"""Where toolkits lie on this machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import warnings
from collections.abc import Iterator

from cupola.cuda import profiler, runtime

__all__ = [
    "get_cuda_path",
    "get_hipcc_path",
    "get_local_runtime_version",
    "get_nvcc_path",
    "get_rocm_path",
    "profile",
]


def get_cuda_path() -> str | None:
    """The folder of the CUDA toolkit: CUDA_PATH, that of nvcc, or /usr/local/cuda; else None.

    Returns
    -------
    str or None

    Examples
    --------
    >>> import os
    >>> import cupola as cp
    >>> folder = cp.cuda.get_cuda_path()
    >>> folder is None or os.path.isdir(folder)
    True
    """
    for folder in (os.environ.get("CUDA_PATH"), _above(shutil.which("nvcc")), "/usr/local/cuda"):
        if folder and os.path.isdir(folder):
            return folder
    return None


def _above(program: str | None) -> str | None:
    """The folder of a `bin` folder with a program."""
    return os.path.dirname(os.path.dirname(program)) if program else None


def get_nvcc_path() -> str | None:
    """What NVCC says, or the toolkit's nvcc; None where there is none.

    Returns
    -------
    str or None

    Examples
    --------
    >>> import cupola as cp
    >>> path = cp.cuda.get_nvcc_path()
    >>> path is None or "nvcc" in path
    True
    """
    folder = get_cuda_path()
    found = os.environ.get("NVCC") or shutil.which("nvcc")
    return found or (shutil.which("nvcc", path=os.path.join(folder, "bin")) if folder else None)


def get_rocm_path() -> str | None:
    """ROCM_HOME, or the folder of hipcc; None where there is none.

    Returns
    -------
    str or None

    Examples
    --------
    >>> import cupola as cp
    >>> path = cp.cuda.get_rocm_path()
    >>> path is None or isinstance(path, str)
    True
    """
    return os.environ.get("ROCM_HOME") or _above(shutil.which("hipcc"))


def get_hipcc_path() -> str | None:
    """The compiler of ROCm; None where there is none.

    Returns
    -------
    str or None

    Examples
    --------
    >>> import cupola as cp
    >>> path = cp.cuda.get_hipcc_path()
    >>> path is None or "hipcc" in path
    True
    """
    return shutil.which("hipcc")


def get_local_runtime_version() -> int:
    """The version of the CUDA toolkit in use, as in 13000; 0 on the CPU.

    Returns
    -------
    int
        1000 times the major version, and 10 times the minor one.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.get_local_runtime_version() == cp.cuda.runtime.runtimeGetVersion()
    True
    """
    return runtime.runtimeGetVersion()


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """A scope that NVIDIA's profilers record; an older name of `cupyx.profiler.profile`.

    Yields
    ------
    None

    See Also
    --------
    cupola.cupyx.profiler.profile : The name to use.

    Examples
    --------
    >>> import warnings
    >>> import cupola as cp
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with cp.cuda.profile():
    ...         total = float(cp.arange(4).sum())
    >>> total
    6.0
    """
    warnings.warn("cuda.profile is deprecated; use cupyx.profiler.profile", stacklevel=3)
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()
