"""A scope in which the host must not wait for a device."""

from __future__ import annotations

import contextlib
import functools
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from cupola._cupola import Device, Event, Stream, ndarray

__all__ = ["DeviceSynchronized", "allow_synchronize"]

_WAITING = (
    (Device, "synchronize"),
    (Stream, "synchronize"),
    (Event, "synchronize"),
    *((ndarray, name) for name in ("get", "item", "tolist", "tobytes")),
    *((ndarray, name) for name in ("__bool__", "__int__", "__index__", "__float__")),
    (ndarray, "__complex__"),
)


class DeviceSynchronized(RuntimeError):  # noqa: N818
    """The host waited for a device where it must not."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or "Device synchronization is detected while disallowed.")


class _State(threading.local):
    def __init__(self) -> None:
        self.is_allowed = True


_state = _State()
_lock = threading.Lock()
_watchers = 0
_own: dict[tuple[type, str], Any] = {}  # what stands for the watched methods while nobody watches


def _watched(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _state.is_allowed and kwargs.get("blocking", True):
            raise DeviceSynchronized
        return method(*args, **kwargs)

    return call


@contextlib.contextmanager
def _watch() -> Iterator[None]:
    """The methods that wait ask first, while a scope of some thread forbids it."""
    global _watchers
    with _lock:
        _watchers += 1
        if _watchers == 1:
            for owner, name in _WAITING:
                _own[owner, name] = getattr(owner, name)
                setattr(owner, name, _watched(_own[owner, name]))
    try:
        yield
    finally:
        with _lock:
            _watchers -= 1
            if not _watchers:
                for (owner, name), method in _own.items():
                    setattr(owner, name, method)


@contextlib.contextmanager
def allow_synchronize(allow: bool) -> Iterator[None]:
    """A scope of the calling thread in which its methods may, or must not, wait for a device.

    Methods of arrays, streams, events and devices that wait raise `DeviceSynchronized` in it; it
    does not know other waits, and warns of that as CuPy does. `cupola.explain` and `cupola.profile`
    name waits too, and `cupola.doctor` the needless ones.

    Parameters
    ----------
    allow : bool
        Whether they may.

    Yields
    ------
    None

    Raises
    ------
    DeviceSynchronized
        From what waits in a scope where it must not.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola import cupyx
    >>> a = cp.arange(3)
    >>> with cupyx.allow_synchronize(False):  # doctest: +ELLIPSIS
    ...     b = a + 1
    ...     int(b[0])
    Traceback (most recent call last):
        ...
    cupola.cupyx._synchronization.DeviceSynchronized: Device synchronization is detected...
    """
    warnings.warn("allow_synchronize does not know every wait and may be removed", stacklevel=3)
    before = _state.is_allowed
    with contextlib.nullcontext() if allow else _watch():
        _state.is_allowed = allow
        try:
            yield
        finally:
            _state.is_allowed = before
