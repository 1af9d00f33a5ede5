"""Contexts: one way of starting processes each, with queues and pools to match."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from multiprocessing import context as std_context
from multiprocessing import get_all_start_methods
from typing import Any

from cupola.multiprocessing import _channels
from cupola.multiprocessing._placing import Devices
from cupola.multiprocessing._process import (
    ForkProcess,
    ForkServerProcess,
    Process,
    SpawnProcess,
)

__all__ = ["Context", "default_context"]


class Context(std_context.BaseContext):
    """The names of the standard library's contexts, for processes that use devices.

    Examples
    --------
    >>> from cupola import multiprocessing as mp
    >>> context = mp.get_context("spawn")
    >>> context.get_start_method()
    'spawn'
    """

    Process = Process
    _method = "spawn"

    def get_start_method(self, allow_none: bool = False) -> str:
        """The name of the way in which processes start.

        Parameters
        ----------
        allow_none : bool, optional
            Has no meaning: there is always one.

        Returns
        -------
        str
            "forkserver", "spawn" or "fork".

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> mp.get_context("spawn").get_start_method()
        'spawn'
        """
        return self._method

    def get_context(self, method: str | None = None) -> Any:
        """The context of a start method; this one without a name.

        Parameters
        ----------
        method : str, optional
            "forkserver", "spawn" or "fork".

        Returns
        -------
        Context

        Raises
        ------
        ValueError
            For a method that this system does not have.

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> context = mp.get_context("spawn")
        >>> context.get_context() is context
        True
        """
        return self if method is None else context_of(method)

    def Queue(self, maxsize: int = 0) -> Any:  # noqa: N802
        """A queue of any number of writers and readers.

        Parameters
        ----------
        maxsize : int, optional
            Items that it takes before `put` waits; 0: any number.

        Returns
        -------
        Queue
            As the standard library's; arrays in items are shared.

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> queue = mp.Queue()
        >>> queue.put("item")
        >>> queue.get()
        'item'
        """
        return _channels.Queue(maxsize, ctx=self.get_context())

    def JoinableQueue(self, maxsize: int = 0) -> Any:  # noqa: N802
        """A queue whose readers say when they are done with an item.

        Parameters
        ----------
        maxsize : int, optional
            Items that it takes before `put` waits; 0: any number.

        Returns
        -------
        JoinableQueue
            As the standard library's; arrays in items are shared.

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> queue = mp.JoinableQueue()
        >>> queue.put("item")
        >>> queue.get()
        'item'
        >>> queue.task_done()
        >>> queue.join()
        """
        return _channels.JoinableQueue(maxsize, ctx=self.get_context())

    def SimpleQueue(self) -> Any:  # noqa: N802
        """A queue that is a pipe with locks.

        Returns
        -------
        SimpleQueue
            As the standard library's; arrays in items are shared.

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> queue = mp.SimpleQueue()
        >>> queue.put("item")
        >>> queue.get()
        'item'
        """
        return _channels.SimpleQueue(ctx=self.get_context())

    def Pipe(self, duplex: bool = True) -> Any:  # noqa: N802
        """Two connected ends.

        Parameters
        ----------
        duplex : bool, optional
            Whether both ends send and receive; else the first one receives, the second sends.

        Returns
        -------
        tuple of Connection

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> first, second = mp.get_context("spawn").Pipe(duplex=False)
        >>> second.send(5)
        >>> first.recv()
        5
        """
        return _channels.Pipe(duplex)

    def Pool(  # noqa: N802
        self,
        processes: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        maxtasksperchild: int | None = None,
        *,
        devices: Devices = None,
        isolated: bool = False,
    ) -> Any:
        """Worker processes; with `devices`, one device for each.

        Parameters
        ----------
        processes, initializer, initargs, maxtasksperchild, devices, isolated
            Of `cupola.multiprocessing.Pool`.

        Returns
        -------
        Pool

        Examples
        --------
        >>> import math
        >>> from cupola import multiprocessing as mp
        >>> with mp.get_context().Pool(devices=["cpu:0"]) as pool:
        ...     pool.map(math.sqrt, [1.0, 4.0])
        [1.0, 2.0]
        """
        from cupola.multiprocessing._pool import Pool

        return Pool(
            processes,
            initializer,
            initargs,
            maxtasksperchild,
            self.get_context(),
            devices=devices,
            isolated=isolated,
        )


class SpawnContext(Context):
    """Processes that start from nothing."""

    Process = SpawnProcess
    _method = "spawn"


class ForkServerContext(Context):
    """Processes forked from a server that has used nothing."""

    Process = ForkServerProcess
    _method = "forkserver"


class ForkContext(Context):
    """Processes that are copies of this one."""

    Process = ForkProcess
    _method = "fork"


_contexts: dict[str, Context] = {
    context._method: context() for context in (ForkServerContext, SpawnContext, ForkContext)
}


def context_of(method: str) -> Context:
    """The context of a start method of this system."""
    if method not in _contexts or method not in get_all_start_methods():
        raise ValueError(f"cannot find context for {method!r}; there are {start_methods()}")
    return _contexts[method]


def start_methods() -> list[str]:
    """The start methods of this system, the default first.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from cupola import multiprocessing as mp
    >>> "spawn" in mp.get_all_start_methods()
    True
    """
    return [method for method in _contexts if method in get_all_start_methods()]


class DefaultContext(Context):
    """The context of the module's own functions."""

    def __init__(self) -> None:
        self._chosen: str | None = None

    def get_context(self, method: str | None = None) -> Any:
        """The context of a start method, or of the chosen one.

        Parameters
        ----------
        method : str, optional
            "forkserver", "spawn" or "fork"; default: the chosen one.

        Returns
        -------
        Context

        Raises
        ------
        ValueError
            For a method that this system does not have.

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> mp.get_context("spawn").get_start_method()
        'spawn'
        """
        return context_of(method or self.get_start_method())

    def get_start_method(self, allow_none: bool = False) -> str:
        """The chosen start method, or the default.

        Parameters
        ----------
        allow_none : bool, optional
            Has no meaning: there is always one.

        Returns
        -------
        str
            "forkserver", "spawn" or "fork".

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> mp.get_start_method() in mp.get_all_start_methods()
        True
        """
        return self._chosen or start_methods()[0]

    def set_start_method(self, method: str | None, force: bool = False) -> None:
        """Choose the start method of the program.

        Parameters
        ----------
        method : str or None
            "forkserver", "spawn" or "fork"; None: the default again.
        force : bool, optional
            Whether it may have been chosen before.

        Raises
        ------
        RuntimeError
            Where it was chosen before, without `force`.
        ValueError
            For a method that this system does not have.

        Examples
        --------
        >>> from cupola import multiprocessing as mp
        >>> mp.set_start_method("spawn", force=True)
        >>> mp.get_start_method()
        'spawn'
        >>> mp.set_start_method(None, force=True)
        """
        if self._chosen is not None and not force:
            raise RuntimeError("context has already been set")
        self._chosen = None if method is None else context_of(method)._method


default_context = DefaultContext()
