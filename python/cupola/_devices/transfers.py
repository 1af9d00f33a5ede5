"""Copies that are under way: what they hold, and when it is released."""

from __future__ import annotations

from typing import NamedTuple

from cupola import _cupola as _core

__all__ = ["Held", "check_lent_sources", "flush", "in_flight"]


class Held(NamedTuple):
    """Memory, sources and targets of copies that streams still use, or have been done with.

    Attributes
    ----------
    things : int
        How many.
    nbytes : int
        Their bytes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.synchronize()
    >>> held = cp.flush(wait=True)
    >>> held.things >= 0, held.nbytes >= 0
    (True, True)
    """

    things: int
    nbytes: int


def in_flight() -> Held:
    """What is kept until streams are done with it, of all devices.

    Returns
    -------
    Held
        How many things, and their bytes.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.synchronize()
    >>> cp.in_flight().nbytes >= 0
    True
    """
    return Held(*_core.in_flight())


def flush(wait: bool = False) -> Held:
    """Release what finished copies held.

    That happens within a millisecond by itself; after this call it has happened.

    Parameters
    ----------
    wait : bool
        Wait first for everything that is in flight.

    Returns
    -------
    Held
        What this call released.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.flush(wait=True).things >= 0
    True
    """
    return Held(*_core.flush(wait))


def check_lent_sources(on: bool = True) -> None:
    """Report sources that change while they are lent to a copy, as `RuntimeWarning`.

    For debugging: every source of a copy with ``source="keepalive"`` or ``"borrow"`` is read twice
    more. ``CUPOLA_DEBUG_LENT=1`` in the environment turns it on from the start.

    Parameters
    ----------
    on : bool
        False stops it.

    Returns
    -------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> cp.check_lent_sources()
    >>> cp.check_lent_sources(False)
    """
    _core.set_lent_checks(on)
