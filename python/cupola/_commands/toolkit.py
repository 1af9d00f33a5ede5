"""NVIDIA's driver and libraries on this machine: which there are, which lack, what to install.

Each library is opened as the compiled part would open it, so that one that is broken, or lacks
another one, is seen.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cupola._devices import libraries

__all__ = ["driver", "remedies", "toolkit"]

_OLDEST_DRIVER = 12020  # CUDA 12.2
_OLDEST_DRIVER_TEXT = "535 (CUDA 12.2)"


class Library(NamedTuple):
    """Of the toolkit: its files for CUDA 13 and 12, its purpose, what tells its version."""

    files: tuple[str, ...]
    purpose: str
    version: Callable[[ctypes.CDLL], str]


def _from_numbers(function: str) -> Callable[[ctypes.CDLL], str]:
    """The version of a function with pointers to major and minor."""

    def version(library: ctypes.CDLL) -> str:
        major, minor = ctypes.c_int(), ctypes.c_int()
        getattr(library, function)(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    return version


def _from_properties(function: str) -> Callable[[ctypes.CDLL], str]:
    """That of a function which has major, minor and patch by their numbers."""

    def version(library: ctypes.CDLL) -> str:
        numbers = []
        for which in range(3):
            number = ctypes.c_int()
            getattr(library, function)(which, ctypes.byref(number))
            numbers.append(number.value)
        return ".".join(map(str, numbers))

    return version


def _nccl_version(library: ctypes.CDLL) -> str:
    number = ctypes.c_int()
    library.ncclGetVersion(ctypes.byref(number))
    return f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"


LIBRARIES = {
    "NVRTC": Library(
        libraries.TOOLKIT["nvrtc"],
        "kernels that did not come compiled",
        _from_numbers("nvrtcVersion"),
    ),
    "cuBLAS": Library(
        libraries.TOOLKIT["cublas"], "matrix products", _from_properties("cublasGetProperty")
    ),
    "cuFFT": Library(
        libraries.TOOLKIT["cufft"], "Fourier transforms", _from_properties("cufftGetProperty")
    ),
    "cuSOLVER": Library(
        libraries.TOOLKIT["cusolver"], "factorisations", _from_properties("cusolverGetProperty")
    ),
    "NCCL": Library(("libnccl.so.2",), "several processes with GPUs", _nccl_version),
}


def driver() -> dict[str, Any]:
    """NVIDIA's driver: its version, the CUDA that it is for, and why it cannot be used."""
    answer: dict[str, Any] = {"version": None, "cuda": None, "problem": None}
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        answer["problem"] = f"no driver: {error}"
        return answer
    number = ctypes.c_int()
    if cuda.cuDriverGetVersion(ctypes.byref(number)) == 0:
        answer["cuda"] = f"{number.value // 1000}.{number.value % 1000 // 10}"
        if number.value < _OLDEST_DRIVER:
            answer["problem"] = f"the driver is too old: {_OLDEST_DRIVER_TEXT} or later is needed"
    answer["version"] = _driver_text()
    return answer


def _driver_text() -> str | None:
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    if nvml.nvmlInit_v2() != 0:
        return None
    text = ctypes.create_string_buffer(96)
    found = nvml.nvmlSystemGetDriverVersion(text, len(text)) == 0
    nvml.nvmlShutdown()
    return text.value.decode() if found else None


def _path_of(file: str) -> str:
    """Where the system's loader found a library."""
    if os.path.isabs(file):
        return file
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(maxsplit=5)[-1].strip() for line in maps}
    loaded = [path for path in paths if os.path.basename(path).startswith(file)]
    return min(loaded, default=file)


def _open(library: Library) -> tuple[ctypes.CDLL | None, str | None, list[str]]:
    """The library, its file, and what could not be opened though it was there."""
    defects: list[str] = []
    for file in libraries.cuda_files(library.files):
        try:
            return ctypes.CDLL(file), _path_of(file), defects
        except OSError as error:
            is_absent = str(error).startswith(f"{file}: cannot open shared object file: No such")
            if not is_absent:
                defects.append(str(error))
    return None, None, defects


def _builtins_problem(opened: ctypes.CDLL, file: str, version: str) -> str | None:
    """NVRTC opens a second file, which must be of the same release."""
    name = f"libnvrtc-builtins.so.{version}"
    beside = os.path.join(os.path.dirname(file), name)
    if os.path.isabs(file) and not os.path.exists(beside):
        try:
            ctypes.CDLL(name)
        except OSError:
            return f"{name} is missing beside {file}"
    return None


def _look(name: str, library: Library) -> dict[str, Any]:
    opened, file, defects = _open(library)
    answer: dict[str, Any] = {
        "purpose": library.purpose,
        "file": file,
        "version": None,
        "problem": "; ".join(defects) or None,
    }
    if opened is None or file is None:
        return answer
    try:
        answer["version"] = library.version(opened)
    except AttributeError as error:
        answer["problem"] = f"not the library that its name says: {error}"
    if name == "NVRTC" and answer["version"]:
        answer["problem"] = _builtins_problem(opened, file, answer["version"])
        answer["architectures"] = _architectures(opened)
    return answer


def _architectures(nvrtc: ctypes.CDLL) -> list[str]:
    """Those that it compiles for."""
    count = ctypes.c_int()
    if nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)) != 0:
        return []
    numbers = (ctypes.c_int * count.value)()
    nvrtc.nvrtcGetSupportedArchs(numbers)
    return [f"sm_{number}" for number in sorted(numbers)]


def toolkit() -> dict[str, dict[str, Any]]:
    """Each library by its name."""
    return {name: _look(name, library) for name, library in LIBRARIES.items()}


def remedies(
    found_driver: dict[str, Any], found: dict[str, dict[str, Any]], devices: list[dict[str, Any]]
) -> Iterator[str]:
    """What to install or to change, a sentence each."""
    if found_driver["problem"]:
        yield (
            f"GPUs need NVIDIA's driver {_OLDEST_DRIVER_TEXT} or later "
            f"({found_driver['problem']}); CPU devices need none"
        )
        if found_driver["cuda"] is None:
            return
    extra = "cuda12" if str(found_driver["cuda"]).startswith("12") else "cuda13"
    absent = [name for name, each in found.items() if each["file"] is None and not each["problem"]]
    broken = [name for name, each in found.items() if each["problem"]]
    if absent:
        yield f"not found: {', '.join(absent)}: pip install 'cupola[{extra}]'"
    if broken:
        yield (
            f"broken or incomplete: {', '.join(broken)}: pip install --force-reinstall "
            f"'cupola[{extra}]'"
        )
    yield from _old_gpus(found, devices)


def _old_gpus(found: dict[str, dict[str, Any]], devices: list[dict[str, Any]]) -> Iterator[str]:
    numbers = [int(name[3:]) for name in found["NVRTC"].get("architectures", [])]
    for device in devices:
        capability = device.get("compute_capability")
        if not numbers or not capability or not str(device["device"]).startswith("cuda"):
            continue
        major, minor = capability
        if 10 * major + minor < numbers[0]:
            yield (
                f"{device['device']} has compute capability {major}.{minor}, and NVRTC "
                f"{found['NVRTC']['version']} compiles for {numbers[0] / 10:.1f} and later: "
                "pip install 'cupola[cuda12]' if the GPU is to be used"
            )
