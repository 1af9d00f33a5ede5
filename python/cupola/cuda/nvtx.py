"""Ranges and marks of the program that NVIDIA's profilers show.

They reach the tool that runs the program, and cost next to nothing without one. `available` is
False where the package was built without NVTX. `cupola.profile` shows the library's own work in
ranges.
"""

from __future__ import annotations

from cupola import _cupola as _core

__all__ = [
    "Mark",
    "MarkC",
    "RangeEnd",
    "RangePop",
    "RangePush",
    "RangePushC",
    "RangeStart",
]

available: bool = _core.nvtx_is_available()

_COLORS = (0xFF00FF00, 0xFF0000FF, 0xFFFFFF00, 0xFFFF00FF, 0xFF00FFFF, 0xFFFF0000, 0xFFFFFFFF)


def _color(id_color: int) -> int:
    return _COLORS[id_color % len(_COLORS)]


def MarkC(message: str, color: int = 0) -> None:  # noqa: N802
    """A point in time, with an ARGB colour.

    Parameters
    ----------
    message : str
    color : int, optional
        Alpha, red, green and blue, of 8 bits each.

    Examples
    --------
    >>> from cupola.cuda import nvtx
    >>> nvtx.MarkC("loaded", 0xFF00FF00)
    """
    _core.nvtx_mark(message, color & 0xFFFFFFFF)


def Mark(message: str, id_color: int = -1) -> None:  # noqa: N802
    """A point in time; colours are chosen by number.

    Parameters
    ----------
    message : str
    id_color : int, optional
        Number of one of seven colours.

    Examples
    --------
    >>> from cupola.cuda import nvtx
    >>> nvtx.Mark("loaded")
    """
    MarkC(message, _color(id_color))


def RangePushC(message: str, color: int = 0) -> None:  # noqa: N802
    """Begin a range of the calling thread, with an ARGB colour.

    Parameters
    ----------
    message : str
    color : int, optional
        Alpha, red, green and blue, of 8 bits each.

    Examples
    --------
    >>> from cupola.cuda import nvtx
    >>> nvtx.RangePushC("load", 0xFF00FF00)
    >>> nvtx.RangePop()
    """
    _core.nvtx_push(message, color & 0xFFFFFFFF)


def RangePush(message: str, id_color: int = -1) -> None:  # noqa: N802
    """Begin a range of the calling thread; colours are chosen by number.

    Parameters
    ----------
    message : str
    id_color : int, optional
        Number of one of seven colours.

    See Also
    --------
    cupola.cupyx.profiler.time_range : The same for a `with` block.

    Examples
    --------
    >>> from cupola.cuda import nvtx
    >>> nvtx.RangePush("load")
    >>> nvtx.RangePop()
    """
    RangePushC(message, _color(id_color))


def RangePop() -> None:  # noqa: N802
    """End the range of the calling thread that began last.

    Examples
    --------
    >>> from cupola.cuda import nvtx
    >>> nvtx.RangePush("load")
    >>> nvtx.RangePop()
    """
    _core.nvtx_pop()


def RangeStart(message: str, color: int = 0) -> int:  # noqa: N802
    """Begin a range, with an ARGB colour, that may overlap others and end on another thread.

    Parameters
    ----------
    message : str
    color : int, optional
        Alpha, red, green and blue, of 8 bits each.

    Returns
    -------
    int
        Its number, for `RangeEnd`.

    Examples
    --------
    >>> from cupola.cuda import nvtx
    >>> number = nvtx.RangeStart("load")
    >>> nvtx.RangeEnd(number)
    """
    return _core.nvtx_begin(message, color & 0xFFFFFFFF)


def RangeEnd(range_id: int) -> None:  # noqa: N802
    """End a range of `RangeStart`.

    Parameters
    ----------
    range_id : int
        What `RangeStart` returned.

    Examples
    --------
    >>> from cupola.cuda import nvtx
    >>> number = nvtx.RangeStart("load")
    >>> nvtx.RangeEnd(number)
    """
    _core.nvtx_end(range_id)
