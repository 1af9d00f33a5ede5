"""Programs on the fake CUDA driver of tests/fake_cuda, which is built with the CUDA plugin."""

import os
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import cupola
from support.cuda_packages import cuda_folder
from support.subprocesses import run_python

FOLDER = Path(cupola.__file__).parent.parent.parent / "tests/fake_cuda"

# Ends the process in a way that shows what calls the driver too late.
PRELUDE = """
import atexit, ctypes, os, sys
fake = ctypes.CDLL("libcuda.so.1")
atexit.register(fake.fake_cuda_mark_exit)  # the first one registered is the last one to run
import numpy as np
import cupola as cp
"""

needs_fake_cuda = pytest.mark.skipif(
    not (FOLDER / "libcuda.so.1").exists(), reason="needs tests/fake_cuda (a build with CUDA)"
)

NVRTC = cuda_folder("libnvrtc.so.1?", "lib", "lib64")
needs_nvrtc = pytest.mark.skipif(NVRTC is None, reason="needs NVRTC (requirements/cuda.txt)")


def run_on_fake_cuda(code: str, **environment: str) -> CompletedProcess[str]:
    """Runs the program; `fake` is the driver. Calls that nobody may make fail the test."""
    settings = {
        "LD_LIBRARY_PATH": f"{FOLDER}:{os.environ.get('LD_LIBRARY_PATH', '')}",
        "CUPOLA_CUDA_LIBRARY_PATH": str(FOLDER),
        "CUPOLA_PLATFORM": "cuda",
        "CUPOLA_DISK_CACHE": "0",  # what the driver's own compiler makes is nobody else's
        "CUPOLA_EAGER": "0",  # programs count what waits and what goes together
        **environment,
    }
    result = run_python(PRELUDE + code, **settings)
    assert "fake_cuda:" not in result.stderr, result.stderr
    return result


def output_on_fake_cuda(code: str, **environment: str) -> str:
    """What the program prints; it must succeed and say nothing on standard error."""
    result = run_on_fake_cuda(code, **environment)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout.strip()


def output_with_nvrtc(code: str) -> str:
    """The same with the real compiler: kernels are compiled, and do nothing."""
    return output_on_fake_cuda(code, CUPOLA_CUDA_LIBRARY_PATH=str(NVRTC))
