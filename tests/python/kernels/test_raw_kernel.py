"""RawKernel and RawModule. Without a GPU: compilation, its errors and the checks of arguments."""

import ctypes
import io
import shutil
import subprocess
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.compare import assert_same
from support.fake_cuda import NVRTC, needs_nvrtc
from support.subprocesses import output_of
from support.threads import in_threads

pytestmark = pytest.mark.cupola_only
needs_gpu = pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
RawKernel: Any = getattr(cp, "RawKernel", None)
RawModule: Any = getattr(cp, "RawModule", None)
errors: Any = getattr(cp, "errors", None)

AXPY = """
extern "C" __global__ void axpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
EVERY_TYPE = """
extern "C" __global__ void every(double* out, bool b, signed char c, unsigned char uc, short s,
    unsigned short us, int i, unsigned int u, long l, size_t z, long long ll, float f, double d) {
  double values[] = {double(b), double(c), double(uc), double(s), double(us), double(i), double(u),
                     double(l), double(z), double(ll), double(f), d};
  for (int k = 0; k < 12; ++k) out[k] = values[k];
}
"""


def has_compiler() -> bool:
    """Whether NVRTC is installed and the plugin is built."""
    code = """
import cupola as cp
try:
    cp.RawModule(code="nonsense").compile()
except cp.cuda.compiler.CompileException:
    print("yes")
"""
    return output_of(code) == "yes"


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here needs NVRTC."""
    if not has_compiler():
        pytest.skip("NVRTC is not installed")


def launch(kernel: Any, args: tuple[Any, ...], grid: Any = (1,), block: Any = (32,)) -> None:
    """Launches it and waits."""
    kernel(grid, block, args)
    cp.cuda.Stream.null.synchronize()


# ---- compilation


def test_errors_show_the_numbered_source() -> None:
    kernel = RawKernel('extern "C" __global__ void k(float* x) {\n  *x = undefined_name;\n}', "k")
    with pytest.raises(cp.cuda.compiler.CompileException) as caught:
        kernel((1,), (1,), (cp.zeros(1, "float32"),))
    message = str(caught.value)
    assert "undefined_name" in message
    assert "    2 |   *x = undefined_name;" in message
    assert isinstance(caught.value, errors.CompileError)
    assert caught.value.get_message() == message
    text = io.StringIO()
    caught.value.dump(text)
    assert message in text.getvalue()


def test_nothing_is_compiled_before_it_is_needed() -> None:
    before = cp._cupola.counters()["compilations"]
    RawModule(code="nonsense").get_function("f")
    RawKernel("nonsense", "k")
    assert cp._cupola.counters()["compilations"] == before


def test_one_compilation_however_many_threads_ask() -> None:
    module = RawModule(code=f"{AXPY} // asked for by many threads {uuid.uuid4()}")
    x, y = cp.ones(8, "float32"), [cp.zeros(8, "float32") for _ in range(64)]
    cp.eval(x, *y)
    before = cp._cupola.counters()["compilations"]
    in_threads(lambda i: module.compile(), 64)
    assert cp._cupola.counters()["compilations"] - before == 1
    loads = cp._cupola.counters()["module_loads"]
    kernel = module.get_function("axpy")
    in_threads(lambda i: launch(kernel, (x, y[i], 2.0, 8)), 64)
    assert cp._cupola.counters()["compilations"] - before == 1
    if on_cuda():
        assert cp._cupola.counters()["module_loads"] - loads == 1
    for each in y:
        assert_same(each, np.full(8, 2, "float32"))


def test_waiters_leave_the_interpreter_to_others() -> None:
    """While one thread compiles for long and others wait, this one goes on."""
    slow = "\n".join(
        f'extern "C" __global__ void k{i}(double* x) {{ *x = pow(*x, {i}.5) + sin(*x); }}'
        for i in range(60)
    )
    module = RawModule(code=slow)
    import threading

    threads = [threading.Thread(target=module.compile) for _ in range(4)]
    for thread in threads:
        thread.start()
    steps = 0
    while any(thread.is_alive() for thread in threads):
        steps += 1
    assert steps > 1000


def test_logs_go_to_the_stream_given() -> None:
    module = RawModule(code='extern "C" __global__ void k() { int unused_one = 3; }')
    log = io.StringIO()
    module.compile(log)
    assert "unused_one" in log.getvalue()


def test_options_pass_through(tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE NUMBER\n")
    code = '#include "value.h"\nstatic_assert(VALUE == 7, ""); extern "C" __global__ void k() {}'
    include = f"-I{tmp_path}"
    RawModule(code=code, options=(include, "-DNUMBER=7", "--std=c++20")).compile()
    RawModule(code=code, options=[include, "-DNUMBER=7", "--device-debug"]).compile()
    with pytest.raises(errors.CompileError, match=r"static_assert|static assertion"):
        RawModule(code=code, options=(include, "-DNUMBER=8")).compile()
    with pytest.raises(errors.CompileError, match="--no-such-option"):
        RawModule(code=code, options=("--no-such-option",)).compile()
    with pytest.raises(TypeError, match="options"):
        RawModule(code=code, options="-DNUMBER=7")
    with pytest.raises(TypeError, match="options"):
        RawModule(code=code, options=(7,))


def test_headers_of_the_toolkit_are_found() -> None:
    headers = "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n"
    RawModule(code=headers + 'extern "C" __global__ void k(__half* x) { *x = 1; }').compile()
    code = 'extern "C" __global__ void k(cuDoubleComplex* z) { *z = cuCadd(*z, *z); }'
    RawModule(code=code, translate_cucomplex=True).compile()


@needs_nvrtc
def test_all_of_the_compiler_is_of_one_folder() -> None:
    code = """
import cupola as cp
cp.RawModule(code='extern "C" __global__ void k(float* x) { *x = sinf(*x); }').compile()
files = {line.split()[-1] for line in open("/proc/self/maps") if "libnvrtc" in line}
print(len(files), *{file.rsplit("/", 1)[0] for file in files})
"""
    environment = {"CUPOLA_CUDA_LIBRARY_PATH": str(NVRTC), "CUPOLA_DISK_CACHE": "0"}
    assert output_of(code, **environment) == f"2 {Path(str(NVRTC)).resolve()}"


def test_lines_are_counted_from_the_users_first() -> None:
    with pytest.raises(errors.CompileError, match=r"\(2\)"):
        RawModule(code="\nwrong;", translate_cucomplex=True).compile()


def test_name_expressions() -> None:
    code = "template <typename T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }"
    module = RawModule(code=code, name_expressions=["fill<float>", "fill<int>"])
    launch(module.get_function("fill<float>"), (cp.zeros(4, "float32"), 1.5), block=4)
    with pytest.raises(TypeError, match=r"T\* x.*int32.*float32"):
        module.get_function("fill<int>")((1,), (4,), (cp.zeros(4, "float32"), 1))
    with pytest.raises(ValueError, match="fill<double>"):
        module.get_function("fill<double>")((1,), (4,), (cp.zeros(4), 1.0))


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_backend_nvcc() -> None:
    launch(RawKernel(AXPY, "axpy", backend="nvcc"), axpy_arguments())
    with pytest.raises(errors.CompileError, match=r"    1 \| wrong;"):
        RawModule(code="wrong;", backend="nvcc").compile()


def test_backends_that_are_not_there() -> None:
    code = """
import cupola as cp
try:
    cp.RawModule(code='extern "C" __global__ void k() {}', backend="nvcc").compile()
except cp.errors.LibraryError as error:
    print(error)
"""
    environment = {"NVCC": "/nonexistent/nvcc", "PATH": "/nonexistent"}
    assert "/nonexistent/nvcc" in output_of(code, **environment)
    with pytest.raises(ValueError, match="backend"):
        RawModule(code=AXPY, backend="clang")
    with pytest.raises(ValueError, match="name_expressions"):
        RawModule(code=AXPY, backend="nvcc", name_expressions=["f<int>"])


def test_forms_of_modules(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="exactly one"):
        RawModule()
    with pytest.raises(TypeError, match="exactly one"):
        RawModule(code=AXPY, path="x.cubin")
    with pytest.raises(FileNotFoundError):
        RawModule(path=tmp_path / "missing.cubin")
    kernel = RawKernel(AXPY, "axpy")
    assert (kernel.name, kernel.code) == ("axpy", AXPY)
    assert "axpy" in repr(kernel)


# ---- arguments


def axpy_arguments() -> tuple[Any, ...]:
    """What fits the kernel."""
    return cp.ones(32, "float32"), cp.ones(32, "float32"), 2.0, 32


def refused(kind: Any, message: str, position: int, value: Any, code: str = AXPY) -> None:
    """The launch with one wrong argument is an error with that message, and changes nothing."""
    args = list(axpy_arguments())
    args[position] = value
    with pytest.raises(kind, match=message):
        RawKernel(code, "axpy")((1,), (32,), tuple(args))
    assert_same(args[0] if position else axpy_arguments()[0], np.ones(32, "float32"))


def test_right_arguments_pass() -> None:
    x, y, a, n = axpy_arguments()
    for scale in (a, 2, True, np.float32(2), np.float64(2), np.int8(2)):
        for count in (n, np.int64(n), np.uint8(n)):
            launch(RawKernel(AXPY, "axpy"), (x, cp.ones(32, "float32"), scale, count))
    for one in (np.array(2, "float32"), np.full((1, 1), 2.0), np.full(3, 2, "int8")[1:2]):
        launch(RawKernel(AXPY, "axpy"), (x, cp.ones(32, "float32"), one, np.array([n])))
    launch(RawKernel(AXPY, "axpy"), (x.data, y.data, a, n))
    launch(RawKernel(AXPY, "axpy"), (None, None, a, 0))


def test_dtypes_are_named() -> None:
    refused(TypeError, r"argument 1 of axpy \(const float\* x\).*float32.*float64", 0, cp.ones(32))
    refused(TypeError, r"argument 2 of axpy \(float\* y\).*float32.*int32", 1, cp.ones(32, "i"))


def test_kinds_of_arguments() -> None:
    array = cp.ones(32, "float32")
    refused(TypeError, r"argument 3.*is a value.*array of float32", 2, array)
    refused(TypeError, r"argument 2.*is a pointer.*Python float", 1, 1.5)
    refused(TypeError, r"argument 4.*int32.*Python float.*2.5", 3, 2.5)
    refused(TypeError, r"argument 4.*int32.*float32", 3, np.float32(2))
    refused(TypeError, r"argument 3.*float32.*Python complex", 2, 1j)
    refused(TypeError, "numpy.ndarray of 32 elements; cupola.asarray", 0, np.ones(32, "float32"))
    refused(TypeError, "numpy.ndarray of 0 elements", 3, np.ones(0, "int32"))
    refused(TypeError, r"argument 4.*int32.*float32", 3, np.ones((1, 1), "float32"))
    refused(TypeError, r"argument 2.*is a pointer", 1, np.ones(1, "float32"))
    refused(TypeError, "numpy.ndarray of object", 3, np.array([32], object))
    refused(TypeError, "numpy.ndarray of datetime64", 3, np.array(["2020"], "datetime64[D]"))
    refused(TypeError, "str", 0, "x")
    refused(TypeError, "4 bytes, but 3 were given", 2, b"abc")


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**63, np.int64(2**40), np.uint32(2**31)])
def test_integers_must_fit(value: Any) -> None:
    refused(OverflowError, "does not fit int32|too large", 3, value)


def test_number_of_arguments() -> None:
    kernel = RawKernel(AXPY, "axpy")
    args = axpy_arguments()
    for wrong in ((), args[:3], (*args, 1)):
        with pytest.raises(TypeError, match=rf"axpy.*takes 4 arguments, {len(wrong)} w"):
            kernel((1,), (1,), wrong)
    with pytest.raises(TypeError, match="args must be a tuple"):
        kernel((1,), (1,), args[0])


def test_views_must_be_contiguous_unless_asked_for() -> None:
    view = cp.ones(64, "float32")[::2]
    refused(ValueError, r"argument 1.*\(32,\).*strides \(2,\).*allow_strided", 0, view)
    _, y, a, n = axpy_arguments()
    RawKernel(AXPY, "axpy")((1,), (32,), (view, y, a, n), allow_strided=True)
    assert_same(y, np.full(32, 3, "float32"))


def test_read_only_arrays_are_for_pointers_to_const() -> None:
    constant = cp.broadcast_to(cp.ones(1, "float32"), (1,))
    assert not constant.flags.writeable
    refused(ValueError, "argument 2.*read-only", 1, constant)
    launch(RawKernel(AXPY, "axpy"), (constant, cp.ones(1, "float32"), 1.0, 1))


# ---- geometry


@pytest.mark.parametrize("block", [0, (0,), (1, 0), (-1,), 2048, (32, 64), (1, 1, 65), 10**10])
def test_blocks_that_cannot_be(block: Any) -> None:
    with pytest.raises(errors.LaunchError, match=r"axpy.*block"):
        RawKernel(AXPY, "axpy")((1,), block, axpy_arguments())


@pytest.mark.parametrize("grid", [0, (1, 65536), (1, 1, 65536), 2**31, (-3,)])
def test_grids_that_cannot_be(grid: Any) -> None:
    with pytest.raises(errors.LaunchError, match=r"axpy.*grid"):
        RawKernel(AXPY, "axpy")(grid, (1,), axpy_arguments())


def test_other_geometry_is_refused() -> None:
    kernel = RawKernel(AXPY, "axpy")
    with pytest.raises(ValueError, match="1 to 3"):
        kernel((1, 1, 1, 1), (1,), axpy_arguments())
    with pytest.raises(TypeError):
        kernel(1.5, (1,), axpy_arguments())
    with pytest.raises(errors.LaunchError, match="shared memory"):
        kernel((1,), (1,), axpy_arguments(), shared_mem=-1)


def test_names_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="no kernel 'axpi'; its kernels are axpy"):
        RawKernel(AXPY, "axpi")((1,), (1,), axpy_arguments())


def test_streams_and_arrays_of_different_devices() -> None:
    code = f"""
import cupola as cp
kernel = cp.RawKernel('''{AXPY}''', "axpy")
x = cp.ones(4, "float32", device="cpu:0")
y = cp.ones(4, "float32", device="cpu:1")
for args, stream in (((x, y, 1.0, 4), None), ((x, x, 1.0, 4), cp.cuda.Stream(device="cpu:1"))):
    try:
        kernel((1,), (4,), args, stream=stream)
    except cp.errors.DeviceError as error:
        assert "cpu:0" in str(error) and "cpu:1" in str(error), error
        print("refused")
"""
    text = output_of(code, CUPOLA_PLATFORM="cpu", CUPOLA_CPU_DEVICES="2")
    assert text.split() == ["refused"] * 2


# ---- on a GPU


def test_results() -> None:
    x = cp.arange(1000, dtype="float32")
    y = cp.ones(1000, "float32")
    RawKernel(AXPY, "axpy")((4,), (256,), (x, y, 3.0, 1000))
    assert_same(y, np.arange(1000, dtype="float32") * 3 + 1)


def test_every_scalar_type() -> None:
    values = (True, -5, 200, -30000, 60000, -(2**31), 2**32 - 1, -(2**40), 2**40, -3, 0.5, 1e300)
    out = cp.zeros(12)
    RawKernel(EVERY_TYPE, "every")((1,), (1,), (out, *values))
    assert out.tolist() == [float(v) for v in values]


def test_structs_and_complex() -> None:
    code = """
    #include <cuda/std/complex>
    struct Pair { int a; double b; };
    extern "C" __global__ void k(double* out, Pair p, cuda::std::complex<float> z) {
      out[0] = p.a; out[1] = p.b; out[2] = z.real(); out[3] = z.imag();
    }"""
    pair = np.zeros((), np.dtype([("a", "i4"), ("b", "f8")], align=True))
    pair["a"], pair["b"] = 4, 2.5
    out = cp.zeros(4)
    kernel = RawKernel(code, "k")
    for value in (pair, pair[()], pair.tobytes()):
        kernel((1,), (1,), (out, value, 1 - 2j))
        assert out.tolist() == [4.0, 2.5, 1.0, -2.0]
    with pytest.raises(TypeError, match="16 bytes"):
        kernel((1,), (1,), (out, b"short", 0j))


def test_parameters_behind_macros_are_taken_from_the_machine_code() -> None:
    code = """
    #define ARGS float* x, float value
    extern "C" __global__ void k(ARGS) { *x = value; }"""
    x = cp.zeros(1, "float32")
    kernel = RawKernel(code, "k")
    kernel((1,), (1,), (x, 1.5))
    assert x.tolist() == [1.5]
    with pytest.raises(TypeError, match="takes 2 arguments, 1 was given"):
        kernel((1,), (1,), (x,))


def test_launches_are_ordered_with_other_streams() -> None:
    slow = """extern "C" __global__ void slow(float* x) {
      long long begin = clock64(); while (clock64() - begin < 20000000) {} *x += 1; }"""
    kernel = RawKernel(slow, "slow")
    x = cp.zeros(1, "float32")
    stream = cp.cuda.Stream(non_blocking=True)
    kernel((1,), (1,), (x,), stream=stream)
    y = x * 2  # on the default stream
    x += 10
    with stream:
        z = x + 0
    assert (float(y[0]), float(z[0])) == (2.0, 11.0)


@needs_gpu
def test_attributes() -> None:
    code = """extern "C" __global__ void k(float* x) {
      __shared__ float s[100]; s[threadIdx.x] = *x; *x = s[1]; }"""
    kernel = RawKernel(code, "k")
    assert kernel.num_regs > 0
    assert kernel.max_threads_per_block in range(32, 1025)
    assert kernel.shared_size_bytes == 400
    assert kernel.local_size_bytes == 0
    assert kernel.binary_version >= 50
    assert kernel.ptx_version >= 50
    kernel.max_dynamic_shared_size_bytes = 65536
    assert kernel.max_dynamic_shared_size_bytes == 65536
    kernel.preferred_shared_memory_carveout = 50
    assert kernel.attributes["preferred_shared_memory_carveout"] == 50
    assert kernel.attributes["num_regs"] == kernel.num_regs
    with pytest.raises(ValueError, match="max_dynamic_shared_size_bytes"):
        kernel.max_dynamic_shared_size_bytes = 1 << 30


@needs_gpu
def test_what_cannot_fit_is_refused_with_the_numbers() -> None:
    """A kernel of many registers, launched with more threads than these leave room for."""
    body = "".join(f"double v{i} = x[{i}];" for i in range(120))
    uses = "".join(f"v{i} = v{i} * v{(i + 7) % 120} + v{(i + 31) % 120};" for i in range(120)) * 3
    stores = "".join(f"x[{i}] = v{i};" for i in range(120))
    code = f'extern "C" __global__ void many(double* x) {{ {body} {uses} {stores} }}'
    kernel = RawKernel(code, "many")
    x = cp.zeros(120)
    most = kernel.max_threads_per_block
    assert most < 1024
    with pytest.raises(errors.LaunchError) as caught:
        kernel((1,), (1024,), (x,))
    registers = f"{kernel.num_regs} registers per thread"
    for number in (registers, "1024 threads", f"has {most} threads"):
        assert number in str(caught.value)
    kernel((1,), (most,), (x,))
    with pytest.raises(errors.LaunchError, match=f"{1 << 20} bytes of dynamic shared memory"):
        kernel((1,), (32,), (x,), shared_mem=1 << 20)
    assert_same(cp.ones(3) + 1, np.full(3, 2.0))  # nothing is broken


def test_globals() -> None:
    code = """__device__ int table[4] = {1, 2, 3, 4};
    extern "C" __global__ void k(int* x) { *x = table[2]; }"""
    module = RawModule(code=code)
    pointer = module.get_global("table")
    out = cp.zeros(1, "int32")
    host = np.array([5, 6, 7, 8], "int32")
    pointer.copy_from_host(host, 16)
    module.get_function("k")((1,), (1,), (out,))
    assert out.tolist() == [7]
    with pytest.raises(ValueError, match="no variable 'missing'"):
        module.get_global("missing")


@needs_gpu
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize("form", ["cubin", "ptx", "fatbin"])
def test_files(form: str, tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(AXPY)
    capability = cp.cuda.Device(0).compute_capability
    target = tmp_path / f"k.{form}"
    command = ["nvcc", f"-arch=sm_{capability}", f"--{form}", "-o", str(target), str(source)]
    subprocess.run(command, check=True)
    x, y, a, n = axpy_arguments()
    RawModule(path=target).get_function("axpy")((1,), (32,), (x, y, np.float32(a), n))
    assert_same(y, np.full(32, 3, "float32"))


def test_cooperative_launch() -> None:
    code = """
    #include <cooperative_groups.h>
    extern "C" __global__ void k(int* x) {
      atomicAdd(&x[0], 1);
      cooperative_groups::this_grid().sync();
      if (threadIdx.x == 0) x[1 + blockIdx.x] = x[0];
    }"""
    kernel = RawKernel(code, "k", enable_cooperative_groups=True)
    x = cp.zeros(9, "int32")
    kernel((8,), (32,), (x,))
    assert x.tolist() == [256] * 9
    with pytest.raises(errors.LaunchError, match="blocks are the most"):
        kernel((2**30,), (32,), (x,))


def test_a_kernel_belongs_to_no_device() -> None:
    count = cp.cuda.runtime.getDeviceCount()
    kernel = RawKernel(AXPY, "axpy")
    for i in reversed(range(count)):
        with cp.cuda.Device(i):
            x, y, a, n = axpy_arguments()
        kernel((1,), (32,), (x, y, a, n))  # from outside the scope
        assert_same(y, np.full(32, 3, "float32"))


def test_sizes_of_c_types_are_those_of_the_device() -> None:
    """What `long` and `size_t` are in signatures."""
    assert ctypes.sizeof(ctypes.c_long) == ctypes.sizeof(ctypes.c_size_t) == 8
