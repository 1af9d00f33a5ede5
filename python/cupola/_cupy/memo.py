"""Functions that remember their results until `clear_memo`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from cupola import _cupola as _core

__all__ = ["clear_memo", "memoize"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_memories: list[dict[Any, Any]] = []
_lock = threading.Lock()


def memoize(for_each_device: bool = False) -> Callable[[_Function], _Function]:
    """A decorator of functions whose results are remembered, by their arguments.

    Arguments must be hashable. Threads that call at once may compute a result twice; all of them
    get the same one.

    Parameters
    ----------
    for_each_device : bool
        Whether each current device has results of its own.

    Returns
    -------
    callable
        The decorator.

    Raises
    ------
    TypeError
        From a call with an argument that is not hashable.

    Examples
    --------
    >>> @cp.memoize()
    ... def square_of(n):
    ...     print("computed")
    ...     return n * n
    >>> square_of(3)
    computed
    9
    >>> square_of(3)
    9
    """

    def decorate(function: _Function) -> _Function:
        memory: dict[Any, Any] = {}
        with _lock:
            _memories.append(memory)

        @functools.wraps(function)
        def remembered(*args: Any, **kwargs: Any) -> Any:
            device = _core.current_device() if for_each_device else None
            key = (device, args, frozenset(kwargs.items()))
            try:
                return memory[key]
            except KeyError:
                return memory.setdefault(key, function(*args, **kwargs))

        return remembered  # type: ignore[return-value]

    return decorate


def clear_memo() -> None:
    """Forget the results of all functions that `memoize` decorates.

    Returns
    -------
    None

    Examples
    --------
    >>> cp.clear_memo()
    """
    with _lock:
        for memory in _memories:
            memory.clear()
