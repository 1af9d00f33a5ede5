"""Arrays whose chunks, chosen by the program, lie on several devices: CuPy's module.

Chunks may overlap, and a device may have several. `DistributedArray` has elementwise operations,
sums, products, extremes and matrix products. Where the placement may be left to the library, an
ordinary array on a set of devices, `cupola.all_devices()`, has every function of the package.
"""

from __future__ import annotations

from cupola.cupyx.distributed.array._array import DistributedArray
from cupola.cupyx.distributed.array._creation import distributed_array
from cupola.cupyx.distributed.array._modes import Mode
from cupola.cupyx.distributed.array._products import make_2d_index_map, matmul

__all__ = [
    "MAX",
    "MIN",
    "PROD",
    "REPLICA",
    "SUM",
    "DistributedArray",
    "Mode",
    "distributed_array",
    "make_2d_index_map",
    "matmul",
]

REPLICA = Mode.REPLICA
MIN = Mode.MIN
MAX = Mode.MAX
SUM = Mode.SUM
PROD = Mode.PROD
