"""Fourier transforms along an axis that is not the last: where they lie, and their values."""

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

ON_CUDA = str(cp.empty(0).device).startswith("cuda")
# Short ones, products of small primes, others (by convolution), and longer than lanes take.
LENGTHS = (1, 2, 3, 4, 7, 16, 17, 30, 97, 256, 257, 300, 514, 1000, 1009, 2048, 8200)
COMPLEX = ("fft", "ifft", "irfft")
REAL = ("rfft", "ihfft")


def values(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    random = np.random.default_rng(sum(shape))
    real = random.standard_normal(shape)
    if np.dtype(dtype).kind != "c":
        return real.astype(dtype)
    return (real + 1j * random.standard_normal(shape)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("length", LENGTHS)
def test_columns_have_the_bits_of_rows(length: int, dtype: str) -> None:
    for outer, inner in ((1, 4), (2, 9), (3, 16), (1, 37)):
        if length * outer * inner > 100_000:
            continue
        host = values((outer, length, inner), dtype)
        rows = from_numpy(np.ascontiguousarray(np.moveaxis(host, 1, -1)))
        for name in COMPLEX if np.dtype(dtype).kind == "c" else REAL:
            if name == "irfft" and length == 1:
                continue
            function, expected = getattr(cp.fft, name), getattr(np.fft, name)(host, axis=1)
            found = to_numpy(function(from_numpy(host), axis=1))
            by_rows = np.moveaxis(to_numpy(function(rows, axis=-1)), -1, 1)
            if not ON_CUDA:  # cuFFT's steps are others for columns
                assert found.tobytes() == np.ascontiguousarray(by_rows).tobytes()
            bound = 2e-5 if found.dtype.itemsize // (1 + (found.dtype.kind == "c")) == 4 else 1e-12
            assert np.abs(found - expected).max() <= bound * np.abs(expected).max()


@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "rfft"])
@pytest.mark.parametrize("length", [5, 12, 301, 1024])
def test_columns_are_cut_padded_and_stored(name: str, length: int) -> None:
    dtype = "float64" if name == "rfft" else "complex128"
    host = values((2, 300, 10), dtype)
    expected = getattr(np.fft, name)(host, length, axis=1)
    a = from_numpy(host)
    out = cp.zeros(expected.shape, expected.dtype)
    assert getattr(cp.fft, name)(a, length, axis=1, out=out) is out
    np.testing.assert_allclose(to_numpy(out), expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(to_numpy(a), host)


def test_columns_of_views() -> None:
    host = values((20, 30, 40), "complex128")
    a = from_numpy(host)
    views = (
        lambda x: x[::2, 1:, ::3],
        lambda x: x[::-1],
        lambda x: x.T,
        lambda x: x.transpose(1, 0, 2),
        lambda x: x[:, :, 5],
    )
    for view in views:
        for axis in range(view(host).ndim):
            found, expected = (xp.fft.fft(view(x), axis=axis) for xp, x in ((cp, a), (np, host)))
            np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("special", [np.inf, np.nan])
def test_a_column_does_not_change_its_neighbours(special: float) -> None:
    host = values((300, 9), "float64")
    clean = to_numpy(cp.fft.rfft(from_numpy(host), axis=0))
    host[7, 4] = special
    found = to_numpy(cp.fft.rfft(from_numpy(host), axis=0))
    others = [column for column in range(9) if column != 4]
    np.testing.assert_array_equal(found[:, others], clean[:, others])
    assert not np.isfinite(found[:, 4]).any()


# Longer than the table of roots that a plan keeps.
@pytest.mark.parametrize("length", [1 << 17, 131_070 * 2])
def test_long_real_rows(length: int) -> None:
    host = values((length,), "float64")
    found = cp.fft.rfft(from_numpy(host))
    np.testing.assert_allclose(to_numpy(found), np.fft.rfft(host), rtol=0, atol=1e-9)
    np.testing.assert_allclose(to_numpy(cp.fft.irfft(found, length)), host, atol=1e-12)


# Many rows go through lanes together, a single one by itself. cuFFT's way depends on the number of
# rows for some lengths.
@pytest.mark.skipif(ON_CUDA, reason="the bits of the CPU's transforms")
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "float64"])
@pytest.mark.parametrize("length", [300, 512, 514, 600, 1000, 1024, 1009, 2048])
def test_a_row_has_its_bits_beside_others(length: int, dtype: str) -> None:
    host = values((19, length), dtype)
    function = cp.fft.fft if np.dtype(dtype).kind == "c" else cp.fft.rfft
    together = to_numpy(function(from_numpy(host)))
    for row in (0, 7, 18):
        alone = to_numpy(function(from_numpy(host[row])))
        assert alone.tobytes() == together[row].tobytes()
