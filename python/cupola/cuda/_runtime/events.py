"""Events of the runtime, kept alive here by the number that stands for them."""

from __future__ import annotations

from cupola._cupola import Event, get_elapsed_time
from cupola.cuda._driver_structures import CUipcEventHandle
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.opened_events import OpenedEvent
from cupola.cuda._runtime.streams import current

_events: dict[int, Event | OpenedEvent] = {}


def event_of(handle: int) -> Event | OpenedEvent:
    try:
        return _events[handle]
    except KeyError:
        raise ValueError(f"{handle} is no event of eventCreate()") from None


def eventCreate() -> int:
    """A new event on the current device; eventDestroy() ends it."""
    return eventCreateWithFlags(numbers.eventDefault)


def eventCreateWithFlags(flags: int) -> int:
    """As eventCreate(); `flags` is a sum of `event...`."""
    event = Event(
        blocking=bool(flags & numbers.eventBlockingSync),
        disable_timing=bool(flags & numbers.eventDisableTiming),
        interprocess=bool(flags & numbers.eventInterprocess),
    )
    handle = id(event)
    _events[handle] = event
    return handle


def eventDestroy(event: int) -> None:
    """End an event of eventCreate() or ipcOpenEventHandle()."""
    found = event_of(event)
    if isinstance(found, OpenedEvent):
        found.destroy()
    del _events[event]


def eventRecord(event: int, stream: int) -> None:
    """Record it behind all work so far on a stream."""
    event_of(event).record(current(stream))


def eventQuery(event: int) -> int:
    """0 if what the event was recorded behind is done, else errorNotReady."""
    return 0 if event_of(event).done else numbers.errorNotReady


def eventSynchronize(event: int) -> None:
    """Wait until what the event was recorded behind is done."""
    event_of(event).synchronize()


def eventElapsedTime(start: int, end: int) -> float:
    """Milliseconds between two recorded events, of this process."""
    first, last = event_of(start), event_of(end)
    if isinstance(first, OpenedEvent) or isinstance(last, OpenedEvent):
        raise ValueError("events of other processes have no times")
    return get_elapsed_time(first, last)


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Later work on the stream starts after what the event was recorded behind."""
    found = event_of(event)
    if isinstance(found, OpenedEvent):
        found.delay(current(stream))
    else:
        current(stream).wait_event(found)


def open_event(handle: CUipcEventHandle) -> int:
    """The number of another process's event."""
    opened = OpenedEvent(handle)
    _events[opened.ptr] = opened
    return opened.ptr
