"""The environment variables that the library reads: one table, and the check of their names."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

__all__ = ["OTHER_VARIABLES", "PREFIX", "VARIABLES", "Variable", "unknown", "warn_about_unknown"]

PREFIX = "CUPOLA_"
OF_TESTS = f"{PREFIX}TEST_"  # read by test programs only


class Variable(NamedTuple):
    """A variable: what it may be, what holds without it, and what it does."""

    name: str
    values: str
    default: str
    meaning: str
    group: str


DEVICES = "Devices"
EVALUATION = "Evaluation and observation"
MEMORY = "Memory and copies"
KERNELS = "Compiled kernels and libraries"
CPU = "CPU devices"
TESTS = "Tests of the library"
GROUPS = (DEVICES, EVALUATION, MEMORY, KERNELS, CPU, TESTS)
SWITCH = "0 or 1"

_ROWS = (
    # Devices
    ("PLATFORM", "cpu or cuda", "cuda where a GPU is usable, else cpu",
     "The platform of new arrays and of `cp.cuda`.", DEVICES),
    ("DEVICE", "a device, like cuda:1 or cuda:0-3", "device 0 of the platform",
     "The device that new arrays are made on; several may be one.", DEVICES),
    ("STRIPE_THRESHOLD", "bytes", "33554432 (32 MiB)",
     "Arrays of fewer bytes lie on one device of a set, others on all.", DEVICES),
    ("FORK_WARNING", SWITCH, "1",
     "0 silences the warning before a fork that leaves a child without CUDA.", DEVICES),
    ("PREFER_CUPY", SWITCH, "0",
     "For programs run by `python -m cupola.as_cupy`: 1 leaves the names `cupy` and `cupyx` to "
     "CuPy where it is installed.", DEVICES),
    # Evaluation and observation
    ("EAGER", SWITCH, "few elements at the call",
     "1 computes every operation at its call; 0 none that may wait, also not those on few elements "
     "that a CPU device has stored. The results are the same bits.", EVALUATION),
    ("DOCTOR", SWITCH, "0",
     "1 prints at the end of the program, by file and line, where the host waits for a device, "
     "copies pageable memory or launches small kernels in loops.", EVALUATION),
    ("TOP", SWITCH, "0",
     "1 writes the program's load to a file, for `python -m cupola top`.", EVALUATION),
    ("NVTX", SWITCH, "0",
     "1 makes NVTX ranges with the names of operations, for NVIDIA's tools.", EVALUATION),
    ("TOP", SWITCH, "0",
     "1 writes what the program does to a file, for `python -m cupola top`.", EVALUATION),
    # Memory and copies
    ("GPU_MEMORY_LIMIT", "bytes, or a percentage like 50%", "no limit",
     "What arrays and their pool take of each device, at most.", MEMORY),
    ("MEMORY_DEBUG", "poison, guard or passthrough", "off",
     "Overwrites new and freed memory, finds writes beyond a block, or does without pools, for "
     "the checkers of the platform.", MEMORY),
    ("COPY_THREADS", "a number of threads", "chosen by the size of the copy",
     "Threads that copy pageable memory, at most; never more than the usable cores.", MEMORY),
    ("HOST_COPY", "error, warn or allow", "arrays on CPU devices may be read, all else raises",
     "What happens where a library or a function would copy an array to the host, or a NumPy array "
     "to a device, unasked.", MEMORY),
    ("DEBUG_LENT", SWITCH, "0",
     "1 reports sources that change while a copy with `source='keepalive'` reads them.", MEMORY),
    # Compiled kernels and libraries
    ("CACHE_DIR", "a folder, or nothing", "XDG_CACHE_HOME/cupola, else ~/.cache/cupola",
     "Where compiled kernels are kept; empty keeps none. A folder that other users may write to "
     "is not used.", KERNELS),
    ("CACHE_SIZE", "bytes, like 500M", "1G",
     "How much the folder may grow; what was not used for the longest time goes first.", KERNELS),
    ("DISK_CACHE", SWITCH, "1", "0 keeps no compiled kernels.", KERNELS),
    ("SHIPPED_KERNELS", SWITCH, "1", "0 ignores the compiled kernels of the package.", KERNELS),
    ("CUDA_LIBRARY_PATH", "folders, separated by colons", "NVIDIA's Python packages",
     "Where NVRTC, cuBLAS, cuFFT, cuSOLVER, NCCL and CUDA's headers are looked for first.",
     KERNELS),
    ("KERNEL_DEBUG", SWITCH, "0",
     "1 compiles kernels for CUDA with debug information and without optimisation, for cuda-gdb.",
     KERNELS),
    ("KERNEL_CHECK", SWITCH, "0",
     "1 checks raw kernels on CPU devices: addresses out of range, races on shared memory, "
     "barriers that not all threads reach, shared memory that is read before it is written.",
     KERNELS),
    # CPU devices
    ("CPU_DEVICES", "a number", "1", "How many CPU devices there are.", CPU),
    ("CPU_DEVICE_MEMORY", "bytes, or a list like 64M,32M", "the machine's, in equal parts",
     "The memory of each CPU device.", CPU),
    ("CPU_INSTRUCTIONS", "baseline, avx2 or avx512", "the best of the processor",
     "Limits the vector instructions of CPU devices.", CPU),
    ("BLAS", "a library's name or path", "the OpenBLAS of NumPy, else the system's",
     "The BLAS library for matrix products on CPU devices.", CPU),
    ("CPU_PEERS", "pairs, like 0-1:none,1-2:lies", "every pair has access",
     "Takes pairs of CPU devices the access to each other's memory; `lies` claims it "
     "nevertheless.", CPU),
    ("CPU_STRIPE_BYTES", "a power of two", "4096",
     "The granularity in which one array is divided among several CPU devices.", CPU),
    ("CPU_MAP_TILE", "a number of elements, at least 64", "chosen by the kernel",
     "Makes the tiles of elementwise kernels small.", CPU),
    ("ADVERSARY", "a seed, a whole number", "off",
     "Runs the work of all streams of CPU devices in any legal order, as late as it may, and ends "
     "the process at the first use of memory that nothing orders after the one before.", CPU),
    ("ADVERSARY_FAIL", "K or 1/N", "none",
     "With `CUPOLA_ADVERSARY`: fails the K-th call of the platform, or one call in N.", CPU),
    # Tests of the library
    ("LEAST_LEFT", "a number of elements", "262144",
     "From which size a repeated result may stay pending.", TESTS),
    ("FFT_BLOCK_ROWS", "a number of rows", "chosen by the size",
     "Rows of a transform that are computed at a time on a set of devices.", TESTS),
    ("MATMUL_BLOCK_ROWS", "a number of rows", "chosen by the size",
     "Rows of a product that are computed at a time on a set of devices.", TESTS),
    ("MUTANT", "the name of a fault", "none", "The fault of a test program that has some.", TESTS),
    ("UPDATE_GOLDEN", SWITCH, "0", "1 writes expected kernels and counts anew.", TESTS),
    ("GOLDEN_FOLDER", "a folder", "tests/golden", "Where these texts are.", TESTS),
    ("GPU_FIGURES", SWITCH, "0", "1 runs the test programs that measure a GPU.", TESTS),
)  # fmt: skip

VARIABLES = {PREFIX + row[0]: Variable(PREFIX + row[0], *row[1:]) for row in _ROWS}
"""Every variable of the library, by name."""

OTHER_VARIABLES = {
    "CUDA_VISIBLE_DEVICES": "Which GPUs there are, and in which order; NVIDIA's rules.",
    "CUDA_DEVICE_ORDER": "The order that the numbers in `CUDA_VISIBLE_DEVICES` follow.",
    "CUDA_PATH": "A CUDA toolkit, for its headers and libraries.",
    "CUDA_HOME": "The same, for NCCL, where `CUDA_PATH` is not set.",
    "NVCC": "What `cupola.cuda.get_nvcc_path` returns; else the `nvcc` of `PATH`.",
    "ROCM_HOME": "What `cupola.cuda.get_rocm_path` returns.",
    "CUPYX_DISTRIBUTED_HOST": "Where processes of `cupyx.distributed` meet.",
    "CUPYX_DISTRIBUTED_PORT": "The port of that host.",
    "CUPYX_DISTRIBUTED_KEY": "The key by which these processes recognise each other.",
    "CUPYX_DISTRIBUTED_TIMEOUT": "Seconds that they wait for each other; else 300.",
    "CXX": "The compiler of your own kernels on CPU devices; else `c++`, `g++`, `clang++`.",
    "XDG_CACHE_HOME": "The user's folder of caches, an absolute path.",
    "XDG_RUNTIME_DIR": "The user's folder of running programs, for `python -m cupola top`.",
    "CONDA_PREFIX": "A Conda environment, for NVIDIA's libraries in it.",
    "HOME": "The user's folder, where `XDG_CACHE_HOME` is not set.",
    "TMPDIR": "Where compilers put temporary files; else /tmp.",
    "CUPY_SEED": "Seeds `cupy.random`, where the package is installed as `cupy`.",
    "CUPY_TEST_FULL_COMBINATION": "1: `cupola.testing` runs all combinations of parameters.",
}
"""Variables of the system and of other programs that the library reads, and what for."""


def unknown(names: Iterable[str]) -> dict[str, str | None]:
    """Names with the library's prefix that it does not read, each with the nearest that it does."""
    wrong = [
        name
        for name in names
        if name.startswith(PREFIX) and name not in VARIABLES and not name.startswith(OF_TESTS)
    ]
    if not wrong:
        return {}
    import difflib  # only for those with a misspelt variable

    known = [name.removeprefix(PREFIX) for name in VARIABLES]
    nearest = {n: difflib.get_close_matches(n.removeprefix(PREFIX), known, 1) for n in wrong}
    return {name: PREFIX + found[0] if found else None for name, found in nearest.items()}


def warn_about_unknown(environment: Mapping[str, str] = os.environ) -> None:
    """Warn once for each misspelt variable: it has no effect, and the program would not notice."""
    for name, nearest in unknown(environment).items():
        advice = (
            f"did you mean {nearest}?" if nearest else "docs/reference/environment.md lists all"
        )
        warnings.warn(f"{name} is no setting of cupola and has no effect; {advice}", stacklevel=3)
