"""ElementwiseKernel: CuPy's parameter lists and bodies, on every platform."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.compare import assert_same
from support.compilers import skip_without_compiler
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda
from support.subprocesses import output_of, run_python
from support.threads import in_threads

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]
Kernel: Any = getattr(cp, "ElementwiseKernel", None)
errors: Any = getattr(cp, "errors", None)
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
TYPES += ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


@pytest.fixture(scope="module")
def squared_difference() -> Any:
    return Kernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")


def sample(*shape: int, dtype: str = "float32") -> np.ndarray:
    return (np.arange(np.prod(shape)).reshape(shape) % 11 + 1).astype(dtype)


# ---- arguments


def test_arrays_broadcast(squared_difference: Any) -> None:
    x, y = sample(2, 5), sample(5)
    assert_same(squared_difference(cp.asarray(x), cp.asarray(y)), (x - y) ** 2)
    column = sample(2, 1)
    assert_same(squared_difference(cp.asarray(column), cp.asarray(y)), (column - y) ** 2)


@pytest.mark.parametrize("number", [5, 5.0, np.float32(5), np.int8(5), np.float64(5), True])
def test_numbers_become_the_type_of_the_parameter(squared_difference: Any, number: Any) -> None:
    x = sample(3, 4)
    assert_same(squared_difference(cp.asarray(x), number), (x - np.float32(number)) ** 2)


def test_outputs_can_be_given(squared_difference: Any) -> None:
    x, z = sample(2, 5), cp.zeros((2, 5), "float32")
    assert squared_difference(cp.asarray(x), 1, z) is z
    assert_same(z, (x - 1) ** 2)
    column = cp.zeros((5, 2), "float32").T
    squared_difference(cp.asarray(x), 1, column)
    assert_same(column, (x - 1) ** 2)


def test_layouts_of_all_kinds(squared_difference: Any) -> None:
    host = sample(6, 7, 8)
    device = cp.asarray(host)
    for view in (np.s_[::2, :, 1:], np.s_[:, ::-1], np.s_[3], np.s_[..., 2], np.s_[1:1]):
        assert_same(squared_difference(device[view], 2), (host[view] - 2) ** 2)
    assert_same(squared_difference(device.T, device.T[0]), (host.T - host.T[0]) ** 2)
    zero_rank = cp.asarray(np.float32(3))
    assert_same(squared_difference(zero_rank, 2), np.asarray(np.float32(1)))


@pytest.mark.parametrize("dtype", TYPES)
def test_a_letter_takes_every_type(dtype: str) -> None:
    x = sample(4, 5, dtype=dtype)
    identity = Kernel("T x, T s", "T y, bool same", "y = x; same = x == s", "identity")
    y, same = identity(cp.asarray(x), x[0, 1])
    assert_same(y, x)
    assert_same(same, x == x[0, 1])


def test_a_letter_is_one_type_everywhere() -> None:
    add = Kernel("T x, T y", "T z", "z = x + y", "add_two")
    x = cp.ones(3, "float32")
    with pytest.raises(TypeError, match=r"y is an array of float64.*float32"):
        add(x, cp.ones(3))
    with pytest.raises(TypeError, match="z is an array of int32"):
        add(x, x, cp.ones(3, "int32"))
    assert add(x, np.float64(2)).dtype == np.float32
    mixed = Kernel("S x, T y", "T z", "z = x + y", "mixed")
    assert mixed(x, cp.ones(3)).dtype == np.float64


def test_fixed_types_are_not_converted(squared_difference: Any) -> None:
    with pytest.raises(TypeError, match=r"x is an array of float64.*'float32 x'.*float32"):
        squared_difference(cp.ones(3), 1)


def test_a_type_that_only_an_output_has() -> None:
    kernel = Kernel("float32 x", "T y", "y = (T)x", "converted")
    x = sample(3)
    with pytest.raises(TypeError, match="no argument decides the type T of the output y"):
        kernel(cp.asarray(x))
    assert_same(kernel(cp.asarray(x), cp.zeros(3, "int16")), x.astype("int16"))


def test_numbers_keep_their_values() -> None:
    kernel = Kernel("int64 x, int8 s", "int64 y", "y = x * s", "scaled")
    x = cp.arange(3)
    assert_same(kernel(x, 2.0), np.arange(3) * 2)
    with pytest.raises(TypeError, match=r"2\.5.*int8"):
        kernel(x, 2.5)
    with pytest.raises(TypeError, match="int8"):
        kernel(x, 1 + 2j)
    with pytest.raises(OverflowError):
        kernel(x, 300)


def test_counts_and_kinds_of_arguments(squared_difference: Any) -> None:
    x = cp.ones(3, "float32")
    with pytest.raises(TypeError, match=r"squared_diff\(\) takes 2 arguments, or 3 .* 1 was given"):
        squared_difference(x)
    with pytest.raises(TypeError, match="4 were given"):
        squared_difference(x, x, x, x)
    with pytest.raises(TypeError, match=r"numpy\.ndarray; cupola\.asarray"):
        squared_difference(x, np.ones(3, "float32"))
    with pytest.raises(TypeError, match="must be an array or a number, not str"):
        squared_difference(x, "1")
    with pytest.raises(TypeError, match="the output 'z' must be an array"):
        squared_difference(x, x, 1)
    with pytest.raises(TypeError):
        squared_difference(x, x, unknown=1)


def test_outputs_must_fit(squared_difference: Any) -> None:
    x = cp.ones((2, 3), "float32")
    with pytest.raises(ValueError, match=r"'z' has the shape \(3,\), but \(2, 3\)"):
        squared_difference(x, x, cp.ones(3, "float32"))
    with pytest.raises(ValueError, match="broadcast"):
        squared_difference(x, cp.ones(2, "float32"))
    with pytest.raises(ValueError, match="read-only"):
        squared_difference(x, x, cp.broadcast_to(cp.ones(3, "float32"), (2, 3)))


def test_devices_must_agree(squared_difference: Any) -> None:
    if cp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two devices")
    x = cp.ones(3, "float32")
    other = x.to_device(cp.all_devices()[1])
    assert_same(squared_difference(other, 2), np.ones(3, "float32"))
    with pytest.raises(errors.DeviceError, match="different devices"):
        squared_difference(x, other)


# ---- raw parameters and sizes


def test_raw_parameters_are_indexed_by_the_body() -> None:
    reverse = Kernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse")
    x, y = sample(5), sample(5) * 10
    assert_same(reverse(cp.asarray(x), cp.asarray(y)), x + y[::-1])
    wide = sample(5, 4)
    assert_same(reverse(cp.asarray(x), cp.asarray(wide)[:, 1]), x + wide[::-1, 1])


def test_raw_parameters_of_several_dimensions() -> None:
    kernel = Kernel(
        "raw T x",
        "raw T y, raw int64 facts",
        "const ptrdiff_t columns = x.shape()[1];\n"
        "ptrdiff_t at[] = {i / columns, i % columns}; ptrdiff_t to[] = {at[1], at[0]};\n"
        "y[to] = x[at] + x[i];\n"
        "if (i == 0) { facts[0] = x.ndim; facts[1] = x.size(); facts[2] = x.strides()[0]; }",
        "transposed",
    )
    x = sample(3, 4, dtype="int64")
    for device in (cp.asarray(x), cp.asarray(x.T.copy()).T, cp.asarray(np.repeat(x, 2, 1))[:, ::2]):
        y, facts = cp.zeros((4, 3), "int64"), cp.zeros(3, "int64")
        kernel(device, y, facts, size=12)
        assert_same(y, 2 * x.T)
        assert cp.asnumpy(facts).tolist() == [2, 12, device.strides[0]]


def test_sizes_of_raw_kernels() -> None:
    kernel = Kernel("raw T x", "raw T y", "y[i] = x[i] * 2", "doubled")
    x = cp.arange(10)
    assert_same(kernel(x, size=7), np.arange(7) * 2)
    with pytest.raises(ValueError, match="nothing decides the number of elements"):
        kernel(x)
    with pytest.raises(ValueError, match="must not be negative"):
        kernel(x, size=-1)
    mixed = Kernel("T x", "raw T y", "y[i] = x", "copied")
    with pytest.raises(ValueError, match=r"size= is for kernels all of whose arrays are raw"):
        mixed(x, cp.zeros(10, "int64"), size=3)
    with pytest.raises(ValueError, match="raw output 'y' must be given"):
        mixed(x)
    with pytest.raises(TypeError, match="the raw parameter 'x' must be an array"):
        kernel(3, size=3)
    plain = Kernel("int32 a", "int32 y", "y = a + i", "counted")
    assert_same(plain(5, size=4), np.arange(5, 9, dtype="int32"))
    assert kernel(x, size=0).shape == (0,)


def test_atomic_functions_on_raw_outputs() -> None:
    histogram = Kernel(
        "int32 x",
        "raw int32 y, raw float32 f",
        "atomicAdd(&y[x], 1); atomicAdd(&f[x], 0.5f)",
        "histogram",
    )
    x = sample(100_000, dtype="int32")
    y, f = cp.zeros(12, "int32"), cp.zeros(12, "float32")
    histogram(cp.asarray(x), y, f)
    assert_same(y, np.bincount(x, minlength=12).astype("int32"))
    assert_same(f, np.bincount(x, minlength=12).astype("float32") / 2)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float32", "float64"])
def test_atomic_functions_of_types(dtype: str) -> None:
    kernel = Kernel(
        "T x",
        "raw T y",
        "atomicAdd(&y[0], 1); atomicMax(&y[1], x); atomicMin(&y[2], x); atomicSub(&y[3], 1)",
        "extremes",
    )
    x = sample(1000, dtype=dtype) - 5
    y = cp.zeros(4, dtype)
    kernel(cp.asarray(x), y)
    assert_same(y, np.array([1000, x.max(), x.min(), -1000], dtype))


# ---- the body


def test_the_place_in_the_shape() -> None:
    kernel = Kernel(
        "T x",
        "int64 row, int64 column",
        "row = _ind.get()[0]; column = _ind.get()[1]",
        "place",
        reduce_dims=False,
    )
    row, column = kernel(cp.zeros((3, 4)))
    expected = np.indices((3, 4))
    assert_same(row, expected[0])
    assert_same(column, expected[1])


def test_numbers_of_elements_are_row_major() -> None:
    kernel = Kernel("T x", "int64 y", "y = i", "number")
    assert_same(kernel(cp.zeros((4, 5)).T), np.arange(20).reshape(5, 4))


def test_parts_around_the_loop() -> None:
    kernel = Kernel(
        "T x, raw T table",
        "T y, raw int32 done",
        "y = scaled(x) + first; if (x == 3) continue; y += 1  // the last line may be a comment",
        "parts",
        preamble="template <typename U> __device__ U scaled(U a) { return a * FACTOR; }",
        loop_prep="const T first = table[0];",
        after_loop="if (first == 7) atomicAdd(&done[0], 1);",
        options=("-DFACTOR=3",),
    )
    x, done = np.arange(6.0), cp.zeros(1, "int32")
    y, _ = kernel(cp.asarray(x), cp.asarray([7.0]), cp.zeros(6), done)
    assert_same(y, 3 * x + 7 + (x != 3))
    assert int(done[0]) >= 1


def test_math_of_all_kinds_of_numbers() -> None:
    real = Kernel(
        "T x", "T y", "y = exp(x) + sqrt(x) * max(x, T(2)) - rsqrt(x) + pow(x, x)", "real"
    )
    x = np.linspace(0.5, 2, 7)
    expected = np.exp(x) + np.sqrt(x) * np.maximum(x, 2) - 1 / np.sqrt(x) + x**x
    for dtype, tolerance in (("float64", 1e-14), ("float32", 1e-5)):
        result = cp.asnumpy(real(cp.asarray(x.astype(dtype))))
        np.testing.assert_allclose(result, expected, rtol=tolerance)
    half = Kernel("float16 x, float16 y", "float16 z", "z = x * y + x / y; z += 1", "half")
    a, b = np.float16([1.5, 2.25]), np.float16([0.5, 3])
    single = a.astype("f4") * b.astype("f4") + a.astype("f4") / b.astype("f4")
    expected_half = (single.astype("f2").astype("f4") + 1).astype("f2")
    assert_same(half(cp.asarray(a), cp.asarray(b)), expected_half)
    complex_ = Kernel(
        "T z",
        "T w, float64 size",
        "w = z * conj(z) + exp(z) / T(2, 1) + 1.0; size = abs(z) + z.real() * norm(z) + arg(z)",
        "complex_math",
    )
    z = np.array([1 + 2j, -0.5j, 3])
    w, size = complex_(cp.asarray(z))
    np.testing.assert_allclose(cp.asnumpy(w), z * z.conj() + np.exp(z) / (2 + 1j) + 1, rtol=1e-13)
    expected_size = abs(z) + z.real * abs(z) ** 2 + np.angle(z)
    np.testing.assert_allclose(cp.asnumpy(size), expected_size, rtol=1e-13)


def test_inputs_cannot_be_assigned_to() -> None:
    with pytest.raises(errors.CompileError, match="x"):
        Kernel("T x", "T y", "x = 1; y = x", "writes_input")(cp.ones(3))


def test_errors_of_the_compiler_show_the_line_of_the_user() -> None:
    kernel = Kernel("T x", "T y", "\ny = x;\ny = undefined_name;\n", "wrong")
    with pytest.raises(errors.CompileError) as caught:
        kernel(cp.ones(3))
    message = str(caught.value)
    assert "undefined_name" in message
    line = next(line for line in message.splitlines() if line.endswith("| y = undefined_name;"))
    number = line.split("|")[0].strip()
    assert f":{number}:" in message or f"({number})" in message
    with pytest.raises(errors.CompileError, match="undefined_name"):
        kernel(cp.ones(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("float33 x", "T y", ""), "unknown type 'float33'"),
        (("rav T x", "T y", ""), "unknown word 'rav'"),
        (("T", "T y", ""), "a type and a name"),
        (("T i", "T y", ""), "reserved"),
        (("T _x", "T y", ""), "reserved"),
        (("T x", "T x", ""), "two parameters have the name 'x'"),
        (("T x", "T y", "", "a-b"), "'a-b' is no name"),
    ],
)
def test_declarations_are_checked(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Kernel(*arguments)


# ---- memory and order


def test_outputs_may_be_inputs() -> None:
    kernel = Kernel("T x, T y", "T z, T w", "z = x + y; w = x - y", "both")
    x, y = sample(8), sample(8) * 3
    a, b = cp.asarray(x), cp.asarray(y)
    kernel(a, b, b, a)
    assert_same(b, x + y)
    assert_same(a, x - y)


def test_overlapping_inputs_are_read_first() -> None:
    shift = Kernel("T x", "T y", "y = x + 1", "plus_one")
    host = np.arange(200_000.0)
    device = cp.asarray(host)
    shift(device[:-1], device[1:])
    assert_same(device[1:], host[:-1] + 1)
    device = cp.asarray(host)
    shift(device[::-1], device)
    assert_same(device, host[::-1] + 1)
    device = cp.asarray(host)
    Kernel("raw T x", "T y", "y = x[_ind.size() - 1 - i]", "reversed")(device, device)
    assert_same(device, host[::-1])


def test_calls_on_streams_are_ordered() -> None:
    kernel = Kernel("T x", "T y", "y = x * 2", "twice")
    streams = [cp.cuda.Stream() for _ in range(3)]
    a = cp.ones(100_000)
    for number in range(9):
        a = kernel(a, stream=streams[number % 3])
    assert_same(a, np.full(100_000, 512.0))


def test_pending_and_later_operations_see_each_other() -> None:
    kernel = Kernel("T x", "T y", "y = x * 2", "twice")
    a = cp.arange(1000.0)
    b = kernel(a + 1)
    a += 5
    assert_same(b + a, (np.arange(1000.0) + 1) * 2 + np.arange(1000.0) + 5)


def test_large_arrays_in_blocks_of_any_size() -> None:
    kernel = Kernel("T x", "T y", "y = x + i", "offset")
    host = np.arange(1_000_003, dtype="int64")
    for block_size in (1, 37, 1024):
        assert_same(kernel(cp.asarray(host), block_size=block_size), 2 * host)
    for block_size in (0, 2048):
        with pytest.raises(errors.LaunchError, match=f"{block_size} threads"):
            kernel(cp.ones(3), block_size=block_size)


# ---- compilation


def test_one_compilation_for_a_combination_of_types() -> None:
    kernel = Kernel("T x", "T y", f"y = x; /* {os.getpid()} {os.urandom(8).hex()} */", "counted")
    arrays = [cp.ones(100 + i) for i in range(16)]
    plane, single = cp.ones((20, 5)), cp.ones(10, "float32")
    before = cp._cupola.counters()["compilations"]
    in_threads(lambda i: kernel(arrays[i], block_size=64), 16)
    kernel(plane, block_size=64)
    assert cp._cupola.counters()["compilations"] - before == 1
    kernel(single, block_size=64)
    assert cp._cupola.counters()["compilations"] - before == 2


def test_attributes() -> None:
    kernel = Kernel(
        "raw T x, float32 y",
        "T z",
        "z = x[i]",
        "named",
        preamble="// p",
        no_return=True,
        loop_prep="int k;",
    )
    assert (kernel.name, kernel.nin, kernel.nout, kernel.nargs) == ("named", 2, 1, 3)
    assert (kernel.operation, kernel.preamble, kernel.reduce_dims) == ("z = x[i]", "// p", True)
    x, y = kernel.in_params
    assert (x.name, x.raw, x.is_const, x.dtype, x.ctype) == ("x", True, True, None, "T")
    assert (y.name, y.raw, y.dtype, y.ctype) == ("y", False, np.float32, "float")
    assert not kernel.out_params[0].is_const
    assert kernel.kwargs["loop_prep"] == "int k;"
    assert kernel.cached_code is None
    assert kernel(cp.ones(3), 2, cp.ones(3)) is None
    assert "z = x[i]" in kernel.cached_code
    assert list(kernel.cached_codes) == [(np.dtype("f8"), np.dtype("f4"), np.dtype("f8"))]
    assert "named" in repr(kernel)


def test_results_as_tuples() -> None:
    always = Kernel("T x", "T y", "y = x", "always", return_tuple=True)
    assert isinstance(always(cp.ones(2)), tuple)
    two = Kernel("T x", "T y, T z", "y = x; z = x", "two")
    assert len(two(cp.ones(2))) == 2


# ---- the compiler of the host

USE = """
import cupola as cp
kernel = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "one_more")
print(cp.asnumpy(kernel(cp.arange(3))).tolist(), cp._cupola.counters()["compilations"])
"""
ON_CPU = {"CUPOLA_PLATFORM": "cpu"}
needs_cpu = pytest.mark.skipif(on_cuda(), reason="about CPU devices")


@needs_cpu
def test_without_a_compiler() -> None:
    result = run_python(USE, CXX="/nonexistent/c++", **ON_CPU)
    assert "LibraryError" in result.stderr
    assert "/nonexistent/c++" in result.stderr
    result = run_python(USE, PATH="/nonexistent", CXX="", **ON_CPU)
    assert "none of c++, g++ and clang++ is on the PATH" in result.stderr


@needs_cpu
def test_what_was_compiled_serves_other_processes(tmp_path: Path) -> None:
    folder = tmp_path / "a cache"
    settings = {"CUPOLA_CACHE_DIR": str(folder), "CUPOLA_DISK_CACHE": "1", **ON_CPU}
    assert output_of(USE, **settings) == "[1, 2, 3] 1"
    assert output_of(USE, **settings) == "[1, 2, 3] 0"
    (kept,) = (folder / "kernels").iterdir()
    kept.write_bytes(kept.read_bytes()[:5000])
    assert output_of(USE, **settings) == "[1, 2, 3] 1"
    (kept,) = (folder / "kernels").iterdir()
    kept.write_bytes(b"\0" * 5000)
    assert output_of(USE, **settings) == "[1, 2, 3] 1"
    assert output_of(USE, **settings) == "[1, 2, 3] 0"


@needs_cpu
def test_headers_of_the_user_may_change(tmp_path: Path) -> None:
    code = """
import cupola as cp
kernel = cp.ElementwiseKernel(
    "T x", "T y", "y = x + MORE", "more", preamble='#include "more.h"', options=("-I{folder}",))
print(cp.asnumpy(kernel(cp.arange(3))).tolist())
"""
    settings = {"CUPOLA_CACHE_DIR": str(tmp_path / "cache"), "CUPOLA_DISK_CACHE": "1", **ON_CPU}
    for more in (1, 5):
        (tmp_path / "more.h").write_text(f"#define MORE {more}\n")
        expected = str([more, more + 1, more + 2])
        assert output_of(code.format(folder=tmp_path), **settings) == expected


PREAMBLES = [
    '#define HEADER "FILE"\n#include HEADER',
    '#inc\\\nlude "FILE"',
    '#/* */include "FILE"',
    "#include <../../..FILE>",
    '#if __has_include("FILE")\n#include "FILE"\n#endif',
]


@needs_cpu
@pytest.mark.parametrize("preamble", PREAMBLES)
def test_headers_that_change_are_found_in_any_form(tmp_path: Path, preamble: str) -> None:
    header = tmp_path / "more.h"
    code = f"""
import cupola as cp
kernel = cp.ElementwiseKernel(
    "T x", "T y", "y = x + MORE", "more", preamble={preamble.replace("FILE", str(header))!r})
print(cp.asnumpy(kernel(cp.arange(3))).tolist())
"""
    settings = {"CUPOLA_CACHE_DIR": str(tmp_path / "cache"), "CUPOLA_DISK_CACHE": "1", **ON_CPU}
    for more in (1, 5):
        header.write_text(f"#define MORE {more}\n")
        assert output_of(code, **settings) == str([more, more + 1, more + 2])


@needs_cpu
def test_without_exit_codes_of_children() -> None:
    """A program that ignores SIGCHLD still learns whether its kernels compile."""
    ignoring = "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    settings = {"CUPOLA_DISK_CACHE": "0", **ON_CPU}
    assert output_of(ignoring + USE, **settings) == "[1, 2, 3] 1"
    result = run_python(
        ignoring + "import cupola as cp\n"
        "cp.ElementwiseKernel('T x', 'T y', 'y = no_such_name')(cp.arange(3))\n",
        **settings,
    )
    assert "CompileException" in result.stderr
    assert "no_such_name" in result.stderr


@needs_cpu
def test_a_folder_for_compilers_is_needed() -> None:
    result = run_python(USE, TMPDIR="/nonexistent", CUPOLA_DISK_CACHE="0", **ON_CPU)
    assert "LibraryError" in result.stderr
    assert "/nonexistent" in result.stderr
    assert "TMPDIR" in result.stderr


@needs_cpu
def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    settings = {"CUPOLA_CACHE_DIR": str(file), "CUPOLA_DISK_CACHE": "1", **ON_CPU}
    assert output_of(USE, **settings) == "[1, 2, 3] 1"


# ---- the plugin's side, without a GPU


@needs_fake_cuda
def test_launches_by_the_plugin() -> None:
    """Kernels do nothing there; what surrounds them is done."""
    code = """
vector, plane, pillar = cp.zeros(1000), cp.zeros((3, 200_000)), cp.zeros((200_000, 3))
before = cp._cupola.counters()["compilations"]
kernel = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[i]", "kernel")
for x in (vector, vector[:1], vector, vector[::2]):
    assert kernel(x, vector, stream=cp.cuda.Stream()).shape == x.shape
options = ("--fmad=true",)  # for kernels of its own
total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total", options=options)
for x in (plane, pillar, vector):
    for axis in (None, 0, -1):
        total(x, axis=axis, keepdims=True)
print(cp._cupola.counters()["compilations"] - before)
kernel(vector[:-1], vector, vector[1:])
total(cp.zeros((2, 0)), axis=1)
cp.cuda.Device().synchronize()
"""
    # Contiguous and strided; all dimensions, and one of two.
    assert output_on_fake_cuda(code) == "4"


def test_a_parameter_may_be_called_n() -> None:
    """As in CuPy, where programs pass lengths so."""
    kernel = Kernel("raw T x, int32 n", "T y", "y = x[i % n]")
    assert kernel(cp.arange(3.0), 2, size=4).tolist() == [0, 1, 0, 1]
    count = cp.ReductionKernel("T x", "int64 n", "x > 0", "a + b", "n = a", "0", reduce_type="int")
    assert int(count(cp.arange(3.0))) == 2
