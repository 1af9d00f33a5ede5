"""CuPy's `cupy.array_api`: the names of the array API standard.

`cupola` itself follows the standard; these are its functions, its dtypes and its arrays. CuPy's
module has arrays of another class, which refuse what the standard leaves open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

_NAMES = (
    "abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan "
    "atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift "
    "bitwise_xor bool broadcast_arrays broadcast_to can_cast ceil concat cos cosh divide e "
    "empty empty_like equal exp expand_dims expm1 eye finfo flip float32 float64 floor "
    "floor_divide from_dlpack full full_like greater greater_equal iinfo inf int16 int32 "
    "int64 int8 isfinite isinf isnan less less_equal linalg linspace log log10 log1p log2 "
    "logaddexp logical_and logical_not logical_or logical_xor matmul matrix_transpose max "
    "mean meshgrid min multiply nan negative nonzero not_equal ones ones_like permute_dims pi "
    "positive pow prod remainder reshape result_type roll round sign sin sinh sort sqrt "
    "square squeeze stack std subtract sum take tan tanh tensordot tril triu trunc uint16 "
    "uint32 uint64 uint8 unique_all unique_counts unique_inverse unique_values var vecdot "
    "where zeros zeros_like"
)

__all__ = _NAMES.split()

if not TYPE_CHECKING:  # which would allow every name

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'cupola.array_api' has no attribute {name!r}")
        import cupola

        return getattr(cupola, name)


def __dir__() -> list[str]:
    return sorted(__all__)
