"""Whether bodies of kernels can be compiled for the device of new arrays."""

import pytest
from cupola_under_test import cp


def skip_without_compiler() -> None:
    """Skips the test where NVRTC, or a C++ compiler for CPU devices, is missing."""
    try:
        cp.ElementwiseKernel("", "raw int32 y", "y[i] = 1", "probe")(size=1)
    except cp.errors.LibraryError as error:
        pytest.skip(str(error))
