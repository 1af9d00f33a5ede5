"""Streams of the runtime, kept alive here by the number that stands for them."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._cupola import ExternalStream, Stream
from cupola.cuda._runtime import constants as numbers

_streams: dict[int, Stream] = {}


def stream_of(handle: int) -> Stream | None:
    """0: the thread's current stream on the current device."""
    if handle == 0:
        return None
    known = _streams.get(handle)
    return known if known is not None else ExternalStream(handle)


def current(handle: int) -> Stream:
    stream = stream_of(handle)
    return _core.current_stream(None) if stream is None else stream


def streamCreate() -> int:
    """A new stream on the current device; streamDestroy() ends it.

    Returns
    -------
    int
        Its handle.

    See Also
    --------
    cupola.Stream : Streams as objects.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamQuery(stream)
    0
    >>> runtime.streamDestroy(stream)
    """
    return streamCreateWithPriority(numbers.streamDefault, 0)


def streamCreateWithFlags(flags: int) -> int:
    """A new stream on the current device; streamDestroy() ends it.

    Parameters
    ----------
    flags : int
        streamDefault or streamNonBlocking.

    Returns
    -------
    int
        Its handle.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    >>> runtime.streamGetFlags(stream) == runtime.streamNonBlocking
    True
    >>> runtime.streamDestroy(stream)
    """
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags: int, priority: int) -> int:
    """A new stream on the current device; streamDestroy() ends it.

    Parameters
    ----------
    flags : int
        streamDefault or streamNonBlocking.
    priority : int
        Lower numbers come first; others than those of deviceGetStreamPriorityRange() become the
        nearest of these.

    Returns
    -------
    int
        Its handle.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> least, greatest = runtime.deviceGetStreamPriorityRange()
    >>> stream = runtime.streamCreateWithPriority(runtime.streamNonBlocking, greatest)
    >>> runtime.streamGetPriority(stream) == greatest
    True
    >>> runtime.streamDestroy(stream)
    """
    stream = Stream(non_blocking=bool(flags & numbers.streamNonBlocking), priority=priority)
    handle = stream.ptr
    _streams[handle] = stream
    return handle


def streamGetFlags(stream: int) -> int:
    """What a stream was made with.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.

    Returns
    -------
    int
        streamDefault or streamNonBlocking.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamGetFlags(stream) == runtime.streamDefault
    True
    >>> runtime.streamDestroy(stream)
    """
    return numbers.streamNonBlocking if current(stream).is_non_blocking else numbers.streamDefault


def streamGetPriority(stream: int) -> int:
    """The priority that a stream was made with.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.

    Returns
    -------
    int
        Within deviceGetStreamPriorityRange().

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamGetPriority(stream)
    0
    >>> runtime.streamDestroy(stream)
    """
    return current(stream).priority


def deviceGetStreamPriorityRange() -> tuple[int, int]:
    """The priorities that streams of the current device may have.

    Returns
    -------
    least, greatest : int
        The greatest priority is the lower number; both are 0 on the CPU.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> least, greatest = runtime.deviceGetStreamPriorityRange()
    >>> least >= greatest
    True
    """
    return _core.stream_priorities(_core.current_device())


def streamDestroy(stream: int) -> None:
    """End a stream of streamCreate() once its work is done.

    Parameters
    ----------
    stream : int
        Its handle.

    Raises
    ------
    ValueError
        For other numbers.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.streamDestroy(runtime.streamCreate())
    """
    if _streams.pop(stream, None) is None:
        raise ValueError(f"{stream} is no stream of streamCreate()")


def streamSynchronize(stream: int) -> None:
    """Wait until all work on a stream is done.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    CaptureError
        While work on the stream is recorded.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.streamSynchronize(0)
    >>> runtime.streamQuery(0)
    0
    """
    current(stream).synchronize()


def streamQuery(stream: int) -> int:
    """Whether all work on a stream is done.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.

    Returns
    -------
    int
        0 if it is, else errorNotReady.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.streamSynchronize(0)
    >>> runtime.streamQuery(0)
    0
    """
    return 0 if current(stream).done else numbers.errorNotReady


def launchHostFunc(stream: int, callback: Any, arg: Any) -> None:
    """Call callback(arg) on the host behind all work so far on a stream.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.
    callback : function
        Runs on a thread of the library's own; must not wait for this stream.
    arg : object
        What it gets.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream, seen = runtime.streamCreate(), []
    >>> runtime.launchHostFunc(stream, seen.append, "done")
    >>> runtime.streamSynchronize(stream)
    >>> seen
    ['done']
    >>> runtime.streamDestroy(stream)
    """
    current(stream).launch_host_func(callback, arg)


def streamAddCallback(stream: int, callback: Any, arg: Any, flags: int = 0) -> None:
    """Call callback(stream, status, arg) on the host behind all work so far on a stream.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.
    callback : function
        Runs on a thread of the library's own; must not wait for this stream. Its `status` is 0.
    arg : object
        What it gets.
    flags : int, optional
        Has no meaning.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream, seen = runtime.streamCreate(), []
    >>> runtime.streamAddCallback(stream, lambda *arguments: seen.append(arguments[1:]), "done")
    >>> runtime.streamSynchronize(stream)
    >>> seen
    [(0, 'done')]
    >>> runtime.streamDestroy(stream)
    """
    current(stream).launch_host_func(lambda value: callback(stream, 0, value), arg)
