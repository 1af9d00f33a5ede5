"""Copies of bytes between addresses, and bytes that are set."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.streams import stream_of


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copy bytes between addresses; `kind` is one of `memcpy...`. Returns when it is done."""
    _core.raw_copy(dst, src, size, kind, None, True)


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """As memcpy(), in the order of a stream; copies that involve host memory have read or written
    it when this returns."""
    _core.raw_copy(dst, src, size, kind, stream_of(stream), False)


def memcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, size: int) -> None:
    """Copy bytes between the memory of two devices. Returns when it is done."""
    memcpy(dst, src, size, numbers.memcpyDefault)


def memcpyPeerAsync(
    dst: int, dstDevice: int, src: int, srcDevice: int, size: int, stream: int
) -> None:
    """As memcpyPeer(), in the order of a stream."""
    memcpyAsync(dst, src, size, numbers.memcpyDefault, stream)


def memcpy2D(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copy `height` rows of `width` bytes; the pitches are bytes from row to row."""
    for row in range(height):
        memcpy(dst + row * dpitch, src + row * spitch, width, kind)


def memcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """As memcpy2D(), in the order of a stream."""
    for row in range(height):
        memcpyAsync(dst + row * dpitch, src + row * spitch, width, kind, stream)


def memset(ptr: int, value: int, size: int) -> None:
    """Set every byte. Returns when it is done."""
    _core.raw_fill(ptr, value, size, None, True)


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """As memset(), in the order of a stream; does not wait."""
    _core.raw_fill(ptr, value, size, stream_of(stream), False)
