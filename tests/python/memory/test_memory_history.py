"""The snapshot that PyTorch's memory viewer opens, and the timeline."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import cupola as cp

pytestmark = pytest.mark.cupola_only


@pytest.fixture
def recording() -> Iterator[None]:
    """Records for one test."""
    cp.get_default_memory_pool().free_all_blocks()
    cp.record_memory_history()
    yield
    cp.record_memory_history(False)


def allocate_here() -> cp.ndarray:
    """Whose name the snapshot must show."""
    return cp.ones(30 << 20, "u1")


@pytest.mark.usefixtures("recording")
def test_snapshot_has_the_viewers_form() -> None:
    a = allocate_here()
    b = cp.empty(1000)
    del b
    snapshot = pickle.loads(pickle.dumps(cp.memory_snapshot()))
    number = snapshot["device_names"].index(str(a.device))
    live = 0
    for segment in snapshot["segments"]:
        assert segment["total_size"] == sum(block["size"] for block in segment["blocks"])
        assert segment["segment_type"] in ("small", "large")
        next_address = segment["address"]
        for block in segment["blocks"]:
            assert block["address"] == next_address
            next_address += block["size"]
            assert block["state"] in ("active_allocated", "inactive")
        active = [block for block in segment["blocks"] if block["state"] == "active_allocated"]
        assert segment["allocated_size"] == sum(block["size"] for block in active)
        assert segment["active_size"] == segment["allocated_size"]
        if segment["device"] == number:
            live += segment["allocated_size"]
        for block in active:
            if block["address"] == a.data.ptr:
                names = [frame["name"] for frame in block["frames"]]
                assert "allocate_here" in names
                files = [frame["filename"] for frame in block["frames"]]
                assert __file__ in files
    assert live >= a.nbytes
    assert live >= cp.get_default_memory_pool().used_bytes()
    trace = snapshot["device_traces"][number]
    actions = {event["action"] for event in trace}
    assert {"alloc", "free_requested", "free_completed", "segment_alloc"} <= actions
    for event in trace:
        assert {"action", "addr", "size", "stream", "time_us", "frames"} <= set(event)
    times = [event["time_us"] for event in trace]
    assert times == sorted(times)


@pytest.mark.usefixtures("recording")
def test_results_have_the_call_stack_of_their_evaluation() -> None:
    a = cp.ones(1000)

    def evaluate_here() -> cp.ndarray:
        b = a + 1
        float(b[0])
        return b

    b = evaluate_here()
    snapshot = cp.memory_snapshot()
    frames = [
        frame["name"]
        for segment in snapshot["segments"]
        for block in segment["blocks"]
        if block["address"] == b.data.ptr
        for frame in block["frames"]
    ]
    assert "evaluate_here" in frames


@pytest.mark.usefixtures("recording")
def test_failures_are_recorded() -> None:
    with pytest.raises(MemoryError):
        cp.empty(1 << 60, "u1")
    events = [event for trace in cp.memory_snapshot()["device_traces"] for event in trace]
    failures = [event for event in events if event["action"] == "oom"]
    assert failures[-1]["size"] == 1 << 60
    assert failures[-1]["device_free"] > 0


def test_recording_is_on_demand_and_bounded() -> None:
    cp.record_memory_history(max_entries=10)
    for _ in range(30):
        cp.empty(100)
    cp.record_memory_history(None)
    cp.empty(100)
    count = sum(len(trace) for trace in cp.memory_snapshot()["device_traces"])
    assert 10 <= count <= 20  # a free is two of the viewer's events
    with pytest.raises(ValueError, match="max_entries"):
        cp.record_memory_history(max_entries=0)


@pytest.mark.usefixtures("recording")
def test_timeline_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    a = allocate_here()
    del a
    path = tmp_path / "timeline.png"
    cp.memory_timeline(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    device = cp.current_device()
    cp.memory_timeline(path, device)
    cp.record_memory_history()
    with pytest.raises(ValueError, match="record_memory_history"):
        cp.memory_timeline(path)
