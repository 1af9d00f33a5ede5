"""What the process did and when: `profile`."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any

from cupola import _cupola as _core
from cupola._observation.profile_groups import place_text, sections, text_of
from cupola._observation.quantities import bytes_text, duration_text

__all__ = ["profile"]

_HOST = 1  # the process of the host's threads in a trace; devices come after it


def _arguments(event: dict[str, Any]) -> dict[str, Any]:
    kept = ("bytes_read", "bytes_written")
    arguments = {key: event[key] for key in kept if event[key]}
    if event["is_pageable"]:
        arguments["host_memory"] = "pageable"
    if event["place"]:
        arguments["python"] = f"{place_text(event)} ({event['place'][2]})"
    return arguments


def _slice(name: str, pid: int, tid: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    times = {"ts": start / 1000, "dur": max(end - start, 0) / 1000}
    return {"name": name, "ph": "X", "pid": pid, "tid": tid, **times, **more}


def _name(kind: str, pid: int, name: str, tid: int = 0) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": pid, "tid": tid, "ts": 0, "args": {"name": name}}


class _Trace:
    """Events in Chrome's trace format, which Perfetto reads: times in microseconds."""

    def __init__(self) -> None:
        self._names: list[dict[str, Any]] = [_name("process_name", _HOST, "host")]
        self._events: list[dict[str, Any]] = []
        self._devices: dict[str, int] = {}
        self._tracks: set[tuple[int, int]] = set()
        self._ends: dict[tuple[int, int], int] = defaultdict(int)
        self._live: dict[str, int] = defaultdict(int)

    def events(self) -> list[dict[str, Any]]:
        """All of them in the order of time, those that hold others first."""
        key = lambda event: (event["ts"], -event.get("dur", 0))  # noqa: E731
        return self._names + sorted(self._events, key=key)

    def add(self, event: dict[str, Any]) -> None:
        kind = event["kind"]
        if kind in ("alloc", "free"):
            self._add_memory(event)
            return
        thread = self._track(_HOST, event["thread"], "thread")
        name = f"wait: {event['name']}" if kind == "wait" else event["name"]
        times = (event["host_start"], event["host_end"])
        category = "wait" if kind == "wait" else "launch" if kind == "kernel" else "transfer"
        more: dict[str, Any] = {"cat": category, "args": _arguments(event)}
        self._events.append(_slice(name, _HOST, thread, *times, **more))
        if event["device_start"] >= 0:
            self._add_device_work(event)

    def _add_device_work(self, event: dict[str, Any]) -> None:
        device = self._device(str(event["device"]))
        track = (device, self._track(device, event["stream"], "stream"))
        # Work of a stream is done in its order; clocks that are compared are not that exact.
        start = max(event["device_start"], self._ends[track])
        end = max(event["device_end"], start)
        self._ends[track] = end
        more: dict[str, Any] = {"cat": event["kind"], "args": _arguments(event)}
        self._events.append(_slice(event["name"], *track, start, end, **more))

    def _add_memory(self, event: dict[str, Any]) -> None:
        device = self._device(str(event["device"]))
        size = event["bytes_read"]
        change = size if event["kind"] == "alloc" else -size
        self._live[str(event["device"])] += change
        time = event["host_start"] / 1000
        live = {"bytes": self._live[str(event["device"])]}
        counter = {"name": "memory taken since the start", "ph": "C", "ts": time, "args": live}
        self._events.append({**counter, "pid": device, "tid": 0})
        arguments = {"bytes": size, "address": hex(event["address"])}
        if event["place"]:
            arguments["python"] = place_text(event)
        thread = self._track(_HOST, event["thread"], "thread")
        instant = {"name": event["kind"], "ph": "i", "s": "t", "cat": "memory", "ts": time}
        self._events.append({**instant, "pid": _HOST, "tid": thread, "args": arguments})

    def _device(self, name: str) -> int:
        if name not in self._devices:
            self._devices[name] = _HOST + 1 + len(self._devices)
            self._names.append(_name("process_name", self._devices[name], name))
        return self._devices[name]

    def _track(self, pid: int, number: int, word: str) -> int:
        if (pid, number) not in self._tracks:
            self._tracks.add((pid, number))
            self._names.append(_name("thread_name", pid, f"{word} {number}", number))
        return number


class profile:  # noqa: N801 (used as a function)
    """Record what the library does: kernels, transfers, memory, and what the host waits for.

    A context manager, or `start()` and `stop()`. One recording at a time, of all threads and
    devices of the process. Kernels and transfers have their times on the device, by two events on
    their stream, and the host's times while they were handed over; each event has the line of the
    program that it is done for: of a kernel, the line that asked for the array it computes. NVTX
    ranges are made meanwhile.

    Parameters
    ----------
    max_events : int
        Of more events the oldest are forgotten; one takes some 300 bytes.

    Attributes
    ----------
    events : list of dict
        After `stop()`, in the order in which they began on the host. 'kind' is 'kernel',
        'to_device', 'to_host', 'between_devices', 'wait', 'alloc' or 'free'; times are nanoseconds
        since the start, -1 on the device where they are not known; 'place' is (file, line,
        function) or None.
    forgotten : int
        How many events there were besides.
    duration : float
        Seconds from the start to the stop.

    Raises
    ------
    ValueError
        At the start, where a recording is under way, or for `max_events` below 1.

    Examples
    --------
    >>> a = cp.ones(1000)
    >>> with cp.profile() as recorded:
    ...     total = float((a * 2 + 1).sum())
    >>> "multiply, add, sum" in recorded.summary()
    True
    >>> recorded.save("trace.json")  # opens in https://ui.perfetto.dev
    """

    def __init__(self, max_events: int = 200_000) -> None:
        if max_events < 1:
            raise ValueError(f"max_events must be positive, not {max_events}")
        self._max_events = max_events
        self._is_on = False
        self.duration = 0.0
        self.events: list[dict[str, Any]] = []
        self.forgotten = 0

    def start(self) -> profile:
        """Begin to record; what this object recorded before is forgotten.

        Returns
        -------
        profile
            Itself.

        Raises
        ------
        ValueError
            Where a recording is under way.

        Examples
        --------
        >>> import cupola as cp
        >>> recorded = cp.profile().start()
        >>> total = float(cp.ones(10).sum())
        >>> recorded.stop()
        >>> len(recorded.events) > 0
        True
        """
        _core.start_profile(self._max_events)
        _core.start_nvtx()
        self._is_on = True
        return self

    def stop(self) -> None:
        """End the recording. Waits for the recorded work; nothing happens where it has ended.

        Examples
        --------
        >>> import cupola as cp
        >>> recorded = cp.profile().start()
        >>> recorded.stop()
        >>> recorded.duration > 0
        True
        """
        if not self._is_on:
            return
        self._is_on = False
        _core.stop_nvtx()
        self.events, self.forgotten, nanoseconds = _core.stop_profile()
        self.duration = nanoseconds / 1e9

    def __enter__(self) -> profile:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a trace that https://ui.perfetto.dev and chrome://tracing open.

        Parameters
        ----------
        path : str or path
            Of a JSON file.

        Raises
        ------
        OSError
            For a file that cannot be written.

        Examples
        --------
        >>> import cupola as cp
        >>> with cp.profile() as recorded:
        ...     total = float(cp.ones(10).sum())
        >>> recorded.save("trace.json")
        """
        import json  # not at import: most programs save no trace

        trace = _Trace()
        for event in self.events:
            trace.add(event)
        content = {"traceEvents": trace.events(), "displayTimeUnit": "ns"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)

    def summary(self) -> str:
        """Kernels, transfers and waits by name, the longest first, as a table.

        Returns
        -------
        str

        Examples
        --------
        >>> import cupola as cp
        >>> with cp.profile() as recorded:
        ...     total = float(cp.ones(10).sum())
        >>> "memory: " in recorded.summary()
        True
        """
        lines = [f"{duration_text(self.duration)} recorded; {len(self.events)} events"]
        if self.forgotten:
            lines[0] += f", {self.forgotten} older ones forgotten"
        for title, groups in sections(self.events):
            lines += text_of(title, groups)
        taken = [event["bytes_read"] for event in self.events if event["kind"] == "alloc"]
        given = sum(event["kind"] == "free" for event in self.events)
        lines.append(
            f"memory: {len(taken)} blocks taken ({bytes_text(sum(taken))}), {given} given back"
        )
        return "\n".join(lines)

    def __repr__(self) -> str:
        state = "recording" if self._is_on else f"{len(self.events)} events"
        return f"<cupola.profile: {state}>"

    def _repr_html_(self) -> str:
        from cupola._notebook.profiles import profile_html

        return profile_html(self)
