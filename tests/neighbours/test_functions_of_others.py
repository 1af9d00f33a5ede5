"""Functions of other libraries called with arrays."""

import pickle
from typing import Any

import numpy as np
import pytest

import cupola as cp

HOST = np.random.default_rng(4).random((6, 6))


def same(found: Any, expected: Any) -> None:
    assert type(found) is cp.ndarray
    np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-9, atol=1e-12)


def test_einops() -> None:
    einops = pytest.importorskip("einops")
    for made in (cp.asarray,):
        a = made(HOST)
        same(einops.rearrange(a, "(a b) c -> c a b", a=2), HOST.T.reshape(6, 2, 3))
        same(einops.reduce(a, "(a b) c -> b c", "mean", a=2), HOST.reshape(2, 3, 6).mean(0))
        same(einops.repeat(a, "a b -> a b c", c=2), np.repeat(HOST[..., None], 2, -1))
        same(einops.einsum(a, a, "a b, b c -> a c"), HOST @ HOST)
        same(einops.pack([a, a], "* b")[0], np.concatenate([HOST, HOST]))


def test_opt_einsum() -> None:
    opt_einsum = pytest.importorskip("opt_einsum")
    a = cp.asarray(HOST)
    same(opt_einsum.contract("ij,kj,kl->il", a, a, a), HOST @ HOST.T @ HOST)


def test_array_api_compat() -> None:
    compat = pytest.importorskip("array_api_compat")
    a = cp.asarray(HOST)
    xp = compat.array_namespace(a)
    same(xp.sum(a, axis=0), HOST.sum(axis=0))
    assert compat.is_array_api_obj(a)
    assert compat.device(a) == a.device
    assert compat.size(a) == 36
    same(compat.to_device(a, cp.Device("cpu:1")), HOST)


def test_array_api_extra() -> None:
    extra = pytest.importorskip("array_api_extra")
    a = cp.asarray(HOST)
    same(extra.cov(a), np.cov(HOST))
    same(extra.at(a, 0).set(5.0, copy=True)[0], np.full(6, 5.0))
    same(extra.pad(a, 1), np.pad(HOST, 1))
    same(extra.kron(a[:2, :2], a[:2, :2]), np.kron(HOST[:2, :2], HOST[:2, :2]))
    same(extra.create_diagonal(a[0]), np.diag(HOST[0]))
    assert int(extra.nunique(cp.asarray([1, 2, 2]))) == 2


def test_scipy() -> None:
    """With SCIPY_ARRAY_API=1, which conftest.py sets."""
    special, stats = pytest.importorskip("scipy.special"), pytest.importorskip("scipy.stats")
    from scipy import fft

    a = cp.asarray(HOST)
    same(special.logsumexp(a, axis=0), special.logsumexp(HOST, axis=0))
    same(special.expit(a), special.expit(HOST))
    same(stats.zscore(a), stats.zscore(HOST))
    same(stats.pearsonr(a[0], a[1]).statistic[()], stats.pearsonr(HOST[0], HOST[1]).statistic)
    same(stats.gmean(a, axis=0), stats.gmean(HOST, axis=0))
    same(fft.fft(a), np.fft.fft(HOST))
    same(fft.rfft(a), np.fft.rfft(HOST))


@pytest.mark.parametrize(
    "draw",
    [
        lambda axes, a: axes.plot(a[0], a[1]),
        lambda axes, a: axes.bar(a[0], a[1]),
        lambda axes, a: axes.barh(a[0], a[1]),
        lambda axes, a: axes.scatter(a[0], a[1], c=a[2]),
        lambda axes, a: axes.hist(a[0]),
        lambda axes, a: axes.imshow(a),
        lambda axes, a: axes.contour(a),
        lambda axes, a: axes.errorbar(a[0], a[1], yerr=a[2]),
        lambda axes, a: axes.fill_between(a[0], a[1], a[2]),
        lambda axes, a: axes.boxplot(a[0]),
        lambda axes, a: axes.pcolormesh(a),
    ],
)
def test_matplotlib(draw: Any) -> None:
    """The picture of NumPy's arrays."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pictures = []
    for values in (HOST, cp.asarray(HOST)):
        figure, axes = pyplot.subplots()
        draw(axes, values)
        figure.canvas.draw()
        pictures.append(np.asarray(figure.canvas.buffer_rgba()).copy())
        pyplot.close(figure)
    np.testing.assert_array_equal(*pictures)


def test_numba() -> None:
    """Compiled functions of the host take arrays on CPU devices; the memory is not copied."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def doubled(x: Any) -> float:
        total = 0.0
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                total += x[i, j]
                x[i, j] *= 2
        return total

    a = cp.asarray(HOST)
    assert doubled(a) == pytest.approx(HOST.sum())
    same(a, HOST * 2)
    assert doubled(a.T) == pytest.approx(HOST.sum() * 2)


def test_streams_of_numba_cuda_and_cuda_core() -> None:
    """Their streams say who they are by `__cuda_stream__`; a device for work is not needed here."""
    core = pytest.importorskip("cuda.core")
    assert hasattr(core.Stream, "__cuda_stream__")
    assert hasattr(cp.Stream, "__cuda_stream__")
    pytest.importorskip("numba_cuda")


def test_joblib() -> None:
    joblib = pytest.importorskip("joblib")
    a = cp.asarray(HOST)
    for found in joblib.Parallel(2)(joblib.delayed(cp.negative)(a) for _ in range(2)):
        same(found, -HOST)
    assert joblib.hash(a) == joblib.hash(cp.asarray(HOST))
    assert joblib.hash(a) != joblib.hash(a + 1)


def test_cloudpickle() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    a = cp.asarray(HOST)
    same(pickle.loads(cloudpickle.dumps(lambda: a + 1))(), HOST + 1)


def test_dask() -> None:
    da = pytest.importorskip("dask.array")
    x = da.from_array(cp.asarray(HOST), chunks=3, asarray=False)
    same((x @ x.T).mean(axis=0).compute(), (HOST @ HOST.T).mean(axis=0))
