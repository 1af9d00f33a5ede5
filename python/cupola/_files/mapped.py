"""Files that are mapped, whose elements are converted on their way to a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._files.pieces import fill, is_bfloat16


def converted(host: np.ndarray, dtype: Any, order: Any, device: Any) -> ndarray | None:
    """An array of the elements of a mapped file in another dtype or byte order, piece by piece.

    None where nothing is converted, which needs no memory on the host, or where the elements lie
    in another order than asked for.
    """
    wanted = _core.dtype(host.dtype.newbyteorder("=")) if dtype is None else dtype
    if wanted == host.dtype or is_bfloat16(wanted):
        return None
    is_fortran = order == "F" or (order != "C" and host.flags.fnc)
    layout: Any = "F" if is_fortran else "C"
    if not host.flags[layout + "_CONTIGUOUS"]:
        return None
    line = host.view(np.ndarray).reshape(-1, order=layout)
    result = _core.empty(host.shape, wanted, layout, device=device)
    flat = _core.reshape(result, (-1,), layout)
    fill(flat, lambda first, end: line[first:end].astype(wanted))
    return result
