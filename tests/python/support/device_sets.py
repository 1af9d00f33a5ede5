"""Programs whose arrays lie on several devices, and the devices that there are."""

import pytest
from cupola_under_test import cp, on_cuda

from .subprocesses import output_of

PLATFORM = "cuda" if on_cuda() else "cpu"
COUNT = cp._cupola.device_count(PLATFORM) if hasattr(cp, "_cupola") else 0
needs_several = pytest.mark.skipif(COUNT < 2, reason="needs several devices")

# Small pieces, so that small arrays are divided.
PIECES = {
    "CUPOLA_PLATFORM": "cpu",
    "CUPOLA_CPU_DEVICES": "4",
    "CUPOLA_CPU_STRIPE_BYTES": "16",
    "CUPOLA_CPU_MAP_TILE": "64",
    "CUPOLA_STRIPE_THRESHOLD": "1",
    "CUPOLA_MATMUL_BLOCK_ROWS": "16",
    "CUPOLA_FFT_BLOCK_ROWS": "4",
    "CUPOLA_DEVICE": "cpu:0-2",
    "CUPOLA_MEMORY_DEBUG": "",
}


def run(code: str, **environment: str) -> str:
    """What a program prints where arrays of a few elements are divided."""
    return output_of(
        "import numpy as np\nimport cupola as cp\n" + code, **{**PIECES, **environment}
    )
