"""How arrays go between Dask's processes, and what a pickle of them copies."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from support.marks import one_device

import cupola as cp
from cupola.errors import DeviceError

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

from distributed.protocol import deserialize, serialize  # noqa: E402

from cupola.dask import _serialization, _shared  # noqa: E402

HERE = {
    "sender": {"address": "tcp://127.0.0.1:1000"},
    "recipient": {"address": "tcp://127.0.0.1:2000"},
}
THERE = {**HERE, "recipient": {"address": "tcp://10.0.0.2:2000"}}
HOST = np.random.default_rng(5).random((600, 500))

ARRAYS: dict[str, Any] = {
    "rows": lambda: cp.asarray(HOST),
    "columns": lambda: cp.asarray(HOST).T,
    "strided": lambda: cp.asarray(HOST)[::2, 1::3],
    "rank 0": lambda: cp.asarray(3.5),
    "empty": lambda: cp.zeros((0, 4), dtype="i4"),
    "bool": lambda: cp.asarray(HOST) > 0.5,
    "complex": lambda: cp.asarray(HOST) * 1j,
    "half": lambda: cp.asarray(HOST).astype("f2"),
    "bfloat16": lambda: cp.asarray(HOST).astype(cp.bfloat16),
    "pending": lambda: cp.asarray(HOST) + 1,
}


def same(found: Any, expected: Any) -> None:
    assert type(found) is cp.ndarray
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    plain = [a.astype(complex) if a.dtype.name == "bfloat16" else a for a in (found, expected)]
    np.testing.assert_array_equal(*[cp.asnumpy(a) for a in plain])


@pytest.mark.parametrize("context", [None, THERE, HERE], ids=["disk", "socket", "machine"])
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_arrive_as_they_were(name: str, context: Any) -> None:
    array = ARRAYS[name]()
    header, frames = serialize(array, context=context)
    assert header["serializer"] == "dask"
    same(deserialize(header, [bytearray(frame) for frame in frames]), array)


@pytest.mark.parametrize("name", ARRAYS)
def test_frames_in_device_memory(name: str) -> None:
    """What UCX carries; here the device's memory is that of the host."""
    array = ARRAYS[name]()
    same(_serialization.deserialize_on_device(*_serialization.on_device_frames(array)), array)


@one_device
def test_messages_within_a_machine_carry_no_elements() -> None:
    array = cp.asarray(HOST)
    header, frames = serialize(array, context=HERE)
    assert frames == []
    array += 1
    same(deserialize(header, frames), cp.asarray(HOST))
    with pytest.raises(ConnectionResetError):  # nobody else may read it
        deserialize(header, frames)
    with dask.config.set({"cupola.share-memory": False}):
        assert len(serialize(array, context=HERE)[1]) == 1


def test_received_arrays_are_on_the_device_of_the_receiver() -> None:
    header, frames = serialize(cp.asarray(HOST, device="cpu:1"), context=HERE)
    with cp.Device("cpu:2"):
        found = deserialize(header, frames)
    assert found.device == cp.Device("cpu:2")
    assert not cp.multiprocessing.is_shared(found)
    same(found, cp.asarray(HOST))


@one_device
def test_messages_take_what_arrays_leave_of_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    array = cp.asarray(HOST)
    total = array.device.mem_info[1]
    monkeypatch.setattr(_shared, "_rooms", {})
    _shared.set_room(array.device, total - 2 * array.nbytes)
    messages = [serialize(array, context=HERE) for _ in range(3)]
    assert [len(frames) for _, frames in messages] == [0, 0, 1]
    same(deserialize(*messages[0]), array)  # which is on its way no more
    messages += [serialize(array, context=HERE) for _ in range(2)]
    assert [len(frames) for _, frames in messages[3:]] == [0, 1]
    shared = cp.multiprocessing.share(array)
    messages.append(serialize(shared, context=HERE))  # takes no memory of its own
    assert messages[-1][1] == []
    for header, frames in messages[1:]:
        same(deserialize(header, [bytearray(frame) for frame in frames]), array)
    _shared.set_room(array.device, 0)
    assert serialize(array, context=HERE)[1] == []


@one_device
def test_what_nobody_receives_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    from cupola.multiprocessing._post import office

    monkeypatch.setattr(_shared, "LIFETIME", 0.2)
    waiting = _shared._Waiting()
    monkeypatch.setattr(_shared, "_waiting", waiting)
    before = office().unclaimed()
    serialize(cp.asarray(HOST), context=HERE)
    assert office().unclaimed() == before + 1
    deadline = time.monotonic() + 10
    while office().unclaimed() > before:
        assert time.monotonic() < deadline
        time.sleep(0.05)


@one_device
def test_another_machine_with_the_same_address(monkeypatch: pytest.MonkeyPatch) -> None:
    header, frames = serialize(cp.asarray(HOST), context=HERE)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(_shared, "machine", lambda: "another")
        with pytest.raises(DeviceError, match=r"cupola\.share-memory"):
            deserialize(header, frames)
    same(deserialize(header, frames), cp.asarray(HOST))  # it waits for its reader


def test_another_version() -> None:
    header, frames = _serialization.serialize(cp.asarray(HOST))
    with pytest.raises(RuntimeError, match=r"0\.0\.1.*pip install"):
        _serialization.deserialize({**header, "version": "0.0.1"}, frames)


def test_messages_of_host_memory_copy_nothing() -> None:
    if cp.ones(1).device.platform != "cpu":
        pytest.skip("device memory is copied to pinned memory")
    array = cp.asarray(HOST)
    _, (frame,) = serialize(array, context=THERE)
    address = np.asarray(frame).__array_interface__["data"][0]
    assert address == array.data.ptr


@one_device
def test_pickles_with_buffers_copy_nothing() -> None:
    if cp.ones(1).device.platform != "cpu":
        pytest.skip("device memory is copied")
    array = cp.asarray(HOST)
    buffers: list[Any] = []
    data = pickle.dumps(array, protocol=5, buffer_callback=buffers.append)
    assert len(data) < 500
    received = [bytearray(buffer) for buffer in buffers]
    found = pickle.loads(data, buffers=received)
    same(found, array)
    assert found.data.ptr == np.frombuffer(received[0], "u1").__array_interface__["data"][0]
    found += 1
    assert not pickle.loads(data, buffers=[bytes(received[0])]).flags.writeable


def test_an_allocator_of_the_program_serves_what_is_received() -> None:
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        found = pickle.loads(pickle.dumps(cp.asarray(HOST)))
        assert pool.used_bytes() >= HOST.nbytes
    same(found, cp.asarray(HOST))


@pytest.mark.parametrize("first", ["cupola", "distributed"])
def test_neither_imports_the_other(first: str) -> None:
    code = f"""
import sys, {first}
assert ("distributed" if {first!r} == "cupola" else "cupola") not in sys.modules
import cupola as cp, distributed.protocol as p
assert "dask.array" not in sys.modules
print(p.serialize(cp.ones(3))[0]["serializer"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "dask\n", done.stderr
