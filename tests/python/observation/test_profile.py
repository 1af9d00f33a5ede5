"""What the profile records, and the trace that it writes."""

import json
import os
import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola import _cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.usefixtures("deferred")]

HERE = __file__


def kernels(recorded: Any) -> list[dict[str, Any]]:
    return [event for event in recorded.events if event["kind"] == "kernel"]


def line_of(text: str) -> int:
    """The line of this file that has the text, as the only one."""
    lines = Path(HERE).read_text().splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if line.endswith(f"# {text}"))
    return number


def a_chain(a: Any) -> list[Any]:
    return [(a * 2 + 1) / (a + a)]


def a_reduction_with_what_is_around(a: Any) -> list[Any]:
    return [cp.sqrt((a * a).sum(axis=1) + 1)]


def several_roots(a: Any) -> list[Any]:
    below = a + 1
    return [below * 2, below, below - a]


def barriers(a: Any) -> list[Any]:
    scaled = a * 3
    return [(scaled - scaled.mean(axis=0)) / scaled.std(axis=0)]


def a_scan(a: Any) -> list[Any]:
    return [cp.cumsum(cp.maximum(a, 1.5).max(axis=1)), (a > 1.2).any(axis=0)]


def rows(a: Any) -> list[Any]:
    shifted = cp.exp(a - a.max(axis=1, keepdims=True))
    return [shifted / shifted.sum(axis=1, keepdims=True)]


PROGRAMS = [a_chain, a_reduction_with_what_is_around, several_roots, barriers, a_scan, rows]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_explained_is_what_is_launched(program: Any, a: Any) -> None:
    arrays = program(a)
    explained = cp.explain(*arrays).kernels
    with cp.profile() as recorded:
        cp.eval(*arrays)
    launched = kernels(recorded)
    assert len(explained) == len(launched) > 0
    for kernel, event in zip(explained, launched, strict=True):
        assert event["bytes_read"] == kernel.bytes_read
        assert event["bytes_written"] == kernel.bytes_written
        if len(kernel.operations) <= 6:
            assert event["name"] == ", ".join(kernel.operations)
    assert cp.explain(*arrays).kernels == []


def test_kernels_have_the_line_that_asked_for_their_array(a: Any) -> None:
    with cp.profile() as recorded:
        b = a * 2  # the operation
        cp.eval(b)
    (event,) = kernels(recorded)
    assert event["place"] == (
        HERE,
        line_of("the operation"),
        "test_kernels_have_the_line_that_asked_for_their_array",
    )
    assert event["device"] == a.device
    assert 0 <= event["device_start"] <= event["device_end"]
    assert event["host_start"] <= event["host_end"]


def test_small_operations_are_recorded_with_their_lines() -> None:
    small = cp.ones(10)
    cp.eval(small)
    cp.eval(small + small)  # its kernel is known afterwards
    with cp.profile() as recorded:
        for _ in range(3):
            cp.eval(small + small)  # the small operation
    assert [event["place"][1] for event in kernels(recorded)] == [
        line_of("the small operation")
    ] * 3


def test_transfers_waits_and_memory(a: Any) -> None:
    with cp.profile() as recorded:
        b = cp.asarray(np.ones((100, 100)))  # to the device
        total = float((b * 2).sum())  # the wait
        cp.asnumpy(b)
        del b
    assert total == 20000
    count = Counter(event["kind"] for event in recorded.events)
    assert count["to_device"] == 1
    assert count["alloc"] >= 2
    assert count["free"] >= 1
    (upload,) = (event for event in recorded.events if event["kind"] == "to_device")
    assert (upload["bytes_written"], upload["is_pageable"]) == (80000, True)
    assert upload["place"][1] == line_of("to the device")
    waits = {e["name"]: e["place"][1] for e in recorded.events if e["kind"] == "wait"}
    assert waits["float(a)"] == line_of("the wait")
    assert "asnumpy(a)" in waits


def test_the_trace_is_sorted_and_nested(a: Any, tmp_path: Path) -> None:
    with cp.profile() as recorded:
        for i in range(5):
            print(float((a * i).sum()), (a + i)[0, :3])
    recorded.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X", "i", "C"}
    timed = [event for event in events if event["ph"] != "M"]
    assert [event["ts"] for event in timed] == sorted(event["ts"] for event in timed)
    tracks = defaultdict(list)
    for event in timed:
        if event["ph"] == "X":
            assert event["dur"] >= 0
            tracks[event["pid"], event["tid"]].append(event)
    assert len(tracks) >= 2
    for slices in tracks.values():
        open_ends: list[float] = []
        for event in slices:
            while open_ends and open_ends[-1] <= event["ts"] + 1e-6:
                open_ends.pop()
            end = event["ts"] + event["dur"]
            assert not open_ends or end <= open_ends[-1] + 1e-6
            open_ends.append(end)
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert {"host", str(a.device)} <= names


def test_summary(a: Any) -> None:
    with cp.profile() as recorded:
        cp.eval(a * 2 + 1)
        cp.eval(a * 3 + 1)
    text = recorded.summary()
    assert "multiply, add" in text
    (line,) = (line for line in text.splitlines() if "multiply, add" in line)
    assert line.split()[2] == "2"
    assert repr(recorded) == f"<cupola.profile: {len(recorded.events)} events>"


def test_memory_of_the_recording_is_bounded(a: Any) -> None:
    with cp.profile(max_events=10) as recorded:
        for i in range(30):
            cp.eval(a + i)
    assert len(recorded.events) == 10
    assert recorded.forgotten >= 20
    assert "forgotten" in recorded.summary()
    with pytest.raises(ValueError, match="max_events"):
        cp.profile(max_events=0)


def test_nothing_is_recorded_outside(a: Any) -> None:
    with cp.profile() as recorded:
        pass
    cp.eval(a + 1)
    assert recorded.events == []
    assert not _cupola.is_profiling()
    assert not _cupola.nvtx_is_on()


def test_one_at_a_time(a: Any) -> None:
    with cp.profile() as recorded:
        with pytest.raises(ValueError, match="already"):
            cp.profile().start()
        cp.eval(a + 1)
    assert len(kernels(recorded)) == 1
    recorded.stop()
    recorded.start()
    recorded.stop()
    assert recorded.events == []


def test_a_forked_child_is_not_recorded(a: Any) -> None:
    if str(a.device).startswith("cuda"):
        pytest.skip("CUDA does not work in a forked child")
    with cp.profile() as recorded:
        cp.eval(a + 1)
        child = os.fork()
        if child == 0:
            cp.eval(a * 2)
            recorded.stop()
            os._exit(len(kernels(recorded)))
        _, status = os.waitpid(child, 0)
        cp.eval(a - 1)
    assert os.waitstatus_to_exitcode(status) == 1  # what the parent did before
    assert [event["name"] for event in kernels(recorded)] == ["add", "subtract"]


def test_many_threads() -> None:
    def work() -> None:
        own = cp.ones((100, 100))
        for i in range(50):
            cp.eval(own + i)

    with cp.profile() as recorded:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    added = [event for event in kernels(recorded) if event["name"] == "add"]
    assert len(added) == 200
    assert len({event["thread"] for event in added}) == 4
    assert all(event["device_start"] >= 0 for event in added)
