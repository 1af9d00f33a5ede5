"""What programs and libraries take from `cupy._core`: CuPy's classes by the paths that they have
there, and small functions on shapes, dtypes and axes.
"""

# ruff: noqa: F401

from __future__ import annotations

import cupola
from cupola._cupy.core import core, flags, fusion, internal
from cupola._cupy.core._accelerator import (
    get_elementwise_accelerators,
    get_reduction_accelerators,
    get_routine_accelerators,
    set_elementwise_accelerators,
    set_reduction_accelerators,
    set_routine_accelerators,
)
from cupola._cupy.core._dtype import get_dtype
from cupola._cupy.core._kernel import ElementwiseKernel, _get_warpsize, ufunc
from cupola._cupy.core._reduction import ReductionKernel
from cupola._cupy.core._scalar import get_typename
from cupola._cupy.core.core import (
    _internal_ascontiguousarray,
    _internal_asfortranarray,
    array,
    ascontiguousarray,
    asfortranarray,
    divmod,
    elementwise_copy,
    ndarray,
)
from cupola._cupy.core.dlpack import from_dlpack, fromDlpack
from cupola._cupy.core.internal import complete_slice, get_size
from cupola._cupy.core.raw import RawKernel, RawModule

for _name in (
    *("absolute", "add", "angle", "array_split", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("broadcast", "broadcast_to", "conjugate", "divide", "dot", "equal", "floor_divide"),
    *("greater", "greater_equal", "invert", "left_shift", "less", "less_equal", "matmul"),
    *("moveaxis", "multiply", "nanmax", "nanmin", "negative", "not_equal", "positive", "power"),
    *("remainder", "right_shift", "rollaxis", "size", "sqrt", "subtract", "true_divide"),
):
    globals()[_name] = getattr(cupola, _name)
concatenate_method = cupola.concatenate
