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
    """A new event on the current device; eventDestroy() ends it.

    Returns
    -------
    int
        A number that stands for it.

    See Also
    --------
    cupola.cuda.Event : Events as objects.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> event = runtime.eventCreate()
    >>> runtime.eventRecord(event, 0)
    >>> runtime.eventSynchronize(event)
    >>> runtime.eventDestroy(event)
    """
    return eventCreateWithFlags(numbers.eventDefault)


def eventCreateWithFlags(flags: int) -> int:
    """A new event on the current device; eventDestroy() ends it.

    Parameters
    ----------
    flags : int
        A sum of eventBlockingSync (who waits gives the processor away), eventDisableTiming and
        eventInterprocess.

    Returns
    -------
    int
        A number that stands for it.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> event = runtime.eventCreateWithFlags(runtime.eventDisableTiming)
    >>> runtime.eventDestroy(event)
    """
    event = Event(
        blocking=bool(flags & numbers.eventBlockingSync),
        disable_timing=bool(flags & numbers.eventDisableTiming),
        interprocess=bool(flags & numbers.eventInterprocess),
    )
    handle = id(event)
    _events[handle] = event
    return handle


def eventDestroy(event: int) -> None:
    """End an event of eventCreate() or ipcOpenEventHandle().

    Parameters
    ----------
    event : int
        Its number.

    Raises
    ------
    ValueError
        For other numbers.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.eventDestroy(runtime.eventCreate())
    """
    found = event_of(event)
    if isinstance(found, OpenedEvent):
        found.destroy()
    del _events[event]


def eventRecord(event: int, stream: int) -> None:
    """Record an event behind all work so far on a stream.

    Parameters
    ----------
    event : int
        Its number.
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    ValueError
        For what is no event.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> event = runtime.eventCreate()
    >>> runtime.eventRecord(event, 0)
    >>> runtime.eventDestroy(event)
    """
    event_of(event).record(current(stream))


def eventQuery(event: int) -> int:
    """Whether what an event was recorded behind is done.

    Parameters
    ----------
    event : int
        Its number.

    Returns
    -------
    int
        0 if it is, or if the event was not recorded; else errorNotReady.

    Raises
    ------
    ValueError
        For what is no event.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> event = runtime.eventCreate()
    >>> runtime.eventQuery(event)
    0
    >>> runtime.eventDestroy(event)
    """
    return 0 if event_of(event).done else numbers.errorNotReady


def eventSynchronize(event: int) -> None:
    """Wait until what an event was recorded behind is done.

    Parameters
    ----------
    event : int
        Its number.

    Raises
    ------
    ValueError
        For what is no event.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> event = runtime.eventCreate()
    >>> runtime.eventRecord(event, 0)
    >>> runtime.eventSynchronize(event)
    >>> runtime.eventQuery(event)
    0
    >>> runtime.eventDestroy(event)
    """
    event_of(event).synchronize()


def eventElapsedTime(start: int, end: int) -> float:
    """The time between two events of this process.

    Parameters
    ----------
    start, end : int
        Their numbers.

    Returns
    -------
    float
        Milliseconds.

    Raises
    ------
    ValueError
        For what is no event; for events that were not recorded, that have no timing, or that are of
        other processes.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> start, end = runtime.eventCreate(), runtime.eventCreate()
    >>> for event in (start, end):
    ...     runtime.eventRecord(event, 0)
    >>> runtime.eventSynchronize(end)
    >>> runtime.eventElapsedTime(start, end) >= 0
    True
    >>> for event in (start, end):
    ...     runtime.eventDestroy(event)
    """
    first, last = event_of(start), event_of(end)
    if isinstance(first, OpenedEvent) or isinstance(last, OpenedEvent):
        raise ValueError("events of other processes have no times")
    return get_elapsed_time(first, last)


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Later work on the stream starts after what the event was recorded behind.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.
    event : int
        Number of the event.
    flags : int, optional
        Has no meaning.

    Raises
    ------
    ValueError
        For what is no event.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream, event = runtime.streamCreate(), runtime.eventCreate()
    >>> runtime.eventRecord(event, 0)
    >>> runtime.streamWaitEvent(stream, event)
    >>> runtime.streamSynchronize(stream)
    >>> runtime.eventDestroy(event)
    >>> runtime.streamDestroy(stream)
    """
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
