"""Names that only CuPy has: old functions about dtypes, `array_api`, `typing`, `prof`; attributes
of kernels, polynomials and broadcasts."""

import io
from typing import Any, get_args

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp

if not IS_NUMPY:
    from cupola import array_api, prof, typing

pytestmark = pytest.mark.cupola_only


def test_scalar_types_of_objects() -> None:
    assert cp.obj2sctype("f4") is np.float32
    assert cp.obj2sctype(np.dtype("i8")) is np.int64
    assert cp.obj2sctype(cp.ones(1, "F")) is np.complex64
    assert cp.obj2sctype(np.uint8) is np.uint8
    assert cp.obj2sctype(float) is np.float64
    assert cp.obj2sctype("no type", default=3) == 3
    assert cp.sctype2char(np.int32) == "i"
    with pytest.raises(ValueError, match="unrecognized type"):
        cp.sctype2char("no type")
    assert cp.issctype(np.int32)
    assert cp.issctype(np.dtype("f"))
    assert not cp.issctype(np.object_)
    assert not cp.issctype(1.5)
    assert cp.issubsctype("f4", np.floating)
    assert not cp.issubsctype(cp.ones(1, int), float)
    assert cp.issubclass_(int, object)
    assert not cp.issubclass_(3, int)


@pytest.mark.parametrize(
    ("arrays", "scalars", "expected"),
    [
        (["f4"], ["i8", "f8"], "f4"),
        ([], ["i4", "i8", "c8"], "c16"),
        (["i8"], ["f4"], "f8"),
        (["f4"], ["c16"], "c16"),
        (["i1", "u1"], [], "i2"),
        (["u1"], ["i8"], "i8"),
    ],
)
def test_find_common_type(arrays: list[str], scalars: list[str], expected: str) -> None:
    assert cp.find_common_type(arrays, scalars) == expected


def test_texts(capsys: pytest.CaptureFixture[str]) -> None:
    cp.disp(cp.arange(3))
    cp.disp("more", linefeed=False)
    assert capsys.readouterr().out == "[0 1 2]\nmore"
    target = io.StringIO()
    cp.disp(1, target)
    assert target.getvalue() == "1\n"
    assert cp.safe_eval("{'a': (1, 2.5)}") == {"a": (1, 2.5)}
    with pytest.raises(ValueError, match="malformed"):
        cp.safe_eval("open('x')")
    assert cp.format_parser(["f8", "i4"], ["a", "b"], []).dtype.names == ("a", "b")
    assert cp.disable_experimental_feature_warning is False


def test_array_api_has_the_functions_of_the_package() -> None:
    assert {
        name for name in dir(array_api) if getattr(array_api, name) is getattr(cp, name)
    } == set(array_api.__all__)
    a = array_api.asarray([1.0, 2.0])
    assert float(array_api.sum(array_api.concat([a, a]))) == 6
    with pytest.raises(AttributeError, match="has no attribute 'nansum'"):
        array_api.nansum  # noqa: B018


def test_types_for_annotations() -> None:
    array, dtype = get_args(typing.NDArray[np.float32])
    assert typing.NDArray[np.float32].__origin__ is cp.ndarray
    assert (array, dtype) == (Any, np.dtype[np.float32])
    assert isinstance(cp.ones(1), typing.ArrayLike)
    assert not isinstance({}, typing.ArrayLike)
    assert typing.DTypeLike is not None


def test_ranges_of_programs_before_the_profiler() -> None:
    @prof.TimeRangeDecorator()
    def double(x: Any) -> Any:
        return x * 2

    with prof.time_range("doubling"):
        assert double(cp.arange(3)).tolist() == [0, 2, 4]
    first = cp.cuda.nvtx.RangeStart("first")
    second = cp.cuda.nvtx.RangeStart("second", 2)
    cp.cuda.nvtx.RangeEnd(first)
    cp.cuda.nvtx.RangeEnd(second)


def test_polynomials_go_to_numpy_and_back() -> None:
    p = cp.poly1d([1, 0, 2], variable="z")
    host = p.get()
    assert type(host) is np.poly1d
    assert host == np.poly1d([1, 0, 2])
    assert host.variable == "z"
    out = np.poly1d([5.0])
    assert p.get(out=out) is out
    assert out == host
    p.set(np.poly1d([3, 1]))
    assert p == cp.poly1d([3, 1])
    assert p.order == 1
    with pytest.raises(TypeError, match=r"a numpy\.poly1d is needed"):
        p.set([1, 2])
    with pytest.raises(TypeError, match="out must be"):
        p.get(out=[1])


def test_arrays_of_a_broadcast() -> None:
    a, b = cp.broadcast(cp.arange(3).reshape(3, 1), cp.arange(2)).values
    assert (a + 10 * b).tolist() == [[0, 10], [1, 11], [2, 12]]


def test_attributes_of_kernels() -> None:
    assert cp.add.name == "cupy_add"
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y", "product")
    assert [each.name for each in kernel.params] == ["x", "y", "z"]
    reduction = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    assert [each.name for each in reduction.params] == ["x", "y"]
    code = 'extern "C" __global__ void f(float* x) { x[0] = 1; }'
    raw = cp.RawKernel(code, "f", options=("-DA=1",), backend="nvcc")
    assert (raw.code, raw.options, raw.backend, raw.file_path) == (code, ("-DA=1",), "nvcc", None)
    module = cp.RawModule(code=code, name_expressions=None, enable_cooperative_groups=True)
    assert (module.code, module.options, module.backend) == (code, (), "nvrtc")
    assert (module.file_path, module.name_expressions) == (None, None)
    assert module.enable_cooperative_groups
    assert module.get_function("f").enable_cooperative_groups


def test_a_module_knows_its_file(tmp_path: Any) -> None:
    path = tmp_path / "kernels.ptx"
    path.write_text("")
    module = cp.RawModule(path=str(path))
    assert (module.code, module.file_path) == (None, str(path))


def test_functions_that_must_be_called() -> None:
    import math

    with cp.testing.AssertFunctionIsCalled("math.floor", times_called=2, wraps=math.floor):
        assert math.floor(2.5) + math.floor(1.5) == 3
    with (
        pytest.raises(AssertionError, match="was called 0 times, not 1"),
        cp.testing.AssertFunctionIsCalled("math.floor"),
    ):
        pass


def test_both_libraries_must_raise() -> None:
    @cp.testing.numpy_cupy_raises(accept_error=ValueError)
    def both(xp: Any) -> None:
        xp.zeros(2) + xp.zeros(3)

    @cp.testing.numpy_cupy_raises()
    def none(xp: Any) -> None:
        xp.zeros(2)

    @cp.testing.numpy_cupy_raises()
    def one(xp: Any) -> None:
        if xp is np:
            raise ValueError

    both()
    with pytest.raises(AssertionError, match="neither"):
        none()
    with pytest.raises(AssertionError, match="only one raised"):
        one()
