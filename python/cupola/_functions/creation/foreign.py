"""Arrays over the memory of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import DeviceLike

__all__ = ["from_dlpack"]


def is_foreign_device_array(obj: Any) -> bool:
    return not isinstance(obj, (np.ndarray, np.generic, list, tuple, int, float, complex)) and (
        hasattr(obj, "__cuda_array_interface__") or hasattr(obj, "__dlpack__")
    )


def import_foreign(obj: Any) -> ndarray:
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    interface = obj.__cuda_array_interface__
    pointer, read_only = interface["data"]
    return _core.from_pointer(
        pointer,
        interface["shape"],
        np.dtype(interface["typestr"]),
        interface.get("strides"),
        None,
        obj,
        not read_only,
        interface.get("stream"),
    )


def _imported(x: Any, copy: bool | None) -> tuple[ndarray, bool, bool]:
    """What a producer gives away, whether that is in host memory, and whether it is a copy."""
    kind, number = x.__dlpack_device__()
    stream = _core.consumer_stream(number) if int(kind) in (2, 13) else None
    is_copy = False
    try:
        capsule = x.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        capsule = x.__dlpack__() if stream is None else x.__dlpack__(stream=stream)
    except BufferError:
        if not copy:
            raise
        capsule = x.__dlpack__(stream=stream, max_version=(1, 0), copy=True)
        is_copy = True
    return _core.import_capsule(capsule), int(kind) == 1, is_copy


def from_dlpack(x: Any, /, *, device: DeviceLike = None, copy: bool | None = None) -> ndarray:
    """An array over the memory of an object that supports DLPack.

    Parameters
    ----------
    x : object with `__dlpack__` and `__dlpack_device__`
        An array of this library gives a view.
    device : optional
        Copy there; default: where `x` is.
    copy : bool or None
        True: always copy. None: where needed. False: ValueError where needed.

    Returns
    -------
    ndarray
        A view of the memory, or a copy.

    Raises
    ------
    BufferError
        For a dtype or device that arrays cannot have.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> cp.from_dlpack(np.arange(3.0)).tolist()
    [0.0, 1.0, 2.0]
    """
    on_host, is_copy = False, False
    if isinstance(x, ndarray):
        result = x.view()  # nothing is given away: uses of both are kept in order
    else:
        result, on_host, is_copy = _imported(x, copy)
    moved = result if device is None else _core.to_device(result, device)
    if moved is not result and copy is False:
        raise ValueError(f"cannot move from {result.device} to {moved.device} without a copy")
    if copy and moved is result and not is_copy:
        moved = _core.copy(result, "K")
    if moved is not result and on_host:
        _core.wait(moved)  # the program may write to host memory as soon as this returns
    return moved
