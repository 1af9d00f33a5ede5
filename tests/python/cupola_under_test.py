"""The module that the tests examine: cupola, or NumPy itself to examine the tests.

CUPOLA_TEST_MODULE=numpy puts NumPy in the place of cupola. Every test that compares with NumPy
must then pass; what NumPy does not have (devices, streams) is skipped. CUPOLA_TEST_FAULT is a
statement that breaks that module, `xp`, to see that tests notice.
"""

import os
from types import SimpleNamespace
from typing import Any

import numpy as np

IS_NUMPY = os.environ.get("CUPOLA_TEST_MODULE", "cupola") == "numpy"

FAULT = os.environ.get("CUPOLA_TEST_FAULT")

cp: Any
if IS_NUMPY:
    cp = np
    if FAULT:
        cp = SimpleNamespace(**vars(np))
        exec(FAULT, {"xp": cp, "np": np})
else:
    import cupola as cp


def from_numpy(array: np.ndarray) -> Any:
    """An array of the module under test with the elements and the dtype of `array`."""
    return np.array(array) if IS_NUMPY else cp.asarray(array)


def to_numpy(value: Any) -> np.ndarray:
    """The elements of an array of the module under test, or of a scalar, as a NumPy array."""
    if IS_NUMPY or not isinstance(value, cp.ndarray):
        return np.asarray(value)
    return cp.asnumpy(value)


def on_cuda() -> bool:
    """Whether new arrays live on a CUDA device."""
    return not IS_NUMPY and str(cp.empty(0).device).startswith("cuda")


def is_alone() -> bool:
    """Whether what a device has free is this process's doing: on CUDA, where no other runs."""
    return not on_cuda() or "CUPOLA_TEST_ALONE" in os.environ
