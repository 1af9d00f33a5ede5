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
    """A new stream on the current device; streamDestroy() ends it."""
    return streamCreateWithPriority(numbers.streamDefault, 0)


def streamCreateWithFlags(flags: int) -> int:
    """As streamCreate(); `flags` is streamDefault or streamNonBlocking."""
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags: int, priority: int) -> int:
    """As streamCreateWithFlags(); lower numbers come first."""
    stream = Stream(non_blocking=bool(flags & numbers.streamNonBlocking), priority=priority)
    handle = stream.ptr
    _streams[handle] = stream
    return handle


def streamGetFlags(stream: int) -> int:
    """streamDefault or streamNonBlocking: what the stream was made with."""
    return numbers.streamNonBlocking if current(stream).is_non_blocking else numbers.streamDefault


def streamGetPriority(stream: int) -> int:
    """What the stream was made with, within deviceGetStreamPriorityRange()."""
    return current(stream).priority


def deviceGetStreamPriorityRange() -> tuple[int, int]:
    """The least priority of streams of the current device, and the greatest, a lower number."""
    return _core.stream_priorities(_core.current_device())


def streamDestroy(stream: int) -> None:
    """End a stream of streamCreate() once its work is done."""
    if _streams.pop(stream, None) is None:
        raise ValueError(f"{stream} is no stream of streamCreate()")


def streamSynchronize(stream: int) -> None:
    """Wait until all work on a stream is done."""
    current(stream).synchronize()


def streamQuery(stream: int) -> int:
    """0 if all work on a stream is done, else errorNotReady."""
    return 0 if current(stream).done else numbers.errorNotReady


def launchHostFunc(stream: int, callback: Any, arg: Any) -> None:
    """Call callback(arg) on the host behind all work so far on a stream."""
    current(stream).launch_host_func(callback, arg)


def streamAddCallback(stream: int, callback: Any, arg: Any, flags: int = 0) -> None:
    """Call callback(stream, status, arg) on the host behind all work so far on a stream."""
    current(stream).launch_host_func(lambda value: callback(stream, 0, value), arg)
