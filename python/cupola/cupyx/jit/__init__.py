"""Kernels written in Python: `rawkernel`, and the functions that kernels call.

Called elsewhere, these raise RuntimeError.
"""

from __future__ import annotations

from cupola.cupyx.jit import cg as cg
from cupola.cupyx.jit import cub as cub
from cupola.cupyx.jit import thrust as thrust
from cupola.cupyx.jit._atomics import atomic_add as atomic_add
from cupola.cupyx.jit._atomics import atomic_and as atomic_and
from cupola.cupyx.jit._atomics import atomic_cas as atomic_cas
from cupola.cupyx.jit._atomics import atomic_dec as atomic_dec
from cupola.cupyx.jit._atomics import atomic_exch as atomic_exch
from cupola.cupyx.jit._atomics import atomic_inc as atomic_inc
from cupola.cupyx.jit._atomics import atomic_max as atomic_max
from cupola.cupyx.jit._atomics import atomic_min as atomic_min
from cupola.cupyx.jit._atomics import atomic_or as atomic_or
from cupola.cupyx.jit._atomics import atomic_sub as atomic_sub
from cupola.cupyx.jit._atomics import atomic_xor as atomic_xor
from cupola.cupyx.jit._builtins import blockDim as blockDim
from cupola.cupyx.jit._builtins import blockIdx as blockIdx
from cupola.cupyx.jit._builtins import grid as grid
from cupola.cupyx.jit._builtins import gridDim as gridDim
from cupola.cupyx.jit._builtins import gridsize as gridsize
from cupola.cupyx.jit._builtins import laneid as laneid
from cupola.cupyx.jit._builtins import range_ as range
from cupola.cupyx.jit._builtins import shared_memory as shared_memory
from cupola.cupyx.jit._builtins import shfl_down_sync as shfl_down_sync
from cupola.cupyx.jit._builtins import shfl_sync as shfl_sync
from cupola.cupyx.jit._builtins import shfl_up_sync as shfl_up_sync
from cupola.cupyx.jit._builtins import shfl_xor_sync as shfl_xor_sync
from cupola.cupyx.jit._builtins import syncthreads as syncthreads
from cupola.cupyx.jit._builtins import syncwarp as syncwarp
from cupola.cupyx.jit._builtins import threadIdx as threadIdx
from cupola.cupyx.jit._builtins import warpsize as warpsize
from cupola.cupyx.jit._rawkernel import rawkernel as rawkernel

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_dec",
    "atomic_exch",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "blockDim",
    "blockIdx",
    "cg",
    "cub",
    "grid",
    "gridDim",
    "gridsize",
    "laneid",
    "range",
    "rawkernel",
    "shared_memory",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads",
    "syncwarp",
    "threadIdx",
    "thrust",
    "warpsize",
]
