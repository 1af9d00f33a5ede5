"""The array API standard's extensions, linalg and fft."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only

FLOATS = ["float32", "float64", "complex64", "complex128"]


def stack(dtype: str) -> np.ndarray:
    """Symmetric (or Hermitian) positive definite matrices."""
    random = np.random.default_rng(3)
    a = random.standard_normal((2, 4, 4)) + (1j * random.standard_normal((2, 4, 4)))
    a = a if dtype[0] == "c" else a.real
    return (a @ a.conj().swapaxes(-1, -2) + 4 * np.eye(4)).astype(dtype)


def near(found: Any, expected: Any, dtype: str) -> None:
    digits = 2e-4 if dtype in ("float32", "complex64") else 1e-9
    np.testing.assert_allclose(to_numpy(found), to_numpy(expected), rtol=digits, atol=digits)


@pytest.mark.parametrize("dtype", FLOATS)
def test_factorisations(dtype: str) -> None:
    host = stack(dtype)
    a, real = from_numpy(host), np.zeros(1, dtype).real.dtype
    lower, upper = cp.linalg.cholesky(a), cp.linalg.cholesky(a, upper=True)
    near(lower @ cp.conj(lower.mT), host, dtype)
    near(cp.conj(upper.mT) @ upper, host, dtype)
    values, vectors = cp.linalg.eigh(a)
    assert (cp.linalg.eigh(a)._fields) == ("eigenvalues", "eigenvectors")
    assert (values.dtype, vectors.dtype) == (real, dtype)
    near(a @ vectors, vectors * values[:, None, :], dtype)
    near(cp.linalg.eigvalsh(a), values, dtype)
    for mode, columns in (("reduced", 2), ("complete", 4)):
        found = cp.linalg.qr(a[..., :2], mode=mode)
        assert found._fields == ("Q", "R")
        assert (found.Q.shape, found.R.shape) == ((2, 4, columns), (2, columns, 2))
        near(found.Q @ found.R, host[..., :2], dtype)
    for full, size in ((True, 4), (False, 2)):
        parts = cp.linalg.svd(a[..., :2], full_matrices=full)
        assert parts._fields == ("U", "S", "Vh")
        assert (parts.U.shape, parts.S.shape, parts.Vh.shape) == ((2, 4, size), (2, 2), (2, 2, 2))
        assert parts.S.dtype == real
        near((parts.U[..., :2] * parts.S[:, None, :]) @ parts.Vh, host[..., :2], dtype)
    near(cp.linalg.svdvals(a[..., :2]), np.linalg.svd(host[..., :2], compute_uv=False), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_general_eigenvalues_are_complex(dtype: str) -> None:
    a = from_numpy(stack(dtype))
    values, vectors = cp.linalg.eig(a)
    wide = {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)
    assert values.dtype == vectors.dtype == cp.linalg.eigvals(a).dtype == wide
    near(a @ vectors, vectors * values[:, None, :], dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_systems_and_products(dtype: str) -> None:
    host = stack(dtype)
    a, right = from_numpy(host), from_numpy(host[0, :, 0])
    near(cp.linalg.inv(a) @ a, np.broadcast_to(np.eye(4), (2, 4, 4)), dtype)
    near(a @ cp.linalg.solve(a, from_numpy(host)), host, dtype)
    assert cp.linalg.solve(a, right).shape == (2, 4)
    sign, logabsdet = cp.linalg.slogdet(a)
    assert cp.linalg.slogdet(a)._fields == ("sign", "logabsdet")
    near(sign * cp.exp(logabsdet), cp.linalg.det(a), dtype)
    near(cp.linalg.matrix_power(a, -2) @ a @ a, np.broadcast_to(np.eye(4), (2, 4, 4)), dtype)
    near(cp.linalg.pinv(a[..., :2], rtol=1e-5) @ a[..., :2], np.eye(2)[None] + np.zeros((2, 1, 1)),
         dtype)  # fmt: skip
    assert to_numpy(cp.linalg.matrix_rank(a, rtol=cp.asarray([1e-5, 1e-5]))).tolist() == [4, 4]
    near(cp.linalg.trace(a, offset=1), np.trace(host, 1, 1, 2), dtype)
    near(cp.linalg.diagonal(a, offset=-1), np.diagonal(host, -1, 1, 2), dtype)
    near(cp.linalg.outer(right, right), np.outer(host[0, :, 0], host[0, :, 0]), dtype)
    near(cp.vecdot(a, a, axis=1), np.sum(host.conj() * host, 1), dtype)
    assert cp.tensordot(a, a, axes=((0, 2), (0, 1))).shape == (4, 4)
    near(cp.matrix_transpose(a), host.swapaxes(1, 2), dtype)


def test_forms_of_the_products_that_are_refused() -> None:
    for call in (
        lambda: cp.linalg.outer(cp.ones((2, 2)), cp.ones(2)),
        lambda: cp.linalg.cross(cp.ones(2), cp.ones(2)),
        lambda: cp.linalg.diagonal(cp.ones(2)),
        lambda: cp.matmul(cp.asarray(1.0), cp.ones(2)),
        lambda: cp.linalg.matrix_transpose(cp.ones(2)),
    ):
        with pytest.raises(ValueError):
            call()
    crossed = cp.linalg.cross(cp.ones((3, 4)), cp.ones((3, 1)), axis=0)
    assert to_numpy(crossed).tolist() == [[0.0] * 4] * 3


@pytest.mark.parametrize("order", [0, 1, 2, 3.5, -1, np.inf, -np.inf])
def test_vector_norms(order: float) -> None:
    host = np.arange(1.0, 25).reshape(2, 3, 4)
    for axis, keepdims in ((None, False), (0, True), ((0, 2), False), ((1, 2), True)):
        found = cp.linalg.vector_norm(from_numpy(host), axis=axis, keepdims=keepdims, ord=order)
        near(found, np.linalg.vector_norm(host, axis=axis, keepdims=keepdims, ord=order), "float64")


@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, -1, -2, np.inf, -np.inf])
def test_matrix_norms(order: Any) -> None:
    found = cp.linalg.matrix_norm(from_numpy(stack("float64")), ord=order, keepdims=True)
    assert found.shape == (2, 1, 1)
    near(found, np.linalg.matrix_norm(stack("float64"), ord=order, keepdims=True), "float64")


# ---- fft


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_transforms_and_their_inverses(dtype: str, norm: str) -> None:
    random = np.random.default_rng(5)
    host = (random.standard_normal((4, 6)) + 1j * random.standard_normal((4, 6))).astype(dtype)
    z, real = from_numpy(host), from_numpy(host.real.copy())
    f = cp.fft
    for forward, back in ((f.fft, f.ifft), (f.fftn, f.ifftn)):
        assert forward(z, norm=norm).dtype == dtype
        near(back(forward(z, norm=norm), norm=norm), host, dtype)
    assert f.rfft(real, norm=norm).dtype == dtype
    near(f.irfft(f.rfft(real, norm=norm), n=6, norm=norm), host.real, dtype)
    near(f.irfftn(f.rfftn(real, norm=norm), s=(4, 6), axes=(0, 1), norm=norm), host.real, dtype)
    near(f.ihfft(f.hfft(z, n=11, norm=norm), norm=norm)[:, 1:], host[:, 1:], dtype)
    assert f.hfft(z, norm=norm).dtype == real.dtype
    assert f.fft(z, n=3, axis=0).shape == (3, 6)
    assert f.fftn(z, s=(2, 3), axes=(0, 1)).shape == (2, 3)


@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
@pytest.mark.parametrize("n", [1, 4, 7])
def test_frequencies(n: int, dtype: str | None) -> None:
    for name in ("fftfreq", "rfftfreq"):
        device = cp.__array_namespace_info__().devices()[-1]
        found = getattr(cp.fft, name)(n, d=0.5, dtype=dtype, device=device)
        assert (found.dtype, found.device) == (dtype or "float64", device)
        near(found, getattr(np.fft, name)(n, 0.5), "float64" if dtype != "float32" else dtype)
        for other in ("int64", "complex64", "bool"):
            with pytest.raises(ValueError, match="floating"):
                getattr(cp.fft, name)(n, dtype=other)


@pytest.mark.parametrize("axes", [None, 0, (0, 1), -1])
def test_shifts(axes: Any) -> None:
    host = np.arange(12.0).reshape(3, 4)
    shifted = cp.fft.fftshift(from_numpy(host), axes=axes)
    np.testing.assert_array_equal(to_numpy(shifted), np.fft.fftshift(host, axes))
    np.testing.assert_array_equal(to_numpy(cp.fft.ifftshift(shifted, axes=axes)), host)
