"""Environment variables that make no sense, and platforms that are not there."""

import pytest
from cupola_under_test import on_cuda
from support.subprocesses import run_python

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]
USE = "import cupola as cp; print(cp.zeros(3).device)"


def fails_with(kind: str, *texts: str, code: str = USE, **environment: str) -> None:
    """The program ends with that exception, whose message has all the texts."""
    result = run_python(code, **environment)
    assert result.returncode == 1, result.stdout + result.stderr
    last = result.stderr.strip().splitlines()[-1]
    assert kind in last, result.stderr
    for text in texts:
        assert text in result.stderr, result.stderr


def test_unknown_platform() -> None:
    fails_with("ValueError", "CUPOLA_PLATFORM", "quantum", CUPOLA_PLATFORM="quantum")


def test_cuda_without_a_gpu() -> None:
    """Hidden GPUs count as none."""
    fails_with("DeviceError", "cuda", CUPOLA_PLATFORM="cuda", CUDA_VISIBLE_DEVICES="")


def test_cuda_device_without_a_gpu() -> None:
    code = "import cupola as cp; cp.zeros(3, device='cuda:0')"
    fails_with("DeviceError", "cuda:0", code=code, CUPOLA_PLATFORM="cpu", CUDA_VISIBLE_DEVICES="")


@pytest.mark.parametrize("value", ["junk", "-1", "0", "1.5", "99999999999999999999", " ", "4x"])
def test_number_of_emulated_devices(value: str) -> None:
    fails_with(
        "ValueError",
        "CUPOLA_CPU_DEVICES",
        value,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_DEVICES=value,
    )


@pytest.mark.parametrize("value", ["junk", "-1", "1e9", "0", "64M,", "64M,0", "64M 32M"])
def test_memory_of_emulated_devices(value: str) -> None:
    fails_with(
        "ValueError",
        "CUPOLA_CPU_DEVICE_MEMORY",
        value,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_DEVICE_MEMORY=value,
    )


@pytest.mark.parametrize("value", ["junk", "8", "48", "4K"])
def test_stripes_of_emulated_devices(value: str) -> None:
    fails_with(
        "ValueError",
        "CUPOLA_CPU_STRIPE_BYTES",
        value,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_STRIPE_BYTES=value,
    )


@pytest.mark.parametrize("value", ["junk", "0:none", "0-0:none", "0-1", "0-1:perhaps"])
def test_peers_of_emulated_devices(value: str) -> None:
    fails_with(
        "ValueError",
        "CUPOLA_CPU_PEERS",
        value,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_PEERS=value,
    )


def test_import_succeeds_all_the_same() -> None:
    """Settings are read at first use, so that a wrong one can be reported there."""
    result = run_python("import cupola", CUPOLA_PLATFORM="quantum", CUPOLA_CPU_DEVICES="junk")
    assert result.returncode == 0, result.stderr


def test_number_of_devices_is_obeyed() -> None:
    code = "import cupola as cp; print(cp.cuda.runtime.getDeviceCount())"
    result = run_python(code, CUPOLA_PLATFORM="cpu", CUPOLA_CPU_DEVICES="3")
    assert result.stdout.strip() == "3", result.stderr


def test_default_platform() -> None:
    """Without a GPU the CPU is the default; with one it is the choice of CUPOLA_PLATFORM."""
    result = run_python(USE, CUPOLA_PLATFORM="cpu")
    assert result.stdout.strip() == "cpu:0", result.stderr
    if on_cuda():
        assert run_python(USE, CUPOLA_PLATFORM="cuda").stdout.strip() == "cuda:0"


def test_unknown_instruction_set() -> None:
    code = "import cupola as cp; cp.eval(cp.zeros(3) + 1)"
    fails_with(
        "ValueError",
        "CUPOLA_CPU_INSTRUCTIONS",
        "sse9",
        code=code,
        CUPOLA_PLATFORM="cpu",
        CUPOLA_CPU_INSTRUCTIONS="sse9",
    )
