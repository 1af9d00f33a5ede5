"""CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER, before and after CUDA is initialised."""

import json
from pathlib import Path

import pytest
from cupola_under_test import on_cuda
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda, run_on_fake_cuda
from support.subprocesses import run_python

pytestmark = pytest.mark.cupola_only

SHOWN = "print([cp.cuda.Device(i).name[-1] for i in range(cp.cuda.runtime.getDeviceCount())])"


@needs_fake_cuda
@pytest.mark.parametrize(
    ("value", "shown"),
    [("0,2", ["0", "2"]), ("3,1", ["3", "1"]), ("GPU-00000002", ["1"]), ("1,junk,2", ["1"])],
)
def test_discovery_obeys_and_initialises_nothing(value: str, shown: list[str]) -> None:
    code = SHOWN + "\nassert not cp.cuda.is_initialized()"
    environment = {"FAKE_CUDA_DEVICES": "4", "CUDA_VISIBLE_DEVICES": value}
    assert output_on_fake_cuda(code, **environment) == str(shown)


@needs_fake_cuda
def test_a_change_before_initialisation_counts() -> None:
    code = f"""
{SHOWN}
os.environ["CUDA_VISIBLE_DEVICES"] = "3,0"
{SHOWN}
a = cp.empty(3, device="cuda:0")
{SHOWN}
fake.fake_cuda_used.restype = ctypes.c_size_t
print([fake.fake_cuda_used(i) > 100 << 20 for i in range(4)])
"""
    output = output_on_fake_cuda(code, FAKE_CUDA_DEVICES="4")
    assert output.splitlines() == [
        "['0', '1', '2', '3']",
        "['3', '0']",
        "['3', '0']",
        "[False, False, False, True]",
    ]


@needs_fake_cuda
def test_a_change_that_is_too_late_is_reported_with_both_values() -> None:
    code = f"""
a = cp.empty(3, device="cuda:0")
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
for _ in range(3):
    {SHOWN}
"""
    result = run_on_fake_cuda(code, CUDA_VISIBLE_DEVICES="0,1")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["['0', '1']"] * 3
    assert result.stderr.count("RuntimeWarning") == 1, result.stderr
    for part in ("CUDA_VISIBLE_DEVICES='0,1'", "CUDA_VISIBLE_DEVICES='1'", "cuInit"):
        assert part in result.stderr


@needs_fake_cuda
def test_a_disagreement_with_the_driver_is_reported_with_both_lists() -> None:
    """Another library initialised CUDA while the variable was another one."""
    code = f"""
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
assert fake.cuInit(0) == 0
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
{SHOWN}
"""
    result = run_on_fake_cuda(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "['1']"
    for part in ("RuntimeWarning", "[GPU-00000002-", "[GPU-00000001-", "CUDA_VISIBLE_DEVICES='0'"):
        assert part in result.stderr


@needs_fake_cuda
def test_hundreds_of_devices() -> None:
    code = """
assert cp.cuda.runtime.getDeviceCount() == 200
assert cp.empty(3, device="cuda:199").device == cp.cuda.Device(199)
print(cp.cuda.Device(199).name)
"""
    assert output_on_fake_cuda(code, FAKE_CUDA_DEVICES="200") == "Fake GPU 199"


@needs_fake_cuda
def test_without_nvml_the_driver_is_asked() -> None:
    code = SHOWN + "\nassert cp.cuda.is_initialized()"
    environment = {"FAKE_CUDA_NO_NVML": "1", "CUDA_VISIBLE_DEVICES": "1"}
    assert output_on_fake_cuda(code, **environment) == "['1']"


# ---- on GPUs: the driver itself is the judge

COMPARE = """
import ctypes, json, os
import cupola as cp
uuids = [cp.cuda.Device(i).uuid for i in range(cp.cuda.runtime.getDeviceCount())]
assert not cp.cuda.is_initialized()
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
count = ctypes.c_int(0)
cuda.cuDeviceGetCount(ctypes.byref(count))
shown = []
for i in range(count.value):
    device = ctypes.c_int()
    text = (ctypes.c_ubyte * 16)()
    cuda.cuDeviceGet(ctypes.byref(device), i)
    cuda.cuDeviceGetUuid_v2(ctypes.byref(text), device)
    name = bytes(text).hex()
    shown.append("GPU-" + "-".join((name[:8], name[8:12], name[12:16], name[16:20], name[20:])))
print(json.dumps([uuids, shown]))
"""

VALUES = ["", " ", "0", "1", "1,0", "0,0", "0,9,1", "9", "-1", "0,-1", " 0 , 1 ", "+0", "00"]
VALUES += ["0x", "0x1", "0abc", "junk", "0,junk", ",0", "0,", "0,,1", "GPU-", "GPU-junk", "1.0"]
VALUES += ["<0>", "<1>", "<1>,<0>", "<0:12>", "<0:12>,<1:12>", "<0>,<0>", "<0>,1", "1,<0>", "<0> "]
VALUES += [
    "<0>x,<1>",
    "4294967297",
    "-4294967296",
    "-99999999999999999999",
    "MIG-junk",
    "0 1",
    "\t0",
    "- 1",
    "99999999999999999999",
    "4294967296",
]


@pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
@pytest.mark.parametrize("order", ["PCI_BUS_ID", "FASTEST_FIRST"])
def test_discovery_agrees_with_the_driver(order: str, tmp_path: Path) -> None:
    """For every form of the variable. <0:12>: the first 12 characters of the first UUID."""
    listing = "import json, cupola as cp; print(json.dumps([d.uuid for d in cp.all_devices()]))"
    uuids = json.loads(run_python(listing, CUDA_DEVICE_ORDER=order).stdout)
    different = []
    for form in VALUES:
        value = form
        for i, uuid in enumerate(uuids):
            value = value.replace(f"<{i}>", uuid).replace(f"<{i}:12>", uuid[:12])
        if "<" in value:
            continue
        result = run_python(
            COMPARE, CUDA_VISIBLE_DEVICES=value, CUDA_DEVICE_ORDER=order, CUPOLA_PLATFORM=""
        )
        if result.returncode != 0:
            # Without a device the default platform is the CPU, whose devices have no GPU's UUID.
            different.append((form, result.stderr.strip().splitlines()[-1]))
            continue
        ours, theirs = json.loads(result.stdout)
        if [uuid for uuid in ours if uuid.startswith("GPU-")] != theirs:
            different.append((form, ours, theirs))
    assert different == []


NAMED_CONTEXT = """
from cupola import _cupola as core
from cupola.cuda import _driver_calls
number = ctypes.c_int()
try:
    with cp.Device(CURRENT), _driver_calls.primary_context(NAMED):
        _driver_calls._call("cuCtxGetDevice", ctypes.byref(number))
    devices = [cp.Device(f"cuda:{i}") for i in range(4)]
    print(number.value, [device.id for device in devices if core.has_context(device)])
except cp.errors.DeviceError:
    print("refused")
"""


# As the first of the process. Numbers are those of the platform's devices, or of the current one's.
@needs_fake_cuda
@pytest.mark.parametrize(
    ("platform", "current", "named", "result"),
    [
        ("cuda", "cuda:0", "2", "2 [2]"),
        ("cuda", "cuda:0", "cp.Device('cuda:2')", "2 [2]"),
        ("cuda", "cuda:3", "None", "3 [3]"),
        ("cuda", "cpu:0", "2", "2 [2]"),
        ("cuda", "cpu:0", "None", "refused"),
        ("cpu", "cpu:0", "cp.Device('cuda:2')", "2 [2]"),
        ("cpu", "cuda:3", "2", "2 [2]"),
        ("cpu", "cpu:0", "2", "refused"),
        ("cpu", "cpu:0", "None", "refused"),
    ],
)
def test_a_context_of_a_device_leaves_others_alone(
    platform: str, current: str, named: str, result: str
) -> None:
    code = NAMED_CONTEXT.replace("CURRENT", repr(current)).replace("NAMED", named)
    found = output_on_fake_cuda(code, FAKE_CUDA_DEVICES="4", CUPOLA_PLATFORM=platform)
    assert found == result


@needs_fake_cuda
def test_what_is_of_one_device_takes_the_first_of_a_set() -> None:
    code = """
with cp.cuda.Device("cuda:1-2"):
    with _driver_calls.primary_context():
        context, device = ctypes.c_void_p(), ctypes.c_int()
        _driver_calls.call("cuCtxGetCurrent", ctypes.byref(context))
        _driver_calls.call("cuCtxGetDevice", ctypes.byref(device))
        print(bool(context), device.value)
    try:
        cp.cuda.nccl.NcclCommunicator(1, (0,) * 128, 0)
    except RuntimeError as error:
        print(error)
"""
    code = "from cupola.cuda import _driver_calls\n" + code
    assert output_on_fake_cuda(code, FAKE_CUDA_DEVICES="4").splitlines() == [
        "True 1",
        "a rank of NCCL is one device, and the current device is cuda:1-2: choose one of them, as "
        "in `with cp.cuda.Device(rank):`",
    ]
