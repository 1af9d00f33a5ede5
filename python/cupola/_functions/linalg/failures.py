"""What `solve`, `inv` and `cholesky` do where a matrix is singular or not positive definite."""

from __future__ import annotations

import threading

__all__ = ["choose", "gives_nan"]


class _State(threading.local):
    nan = False


_state = _State()


def gives_nan() -> bool:
    """Whether their results are NaN in the calling thread, without a wait; else LinAlgError."""
    return _state.nan


def choose(nan: bool) -> None:
    """Choose it for the calling thread: `cupyx.seterr(linalg="ignore")`."""
    _state.nan = nan
