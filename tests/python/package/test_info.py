"""`python -m cupola info` on machines made of folders: what it finds, lacks and advises."""

import ctypes
import json
import os
import shutil
from pathlib import Path

import pytest
from support.fake_cuda import FOLDER, needs_fake_cuda
from support.subprocesses import run_python

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

LIBRARIES = ("libnvrtc.so.13", "libcublas.so.13", "libcufft.so.12", "libcusolver.so.12")
HIDDEN = ("LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "CXX")
OF_CUDA_12 = ("libnvrtc.so.12", "libcublas.so.12", "libcufft.so.11", "libcusolver.so.11")


def answer(**environment):
    """As JSON, of a machine with the libraries in CUPOLA_CUDA_LIBRARY_PATH only."""
    code = """
from cupola._devices import libraries
own = libraries.cuda_folders
libraries.cuda_folders = lambda: (folder for folder in own() if folder.endswith("/made"))
from cupola.__main__ import main
raise SystemExit(main(["info", "--json"]))
"""
    settings = {"CUPOLA_PLATFORM": "cpu", **dict.fromkeys(HIDDEN, "")}
    result = run_python(code, **{**settings, **environment})
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def folder_with(parent, names):
    """A folder of the fake's library under these names."""
    folder = Path(parent) / "made"
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(FOLDER / "libcuda.so.1", folder / name)
    return folder


def with_driver(tmp_path, **environment):
    """The fake driver alone, in a folder where the system's loader looks."""
    driver = tmp_path / "driver"
    driver.mkdir()
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
        os.symlink((FOLDER / name).resolve(), driver / name)
    return {"LD_LIBRARY_PATH": str(driver), "CUPOLA_PLATFORM": "cuda", **environment}


def advice(found):
    """All advice as one text."""
    return "\n".join(found["to_do"])


def has_driver():
    """Whether the system's loader finds one, which cannot be hidden from it."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
def test_without_a_driver_that_is_all_there_is_to_say(tmp_path):
    found = answer(CUPOLA_CUDA_LIBRARY_PATH=str(tmp_path / "made"))
    assert found["driver"]["cuda"] is None
    assert [sentence for sentence in found["to_do"] if "cupola[" in sentence] == []
    assert "driver 535 (CUDA 12.2) or later" in advice(found)
    assert all(each["file"] is None for each in found["toolkit"].values())


@needs_fake_cuda
def test_everything_is_found(tmp_path):
    folder = folder_with(tmp_path, (*LIBRARIES, "libnccl.so.2", "libnvrtc-builtins.so.13.0"))
    found = answer(**with_driver(tmp_path, CUPOLA_CUDA_LIBRARY_PATH=str(folder)))
    assert found["driver"] == {"version": "1.2.3", "cuda": "13.0", "problem": None}
    assert found["toolkit"]["NVRTC"]["file"] == f"{folder}/libnvrtc.so.13"
    assert found["toolkit"]["NVRTC"]["version"] == "13.0"
    assert found["toolkit"]["NVRTC"]["architectures"] == ["sm_75", "sm_80", "sm_90", "sm_100"]
    assert found["toolkit"]["NVRTC"]["problem"] is None
    assert {device["device"] for device in found["devices"]} >= {"cuda:0", "cuda:1"}
    assert "not found" not in advice(found)


@needs_fake_cuda
@pytest.mark.parametrize(("version", "extra"), [("13000", "cuda13"), ("12040", "cuda12")])
def test_what_is_missing_is_named_with_the_extra_for_the_driver(tmp_path, version, extra):
    folder = folder_with(tmp_path, ("libcublas.so.13", "libcublas.so.12"))
    found = answer(
        **with_driver(tmp_path, CUPOLA_CUDA_LIBRARY_PATH=str(folder), FAKE_CUDA_API_VERSION=version)
    )
    cublas = "libcublas.so.12" if extra == "cuda12" else "libcublas.so.13"
    assert found["toolkit"]["cuBLAS"]["file"] == f"{folder}/{cublas}"
    expected = f"not found: NVRTC, cuFFT, cuSOLVER, NCCL: pip install 'cupola[{extra}]'"
    assert expected in advice(found)


@needs_fake_cuda
def test_libraries_of_cuda_13_are_none_for_a_driver_of_12(tmp_path):
    folder = folder_with(tmp_path, LIBRARIES)
    found = answer(
        **with_driver(tmp_path, CUPOLA_CUDA_LIBRARY_PATH=str(folder), FAKE_CUDA_API_VERSION="12080")
    )
    assert found["toolkit"]["NVRTC"]["file"] is None
    assert "NVRTC, cuBLAS, cuFFT, cuSOLVER" in advice(found)
    assert "cupola[cuda12]" in advice(found)


@needs_fake_cuda
def test_a_broken_set_is_to_be_installed_again(tmp_path):
    folder = folder_with(tmp_path, LIBRARIES)
    (folder / "libcufft.so.12").write_bytes(b"a download that ended early")
    found = answer(
        **with_driver(tmp_path, CUPOLA_CUDA_LIBRARY_PATH=str(folder), FAKE_NVRTC_MINOR="97")
    )
    assert f"{folder}/libcufft.so.12" in found["toolkit"]["cuFFT"]["problem"]
    # The compiler's second file is missing, too.
    assert "libnvrtc-builtins.so.13.97 is missing" in found["toolkit"]["NVRTC"]["problem"]
    assert "broken or incomplete: NVRTC, cuFFT: pip install --force-reinstall" in advice(found)


@needs_fake_cuda
def test_a_driver_that_is_too_old(tmp_path):
    found = answer(**with_driver(tmp_path, FAKE_CUDA_API_VERSION="11080"))
    assert found["driver"]["cuda"] == "11.8"
    assert "the driver is too old: 535 (CUDA 12.2) or later is needed" in advice(found)


@needs_fake_cuda
def test_a_gpu_that_the_compiler_does_not_know(tmp_path):
    folder = folder_with(tmp_path, (*LIBRARIES, "libnvrtc-builtins.so.13.0"))
    found = answer(
        **with_driver(tmp_path, CUPOLA_CUDA_LIBRARY_PATH=str(folder), FAKE_CUDA_CAPABILITY="6.1")
    )
    assert "compute capability 6.1, and NVRTC 13.0 compiles for 7.5 and later" in advice(found)


def test_without_a_compiler_own_kernels_cannot_be_made(tmp_path):
    assert "apt install g++" in advice(answer(PATH=str(tmp_path)))


def test_folders_come_in_the_order_of_the_compiled_part(monkeypatch, tmp_path):
    from cupola._devices import libraries

    wheels = tmp_path / "site/nvidia/cu13/lib"
    wheels.mkdir(parents=True)
    monkeypatch.setattr("sys.path", [str(tmp_path / "site")])
    monkeypatch.setenv("CUPOLA_CUDA_LIBRARY_PATH", "/first:/second")
    monkeypatch.setenv("CONDA_PREFIX", "/conda")
    monkeypatch.setenv("CUDA_PATH", "/path")
    monkeypatch.setenv("CUDA_HOME", "/home")
    assert list(libraries.cuda_folders()) == [
        "/first", "/second", "/conda/lib", "", "/path/lib64", "/path/lib", "/home/lib64",
        "/home/lib", "/usr/local/cuda/lib64", "/usr/local/cuda/lib", str(wheels),
    ]  # fmt: skip
