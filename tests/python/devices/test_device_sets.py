"""Several devices as one: names, scopes, streams, and devices that do not reach each other."""

import pickle

import numpy as np
import pytest
from cupola_under_test import cp
from support.device_sets import COUNT, PLATFORM, needs_several, run

pytestmark = pytest.mark.cupola_only


@needs_several
def test_a_set_is_a_device() -> None:
    pair = cp.Device(f"{PLATFORM}:0-1")
    assert pair == cp.Device(f"{PLATFORM}:0,1") == cp.Device([f"{PLATFORM}:0", f"{PLATFORM}:1"])
    assert hash(pair) == hash(cp.Device(f"{PLATFORM}:0,1"))
    assert pair != cp.Device(f"{PLATFORM}:1,0")
    assert repr(pair) == f"<Device '{PLATFORM}:0-1'>"
    assert str(cp.Device(f"{PLATFORM}:1,0")) == f"{PLATFORM}:1,0"
    assert pair.is_set
    assert not pair[0].is_set
    assert list(pair) == [cp.Device(f"{PLATFORM}:0"), cp.Device(f"{PLATFORM}:1")]
    assert pair.members == tuple(pair)
    assert len(pair) == 2
    assert pair[1] in pair
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert cp.Device(f"{PLATFORM}:1-1") == cp.Device(f"{PLATFORM}:1")
    assert cp.Device(pair.id) == pair


@needs_several
def test_what_a_set_tells_of_its_members() -> None:
    pair = cp.Device(f"{PLATFORM}:0-1")
    assert pair.mem_info[1] == pair[0].mem_info[1] + pair[1].mem_info[1]
    assert pair.uuid == f"{pair[0].uuid},{pair[1].uuid}"
    assert pair.name == f"2 x {pair[0].name}" or " + " in pair.name
    assert pair.fault is None


def test_all_devices_are_one() -> None:
    everything = cp.all_devices(PLATFORM)
    assert len(everything) == COUNT
    assert list(everything) == [cp.Device(f"{PLATFORM}:{i}") for i in range(COUNT)]
    assert everything.is_set == (COUNT > 1)


@needs_several
def test_scopes_and_device_arguments() -> None:
    pair = cp.Device(f"{PLATFORM}:0-1")
    with pair:
        a = cp.zeros(3)
        assert cp.current_device() == pair
    assert a.device == pair
    assert cp.ones(3, device=pair).device == pair
    assert cp.asarray(np.ones(3), device=f"{PLATFORM}:0-1").device == pair
    assert a.to_device(pair[1]).device == pair[1]
    assert a.to_device(pair[1]).to_device(pair).device == pair


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cpu:0,0", "cpu:0 is named twice"),
        ("cpu:0-2,1", "cpu:1 is named twice"),
        ("cpu:2-1", "runs backwards"),
        ("cpu:0-", "does not name a device"),
        ("cpu:,1", "does not name a device"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cp.Device(name)


def test_unknown_members_and_two_platforms() -> None:
    with pytest.raises(cp.errors.DeviceError, match="cpu:500"):
        cp.zeros(3, device="cpu:0,500")
    with pytest.raises(cp.errors.DeviceError, match="below 512"):
        cp.Device("cpu:0-600")
    with pytest.raises(ValueError, match="one platform, not cpu:0 and cuda:0"):
        cp.Device(["cpu:0", "cuda:0"])
    with pytest.raises(ValueError, match="at least one"):
        cp.Device([])


def test_streams_and_events_of_a_set() -> None:
    code = """
stream = cp.Stream()
start, stop = cp.cuda.Event(), cp.cuda.Event()
with stream:
    start.record()
    a = cp.arange(10000.0) * 2
    cp.eval(a)
    stop.record()
stop.synchronize()
print(cp.cuda.get_elapsed_time(start, stop) >= 0, float(a[-1]), stop.done)
seen = []
stream.launch_host_func(seen.append, 1)
stream.synchronize()
print(seen)
"""
    assert run(code).splitlines() == ["True 19998.0 True", "[1]"]


@pytest.mark.parametrize("peers", ["1-2:none", "1-2:lies"])
def test_devices_that_do_not_reach_each_other(peers: str) -> None:
    code = """
try: cp.zeros(100)
except cp.errors.PeerAccessError as error: print(error)
print([cp.Device(f"cpu:{i}").mem_info[0] == cp.Device(f"cpu:{i}").mem_info[1] for i in range(3)])
print(float(cp.zeros(100, device="cpu:0-1").sum()), len(cp.split_over(np.ones(9), "cpu:0-2")))
"""
    message, free, rest = run(code, CUPOLA_CPU_PEERS=peers).splitlines()
    assert "cpu:1" in message
    assert "cpu:2" in message
    assert "split_over" in message
    assert free == "[True, True, True]"
    assert rest == "0.0 3"
