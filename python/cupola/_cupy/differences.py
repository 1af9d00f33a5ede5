"""CuPy's names that the package does not have on purpose, and those that differ: how, and what to
do. `docs/coverage.md`, `python -m cupola.as_cupy --check` and the errors of missing names say it.
"""

from __future__ import annotations

_HANDLES = "handles of CUDA's libraries belong to the library"
_USE_FUNCTIONS = "use cupola.linalg and cupola.fft, which call those libraries"
_NUMPY_1 = "NumPy 2 has dropped it, and CuPy has it only beside NumPy 1"
_SPARSE = "there are no sparse matrices"

_ROWS = (
    ("cupy", _HANDLES, _USE_FUNCTIONS, "cublas cusolver cusparse"),
    (
        "cupy.cuda.Graph",
        "the graph itself keeps the functions that it calls",
        "leave it out",
        "host_funcargs",
    ),
    ("cupy", _NUMPY_1, "use cupola.set_printoptions", "set_string_function"),
    ("cupy", _NUMPY_1, "use cupola.asarray of the result", "get_array_wrap"),
    ("cupy", _SPARSE, "compute on the host with scipy.sparse", "sparse"),
    (
        "cupy.cuda.MemoryAsyncPool",
        "the platform does not say how much it keeps, and CuPy's raises NotImplementedError",
        "use used_bytes",
        "n_free_blocks",
    ),
    (
        "cupy.fft.config",
        "callbacks are linked into cuFFT's static library by nvcc for each transform",
        "use elementwise operations before and after the transform",
        "set_cufft_callbacks",
    ),
    (
        "cupy.testing",
        "they are for tests of CuPy's own sources",
        "use unittest.mock and numpy.testing",
        "NumpyAliasBasicTestBase NumpyAliasValuesTestBase",
    ),
    (
        "cupy.testing",
        _SPARSE,
        "use cupola.testing.shaped_random",
        "shaped_sparse_random",
    ),
    ("cupy.cuda", _HANDLES, _USE_FUNCTIONS, "cublas cufft curand cusolver cusparse"),
    (
        "cupy.cuda.PinnedMemoryPool",
        "memory goes back to its pool when its pointer is dropped",
        "leave it out",
        "free",
    ),
)
"""CuPy's module or class, the reason, the advice, and names."""

_REASONS = {
    (place, name): f"{reason}; {advice}"
    for place, reason, advice, names in _ROWS
    for name in names.split()
}

_SEEDS = "the same on every device; a seed gives other numbers than in CuPy"
_BOUNDS = "an index out of bounds raises IndexError where CuPy wraps; use mode='wrap'"
_CHOICES = _BOUNDS.replace("IndexError", "ValueError")
_SCATTER = "an index out of bounds raises IndexError where CuPy wraps; sums are reproducible"
_FFT_GPUS = "arrays on a set of devices are transformed by all of them, whatever it says"

DIFFERENT = {
    "cupy.choose": _CHOICES,
    "cupy.put": _BOUNDS,
    "cupy.ravel_multi_index": _CHOICES,
    "cupy.take": _BOUNDS,
    "cupy.vectorize": "other Python functions than CuPy's translator takes; see its documentation",
    "cupy.ndarray.choose": _CHOICES,
    "cupy.ndarray.put": _BOUNDS,
    "cupy.ndarray.take": _BOUNDS,
    "cupy.ndarray.scatter_add": _SCATTER,
    "cupy.ndarray.scatter_max": _SCATTER,
    "cupy.ndarray.scatter_min": _SCATTER,
    "cupyx.scatter_add": _SCATTER,
    "cupyx.scatter_max": _SCATTER,
    "cupyx.scatter_min": _SCATTER,
    "cupy.random.Philox4x3210": _SEEDS,
    "cupy.random.RandomState": _SEEDS,
    "cupy.random.XORWOW": _SEEDS,
    "cupy.random.MRG32k3a": _SEEDS,
    "cupy.random.default_rng": _SEEDS,
    "cupy.random.seed": _SEEDS,
    "cupy.fft.config.enable_nd_planning": "transforms are planned row by row, whatever it says",
    "cupy.fft.config.use_multi_gpus": _FFT_GPUS,
    "cupy.fft.config.set_cufft_gpus": _FFT_GPUS,
    "cupy.fft.config.get_plan_cache": "one for each device, not for each thread too",
    "cupy.cuda.MemoryHook": "alloc_preprocess is called afterwards too, before alloc_postprocess",
    "cupy.cuda.cub": "not available: sums are kernels of the library's own",
    "cupy.cuda.thrust": "not available: sorts are kernels of the library's own",
    "cupy.cuda.runtime.mallocAsync": "the memory is that of malloc",
    "cupyx.jit.thrust.host": "kernels refuse it; use thrust.seq or thrust.device",
    "cupyx.geterr": "linalg is 'raise' unless it was chosen",
    "cupyx.optimizing.optimize": "nothing is tried: launches follow from kernel and device",
}
"""What is there, and differs."""

_ERROR = "DeviceError on the CPU platform"
_VERSION_0 = "0 on the CPU platform"
_FALSE = "whether there is a CUDA device; without one programs run on the CPU platform"
_COPIES = "copies of CUDA arrays raise DeviceError on the CPU platform"

_OF_RUNTIME = (
    "createSurfaceObject createTextureObject destroySurfaceObject destroyTextureObject "
    "deviceGetDefaultMemPool deviceGetLimit deviceGetMemPool deviceSetLimit deviceSetMemPool "
    "freeArray ipcCloseMemHandle ipcGetMemHandle ipcOpenEventHandle ipcOpenMemHandle "
    "malloc3DArray mallocArray mallocFromPoolAsync memPoolCreate memPoolDestroy "
    "memPoolGetAttribute memPoolSetAttribute memPoolTrimTo memcpy2DFromArray "
    "memcpy2DFromArrayAsync memcpy2DToArray memcpy2DToArrayAsync"
)

CUDA_ONLY = {
    "cupy.is_available": _FALSE,
    "cupy.cuda.is_available": _FALSE,
    "cupy.cuda.get_local_runtime_version": _VERSION_0,
    "cupy.cuda.runtime.runtimeGetVersion": _VERSION_0,
    "cupy.cuda.runtime.driverGetVersion": _VERSION_0,
    "cupy.cuda.driver": _ERROR,
    "cupy.cuda.get_cublas_handle": _ERROR,
    **{
        f"cupy.cuda.Device.{name}_handle": _ERROR
        for name in ("cublas", "cusolver", "cusolver_sp", "cusparse")
    },
    "cupy.cuda.Function": "launches of machine code raise DeviceError on the CPU platform",
    "cupy.cuda.Function.ptr": _ERROR,
    "cupy.cuda.Module.ptr": _ERROR,
    "cupy.cuda.Module": "machine code raises DeviceError on the CPU platform",
    **{f"cupy.cuda.runtime.{name}": _ERROR for name in _OF_RUNTIME.split()},
    **{f"cupy.cuda.runtime.{name}": _COPIES for name in ("memcpy3D", "memcpy3DAsync")},
    **{
        f"cupy.cuda.texture.{name}": _ERROR
        for name in ("CUDAarray", "SurfaceObject", "TextureObject")
    },
}
"""What does as CuPy on CUDA devices, where alone it has a meaning, and what it does without one."""


def reason_for(place: str, name: str) -> str | None:
    """Why there is no `name` of CuPy's module or class, and what to do; None without a row."""
    return _REASONS.get((place, name))


def absence(place: str, name: str) -> str:
    """The text of the AttributeError of the package's counterpart of a module of CuPy."""
    own = place.replace("cupyx", "cupola.cupyx", 1)
    own = own if place.startswith("cupyx") else place.replace("cupy", "cupola", 1)
    text = f"module {own!r} has no attribute {name!r}"
    reason = reason_for(place, name)
    return f"{text}: {reason}" if reason else text
