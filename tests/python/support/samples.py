"""Sample values: the special ones of each type and random ones of several magnitudes."""

import ml_dtypes
import numpy as np

from .dtypes import is_float, real_dtype


def special_values(dtype: np.dtype) -> np.ndarray:
    """Values at which operations of this type usually go wrong."""
    if dtype == bool:
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, info.bits - 1, info.bits, info.max, info.max - 1]
        values += [info.min, info.min + 1]
        values += [-1, -2, -3, -7] if info.min < 0 else [info.max // 2, info.max // 2 + 1]
        return np.array(values, dtype)
    if dtype.kind == "c":
        parts = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan], real_dtype(dtype))
        real, imag = np.meshgrid(parts, parts)
        return join_complex(real.ravel(), imag.ravel())
    info = ml_dtypes.finfo(dtype)
    tiny, small = float(info.smallest_subnormal), float(info.tiny)
    values = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 1.0 / 3.0, np.pi, 10.0]
    values += [tiny, small, small * 1.5, float(info.eps), float(info.max), np.inf]
    positive = np.array(values).astype(dtype)
    return np.concatenate([positive, -positive, np.array([np.nan]).astype(dtype)])


def join_complex(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """Complex numbers from parts, without arithmetic on the parts."""
    result = np.empty(real.shape, np.dtype(f"c{2 * real.dtype.itemsize}"))
    result.real, result.imag = real, imag
    return result


def ordinary_values(dtype: np.dtype, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Random numbers of a few magnitudes around 1; for integers over the whole range."""
    generator = np.random.default_rng(seed)
    if dtype == bool:
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = generator.integers(max(info.min, -9), 10, shape).astype(dtype)
        wide = generator.integers(info.min, info.max, shape, dtype, endpoint=True)
        return np.where(generator.random(shape) < 0.7, small, wide)
    if dtype.kind == "c":
        real, imag = (ordinary_values(real_dtype(dtype), shape, 2 * seed + i) for i in (0, 1))
        return join_complex(real, imag)
    scale = np.exp2(generator.integers(-4, 5, shape))
    return (generator.standard_normal(shape) * scale).astype(dtype)


def mixed_values(dtype: np.dtype, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Ordinary values with some special ones among them."""
    generator = np.random.default_rng(seed + 1)
    ordinary = ordinary_values(dtype, shape, seed)
    special = generator.choice(special_values(dtype), shape)
    return np.where(generator.random(shape) < 0.25, special, ordinary)


def small_values(dtype: np.dtype, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Small integers in any type: sums and products of a few are exact."""
    generator = np.random.default_rng(seed)
    low = -3 if is_float(dtype) or dtype.kind in "ic" else 0
    values = generator.integers(low, 4, shape)
    if dtype.kind == "c":
        return (values + 1j * generator.integers(low, 4, shape)).astype(dtype)
    return values.astype(dtype)


def wide_sweep(dtype: np.dtype, count: int, seed: int) -> np.ndarray:
    """Floating values that cover every binade of the type, both signs, and [-1, 1] densely."""
    generator = np.random.default_rng(seed)
    info = ml_dtypes.finfo(dtype)
    low, high = np.log2(float(info.smallest_subnormal)), np.log2(float(info.max))
    signs = generator.choice([-1.0, 1.0], count)
    binades = np.exp2(generator.uniform(low, min(high, 1023.0), count)) * signs
    near = generator.uniform(-1, 1, count)
    moderate = generator.uniform(-30, 30, count)
    return np.concatenate([binades, near, moderate]).astype(dtype)
