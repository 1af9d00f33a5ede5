"""Buffers, array interfaces, DLPack, pickling and NumPy's dispatch."""

import copy
import pickle

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy, on_cuda
from support.producer import Producer

pytestmark = pytest.mark.cupola_only

DTYPES = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"]
DTYPES += ["complex64", "complex128"]
CPU = None if IS_NUMPY else cp.Device("cpu:0")


def sample(dtype: str) -> np.ndarray:
    return np.arange(12).reshape(3, 4).astype(dtype)


# ---- the host's memory


@pytest.mark.parametrize("dtype", DTYPES)
def test_buffer_of_a_cpu_array_shares_memory(dtype: str) -> None:
    a = cp.asarray(sample(dtype), device=CPU)
    view = np.asarray(a)
    assert view.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(view, sample(dtype))
    view[0, 0] = 1
    assert a[0, 0].item() == 1


def test_buffer_of_a_view_has_its_strides() -> None:
    a = cp.asarray(sample("int32"), device=CPU)
    np.testing.assert_array_equal(np.asarray(a[::-2, 1:]), sample("int32")[::-2, 1:])
    assert memoryview(a[:, ::2]).strides == (16, 8)


def test_buffer_outlives_the_array() -> None:
    view = memoryview(cp.arange(5, device=CPU))
    assert view.tolist() == [0, 1, 2, 3, 4]


def test_buffer_of_a_read_only_array_is_read_only() -> None:
    assert memoryview(cp.broadcast_to(cp.arange(3, device=CPU), (2, 3))).readonly


def test_buffer_refuses_a_layout_that_the_array_has_not() -> None:
    a = cp.asarray(sample("int8"), device=CPU)
    with pytest.raises((BufferError, TypeError)):
        bytearray().join([a[:, ::2]])


def test_array_protocol_of_cpu_arrays() -> None:
    a = cp.asarray(sample("float32"), device=CPU)
    np.testing.assert_array_equal(a.__array__(), sample("float32"))
    assert a.__array__(np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        a.__array__(copy=False)


def test_cuda_arrays_are_not_copied_to_the_host_unasked() -> None:
    if not on_cuda():
        pytest.skip("needs a CUDA device")
    with pytest.raises(cp.errors.ImplicitHostCopyError, match="asnumpy"):
        np.asarray(cp.arange(3))
    with pytest.raises(BufferError, match="asnumpy"):
        memoryview(cp.arange(3))


def test_cuda_array_interface_exists_on_cuda_only() -> None:
    if not on_cuda():
        assert not hasattr(cp.arange(3), "__cuda_array_interface__")
        return
    interface = cp.arange(6).reshape(2, 3).__cuda_array_interface__
    assert interface["version"] == 3
    assert interface["shape"] == (2, 3)
    assert interface["typestr"] == "<i8"
    assert interface["strides"] is None


# ---- DLPack


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_reads_our_dlpack(dtype: str) -> None:
    a = cp.asarray(sample(dtype), device=CPU)
    np.testing.assert_array_equal(np.from_dlpack(a), sample(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_we_read_numpys_dlpack(dtype: str) -> None:
    host = sample(dtype)
    a = cp.from_dlpack(host)
    assert a.device.platform == "cpu"
    np.testing.assert_array_equal(cp.asnumpy(a), host)
    host[0, 0] = 1
    assert a[0, 0].item() == host[0, 0].item()


def test_dlpack_keeps_strides_and_read_only() -> None:
    host = sample("int64")
    host.flags.writeable = False
    a = cp.from_dlpack(host[::-1, ::2])
    np.testing.assert_array_equal(cp.asnumpy(a), host[::-1, ::2])
    assert not a.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 1


def test_dlpack_of_our_own_arrays() -> None:
    a = from_numpy(sample("float32"))
    b = cp.from_dlpack(a)
    assert b is not a
    assert b.device == a.device
    b[0, 0] = 7
    assert a[0, 0].item() == 7
    copied = cp.from_dlpack(a, copy=True)
    copied[0, 0] = 8
    assert a[0, 0].item() == 7
    assert not cp.from_dlpack(cp.broadcast_to(a, (2, 3, 4))).flags.writeable
    if on_cuda():
        with pytest.raises(ValueError, match="without a copy"):
            cp.from_dlpack(a, device=CPU, copy=False)


def test_dlpack_of_our_arrays_through_another_library() -> None:
    a = from_numpy(sample("float32"))
    b = cp.from_dlpack(Producer(a))
    b[0, 0] = 7
    cp.synchronize()  # others have streams of their own
    assert a[0, 0].item() == 7
    assert cp.from_dlpack(Producer(a), copy=True)[0, 0].item() == 7


def test_dlpack_arguments() -> None:
    a = cp.arange(3, device=CPU)
    assert a.__dlpack_device__() == (1, 0)
    assert '"dltensor"' in repr(a.__dlpack__())
    assert '"dltensor_versioned"' in repr(a.__dlpack__(max_version=(1, 1)))
    copied = cp._cupola.import_capsule(a.__dlpack__(max_version=(1, 0), copy=True))
    copied[0] = 9
    assert a[0].item() == 0
    with pytest.raises(ValueError, match="stream"):
        a.__dlpack__(stream=5)
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(7, 0))
    with pytest.raises(BufferError, match="readonly"):
        cp.broadcast_to(a, (2, 3)).__dlpack__()


def test_dlpack_capsule_is_taken_once() -> None:
    capsule = cp.arange(3, device=CPU).__dlpack__()
    cp._cupola.import_capsule(capsule)
    with pytest.raises(ValueError, match="dltensor"):
        cp._cupola.import_capsule(capsule)


def test_bfloat16_through_dlpack() -> None:
    a = cp.asarray([1.5, -2.0], dtype="bfloat16", device=CPU)
    b = cp.from_dlpack(Producer(a))
    assert b.dtype.name == "bfloat16"
    assert b.tolist() == [1.5, -2.0]


# ---- pickling and copying


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickle(dtype: str, protocol: int) -> None:
    a = cp.asarray(sample("int8")).astype(dtype)
    b = pickle.loads(pickle.dumps(a, protocol=protocol))
    assert isinstance(b, cp.ndarray)
    assert b.dtype == a.dtype
    assert b.shape == a.shape
    assert bool((a == b).all())


def test_pickle_lends_buffers() -> None:
    buffers: list[pickle.PickleBuffer] = []
    a = cp.arange(10_000)
    text = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert len(text) < 1000
    assert bool((pickle.loads(text, buffers=buffers) == a).all())


def test_pickle_keeps_fortran_order() -> None:
    a = cp.asarray(sample("float32"), order="F")
    assert pickle.loads(pickle.dumps(a, protocol=5)).flags.f_contiguous


def test_functions_and_devices_can_be_pickled() -> None:
    for thing in (cp.add, cp.sum, cp.concatenate, cp.Device("cpu:1"), cp.ndarray.sum, cp.float32):
        assert pickle.loads(pickle.dumps(thing)) == thing


def test_copies_are_independent() -> None:
    a = cp.arange(4)
    for other in (copy.copy(a), copy.deepcopy(a), a.copy()):
        other[0] = 9
        assert a[0].item() == 0
        assert other.base is None


# ---- NumPy's functions on our arrays


def test_numpy_ufuncs_run_ours() -> None:
    a = cp.asarray(sample("float32"))
    for result in (np.sin(a), np.add(a, 1), np.add(np.float32(1), a), np.multiply.outer(a, a)):
        assert isinstance(result, cp.ndarray)
    assert isinstance(np.add.reduce(a, axis=0), cp.ndarray)
    out = cp.empty_like(a)
    assert np.sqrt(a, out=out) is out
    assert isinstance(np.matmul(a, a.T), cp.ndarray)


def test_numpy_functions_run_ours() -> None:
    a = cp.asarray(sample("float64"))
    for result in (np.sum(a), np.mean(a, axis=0), np.concatenate([a, a]), np.where(a > 3, a, 0)):
        assert isinstance(result, cp.ndarray)
    assert np.shape(a) == (3, 4)


def test_a_function_that_we_lack_is_named() -> None:
    with pytest.raises(TypeError, match="is_busday"):
        np.is_busday(cp.arange(3), cp.arange(3))


def test_numpy_arrays_are_not_mixed_in() -> None:
    a, host = cp.arange(3), np.arange(3)
    for attempt in (
        lambda: a + host,
        lambda: host + a,
        lambda: np.add(a, host),
        lambda: cp.add(a, host),
        lambda: np.concatenate([a, host]),
        lambda: cp.concatenate([a, host]),
        lambda: a @ host,
        lambda: cp.matmul(host, a),
    ):
        with pytest.raises(TypeError, match="asarray"):
            attempt()


def test_numpy_scalars_are_typed_and_python_numbers_are_not() -> None:
    a = cp.ones(2, cp.float32)
    assert (a + 1.5).dtype == np.float32
    assert (a + np.float64(1.5)).dtype == np.float64
    assert (np.float64(1.5) + a).dtype == np.float64
    assert isinstance(np.float64(1.5) * a, cp.ndarray)
    assert (a * np.array(2.0)).dtype == np.float64
    assert isinstance(1 - a, cp.ndarray)


# ---- arrays from other things


def test_asarray_takes_what_numpy_takes() -> None:
    assert cp.asarray([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert cp.asarray(range(3)).tolist() == [0, 1, 2]
    assert cp.asarray(bytearray(b"ab")).tolist() == [97, 98]
    assert cp.asarray(3.5).shape == ()
    assert cp.asarray(np.arange(3, dtype=">i4")).tolist() == [0, 1, 2]
    assert cp.array([cp.arange(2), [5, 6]]).tolist() == [[0, 1], [5, 6]]
    assert cp.asarray(np.arange(6).reshape(2, 3).T).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert cp.asarray([2**63]).dtype == np.uint64


def test_asarray_copies_only_what_it_must() -> None:
    a = cp.arange(3)
    assert cp.asarray(a) is a
    assert cp.asarray(a, dtype=a.dtype) is a
    assert cp.array(a) is not a
    assert cp.asarray(a, copy=True) is not a
    with pytest.raises(ValueError, match="copy"):
        cp.asarray(a, dtype=float, copy=False)
    with pytest.raises(ValueError, match="copy"):
        cp.asarray([1, 2], copy=False)


def test_get_array_module() -> None:
    assert cp.get_array_module(1, cp.arange(2)) is cp
    assert cp.get_array_module(1, np.arange(2)) is np
