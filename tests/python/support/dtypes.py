"""The element types that the tests run over."""

import ml_dtypes
import numpy as np

bfloat16 = np.dtype(ml_dtypes.bfloat16)

BOOL = np.dtype(np.bool_)
SIGNED = [np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64)]
UNSIGNED = [np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64)]
INTEGERS = SIGNED + UNSIGNED
NUMPY_FLOATS = [np.dtype(t) for t in (np.float16, np.float32, np.float64)]
FLOATS = [*NUMPY_FLOATS, bfloat16]
COMPLEX = [np.dtype(t) for t in (np.complex64, np.complex128)]
# Everything that NumPy knows by itself, and everything that there is.
NUMPY_DTYPES = [BOOL, *INTEGERS, *NUMPY_FLOATS, *COMPLEX]
ALL_DTYPES = [*NUMPY_DTYPES, bfloat16]
# A few that differ in size and kind, where the product of all would say nothing more.
SOME_DTYPES = [np.dtype(t) for t in (np.bool_, np.int8, np.uint16, np.int64, np.float32)] + [
    np.dtype(np.complex128)
]

# One-letter codes of NumPy's loops for the types above.
NUMPY_CODES = {"?": BOOL, "b": SIGNED[0], "h": SIGNED[1], "i": SIGNED[2], "l": SIGNED[3]}
NUMPY_CODES |= {"B": UNSIGNED[0], "H": UNSIGNED[1], "I": UNSIGNED[2], "L": UNSIGNED[3]}
NUMPY_CODES |= {"e": NUMPY_FLOATS[0], "f": NUMPY_FLOATS[1], "d": NUMPY_FLOATS[2]}
NUMPY_CODES |= {"F": COMPLEX[0], "D": COMPLEX[1]}


def is_float(dtype: np.dtype) -> bool:
    """Real floating point, bfloat16 included."""
    return dtype.kind == "f" or dtype == bfloat16


def is_inexact(dtype: np.dtype) -> bool:
    """Real or complex floating point."""
    return is_float(dtype) or dtype.kind == "c"


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The type of the parts of a complex number; other types unchanged."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def epsilon(dtype: np.dtype) -> float:
    """The relative spacing of a floating or complex type."""
    return float(ml_dtypes.finfo(real_dtype(dtype)).eps)


def wide_dtype(dtype: np.dtype) -> np.dtype:
    """A type in which a result for `dtype` can be computed with an error that does not count."""
    if dtype.kind == "c":
        return np.dtype(np.complex128 if dtype.itemsize == 8 else np.clongdouble)
    return np.dtype(np.longdouble if dtype.itemsize == 8 else np.float64)


def name(dtype: np.dtype) -> str:
    """For test ids."""
    return dtype.name
