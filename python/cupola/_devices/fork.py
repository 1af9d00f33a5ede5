"""A warning before a fork that leaves a child without CUDA, and the end of the process."""

from __future__ import annotations

import atexit
import os
import warnings

from cupola import _cupola as _core

_warned = False


def _before_fork() -> None:
    """Runs in the parent, before each fork that Python makes."""
    global _warned
    if _warned or os.environ.get("CUPOLA_FORK_WARNING") == "0" or not _core.is_initialized():
        return
    _warned = True
    where = _core.device_initialization()
    warnings.warn(
        f"this process forks after it initialised CUDA{f' ({where})' if where else ''}. CUDA does "
        "not work in the child: use of a CUDA device there raises ForkedProcessError; CPU devices "
        "work. If the child needs a GPU, start it with the method 'spawn' or 'forkserver' "
        "(multiprocessing.get_context('spawn')). CUPOLA_FORK_WARNING=0 silences this.",
        RuntimeWarning,
        stacklevel=2,
    )


def install() -> None:
    """Called once, at import."""
    _core.set_package_folder(os.path.dirname(os.path.abspath(_core.__file__)) + os.sep)
    os.register_at_fork(before=_before_fork)
    atexit.register(_core.note_process_end)
