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
    ("cupy", _NUMPY_1, "use cupola.set_printoptions", "set_string_function"),
    ("cupy", _NUMPY_1, "use cupola.asarray of the result", "get_array_wrap"),
    ("cupy", _SPARSE, "compute on the host with scipy.sparse", "sparse"),
    ("cupy.ndarray", "it is a structure of CuPy's kernels", "pass the array itself", "cstruct"),
    (
        "cupy.cuda.MemoryAsyncPool",
        "the platform does not say how much it keeps",
        "use used_bytes",
        "n_free_blocks",
    ),
    (
        "cupyx.jit",
        "each would run in one thread",
        "write the loop, or use cub's reductions",
        "thrust",
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
    ("cupy.cuda", _HANDLES, _USE_FUNCTIONS, "get_cublas_handle"),
    (
        "cupy.cuda.Device",
        _HANDLES,
        _USE_FUNCTIONS,
        "cublas_handle cusolver_handle cusolver_sp_handle cusparse_handle",
    ),
    (
        "cupy.cuda.PinnedMemoryPool",
        "memory goes back to its pool when its pointer is dropped",
        "leave it out",
        "free",
    ),
    (
        "cupy.cuda.MemoryAsync",
        "memory is freed in the order of all its uses",
        "leave it out",
        "stream_ref",
    ),
    (
        "cupyx.distributed",
        "an array on several devices is an ndarray on a set of them",
        "use cupola.Device('cuda:0-3') and the functions of cupola",
        "array",
    ),
    (
        "cupyx.distributed.array",
        "an array on several devices is an ndarray on a set of them",
        "use cupola.Device('cuda:0-3') and the functions of cupola",
        "DistributedArray MAX MIN Mode PROD REPLICA SUM distributed_array make_2d_index_map matmul",
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
_ANSWER = "a Python bool, for which the call waits, as NumPy's; CuPy gives an array"
_FFT_GPUS = "arrays on a set of devices are transformed by all of them, whatever it says"
_CUDA_ONLY = "whether there is a CUDA device; without one programs run on the CPU platform"

DIFFERENT = {
    "cupy.allclose": _ANSWER,
    "cupy.array_equal": _ANSWER,
    "cupy.array_equiv": _ANSWER,
    "cupy.choose": _CHOICES,
    "cupy.is_available": _CUDA_ONLY,
    "cupy.put": _BOUNDS,
    "cupy.show_config": "prints the versions and devices of Cupola",
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
    **{
        f"cupy.testing.numpy_cupy_{name}": "without sp_name and scipy_name"
        for name in (
            *("allclose", "array_almost_equal", "array_almost_equal_nulp", "array_equal"),
            *("array_less", "array_list_equal", "array_max_ulp", "equal"),
        )
    },
    "cupy.fft.config.enable_nd_planning": "transforms are planned row by row, whatever it says",
    "cupy.fft.config.use_multi_gpus": _FFT_GPUS,
    "cupy.fft.config.set_cufft_gpus": _FFT_GPUS,
    "cupy.fft.config.get_plan_cache": "one for each device, not for each thread too",
    "cupy.format_parser": "NumPy's: its dtypes are of NumPy arrays only",
    "cupy.cuda.is_available": _CUDA_ONLY,
    "cupy.cuda.get_local_runtime_version": "0 on the CPU platform",
    "cupy.cuda.runtime.runtimeGetVersion": "0 on the CPU platform",
    "cupy.cuda.runtime.driverGetVersion": "0 on the CPU platform",
    "cupy.cuda.MemoryHook": "alloc_preprocess is called afterwards too, before alloc_postprocess",
    "cupy.cuda.cub": "not available: sums are kernels of the library's own",
    "cupy.cuda.thrust": "not available: sorts are kernels of the library's own",
    "cupy.cuda.driver": "DeviceError on the CPU platform",
    "cupy.cuda.Function": "its launches raise DeviceError on the CPU platform",
    "cupy.cuda.Module": "what it has raises DeviceError on the CPU platform",
    "cupy.cuda.Graph": "captures take cuBLAS and random numbers, the same ones each time",
    **{
        f"cupy.cuda.runtime.{name}": "DeviceError on the CPU platform"
        for name in (
            *("deviceGetLimit", "deviceSetLimit"),
            *("ipcCloseMemHandle", "ipcGetMemHandle", "ipcOpenMemHandle"),
            *[
                "createSurfaceObject",
                "createTextureObject",
                "destroySurfaceObject",
                "destroyTextureObject",
                "deviceGetDefaultMemPool",
                "deviceGetMemPool",
                "deviceSetMemPool",
                "freeArray",
                "ipcOpenEventHandle",
                "malloc3DArray",
                "mallocArray",
                "mallocFromPoolAsync",
                "memPoolCreate",
                "memPoolDestroy",
                "memPoolGetAttribute",
                "memPoolSetAttribute",
                "memPoolTrimTo",
                "memcpy2DFromArray",
                "memcpy2DFromArrayAsync",
                "memcpy2DToArray",
                "memcpy2DToArrayAsync",
            ],
        )
    },
    **{
        f"cupy.cuda.runtime.{name}": "copies of CUDA arrays raise DeviceError on the CPU platform"
        for name in ("memcpy3D", "memcpy3DAsync")
    },
    **{
        f"cupy.cuda.texture.{name}": "DeviceError on the CPU platform"
        for name in ("CUDAarray", "SurfaceObject", "TextureObject")
    },
    "cupy.cuda.runtime.mallocAsync": "the memory is that of malloc",
    "cupy.cuda.profile": "without CuPy's warning that it is deprecated",
    "cupyx.errstate": "factorisations of singular matrices raise LinAlgError also with 'ignore'",
    "cupyx.geterr": "linalg is 'raise' unless it was chosen",
    "cupyx.seterr": "factorisations of singular matrices raise LinAlgError also with 'ignore'",
    "cupyx.allow_synchronize": "not deprecated; methods of arrays, streams, events and devices",
    "cupyx.optimizing.optimize": "nothing is tried: launches follow from kernel and device",
    "cupyx.profiler.benchmark": "arrays that the function returns are evaluated within its time",
    "cupyx.time.repeat": "arrays that the function returns are evaluated within its time",
}
"""What is there, and differs."""


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
