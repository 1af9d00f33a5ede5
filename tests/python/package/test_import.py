"""What `import cupola` must not do: start threads, initialise CUDA, or take long."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cupola_under_test import cp

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]


def run(code: str, environment: dict[str, str] | None = None) -> str:
    """The standard output of a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


def test_import_starts_no_thread() -> None:
    code = """
import os, numpy
before = len(os.listdir('/proc/self/task'))
import cupola
print(len(os.listdir('/proc/self/task')) - before)
"""
    assert run(code) == "0"


def test_import_opens_no_cuda_library() -> None:
    code = """
import cupola
text = open('/proc/self/maps').read()
names = ('libcuda.so', 'libcudart', 'libnvrtc', 'libcublas', 'libcufft')
print([name for name in names if name in text])
"""
    assert run(code) == "[]"


def test_import_loads_nothing_heavy() -> None:
    code = """
import sys, numpy
before = set(sys.modules)
import cupola
print(sorted(name for name in set(sys.modules) - before if not name.startswith('cupola')))
"""
    loaded = run(code)
    for name in ("ml_dtypes", "argparse", "json", "subprocess", "multiprocessing", "numpy.testing"):
        assert f"'{name}'" not in loaded


def test_import_takes_little_time_beyond_numpy(tmp_path: Path) -> None:
    """In processor time of the thread that imports: what else the machine does, and threads of
    NumPy's BLAS that wait for work, one on each processor, are not the import's cost. Of a package
    whose modules are compiled, as an installed one's are."""
    code = """
import time, numpy
start = time.thread_time()
import cupola
print(time.thread_time() - start)
"""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    assert min(float(run(code, environment)) for _ in range(6)) <= 0.15


def test_names_that_are_loaded_later_are_those_of_their_modules() -> None:
    later = importlib.import_module("cupola._later")
    for name, public in later.NAMES_OF.items():
        module = importlib.import_module(f"cupola.{name}")
        assert sorted(public.split()) == sorted(module.__all__)
        for each in module.__all__:
            assert each in dir(cp)
            assert getattr(cp, each) is getattr(module, each)


def test_star_import_gives_all_names() -> None:
    code = """
from cupola import *
import cupola
assert set(cupola.__all__) <= set(globals()) and set(cupola.__all__) <= set(dir(cupola))
print(cov is cupola.cov, not {"np", "Any", "annotations"} & set(cupola.__all__))
"""
    assert run(code) == "True True"
