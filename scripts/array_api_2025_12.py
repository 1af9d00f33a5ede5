"""The names and signatures of the array API standard 2025.12, by its chapters."""

from __future__ import annotations

_UNARY_NAMES = """
abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag
isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round sign
signbit sin sinh square sqrt tan tanh trunc
"""
UNARY = _UNARY_NAMES.split()

_BINARY_NAMES = """
add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign
divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and
logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract
"""
BINARY = _BINARY_NAMES.split()

_MADE = "*, dtype=None, device=None"
_REDUCED = "x, /, *, axis=None, keepdims=False"
_TYPED = "x, /, *, axis=None, dtype=None, keepdims=False"
_SPREAD = "x, /, *, axis=None, correction=0.0, keepdims=False"
_RUNNING = "x, /, *, axis=None, dtype=None, include_initial=False"
_LINE = "x, /, *, n=None, axis=-1, norm='backward'"
_VOLUME = "x, /, *, s=None, axes=None, norm='backward'"

PRODUCTS = {
    "matmul": "x1, x2, /",
    "matrix_transpose": "x, /",
    "tensordot": "x1, x2, /, *, axes=2",
    "vecdot": "x1, x2, /, *, axis=-1",
}

MAIN = {
    "arange": "start, /, stop=None, step=1, *, dtype=None, device=None",
    "asarray": "obj, /, *, dtype=None, device=None, copy=None",
    "empty": f"shape, {_MADE}",
    "empty_like": f"x, /, {_MADE}",
    "eye": "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None",
    "from_dlpack": "x, /, *, device=None, copy=None",
    "full": f"shape, fill_value, {_MADE}",
    "full_like": f"x, /, fill_value, {_MADE}",
    "linspace": "start, stop, /, num, *, dtype=None, device=None, endpoint=True",
    "meshgrid": "*arrays, indexing='xy'",
    "ones": f"shape, {_MADE}",
    "ones_like": f"x, /, {_MADE}",
    "tril": "x, /, *, k=0",
    "triu": "x, /, *, k=0",
    "zeros": f"shape, {_MADE}",
    "zeros_like": f"x, /, {_MADE}",
    "astype": "x, dtype, /, *, copy=True, device=None",
    "can_cast": "from_, to, /",
    "finfo": "type, /",
    "iinfo": "type, /",
    "isdtype": "dtype, kind",
    "result_type": "*arrays_and_dtypes",
    "clip": "x, /, min=None, max=None",
    **dict.fromkeys(UNARY, "x, /"),
    **dict.fromkeys(BINARY, "x1, x2, /"),
    "take": "x, indices, /, *, axis=None",
    "take_along_axis": "x, indices, /, *, axis=-1",
    **PRODUCTS,
    "broadcast_arrays": "*arrays",
    "broadcast_shapes": "*shapes",
    "broadcast_to": "x, /, shape",
    "concat": "arrays, /, *, axis=0",
    "expand_dims": "x, /, axis",
    "flip": "x, /, *, axis=None",
    "moveaxis": "x, source, destination, /",
    "permute_dims": "x, /, axes",
    "repeat": "x, repeats, /, *, axis=None",
    "reshape": "x, /, shape, *, copy=None",
    "roll": "x, /, shift, *, axis=None",
    "squeeze": "x, /, axis",
    "stack": "arrays, /, *, axis=0",
    "tile": "x, repetitions, /",
    "unstack": "x, /, *, axis=0",
    "argmax": _REDUCED,
    "argmin": _REDUCED,
    "count_nonzero": _REDUCED,
    "nonzero": "x, /",
    "searchsorted": "x1, x2, /, *, side='left', sorter=None",
    "where": "condition, x1, x2, /",
    "isin": "x1, x2, /, *, invert=False",
    "unique_all": "x, /",
    "unique_counts": "x, /",
    "unique_inverse": "x, /",
    "unique_values": "x, /",
    "argsort": "x, /, *, axis=-1, descending=False, stable=True",
    "sort": "x, /, *, axis=-1, descending=False, stable=True",
    "cumulative_prod": _RUNNING,
    "cumulative_sum": _RUNNING,
    "max": _REDUCED,
    "mean": _REDUCED,
    "min": _REDUCED,
    "prod": _TYPED,
    "std": _SPREAD,
    "sum": _TYPED,
    "var": _SPREAD,
    "all": _REDUCED,
    "any": _REDUCED,
    "diff": "x, /, *, axis=-1, n=1, prepend=None, append=None",
    "__array_namespace_info__": "",
}

LINALG = {
    "cholesky": "x, /, *, upper=False",
    "cross": "x1, x2, /, *, axis=-1",
    "det": "x, /",
    "diagonal": "x, /, *, offset=0",
    "eig": "x, /",
    "eigh": "x, /",
    "eigvals": "x, /",
    "eigvalsh": "x, /",
    "inv": "x, /",
    "matrix_norm": "x, /, *, keepdims=False, ord='fro'",
    "matrix_power": "x, n, /",
    "matrix_rank": "x, /, *, rtol=None",
    "outer": "x1, x2, /",
    "pinv": "x, /, *, rtol=None",
    "qr": "x, /, *, mode='reduced'",
    "slogdet": "x, /",
    "solve": "x1, x2, /",
    "svd": "x, /, *, full_matrices=True",
    "svdvals": "x, /",
    "trace": "x, /, *, offset=0, dtype=None",
    "vector_norm": "x, /, *, axis=None, keepdims=False, ord=2",
    **PRODUCTS,
}

FFT = {
    **dict.fromkeys(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"], _LINE),
    **dict.fromkeys(["fftn", "ifftn", "rfftn", "irfftn"], _VOLUME),
    **dict.fromkeys(["fftfreq", "rfftfreq"], "n, /, *, d=1.0, dtype=None, device=None"),
    **dict.fromkeys(["fftshift", "ifftshift"], "x, /, *, axes=None"),
}

_OPERATORS_NAMES = """
add sub mul truediv floordiv mod pow matmul and or xor lshift rshift
"""
_OPERATORS = _OPERATORS_NAMES.split()

METHODS = {
    "__array_namespace__": "self, /, *, api_version=None",
    "__dlpack__": "self, /, *, stream=None, max_version=None, dl_device=None, copy=None",
    "__dlpack_device__": "self, /",
    "__getitem__": "self, key, /",
    "__setitem__": "self, key, value, /",
    "to_device": "self, device, /, *, stream=None",
    **{
        f"__{name}__": "self, /"
        for name in ["abs", "bool", "complex", "float", "index", "int", "invert", "neg", "pos"]
    },
    **{f"__{name}__": "self, other, /" for name in ["eq", "ge", "gt", "le", "lt", "ne"]},
    **{f"__{kind}{name}__": "self, other, /" for name in _OPERATORS for kind in ("", "r", "i")},
}

ATTRIBUTES = ["dtype", "device", "mT", "ndim", "shape", "size", "T"]
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
_DTYPES_NAMES = """
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128
"""
DTYPES = _DTYPES_NAMES.split()
