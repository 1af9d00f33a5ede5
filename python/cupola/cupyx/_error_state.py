"""What CuPy does about results that cannot be computed, for each thread."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

from cupola._functions.linalg import failures

__all__ = ["errstate", "geterr", "seterr"]

_VALUES = {
    "linalg": (None, "ignore", "raise"),
    "fallback_mode": (None, "print", "warn", "ignore", "raise"),
}


class _State(threading.local):
    def __init__(self) -> None:
        self.values: dict[str, Any] = {"linalg": "raise", "fallback_mode": None}


_state = _State()


def _take(values: dict[str, Any]) -> None:
    _state.values = values
    failures.choose(values["linalg"] == "ignore")


def _checked(name: str, value: Any) -> Any:
    if value not in _VALUES[name]:
        raise ValueError(f"{value!r} is no value of {name}; use one of {_VALUES[name]}")
    return value


def geterr() -> dict[str, Any]:
    """What happens in the calling thread where something cannot be computed.

    Returns
    -------
    dict
        "divide", "over", "under", "invalid": None, as kernels do not stop at them; "linalg" and
        "fallback_mode": what `seterr` chose.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> cupyx.geterr()["linalg"]
    'raise'
    """
    return {"divide": None, "over": None, "under": None, "invalid": None, **_state.values}


def seterr(
    *,
    divide: None = None,
    over: None = None,
    under: None = None,
    invalid: None = None,
    linalg: str | None = None,
    fallback_mode: str | None = None,
) -> dict[str, Any]:
    """Choose for the calling thread what happens where something cannot be computed.

    Parameters
    ----------
    divide, over, under, invalid : None
        Kernels raise no floating-point errors.
    linalg : {None, 'ignore', 'raise'}
        'raise', which is where a thread begins: `solve`, `inv`, `cholesky` and what is made of them
        raise LinAlgError for a matrix that is singular or not positive definite, and wait until
        that is known. 'ignore': its result is NaN, and the call does not wait. None: as before.
    fallback_mode : {None, 'print', 'warn', 'ignore', 'raise'}
        Kept; there is no mode that computes on the host. None: as before.

    Returns
    -------
    dict
        What `geterr` gave before.

    Raises
    ------
    NotImplementedError
        For a floating-point error, as in CuPy.
    ValueError
        For an unknown value.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> before = cupyx.seterr(linalg="raise")
    """
    flags = {"divide": divide, "over": over, "under": under, "invalid": invalid}
    for name, value in flags.items():
        if value is not None:
            raise NotImplementedError(f"kernels raise no floating-point errors: {name}={value!r}")
    before = geterr()
    chosen = {"linalg": linalg, "fallback_mode": fallback_mode}
    changed = {name: _checked(name, value) for name, value in chosen.items() if value is not None}
    _take({**_state.values, **changed})
    return before


class errstate:  # noqa: N801
    """A scope in which `seterr` chose.

    Parameters
    ----------
    **kwargs
        Of `seterr`.

    Raises
    ------
    NotImplementedError, ValueError
        On entering, as `seterr` raises them.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> with cupyx.errstate(linalg="ignore"):
    ...     cp.linalg.inv(cp.array([[1.0, 1.0], [1.0, 1.0]]))
    array([[nan, nan],
           [nan, nan]])
    """

    def __init__(self, **kwargs: Any) -> None:
        self._chosen = kwargs

    def __enter__(self) -> None:
        self._before = dict(_state.values)
        seterr(**self._chosen)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _take(self._before)
