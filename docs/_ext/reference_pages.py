"""Which pages the Python reference has, and where each name of the package's namespace stands."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Any

import cupola

# A page for each family: file name -> title and first sentence.
FAMILIES = {
    "ndarray": ("Arrays", "The array itself: its attributes and methods, iteration and printing."),
    "creation": ("Creation", "New arrays: filled, in ranges, from data, blocks and windows."),
    "manipulation": ("Manipulation", "Shapes, joining, splitting, rearranging, padding."),
    "mathematics": (
        "Mathematics",
        "Sums, scans, differences, convolution and interpolation.",
    ),
    "ufuncs": ("Universal functions", "Functions of single elements, which broadcast."),
    "linalg-products": ("Products", "Products of vectors and matrices; einsum."),
    "indexing": ("Indexing", "Selection, positions and iteration."),
    "sorting": ("Sorting and sets", "Sorting, searching, unique values, sets."),
    "statistics": ("Statistics", "Extremes, order statistics, histograms, covariance."),
    "polynomials": ("Polynomials", "Functions of coefficients, highest power first."),
    "files": ("Files", "Arrays in files, read and written piece by piece."),
    "dtypes": ("Data types and constants", "Types of elements, promotion, limits, constants."),
    "devices": ("Devices, copies and memory", "Where arrays are, and how they get there."),
    "observation": ("Observation", "What would run, what ran, and how the package is set up."),
    "kernels": ("Kernels of your own", "Functions in Python, and kernels in CUDA C++."),
    "cupy-names": (
        "Names for CuPy programs",
        "What CuPy has and NumPy does not, and names that older programs use.",
    ),
    "other": ("Everything else", "Error states, callbacks and information."),
}

# A page for each module: its first sentence.
MODULES = {
    "cupola.linalg": "Linear algebra: factorisations, solutions, norms.",
    "cupola.fft": "Discrete Fourier transforms.",
    "cupola.fft.config": "Settings of transforms under CuPy's names.",
    "cupola.random": "Random numbers: generators, and the functions of one that all share.",
    "cupola.polynomial": "Series in six bases.",
    **{
        f"cupola.polynomial.{name}": "The functions of one basis, and its class."
        for name in ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e")
    },
    "cupola.polynomial.polyutils": "What the modules of bases have in common.",
    "cupola.lib.stride_tricks": "Views with chosen strides.",
    "cupola.emath": "Functions that go to complex numbers where real ones have no answer.",
    "cupola.multiprocessing": "Processes with a device each, and arrays that they share.",
    "cupola.dask": "What Dask asks of its chunks. Nothing here needs to be imported.",
    "cupola.interop": "What other libraries register, or are told, to take arrays.",
    **{
        f"cupola.interop.{name}": text
        for name, text in {
            "arrow": "Arrays of pyarrow.",
            "einops": "The backend of einops.",
            "matplotlib": "Units of matplotlib.",
            "numba": "Types of numba.",
            "zarr": "Buffers of zarr.",
        }.items()
    },
    "cupola.doctor": "What makes a program slow, by file and line.",
    "cupola.errors": "The exceptions that are the library's own.",
    "cupola.testing": "Assertions for tests, and CuPy's decorators.",
    "cupola.typing": "Types for annotations.",
    "cupola.array_api": "The array API standard's namespace.",
    "cupola.as_cupy": "Programs that say `import cupy`.",
    "cupola.prof": "Ranges for profilers, as older CuPy has them.",
    "cupola.cuda": "CuPy's names for devices, streams, events and memory, on every platform.",
    **{
        f"cupola.cuda.{name}": text
        for name, text in {
            "runtime": "The CUDA runtime's functions under CuPy's names.",
            "driver": "The CUDA driver's functions under CuPy's names.",
            "nccl": "NCCL's communicators.",
            "nvrtc": "The run-time compiler's programs.",
            "nvtx": "Ranges and marks for NVIDIA's tools.",
            "profiler": "Start and stop of NVIDIA's profilers.",
            "compiler": "Errors of compilation.",
            "memory": "Memory by hand.",
            "memory_hook": "The base of what watches memory.",
            "memory_hooks": "What watches memory.",
            "pinned_memory": "Pinned host memory by hand.",
            "stream": "Streams and events.",
            "device": "Devices under CuPy's names.",
            "function": "Functions and modules of compiled code.",
            "graph": "Work that is recorded once and launched many times.",
            "texture": "CUDA arrays, textures and surfaces.",
            "environment": "Folders and versions of the toolkit.",
            "cub": "CuPy's module of that name.",
            "thrust": "CuPy's module of that name.",
        }.items()
    },
    "cupola.cupyx": "What CuPy programs import as `cupyx`.",
    "cupola.cupyx.jit": "CUDA kernels from Python functions.",
    "cupola.cupyx.jit.cg": "Cooperative groups.",
    "cupola.cupyx.jit.cub": "Reductions of a warp or a block.",
    "cupola.cupyx.jit.thrust": "Algorithms over ranges, each in one thread.",
    "cupola.cupyx.distributed": "Processes that communicate.",
    "cupola.cupyx.distributed.array": "Arrays in chunks on several devices.",
    "cupola.cupyx.linalg": "Functions beside those of NumPy.",
    "cupola.cupyx.optimizing": "Accepted for CuPy programs.",
    "cupola.cupyx.profiler": "Times of functions.",
    "cupola.cupyx.time": "Times of functions, under an older name.",
}

# The package's module or folder -> page.
_PAGE_OF_ROOM = {
    "_functions.creation": "creation",
    "_functions.manipulation": "manipulation",
    "_functions.mathematics.ufuncs": "ufuncs",
    "_functions.mathematics": "mathematics",
    "_functions.linalg": "linalg-products",
    "_functions.indexing": "indexing",
    "_functions.sorting": "sorting",
    "_functions.statistics": "statistics",
    "_functions.dtypes": "dtypes",
    "_functions.type_tables": "dtypes",
    "_functions": "other",
    "polynomial._poly1d": "polynomials",
    "_files": "files",
    "_devices": "devices",
    "_memory": "devices",
    "_observation": "observation",
    "_translation": "kernels",
    "_cupy": "cupy-names",
    "_array": "ndarray",
}
_PAGE_OF_NAME = {
    "ndarray": "ndarray",
    "ufunc": "ufuncs",
    "Device": "devices",
    "Stream": "devices",
    "ElementwiseKernel": "kernels",
    "ReductionKernel": "kernels",
    "RawKernel": "kernels",
    "RawModule": "kernels",
    "array2string": "ndarray",
    "array_repr": "ndarray",
    "array_str": "ndarray",
    "flatiter": "ndarray",
}


@functools.cache
def _owners() -> dict[str, str]:
    """Each name that a private module offers, and that module, without `cupola.`."""
    owners: dict[str, str] = {}
    for info in pkgutil.walk_packages(cupola.__path__, "cupola."):
        room = info.name.removeprefix("cupola.")
        is_private = room.startswith("_") and not room.startswith("_cupola")
        if is_private or room == "polynomial._poly1d":
            module = importlib.import_module(info.name)
            for name in getattr(module, "__all__", ()):
                owners.setdefault(name, room)
    return owners


def family_of(name: str, value: Any) -> str:
    """The page that a name of the namespace stands on."""
    if name in _PAGE_OF_NAME:
        return _PAGE_OF_NAME[name]
    if isinstance(value, cupola.ufunc):
        return "ufuncs"
    room = _owners().get(name, "")
    while room:
        if room in _PAGE_OF_ROOM:
            return _PAGE_OF_ROOM[room]
        room = room.rpartition(".")[0]
    return "dtypes"  # NumPy's types, and constants
