"""Where libraries lie that other packages bring: told to the compiled part, not opened."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator

import numpy as np

from cupola import _cupola as _core

# Of CUDA 13, and of CUDA 12.
TOOLKIT = {
    "nvrtc": ("libnvrtc.so.13", "libnvrtc.so.12"),
    "cublas": ("libcublas.so.13", "libcublas.so.12"),
    "cufft": ("libcufft.so.12", "libcufft.so.11"),
    "cusolver": ("libcusolver.so.12", "libcusolver.so.11"),
}


def numpy_blas() -> str | None:
    """The OpenBLAS that NumPy's wheel brings."""
    package = os.path.dirname(np.__file__)
    for folder in (package + ".libs", os.path.join(package, ".libs")):
        found = glob.glob(os.path.join(folder, "libscipy_openblas64_*.so*"))
        if found:
            return found[0]
    return None


def nvidia_folders() -> list[str]:
    """The folders with libraries of NVIDIA's wheels."""
    folders: list[str] = []
    for entry in dict.fromkeys(sys.path):
        base = os.path.join(entry, "nvidia")
        if entry and os.path.isdir(base):
            folders += sorted(glob.glob(os.path.join(base, "*", "lib")))
    return folders


def announce() -> None:
    """Called once, at import."""
    blas = numpy_blas()
    if blas is not None:
        _core.set_blas_path(blas)
    if "CUPOLA_CUDA_LIBRARY_PATH" not in os.environ:
        folders = nvidia_folders()
        if folders:
            os.environ["CUPOLA_CUDA_LIBRARY_PATH"] = os.pathsep.join(folders)


def cuda_folders() -> Iterator[str]:
    """Where the compiled part looks for NVIDIA's libraries, in order; "" is the system's way."""
    yield from filter(None, os.environ.get("CUPOLA_CUDA_LIBRARY_PATH", "").split(":"))
    conda = os.environ.get("CONDA_PREFIX")
    if conda:
        yield f"{conda}/lib"
    yield ""
    for root in (os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if root:
            yield f"{root}/lib64"
            yield f"{root}/lib"
    yield from nvidia_folders()


def driver_major() -> int:
    """The major version of CUDA that the driver is for; 0 without a driver."""
    try:
        return int(_core.driver_version("cuda")) // 1000
    except Exception:  # no driver, a broken one, no plugin
        return 0


def cuda_files(names: tuple[str, ...]) -> Iterator[str]:
    """What may be opened, in order, for a library of one of these names."""
    if len(names) > 1 and driver_major() == 12:
        names = names[1:]
    for folder in cuda_folders():
        for name in names:
            yield f"{folder}/{name}" if folder else name
