"""Where libraries lie that other Python packages bring: told to the compiled part, not opened."""

from __future__ import annotations

import glob
import os
import sys

import numpy as np

from cupola import _cupola as _core


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
