"""What CuPy has beyond NumPy: `cupola.cupyx`, methods of arrays, older names."""

import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.subprocesses import output_of

pytestmark = pytest.mark.cupola_only

if hasattr(cp, "errors"):
    cupyx = cp.cupyx
    from cupola.cupyx import profiler
    from cupola.cupyx.linalg import invh
    from cupola.cupyx.optimizing import optimize

INDICES = [
    np.array([1, 2, 1, 0]),
    np.array([[0, 0], [2, -1]]),
    slice(1, None, 2),
    3,
    (np.array([0, 1, 0]), np.array([1, 2, 1])),
    np.array([True, False, True, True]),
    (Ellipsis, 1),
]


@pytest.mark.parametrize("name", ["add", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "float64", "uint64"])
@pytest.mark.parametrize("index", range(len(INDICES)))
def test_scatter(name: str, dtype: str, index: int) -> None:
    short = {"add": "add", "maximum": "max", "minimum": "min"}[name]
    a = (np.arange(12).reshape(4, 3) % 5).astype(dtype)
    place = INDICES[index]
    parts = place if isinstance(place, tuple) else (place,)
    ours = tuple(from_numpy(p) if isinstance(p, np.ndarray) else p for p in parts)
    shape = a[place].shape
    for value in (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 1.5, 2, 2.5):
        expected = a.copy()
        getattr(np, name).at(expected, place, np.asarray(value).astype(dtype))
        for way in (getattr(cupyx, f"scatter_{short}"), None):
            result = from_numpy(a)
            given = from_numpy(value) if isinstance(value, np.ndarray) else value
            if way is None:
                assert getattr(result, f"scatter_{short}")(ours, given) is None
            else:
                assert way(result, ours if len(ours) > 1 else ours[0], given) is None
            np.testing.assert_array_equal(to_numpy(result), expected)


def test_scatter_refuses() -> None:
    with pytest.raises(TypeError, match="first argument must be"):
        cupyx.scatter_add(np.zeros(3), 0, 1)
    with pytest.raises(IndexError):
        cupyx.scatter_add(cp.zeros(3), cp.array([3]), 1)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_rsqrt(dtype: str) -> None:
    x = np.array([[1, 4], [9, 2]], dtype)
    result = cupyx.rsqrt(from_numpy(x))
    root = np.sqrt(x)
    assert result.dtype == root.dtype
    np.testing.assert_allclose(
        to_numpy(result), 1 / root, rtol=1e-3 if dtype == "float16" else 1e-6
    )
    out = cp.empty((2, 2), root.dtype)
    assert cupyx.rsqrt(from_numpy(x), out) is out
    with pytest.raises(TypeError, match="real numbers"):
        cupyx.rsqrt(cp.ones(2, complex))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_invh(dtype: str) -> None:
    rng = np.random.default_rng(2)
    m = rng.random((2, 4, 4)).astype(dtype)
    if dtype == "complex128":
        m += 1j * rng.random((2, 4, 4))
    a = m @ m.conj().swapaxes(-1, -2) + 4 * np.eye(4, dtype=dtype)
    rtol = 1e-4 if dtype == "float32" else 1e-9
    np.testing.assert_allclose(to_numpy(invh(from_numpy(a))), np.linalg.inv(a), rtol, rtol)
    with pytest.raises(np.linalg.LinAlgError):
        invh(-cp.eye(2))


def test_error_state() -> None:
    before = cupyx.geterr()
    assert before["linalg"] == "raise"
    with cupyx.errstate(linalg="ignore", fallback_mode="warn"):
        assert cupyx.geterr() == {**before, "linalg": "ignore", "fallback_mode": "warn"}
        seen: list[Any] = []
        thread = threading.Thread(target=lambda: seen.append(cupyx.geterr()))
        thread.start()
        thread.join()
        assert seen == [before]
        assert cupyx.seterr(linalg="raise")["linalg"] == "ignore"
    assert cupyx.geterr() == before
    with pytest.raises(ValueError, match="no value of linalg"):
        cupyx.seterr(linalg="loud")
    with pytest.raises(NotImplementedError, match="divide='warn'"):
        cupyx.seterr(divide="warn")


def test_ignored_failures_of_linear_algebra() -> None:
    singular = np.array([[[1.0, 1.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 4.0]]])
    a, b = from_numpy(singular), cp.ones((2, 2, 1))
    indefinite = from_numpy(-singular[1])
    calls = [
        lambda: cp.linalg.inv(a),
        lambda: cp.linalg.solve(a, b),
        lambda: cp.linalg.matrix_power(a, -1),
    ]
    with cupyx.errstate(linalg="ignore"):
        for call in calls:
            found = to_numpy(call())
            assert np.isnan(found[0]).all()
            assert np.isfinite(found[1]).all()
        np.testing.assert_array_equal(to_numpy(cp.linalg.inv(a))[1], [[0.5, 0], [0, 0.25]])
        assert np.isnan(to_numpy(cp.linalg.solve(a[0], cp.ones(2)))).all()
        assert np.isnan(to_numpy(cp.linalg.cholesky(indefinite))).all()
        assert np.isnan(to_numpy(invh(indefinite))).all()
        with cupyx.errstate(linalg="raise"), pytest.raises(np.linalg.LinAlgError):
            calls[0]()
    for call in (*calls, lambda: cp.linalg.cholesky(indefinite)):
        with pytest.raises(np.linalg.LinAlgError):
            call()


def test_allow_synchronize() -> None:
    code = """
import cupola as cp, threading, warnings
from cupola.cupyx import DeviceSynchronized, allow_synchronize
with warnings.catch_warnings(record=True) as seen, allow_synchronize(True):
    pass
assert "allow_synchronize" in str(seen[0].message)
warnings.simplefilter("ignore")
a = cp.arange(4.0)
s = cp.cuda.Stream()
waits = [lambda: a.get(), lambda: a.tolist(), lambda: a.tobytes(), lambda: a[1].item(),
         lambda: float(a[1]), lambda: int(a[1]), lambda: bool(a[1]), lambda: s.synchronize(),
         lambda: cp.cuda.Device().synchronize(), lambda: s.record().synchronize()]
for wait in waits:
    wait()
with allow_synchronize(False):
    for wait in waits:
        try:
            wait()
        except DeviceSynchronized:
            continue
        raise AssertionError(wait)
    b = a + 1
    host = a.get(blocking=False)
    thread = threading.Thread(target=lambda: print(float(a[2])))
    thread.start()
    thread.join()
    with allow_synchronize(True):
        print(b.tolist())
for wait in waits:
    wait()
print(host)
"""
    assert output_of(code).splitlines() == ["2.0", "[1.0, 2.0, 3.0, 4.0]", "[0. 1. 2. 3.]"]


def test_benchmark() -> None:
    calls = []

    def work(n: int, *, m: int) -> Any:
        calls.append((n, m))
        time.sleep(0.001)
        return cp.ones(n) + m

    result = profiler.benchmark(work, (5,), {"m": 2}, n_repeat=4, n_warmup=2)
    assert calls == [(5, 2)] * 6
    assert result.cpu_times.shape == (4,)
    assert result.gpu_times.shape == (1, 4)
    assert (result.cpu_times >= 0.001).all()
    assert (result.gpu_times >= 0).all()
    text = str(result)
    assert text.startswith("work ")
    assert "CPU:" in text
    label = f"GPU-{cp.cuda.get_device_id()}:"
    assert label in text
    assert label not in result.to_str()
    stopped = profiler.benchmark(work, (5,), {"m": 2}, n_repeat=10**6, max_duration=0.01, name="w")
    assert stopped.cpu_times.size < 1000
    assert stopped.name == "w"
    with pytest.raises(ValueError, match="tuple"):
        profiler.benchmark(work, [5])
    with pytest.raises(TypeError, match="callable"):
        profiler.benchmark(3)
    with pytest.raises(ValueError, match="n_repeat"):
        profiler.benchmark(work, (5,), {"m": 2}, n_repeat=-1)
    with pytest.warns(DeprecationWarning, match="cupyx.profiler.benchmark"):
        assert cupyx.time.repeat(cp.ones, (3,), n_repeat=1).name == "ones"


def test_ranges_profile_and_optimize() -> None:
    @profiler.time_range(sync=True)
    def double(a: Any) -> Any:
        """Two."""
        return a * 2

    assert double.__doc__ == "Two."
    with profiler.profile(), profiler.time_range("sum", color_id=3), optimize(max_trials=3):
        assert double(cp.ones(2)).tolist() == [2, 2]
    with profiler.time_range("m", argb_color=0xFF00FF00):
        cp.cuda.nvtx.Mark("point", 1)
    with pytest.raises(ValueError, match="Only either"):
        profiler.time_range("a", 1, 2)
    with pytest.raises(ValueError, match="message"), profiler.time_range():
        pass
    with pytest.raises(TypeError, match="no keyword 'nosuch'"), optimize(nosuch=1):
        pass
    with pytest.warns(UserWarning, match="use cupyx.profiler.profile"), cp.cuda.profile():
        cp.cuda.profiler.start()


def test_runtime_info() -> None:
    short, full = str(cupyx.get_runtime_info()), str(cupyx.get_runtime_info(full=True))
    assert f"NumPy Version        : {np.__version__}" in short
    assert len(full.splitlines()) > len(short.splitlines())


def test_pinned_relatives() -> None:
    assert cupyx.empty_pinned is cp.empty_pinned
    assert cupyx.zeros_pinned((2, 3)).tolist() == [[0] * 3] * 2
    assert cupyx.zeros_like_pinned(cp.ones(2)).tolist() == [0, 0]
    assert cupyx.empty_like_pinned(np.ones((2, 1), "f4")).dtype == np.float32


# ---- methods and older names


def test_reduced_view() -> None:
    a = cp.arange(24).reshape(2, 3, 4)
    assert a.reduced_view().shape == (24,)
    assert a[:, :, ::2].reduced_view().shape == (12,)
    assert a[:, :2].reduced_view().shape == (2, 8)
    assert a[:, 1:2, :3].reduced_view().shape == (2, 3)
    assert a.transpose(2, 0, 1).reduced_view().shape == (4, 6)
    assert cp.zeros((3, 0, 2)).reduced_view().shape == (0,)
    assert cp.ones(()).reduced_view().shape == ()
    assert a.reduced_view("int32").shape == (48,)
    view = a[:, :2].reduced_view()
    view[1, 3] = 99
    assert int(a[1, 0, 3]) == 99


def test_dlpack_capsules() -> None:
    a = cp.arange(3)
    for capsule in (a.toDlpack(), cp.toDlpack(a)):
        b = cp.fromDlpack(capsule)
        assert b.data.ptr == a.data.ptr
        with pytest.raises((ValueError, RuntimeError)):
            cp.fromDlpack(capsule)


def test_ptp_and_sorting() -> None:
    x = np.array([[3, 1, 4], [1, 5, 9]])
    a = from_numpy(x)
    assert int(a.ptp()) == 8
    assert a.ptp(0).tolist() == np.ptp(x, 0).tolist()
    assert a.ptp(1, None, True).tolist() == np.ptp(x, 1, keepdims=True).tolist()
    assert cp.msort(a).tolist() == np.sort(x, 0).tolist()
    for invert in (False, True):
        expected = np.isin(x, [1, 9], invert=invert).ravel().tolist()
        assert cp.in1d(a, cp.array([1, 9]), invert=invert).tolist() == expected


def test_aliases_and_constants() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cp.Inf == cp.Infinity == cp.PINF == cp.infty == np.inf == -cp.NINF
        assert np.isnan(cp.NaN)
        assert np.signbit(cp.NZERO)
        assert (cp.float_, cp.complex_, cp.cfloat, cp.singlecomplex) == (
            *(np.float64, np.complex128, np.complex128),
            np.complex64,
        )
        assert cp.trapz is cp.trapezoid
        assert cp.round_ is cp.round
        assert cp.AxisError is np.exceptions.AxisError


@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "complex64", "bool"])
def test_asfarray(dtype: str) -> None:
    kind = np.dtype(dtype)
    expected = kind if kind.kind in "fc" else np.float64
    assert cp.asfarray([1, 0], dtype).dtype == expected
    assert cp.asfarray(cp.ones(2, dtype)).dtype == np.float64


@pytest.mark.parametrize(
    "index", [np.s_[:], np.s_[::-1, ::2], np.s_[1, 2:], np.s_[:0], np.s_[:, 1]]
)
def test_byte_bounds(index: Any) -> None:
    x = np.zeros((4, 5), np.float32)
    a = from_numpy(x)
    first, end = np.lib.array_utils.byte_bounds(x[index])
    start = x.__array_interface__["data"][0]
    ours = cp.byte_bounds(a[index])
    assert ours[1] - ours[0] == end - first
    if x[index].size:
        assert ours[0] - a.data.ptr == first - start
    with pytest.raises(TypeError, match="byte_bounds needs"):
        cp.byte_bounds(x)


def test_who(capsys: Any) -> None:
    a = cp.ones((2, 3))
    cp.who({"a": a, "b": a[:1], "n": 3, "h": np.ones(2)})
    text = capsys.readouterr().out
    assert "2 x 3" in text
    assert text.endswith("Upper bound on total bytes  =       48\n")
    assert "h " not in text


def test_memoize() -> None:
    calls = []

    @cp.memoize(for_each_device=True)
    def work(n: int, m: int = 0) -> int:
        """Doc."""
        calls.append(n)
        return n + m

    assert [work(1), work(1), work(1, m=2), work(m=2, n=1), work(2)] == [1, 1, 3, 3, 2]
    assert calls == [1, 1, 1, 2]
    assert work.__doc__ == "Doc."
    with pytest.raises(TypeError, match="unhashable"):
        work([])
    cp.clear_memo()
    assert work(1) == 1
    assert calls == [1, 1, 1, 2, 1]


def test_random_states() -> None:
    cp.random.seed(4)
    first = cp.random.rand(3)
    cp.random.set_random_state(cp.random.RandomState(4))
    assert cp.random.rand(3).tolist() == first.tolist()
    chosen = cp.random.RandomState(5)
    cp.random.set_random_state(chosen)
    assert cp.random.get_random_state() is chosen
    cp.random.reset_states()
    assert cp.random.get_random_state() is not chosen
    assert cp.random.rand(3).tolist() != cp.random.rand(3).tolist()
    with pytest.raises(TypeError, match="RandomState"):
        cp.random.set_random_state(3)


def test_is_available() -> None:
    assert cp.is_available() is cp.cuda.is_available()


def test_positions_of_cupys_methods() -> None:
    a = np.array([[3.0, 1, 2], [0, 5, 4]])
    x = from_numpy(a)
    for name in ("argmax", "argmin"):
        found = getattr(x, name)(1, None, None, True)
        np.testing.assert_array_equal(to_numpy(found), getattr(a, name)(1, keepdims=True))
        assert getattr(x, name)(0, None, "int32").dtype == np.int32
        out = cp.zeros(3, "int64")
        assert getattr(x, name)(0, out) is out
        np.testing.assert_array_equal(to_numpy(out), getattr(a, name)(0))
        assert getattr(x, name)().item() == getattr(a, name)()
        assert getattr(np, name)(x).item() == getattr(a, name)()
    assert x.astype("int8", casting=None).dtype == np.int8
    assert x.astype("int8", "C", None, None, True).tolist() == a.astype("int8").tolist()
    with pytest.raises(TypeError, match="safe"):
        x.astype("int8", casting="safe")


def test_handles_of_kernels_are_those_of_cuda() -> None:
    kernel = cp.RawKernel('extern "C" __global__ void k(int* x) { x[0] = 1; }', "k").kernel
    if cp.current_device().platform == "cuda":
        with pytest.raises(ValueError, match=r"Module\.load"):
            _ = kernel.ptr
    else:
        with pytest.raises(cp.errors.DeviceError, match=r"Function\.ptr"):
            _ = kernel.ptr
    stream = cp.cuda.Stream()
    assert cp.cuda.MemoryAsync(64, stream).stream_ref() is stream
