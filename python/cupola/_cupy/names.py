"""The public names of CuPy 13.6, by module and class: `cupy`, its submodules, and `cupyx` without
`cupyx.scipy` and `cupyx.signal`. Facts, as its reference has them; `docs/coverage.md` and
`python -m cupola.as_cupy --check` compare the package with them.
"""

from __future__ import annotations

VERSION = "13.6"

_NAMES = {
    "cupy": (
        # constants and dtypes
        "Inf Infinity NAN NINF NZERO NaN PINF PZERO e euler_gamma inf infty nan newaxis pi "
        "bool_ byte cdouble cfloat complex128 complex64 complex_ complexfloating csingle double "
        "dtype float16 float32 float64 float_ floating generic half inexact int16 int32 int64 int8 "
        "int_ intc integer intp longlong number short signedinteger single singlecomplex ubyte "
        "uint uint16 uint32 uint64 uint8 uintc uintp ulonglong unsignedinteger ushort "
        "can_cast common_type finfo find_common_type format_parser iinfo issctype issubclass_ "
        "issubdtype issubsctype min_scalar_type mintypecode obj2sctype promote_types result_type "
        "sctype2char typename "
        "AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError "
        "VisibleDeprecationWarning "
        # modules
        "cublas cuda cusolver cusparse exceptions fft lib linalg polynomial random testing "
        # arrays and kernels
        "ElementwiseKernel RawKernel RawModule ReductionKernel broadcast flatiter fuse ndarray "
        "poly1d ufunc vectorize "
        # creation
        "arange array asanyarray asarray asarray_chkfinite ascontiguousarray asfarray "
        "asfortranarray asnumpy copy diag diagflat empty empty_like eye from_dlpack fromDlpack "
        "frombuffer fromfile fromfunction fromiter fromstring full full_like genfromtxt identity "
        "linspace loadtxt logspace meshgrid mgrid ogrid ones ones_like require tri tril triu "
        "vander zeros zeros_like "
        # manipulation
        "append array_split atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes "
        "broadcast_to column_stack concatenate copyto delete dsplit dstack expand_dims flip fliplr "
        "flipud hsplit hstack moveaxis ndim pad ravel repeat reshape resize roll rollaxis rot90 "
        "row_stack shape size split squeeze stack swapaxes tile transpose trim_zeros unique vsplit "
        "vstack "
        # bits and text
        "base_repr binary_repr bitwise_and bitwise_not bitwise_or bitwise_xor invert left_shift "
        "packbits right_shift unpackbits "
        # indexing
        "argwhere c_ choose compress diag_indices diag_indices_from diagonal extract fill_diagonal "
        "flatnonzero indices ix_ mask_indices nonzero place put put_along_axis putmask r_ "
        "ravel_multi_index select take take_along_axis tril_indices tril_indices_from triu_indices "
        "triu_indices_from unravel_index where "
        # files and printing
        "array2string array_repr array_str format_float_positional format_float_scientific "
        "get_printoptions load printoptions save savetxt savez savez_compressed set_printoptions "
        "DataSource "
        # linear algebra
        "cross dot einsum inner kron matmul outer tensordot trace vdot "
        # logic and sets
        "all allclose any array_equal array_equiv equal greater greater_equal in1d intersect1d "
        "isclose iscomplex iscomplexobj isfinite isfortran isin isinf isnan isneginf isposinf "
        "isreal isrealobj isscalar iterable less less_equal logical_and logical_not logical_or "
        "logical_xor not_equal setdiff1d setxor1d union1d alltrue sometrue "
        # mathematics
        "abs absolute add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh around cbrt "
        "ceil clip conj conjugate convolve copysign cos cosh cumprod cumproduct cumsum deg2rad "
        "degrees diff divide divmod ediff1d exp exp2 expm1 fabs fix float_power floor floor_divide "
        "fmax fmin fmod frexp gcd gradient heaviside hypot i0 imag interp lcm ldexp log log10 "
        "log1p log2 logaddexp logaddexp2 maximum minimum mod modf multiply nan_to_num nancumprod "
        "nancumsum nanprod nansum negative nextafter positive power prod product rad2deg radians "
        "real real_if_close reciprocal remainder rint round round_ sign signbit sin sinc sinh sqrt "
        "square subtract sum tan tanh trapz true_divide trunc unwrap "
        # functions of functions
        "apply_along_axis apply_over_axes piecewise "
        # polynomials
        "poly polyadd polyfit polymul polysub polyval roots "
        # sorting
        "argmax argmin argpartition argsort count_nonzero lexsort msort nanargmax nanargmin "
        "partition searchsorted sort sort_complex "
        # statistics
        "amax amin average bincount corrcoef correlate cov digitize histogram histogram2d "
        "histogramdd max mean median min nanmax nanmean nanmedian nanmin nanpercentile nanquantile "
        "nanstd nanvar percentile ptp quantile std var "
        # windows
        "bartlett blackman hamming hanning kaiser "
        # the library itself
        "byte_bounds clear_memo disp get_array_module get_default_memory_pool "
        "get_default_pinned_memory_pool is_available may_share_memory memoize shares_memory "
        "show_config who"
    ),
    "cupy.ndarray": (
        "T all any argmax argmin argpartition argsort astype base choose clip compress conj "
        "conjugate copy cstruct cumprod cumsum data device diagonal dot dtype dump dumps fill "
        "flags flat flatten get imag item itemsize max mean min nbytes ndim nonzero partition prod "
        "ptp put ravel real reduced_view repeat reshape round scatter_add scatter_max scatter_min "
        "searchsorted set shape size sort squeeze std strides sum swapaxes take toDlpack tobytes "
        "tofile tolist trace transpose var view"
    ),
    "cupy.ufunc": "accumulate at name nargs nin nout outer reduce reduceat types",
    "cupy.exceptions": (
        "AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError "
        "VisibleDeprecationWarning"
    ),
    "cupy.fft": (
        "config fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 "
        "irfftn rfft rfft2 rfftfreq rfftn"
    ),
    "cupy.fft.config": (
        "clear_plan_cache enable_nd_planning get_current_plan get_plan_cache set_cufft_callbacks "
        "set_cufft_gpus show_plan_cache_info use_multi_gpus"
    ),
    "cupy.lib.stride_tricks": "as_strided sliding_window_view",
    "cupy.linalg": (
        "LinAlgError cholesky cond det eigh eigvalsh inv lstsq matrix_power matrix_rank norm pinv "
        "qr slogdet solve svd tensorinv tensorsolve"
    ),
    "cupy.polynomial": "chebyshev polynomial polyutils",
    "cupy.polynomial.chebyshev": "chebvander",
    "cupy.polynomial.polynomial": "polycompanion polyval polyvalfromroots polyvander",
    "cupy.polynomial.polyutils": "as_series trimcoef trimseq",
    "cupy.random": (
        "BitGenerator Generator MRG32k3a Philox4x3210 RandomState XORWOW beta binomial bytes "
        "chisquare choice default_rng dirichlet exponential f gamma geometric get_random_state "
        "gumbel hypergeometric laplace logistic lognormal logseries multinomial "
        "multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto "
        "permutation poisson power rand randint randn random random_integers random_sample ranf "
        "rayleigh reset_states sample seed set_random_state shuffle standard_cauchy "
        "standard_exponential standard_gamma standard_normal standard_t triangular uniform "
        "vonmises wald weibull zipf"
    ),
    "cupy.random.Generator": (
        "beta binomial chisquare dirichlet exponential f gamma geometric hypergeometric integers "
        "logseries multivariate_normal negative_binomial noncentral_chisquare normal permutation "
        "poisson power random shuffle standard_exponential standard_gamma standard_normal uniform "
        "vonmises wald weibull"
    ),
    "cupy.random.RandomState": (
        "beta binomial chisquare choice dirichlet exponential f gamma geometric gumbel "
        "hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal "
        "negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson "
        "power rand randint randn random_sample rayleigh seed set_stream shuffle standard_cauchy "
        "standard_exponential standard_gamma standard_normal standard_t tomaxint triangular "
        "uniform vonmises wald weibull zipf"
    ),
    "cupy.testing": (
        "AssertFunctionIsCalled NumpyAliasBasicTestBase NumpyAliasValuesTestBase assert_allclose "
        "assert_array_almost_equal assert_array_almost_equal_nulp assert_array_equal "
        "assert_array_less assert_array_list_equal assert_array_max_ulp assert_warns empty "
        "fix_random for_CF_orders for_all_dtypes for_all_dtypes_combination for_castings "
        "for_complex_dtypes for_contiguous_axes for_dtypes for_dtypes_combination "
        "for_float_dtypes for_int_dtypes for_int_dtypes_combination for_orders for_signed_dtypes "
        "for_signed_dtypes_combination for_unsigned_dtypes for_unsigned_dtypes_combination "
        "generate_matrix generate_seed installed multi_gpu numpy_cupy_allclose "
        "numpy_cupy_array_almost_equal numpy_cupy_array_almost_equal_nulp numpy_cupy_array_equal "
        "numpy_cupy_array_less numpy_cupy_array_list_equal numpy_cupy_array_max_ulp "
        "numpy_cupy_equal numpy_satisfies parameterize product product_dict shaped_arange "
        "shaped_linspace shaped_random shaped_reverse_arange shaped_sparse_random slow "
        "with_requires"
    ),
    "cupy.cuda": (
        "BaseMemory CFunctionAllocator Device Event ExternalStream Function Graph ManagedMemory "
        "Memory MemoryAsync MemoryAsyncPool MemoryHook MemoryPointer MemoryPool Module "
        "PinnedMemory PinnedMemoryPointer PinnedMemoryPool PythonFunctionAllocator Stream "
        "UnownedMemory alloc alloc_pinned_memory compiler cub cublas cufft curand cusolver "
        "cusparse device driver function get_allocator get_cublas_handle get_cuda_path "
        "get_current_stream get_device_id get_elapsed_time get_hipcc_path "
        "get_local_runtime_version get_nvcc_path get_rocm_path is_available jitify malloc_async "
        "malloc_managed memory memory_hook memory_hooks nvrtc nvtx pinned_memory profile profiler "
        "runtime set_allocator set_pinned_memory_allocator stream texture thrust using_allocator"
    ),
    "cupy.cuda.Device": (
        "attributes compute_capability cublas_handle cusolver_handle cusolver_sp_handle "
        "cusparse_handle from_pci_bus_id id mem_info pci_bus_id synchronize use"
    ),
    "cupy.cuda.Stream": (
        "add_callback begin_capture device_id done end_capture id is_capturing is_non_blocking "
        "launch_host_func null priority ptds ptr record synchronize use wait_event"
    ),
    "cupy.cuda.Event": "done ptr record synchronize",
    "cupy.cuda.MemoryPointer": (
        "copy_from copy_from_async copy_from_device copy_from_device_async copy_from_host "
        "copy_from_host_async copy_to_host copy_to_host_async device device_id mem memset "
        "memset_async ptr"
    ),
    "cupy.cuda.MemoryPool": (
        "free_all_blocks free_all_free free_bytes get_limit malloc n_free_blocks set_limit "
        "total_bytes used_bytes"
    ),
    "cupy.cuda.MemoryAsyncPool": (
        "free_all_blocks free_bytes get_limit malloc n_free_blocks set_limit total_bytes used_bytes"
    ),
    "cupy.cuda.PinnedMemoryPool": "free_all_blocks malloc n_free_blocks",
    "cupy.cuda.MemoryHook": (
        "alloc_postprocess alloc_preprocess free_postprocess free_preprocess malloc_postprocess "
        "malloc_preprocess name"
    ),
    "cupy.cuda.memory_hooks": "DebugPrintHook LineProfileHook",
    "cupy.cuda.nvtx": "Mark MarkC RangePop RangePush RangePushC",
    "cupy.cuda.profiler": "start stop",
    "cupy.cuda.runtime": (
        "CUDARuntimeError PointerAttributes deviceCanAccessPeer deviceDisablePeerAccess "
        "deviceEnablePeerAccess deviceGetAttribute deviceGetByPCIBusId deviceGetLimit "
        "deviceGetPCIBusId deviceSetLimit deviceSynchronize driverGetVersion "
        "eventCreate eventCreateWithFlags eventDestroy eventElapsedTime eventQuery eventRecord "
        "eventSynchronize free freeHost getDevice getDeviceCount getDeviceProperties hostAlloc "
        "hostRegister hostUnregister ipcCloseMemHandle ipcGetMemHandle ipcOpenMemHandle is_hip "
        "launchHostFunc malloc mallocAsync mallocManaged memAdvise memGetInfo memPrefetchAsync "
        "memcpy memcpy2D memcpyAsync memcpyPeer memcpyPeerAsync memset memsetAsync "
        "pointerGetAttributes profilerStart profilerStop runtimeGetVersion setDevice "
        "streamAddCallback streamCreate streamCreateWithFlags streamDestroy streamQuery "
        "streamSynchronize streamWaitEvent"
    ),
    "cupyx": (
        "DeviceSynchronized GeneralizedUFunc allow_synchronize distributed empty_like_pinned "
        "empty_pinned errstate get_runtime_info geterr jit linalg optimizing profiler rsqrt "
        "scatter_add scatter_max scatter_min seterr time zeros_like_pinned zeros_pinned"
    ),
    "cupyx.profiler": "benchmark profile time_range",
    "cupyx.optimizing": "optimize",
    "cupyx.time": "repeat",
    "cupyx.linalg": "invh",
    "cupyx.distributed": "NCCLBackend init_process_group",
    "cupyx.jit": (
        "atomic_add atomic_and atomic_cas atomic_dec atomic_exch atomic_inc atomic_max atomic_min "
        "atomic_or atomic_sub atomic_xor blockDim blockIdx cg cub grid gridDim gridsize laneid "
        "range rawkernel shared_memory shfl_down_sync shfl_sync shfl_up_sync shfl_xor_sync "
        "syncthreads syncwarp threadIdx thrust warpsize"
    ),
}

NAMES = {place: tuple(sorted(set(names.split()))) for place, names in _NAMES.items()}
"""Names by the path of their module or class."""
