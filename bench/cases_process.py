"""What a new process waits for: the import, and a first checked result."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from libraries import Library
from registry import Inputs, Task, case

TIMED_IMPORT = """
import importlib, sys, time
for name in sys.argv[2:]:
    importlib.import_module(name)
start = time.perf_counter()
importlib.import_module(sys.argv[1])
print(time.perf_counter() - start)
"""

# Five ufuncs and a sum over 100,000 elements, in float32.
FIRST_RESULT = """
import math
import numpy as np
host = np.linspace(0, 1, 100_000, dtype=np.float32)
{imports}
x = {to_device}
found = float(xp.sqrt(xp.exp(xp.sin(x) * x) + x).sum())
y = host.astype(np.float64)
expected = float(np.sqrt(np.exp(np.sin(y) * y) + y).sum())
assert math.isclose(found, expected, rel_tol=1e-4), (found, expected)
"""

SPELLINGS = {
    "numpy": ("import numpy as xp", "xp.asarray(host)"),
    "cupola": ("import cupola as xp", "xp.asarray(host)"),
    "cupy": ("import cupy as xp", "xp.asarray(host)"),
    "torch": ("import torch as xp", "xp.from_numpy(host).to('{platform}')"),
    "jax": ("import jax.numpy as xp", "xp.asarray(host)"),
}

CACHE_VARIABLES = ("CUPOLA_CACHE_DIR", "XDG_CACHE_HOME", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH")


def import_seconds(name: str, *before: str) -> float:
    """Seconds that importing a module takes in a new process that has imported others before."""
    command = [sys.executable, "-c", TIMED_IMPORT, name, *before]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def first_result_seconds(library: Library, cache: str) -> float:
    """Seconds from the start of a new process to its end, with compiled code kept in `cache`."""
    imports, to_device = SPELLINGS[library.name]
    program = FIRST_RESULT.format(
        imports=imports, to_device=to_device.format(platform=library.platform)
    )
    environment = {**os.environ, **dict.fromkeys(CACHE_VARIABLES, cache)}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    return time.perf_counter() - start


# What no program with NumPy and CUDA can be without, by the driver's own functions.
LEAST = """
import ctypes
import numpy
cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
"""


@case(
    "new process: NumPy, a CUDA context, no more", "process", "s", 1, peers=(), platforms=("cuda",)
)
def least(_library: Library, _inputs: Inputs) -> Task:
    def seconds() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", LEAST], check=True)
        return time.perf_counter() - start

    return Task(seconds=seconds)


@case("import", "process", "s", 1)
def import_only(library: Library, _inputs: Inputs) -> Task:
    return Task(seconds=lambda: import_seconds(library.module_name))


@case("import after numpy", "process", "s", 1, peers=("cupy",))
def import_after_numpy(library: Library, _inputs: Inputs) -> Task:
    return Task(seconds=lambda: import_seconds(library.module_name, "numpy"))


@case("new process to a result, empty cache", "process", "s", 1)
def first_result(library: Library, _inputs: Inputs) -> Task:
    def with_new_cache() -> float:
        with tempfile.TemporaryDirectory() as cache:
            return first_result_seconds(library, cache)

    return Task(seconds=with_new_cache)


@case("new process to a result, filled cache", "process", "s", 1)
def later_result(library: Library, _inputs: Inputs) -> Task:
    return Task(seconds=with_filled_cache(library))


def with_filled_cache(library: Library) -> Callable[[], float]:
    cache = tempfile.TemporaryDirectory()
    filled: list[float] = []

    def seconds() -> float:
        if not filled:
            filled.append(first_result_seconds(library, cache.name))
        return first_result_seconds(library, cache.name)

    return seconds
