"""Processes that begin with a device of their own."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Mapping
from multiprocessing import context as std_context
from multiprocessing import forkserver, process, util
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola.errors import ForkedProcessError
from cupola.multiprocessing._post import office

if TYPE_CHECKING:
    from cupola._typing import DeviceLike

__all__ = ["ForkProcess", "ForkServerProcess", "Process", "SpawnProcess"]

HAND_OVER_PRIORITY = -100  # after queues are flushed and children joined
PRELOADED = ["cupola.multiprocessing"]


def cuda_is_initialized() -> bool:
    """Whether anybody has initialised CUDA in this process."""
    try:
        library = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return False
    return bool(library.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) == 0)


class Place:
    """What a new process is told about its surroundings, before anything else is unpickled."""

    def __init__(self, device: Device | None, isolated: bool) -> None:
        self.device = None if device is None else str(device)
        self.visible = None
        if device is not None and isolated and device.platform == "cuda":
            self.visible, self.device = device.uuid, "cuda:0"
        self.addresses: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Callable[..., Place], tuple[Any, ...]]:
        return _enter_place, (self.device, self.visible, self.addresses)

    def enter(self) -> None:
        """Make it the place of this process."""
        office().set_ancestors(self.addresses)
        if self.visible is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = self.visible
        if self.device is not None:
            _core.set_default_device(self.device)
            _core.Device(self.device).use()


def _enter_place(device: str | None, visible: str | None, addresses: tuple[str, ...]) -> Place:
    place = Place(None, False)
    place.device, place.visible, place.addresses = device, visible, addresses
    place.enter()
    return place


class Process(process.BaseProcess):
    """A process, as in the standard library, that can begin on a device.

    Parameters
    ----------
    group, target, name, args, kwargs, daemon
        As in `multiprocessing.Process`.
    device : device, optional
        The current device of all threads of the new process. Nothing is initialised on it, nor on
        any other device, before it is used.
    isolated : bool, optional
        The new process sees no other CUDA device: CUDA_VISIBLE_DEVICES names `device` alone, which
        is cuda:0 there. Arrays of other devices cannot be sent to it. Devices of the CPU platform
        are not hidden.

    Raises
    ------
    ForkedProcessError
        From `start`, for the method "fork" where CUDA is initialised.

    Examples
    --------
    >>> from cupola import multiprocessing as mp
    >>> queue = mp.SimpleQueue()
    >>> process = mp.Process(target=queue.put, args=("done",), device="cpu:0")
    >>> process.start()
    >>> queue.get()
    'done'
    >>> process.join()
    """

    _start_method: str | None = None

    def __init__(
        self,
        group: None = None,
        target: Callable[..., object] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        daemon: bool | None = None,
        device: DeviceLike = None,
        isolated: bool = False,
    ) -> None:
        # The first attribute, so that it is unpickled before the others.
        self._place = Place(None if device is None else Device(device), isolated)
        super().__init__(group, target, name, args, dict(kwargs or {}), daemon=daemon)

    def start(self) -> None:
        """Start the process; arrays among its arguments are shared.

        Raises
        ------
        ForkedProcessError
            For the method "fork" where CUDA is initialised.

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> process = mp.Process(target=abs, args=(-1,))
        >>> process.start()
        >>> process.join()
        >>> process.exitcode
        0
        """
        self._place.addresses = office().addresses()
        super().start()
        # It has its descriptors now: what kept them can go.
        popen: Any = self._popen  # type: ignore[attr-defined]
        popen.__dict__.pop("cupola_inheritances", None)

    def _bootstrap(self, *args: Any, **kwargs: Any) -> int:
        self._place.enter()  # where it was forked, for the first time
        status: int = super()._bootstrap(*args, **kwargs)  # type: ignore[misc]
        return status

    @staticmethod
    def _Popen(process_object: Any) -> Any:  # noqa: N802
        from cupola.multiprocessing._context import default_context

        return default_context.get_context().Process._Popen(process_object)


class SpawnProcess(Process):
    """A process that starts from nothing."""

    _start_method = "spawn"

    @staticmethod
    def _Popen(process_object: Any) -> Any:  # noqa: N802
        from multiprocessing.popen_spawn_posix import Popen

        return Popen(process_object)


class ForkServerProcess(Process):
    """A process forked from a server that has imported this package, and used nothing."""

    _start_method = "forkserver"

    @staticmethod
    def _Popen(process_object: Any) -> Any:  # noqa: N802
        from multiprocessing.popen_forkserver import Popen

        # The main module is left to each process: it may use a device, which the server must not.
        server: Any = forkserver._forkserver
        if server._forkserver_pid is None and server._preload_modules == ["__main__"]:
            server.set_forkserver_preload(PRELOADED)
        return Popen(process_object)


class ForkProcess(Process):
    """A copy of this process; only where nobody has initialised CUDA in it."""

    _start_method = "fork"

    @staticmethod
    def _Popen(process_object: Any) -> Any:  # noqa: N802
        from multiprocessing.popen_fork import Popen

        if cuda_is_initialized():
            raise ForkedProcessError(
                "CUDA is initialised in this process and does not work across a fork; start the "
                "process with the method 'forkserver' or 'spawn'"
            )
        return Popen(process_object)


def _hand_over() -> None:
    office().hand_over()


def _register_hand_over(_: object = None) -> None:
    util.Finalize(None, _hand_over, exitpriority=HAND_OVER_PRIORITY)


_register_hand_over()
# A child forgets the finalizers of its parent when it begins.
util.register_after_fork(std_context, _register_hand_over)
