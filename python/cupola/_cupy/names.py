"""The public names of CuPy 13.6 by module and class: `cupy` and `cupyx`, without `cupyx.scipy` and
`cupyx.signal`, as the package has them at run time. Of the modules of `cupy.cuda`, those that its
reference describes. Facts: `docs/coverage.md` and `python -m cupola.as_cupy --check` compare the
package with them.
"""

from __future__ import annotations

VERSION = "13.6"

_NAMES = {
    "cupy": (
        "AxisError ComplexWarning DataSource ElementwiseKernel Inf Infinity "
        "ModuleDeprecationWarning NAN NINF NZERO NaN PINF PZERO RankWarning RawKernel RawModule "
        "ReductionKernel TooHardError VisibleDeprecationWarning abs absolute add all allclose "
        "alltrue amax amin angle any append apply_along_axis arange arccos arccosh arcsin "
        "arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around "
        "array array2string array_equal array_equiv array_repr array_split array_str asanyarray "
        "asarray asarray_chkfinite ascontiguousarray asfarray asfortranarray asnumpy atleast_1d "
        "atleast_2d atleast_3d average bartlett base_repr binary_repr bincount bitwise_and "
        "bitwise_not bitwise_or bitwise_xor blackman bool_ broadcast broadcast_arrays "
        "broadcast_shapes broadcast_to byte byte_bounds c_ can_cast cbrt cdouble ceil cfloat "
        "choose clear_memo clip column_stack common_type complex128 complex64 complex_ "
        "complexfloating compress concatenate conj conjugate convolve copy copysign copyto "
        "corrcoef correlate cos cosh count_nonzero cov cross csingle cublas cuda cumprod "
        "cumproduct cumsum cusolver cusparse deg2rad degrees delete diag diag_indices "
        "diag_indices_from diagflat diagonal diff digitize disable_experimental_feature_warning "
        "disp divide divmod dot double dsplit dstack dtype e ediff1d einsum empty empty_like "
        "equal euler_gamma exceptions exp exp2 expand_dims expm1 extract eye fabs fft "
        "fill_diagonal find_common_type finfo fix flatiter flatnonzero flip fliplr flipud "
        "float16 float32 float64 float_ float_power floating floor floor_divide fmax fmin fmod "
        "format_float_positional format_float_scientific format_parser frexp fromDlpack "
        "from_dlpack frombuffer fromfile fromfunction fromiter fromstring full full_like fuse "
        "gcd generic genfromtxt get_array_module get_array_wrap get_default_memory_pool "
        "get_default_pinned_memory_pool get_printoptions gradient greater greater_equal half "
        "hamming hanning heaviside histogram histogram2d histogramdd hsplit hstack hypot i0 "
        "identity iinfo imag in1d index_exp indices inexact inf infty inner int16 int32 int64 "
        "int8 int_ intc integer interp intersect1d intp invert is_available isclose iscomplex "
        "iscomplexobj isfinite isfortran isin isinf isnan isneginf isposinf isreal isrealobj "
        "isscalar issctype issubclass_ issubdtype issubsctype iterable ix_ kaiser kron lcm "
        "ldexp left_shift less less_equal lexsort lib linalg linspace load loadtxt log log10 "
        "log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor "
        "logspace longlong mask_indices matmul max maximum may_share_memory mean median memoize "
        "meshgrid mgrid min min_scalar_type minimum mintypecode mod modf moveaxis msort "
        "multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean "
        "nanmedian nanmin nanprod nanstd nansum nanvar ndarray ndim ndindex negative newaxis "
        "nextafter nonzero not_equal number obj2sctype ogrid ones ones_like outer packbits pad "
        "partition percentile pi piecewise place poly poly1d polyadd polyfit polymul polynomial "
        "polysub polyval positive power printoptions prod product promote_types ptp put putmask "
        "quantile r_ rad2deg radians random ravel ravel_multi_index real real_if_close "
        "reciprocal remainder repeat require reshape resize result_type right_shift rint roll "
        "rollaxis roots rot90 round round_ row_stack s_ safe_eval save savetxt savez "
        "savez_compressed sctype2char searchsorted select set_printoptions set_string_function "
        "setdiff1d setxor1d shape shares_memory short show_config sign signbit signedinteger "
        "sin sinc single singlecomplex sinh size sometrue sort sort_complex sparse split sqrt "
        "square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot "
        "testing tile trace transpose trapz tri tril tril_indices tril_indices_from trim_zeros "
        "triu triu_indices triu_indices_from true_divide trunc typename typing ubyte ufunc uint "
        "uint16 uint32 uint64 uint8 uintc uintp ulonglong union1d unique unpackbits "
        "unravel_index unsignedinteger unwrap ushort vander var vdot vectorize vsplit vstack "
        "where who zeros zeros_like"
    ),
    "cupy.ndarray": (
        "T all any argmax argmin argpartition argsort astype base choose clip compress conj "
        "conjugate copy cstruct cumprod cumsum data device diagonal dot dtype dump dumps fill "
        "flags flat flatten get imag item itemsize max mean min nbytes ndim nonzero partition "
        "prod ptp put ravel real reduced_view repeat reshape round scatter_add scatter_max "
        "scatter_min searchsorted set shape size sort squeeze std strides sum swapaxes take "
        "toDlpack tobytes tofile tolist trace transpose var view"
    ),
    "cupy.ufunc": "accumulate at name nargs nin nout outer reduce reduceat types",
    "cupy.poly1d": "c coef coefficients coeffs deriv get integ o order r roots set variable",
    "cupy.broadcast": "nd shape size values",
    "cupy.flatiter": "base copy",
    "cupy.ElementwiseKernel": (
        "cached_code cached_codes in_params kwargs name nargs nin no_return nout operation "
        "out_params params preamble reduce_dims return_tuple"
    ),
    "cupy.ReductionKernel": (
        "cached_code cached_codes identity in_params map_expr name nargs nin nout options "
        "out_params params post_map_expr preamble reduce_dims reduce_expr reduce_type"
    ),
    "cupy.RawKernel": (
        "attributes backend binary_version cache_mode_ca code compile const_size_bytes "
        "enable_cooperative_groups file_path kernel local_size_bytes "
        "max_dynamic_shared_size_bytes max_threads_per_block name num_regs options "
        "preferred_shared_memory_carveout ptx_version shared_size_bytes"
    ),
    "cupy.RawModule": (
        "backend code compile enable_cooperative_groups file_path get_function get_global "
        "module name_expressions options"
    ),
    "cupy.array_api": (
        "abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan "
        "atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or "
        "bitwise_right_shift bitwise_xor bool broadcast_arrays broadcast_to can_cast ceil "
        "concat cos cosh divide e empty empty_like equal exp expand_dims expm1 eye finfo flip "
        "float32 float64 floor floor_divide from_dlpack full full_like greater greater_equal "
        "iinfo inf int16 int32 int64 int8 isfinite isinf isnan less less_equal linalg linspace "
        "log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul "
        "matrix_transpose max mean meshgrid min multiply nan negative nonzero not_equal ones "
        "ones_like permute_dims pi positive pow prod remainder reshape result_type roll round "
        "sign sin sinh sort sqrt square squeeze stack std subtract sum take tan tanh tensordot "
        "tril triu trunc uint16 uint32 uint64 uint8 unique_all unique_counts unique_inverse "
        "unique_values var vecdot where zeros zeros_like"
    ),
    "cupy.exceptions": (
        "AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError "
        "VisibleDeprecationWarning"
    ),
    "cupy.fft": (
        "config fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft "
        "irfft2 irfftn rfft rfft2 rfftfreq rfftn"
    ),
    "cupy.fft.config": (
        "clear_plan_cache enable_nd_planning get_current_callback_manager get_plan_cache "
        "get_plan_cache_max_memsize get_plan_cache_size set_cufft_callbacks set_cufft_gpus "
        "set_plan_cache_max_memsize set_plan_cache_size show_plan_cache_info use_multi_gpus"
    ),
    "cupy.lib": "stride_tricks",
    "cupy.lib.stride_tricks": "as_strided sliding_window_view",
    "cupy.linalg": (
        "LinAlgError cholesky det eigh eigvalsh inv lstsq matrix_power matrix_rank norm pinv qr "
        "slogdet solve svd tensorinv tensorsolve"
    ),
    "cupy.polynomial": "polynomial polyutils",
    "cupy.polynomial.polynomial": "polycompanion polyval polyvalfromroots polyvander",
    "cupy.polynomial.polyutils": "as_series trimcoef trimseq",
    "cupy.prof": "TimeRangeDecorator time_range",
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
    "cupy.random.BitGenerator": "random_raw",
    "cupy.random.Generator": (
        "beta binomial chisquare dirichlet exponential f gamma geometric hypergeometric "
        "integers logseries poisson power random standard_exponential standard_gamma "
        "standard_normal uniform"
    ),
    "cupy.random.RandomState": (
        "beta binomial chisquare choice dirichlet exponential f gamma geometric gumbel "
        "hypergeometric laplace logistic lognormal logseries multivariate_normal "
        "negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson "
        "power rand randint randn random_sample rayleigh seed shuffle standard_cauchy "
        "standard_exponential standard_gamma standard_normal standard_t tomaxint triangular "
        "uniform vonmises wald weibull zipf"
    ),
    "cupy.testing": (
        "AssertFunctionIsCalled NumpyAliasBasicTestBase NumpyAliasValuesTestBase "
        "assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp "
        "assert_array_equal assert_array_less assert_array_list_equal assert_array_max_ulp "
        "assert_warns fix_random for_CF_orders for_all_dtypes for_all_dtypes_combination "
        "for_complex_dtypes for_contiguous_axes for_dtypes for_dtypes_combination "
        "for_float_dtypes for_int_dtypes for_int_dtypes_combination for_orders "
        "for_signed_dtypes for_signed_dtypes_combination for_unsigned_dtypes "
        "for_unsigned_dtypes_combination generate_matrix generate_seed installed multi_gpu "
        "numpy_cupy_allclose numpy_cupy_array_almost_equal numpy_cupy_array_almost_equal_nulp "
        "numpy_cupy_array_equal numpy_cupy_array_less numpy_cupy_array_list_equal "
        "numpy_cupy_array_max_ulp numpy_cupy_equal numpy_cupy_raises numpy_satisfies "
        "parameterize product product_dict shaped_arange shaped_linspace shaped_random "
        "shaped_reverse_arange shaped_sparse_random slow with_requires"
    ),
    "cupy.typing": "ArrayLike DTypeLike NBitBase NDArray",
    "cupy.cuda": (
        "BaseMemory CFunctionAllocator Device Event ExternalStream Function Graph ManagedMemory "
        "Memory MemoryAsync MemoryAsyncPool MemoryHook MemoryPointer MemoryPool Module "
        "PinnedMemory PinnedMemoryPointer PinnedMemoryPool PythonFunctionAllocator Stream "
        "UnownedMemory alloc alloc_pinned_memory compiler cub cublas cufft curand cusolver "
        "cusparse device driver function get_allocator get_cublas_handle get_cuda_path "
        "get_current_stream get_device_id get_elapsed_time get_hipcc_path "
        "get_local_runtime_version get_nvcc_path get_rocm_path graph is_available malloc_async "
        "malloc_managed memory memory_hook memory_hooks nccl nvrtc nvtx pinned_memory profile "
        "profiler runtime set_allocator set_pinned_memory_allocator stream texture thrust "
        "using_allocator"
    ),
    "cupy.cuda.Device": (
        "attributes compute_capability cublas_handle cusolver_handle cusolver_sp_handle "
        "cusparse_handle from_pci_bus_id id mem_info pci_bus_id synchronize use"
    ),
    "cupy.cuda.Stream": (
        "add_callback begin_capture device_id done end_capture id is_capturing is_non_blocking "
        "launch_host_func null priority ptds ptr record synchronize use wait_event"
    ),
    "cupy.cuda.ExternalStream": (
        "add_callback begin_capture device_id done end_capture id is_capturing launch_host_func "
        "ptr record synchronize use wait_event"
    ),
    "cupy.cuda.Event": "done ptr record synchronize",
    "cupy.cuda.BaseMemory": "device device_id ptr size",
    "cupy.cuda.Memory": "device device_id ptr size",
    "cupy.cuda.MemoryAsync": "device device_id ptr size stream_ref",
    "cupy.cuda.ManagedMemory": "advise device device_id prefetch ptr size",
    "cupy.cuda.UnownedMemory": "device device_id ptr size",
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
        "free_all_blocks free_bytes get_limit malloc memoryAsyncHasStat n_free_blocks set_limit "
        "total_bytes used_bytes"
    ),
    "cupy.cuda.PinnedMemoryPointer": "mem ptr size",
    "cupy.cuda.PinnedMemoryPool": "free free_all_blocks malloc n_free_blocks",
    "cupy.cuda.PythonFunctionAllocator": "malloc",
    "cupy.cuda.CFunctionAllocator": "malloc",
    "cupy.cuda.MemoryHook": (
        "alloc_postprocess alloc_preprocess free_postprocess free_preprocess malloc_postprocess "
        "malloc_preprocess name"
    ),
    "cupy.cuda.Graph": "graph graphExec host_funcargs launch upload",
    "cupy.cuda.Function": "linear_launch module ptr",
    "cupy.cuda.Module": "get_function get_global_var load load_file mapping ptr",
    "cupy.cuda.memory": "OutOfMemoryError",
    "cupy.cuda.memory_hooks": "DebugPrintHook LineProfileHook",
    "cupy.cuda.nccl": (
        "NCCL_AVG NCCL_BFLOAT16 NCCL_CHAR NCCL_DOUBLE NCCL_FLOAT NCCL_FLOAT16 NCCL_FLOAT32 "
        "NCCL_FLOAT64 NCCL_HALF NCCL_INT NCCL_INT32 NCCL_INT64 NCCL_INT8 NCCL_MAX NCCL_MIN "
        "NCCL_PROD NCCL_SUM NCCL_UINT32 NCCL_UINT64 NCCL_UINT8 NcclCommunicator NcclError "
        "available get_build_version get_unique_id get_version groupEnd groupStart"
    ),
    "cupy.cuda.nccl.NcclCommunicator": (
        "abort allGather allReduce bcast broadcast check_async_error comm destroy device_id "
        "initAll rank_id recv reduce reduceScatter send size"
    ),
    "cupy.cuda.nvtx": "Mark MarkC RangeEnd RangePop RangePush RangePushC RangeStart available",
    "cupy.cuda.profiler": "start stop",
    "cupy.cuda.runtime": (
        "CUDARuntimeError CUDA_C_16F CUDA_C_32F CUDA_C_64F CUDA_C_8I CUDA_C_8U CUDA_R_16F "
        "CUDA_R_32F CUDA_R_64F CUDA_R_8I CUDA_R_8U MemPoolProps PointerAttributes "
        "createSurfaceObject createTextureObject cudaAddressModeBorder cudaAddressModeClamp "
        "cudaAddressModeMirror cudaAddressModeWrap cudaArrayDefault cudaArraySurfaceLoadStore "
        "cudaChannelFormatKindFloat cudaChannelFormatKindNone cudaChannelFormatKindSigned "
        "cudaChannelFormatKindUnsigned cudaCpuDeviceId cudaDevAttrAsyncEngineCount "
        "cudaDevAttrCanFlushRemoteWrites cudaDevAttrCanMapHostMemory "
        "cudaDevAttrCanUseHostPointerForRegisteredMem cudaDevAttrClockRate "
        "cudaDevAttrComputeMode cudaDevAttrComputePreemptionSupported "
        "cudaDevAttrConcurrentKernels cudaDevAttrConcurrentManagedAccess "
        "cudaDevAttrCooperativeLaunch cudaDevAttrCooperativeMultiDeviceLaunch "
        "cudaDevAttrDirectManagedMemAccessFromHost cudaDevAttrEccEnabled "
        "cudaDevAttrGPUDirectRDMAFlushWritesOptions cudaDevAttrGPUDirectRDMASupported "
        "cudaDevAttrGPUDirectRDMAWritesOrdering cudaDevAttrGlobalL1CacheSupported "
        "cudaDevAttrGlobalMemoryBusWidth cudaDevAttrGpuOverlap "
        "cudaDevAttrHostNativeAtomicSupported cudaDevAttrHostRegisterReadOnlySupported "
        "cudaDevAttrHostRegisterSupported cudaDevAttrIntegrated cudaDevAttrIsMultiGpuBoard "
        "cudaDevAttrKernelExecTimeout cudaDevAttrL2CacheSize cudaDevAttrLocalL1CacheSupported "
        "cudaDevAttrManagedMemory cudaDevAttrMaxBlockDimX cudaDevAttrMaxBlockDimY "
        "cudaDevAttrMaxBlockDimZ cudaDevAttrMaxBlocksPerMultiprocessor cudaDevAttrMaxGridDimX "
        "cudaDevAttrMaxGridDimY cudaDevAttrMaxGridDimZ cudaDevAttrMaxPitch "
        "cudaDevAttrMaxRegistersPerBlock cudaDevAttrMaxRegistersPerMultiprocessor "
        "cudaDevAttrMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlockOptin "
        "cudaDevAttrMaxSharedMemoryPerMultiprocessor cudaDevAttrMaxSurface1DLayeredLayers "
        "cudaDevAttrMaxSurface1DLayeredWidth cudaDevAttrMaxSurface1DWidth "
        "cudaDevAttrMaxSurface2DHeight cudaDevAttrMaxSurface2DLayeredHeight "
        "cudaDevAttrMaxSurface2DLayeredLayers cudaDevAttrMaxSurface2DLayeredWidth "
        "cudaDevAttrMaxSurface2DWidth cudaDevAttrMaxSurface3DDepth "
        "cudaDevAttrMaxSurface3DHeight cudaDevAttrMaxSurface3DWidth "
        "cudaDevAttrMaxSurfaceCubemapLayeredLayers cudaDevAttrMaxSurfaceCubemapLayeredWidth "
        "cudaDevAttrMaxSurfaceCubemapWidth cudaDevAttrMaxTexture1DLayeredLayers "
        "cudaDevAttrMaxTexture1DLayeredWidth cudaDevAttrMaxTexture1DLinearWidth "
        "cudaDevAttrMaxTexture1DMipmappedWidth cudaDevAttrMaxTexture1DWidth "
        "cudaDevAttrMaxTexture2DGatherHeight cudaDevAttrMaxTexture2DGatherWidth "
        "cudaDevAttrMaxTexture2DHeight cudaDevAttrMaxTexture2DLayeredHeight "
        "cudaDevAttrMaxTexture2DLayeredLayers cudaDevAttrMaxTexture2DLayeredWidth "
        "cudaDevAttrMaxTexture2DLinearHeight cudaDevAttrMaxTexture2DLinearPitch "
        "cudaDevAttrMaxTexture2DLinearWidth cudaDevAttrMaxTexture2DMipmappedHeight "
        "cudaDevAttrMaxTexture2DMipmappedWidth cudaDevAttrMaxTexture2DWidth "
        "cudaDevAttrMaxTexture3DDepth cudaDevAttrMaxTexture3DDepthAlt "
        "cudaDevAttrMaxTexture3DHeight cudaDevAttrMaxTexture3DHeightAlt "
        "cudaDevAttrMaxTexture3DWidth cudaDevAttrMaxTexture3DWidthAlt "
        "cudaDevAttrMaxTextureCubemapLayeredLayers cudaDevAttrMaxTextureCubemapLayeredWidth "
        "cudaDevAttrMaxTextureCubemapWidth cudaDevAttrMaxThreadsPerBlock "
        "cudaDevAttrMaxThreadsPerMultiProcessor cudaDevAttrMaxTimelineSemaphoreInteropSupported "
        "cudaDevAttrMemoryClockRate cudaDevAttrMemoryPoolSupportedHandleTypes "
        "cudaDevAttrMemoryPoolsSupported cudaDevAttrMultiGpuBoardGroupID "
        "cudaDevAttrMultiProcessorCount cudaDevAttrPageableMemoryAccess "
        "cudaDevAttrPageableMemoryAccessUsesHostPageTables cudaDevAttrPciBusId "
        "cudaDevAttrPciDeviceId cudaDevAttrPciDomainId cudaDevAttrReserved92 "
        "cudaDevAttrReserved93 cudaDevAttrReserved94 cudaDevAttrReservedSharedMemoryPerBlock "
        "cudaDevAttrSingleToDoublePrecisionPerfRatio cudaDevAttrSparseCudaArraySupported "
        "cudaDevAttrStreamPrioritiesSupported cudaDevAttrSurfaceAlignment cudaDevAttrTccDriver "
        "cudaDevAttrTextureAlignment cudaDevAttrTexturePitchAlignment "
        "cudaDevAttrTotalConstantMemory cudaDevAttrUnifiedAddressing cudaDevAttrWarpSize "
        "cudaFilterModeLinear cudaFilterModePoint cudaInvalidDeviceId "
        "cudaIpcMemLazyEnablePeerAccess cudaLimitDevRuntimePendingLaunchCount "
        "cudaLimitDevRuntimeSyncDepth cudaLimitMallocHeapSize cudaLimitMaxL2FetchGranularity "
        "cudaLimitPrintfFifoSize cudaLimitStackSize cudaMemAdviseSetAccessedBy "
        "cudaMemAdviseSetPreferredLocation cudaMemAdviseSetReadMostly "
        "cudaMemAdviseUnsetAccessedBy cudaMemAdviseUnsetPreferredLocation "
        "cudaMemAdviseUnsetReadMostly cudaMemAllocationTypePinned cudaMemAttachGlobal "
        "cudaMemAttachHost cudaMemAttachSingle cudaMemHandleTypeNone "
        "cudaMemHandleTypePosixFileDescriptor cudaMemLocationTypeDevice cudaMemLocationTypeHost "
        "cudaMemLocationTypeHostNuma cudaMemLocationTypeHostNumaCurrent "
        "cudaMemLocationTypeInvalid cudaMemPoolAttrReleaseThreshold "
        "cudaMemPoolAttrReservedMemCurrent cudaMemPoolAttrReservedMemHigh "
        "cudaMemPoolAttrUsedMemCurrent cudaMemPoolAttrUsedMemHigh "
        "cudaMemPoolReuseAllowInternalDependencies cudaMemPoolReuseAllowOpportunistic "
        "cudaMemPoolReuseFollowEventDependencies cudaMemoryTypeDevice cudaMemoryTypeHost "
        "cudaReadModeElementType cudaReadModeNormalizedFloat cudaResourceTypeArray "
        "cudaResourceTypeLinear cudaResourceTypeMipmappedArray cudaResourceTypePitch2D "
        "destroySurfaceObject destroyTextureObject deviceCanAccessPeer deviceDisablePeerAccess "
        "deviceEnablePeerAccess deviceGetAttribute deviceGetByPCIBusId deviceGetDefaultMemPool "
        "deviceGetLimit deviceGetMemPool deviceGetPCIBusId deviceSetLimit deviceSetMemPool "
        "deviceSynchronize driverGetVersion eventBlockingSync eventCreate eventCreateWithFlags "
        "eventDefault eventDestroy eventDisableTiming eventElapsedTime eventInterprocess "
        "eventQuery eventRecord eventSynchronize free freeArray freeAsync freeHost getDevice "
        "getDeviceCount getDeviceProperties graphDestroy graphExecDestroy graphInstantiate "
        "graphLaunch graphUpload hostAlloc hostAllocDefault hostAllocMapped hostAllocPortable "
        "hostAllocWriteCombined hostRegister hostUnregister ipcCloseMemHandle ipcGetEventHandle "
        "ipcGetMemHandle ipcOpenEventHandle ipcOpenMemHandle is_hip launchHostFunc malloc "
        "malloc3DArray mallocArray mallocAsync mallocFromPoolAsync mallocManaged memAdvise "
        "memGetInfo memPoolCreate memPoolDestroy memPoolGetAttribute memPoolSetAttribute "
        "memPoolTrimTo memPrefetchAsync memcpy memcpy2D memcpy2DAsync memcpy2DFromArray "
        "memcpy2DFromArrayAsync memcpy2DToArray memcpy2DToArrayAsync memcpy3D memcpy3DAsync "
        "memcpyAsync memcpyDefault memcpyDeviceToDevice memcpyDeviceToHost memcpyHostToDevice "
        "memcpyHostToHost memcpyPeer memcpyPeerAsync memoryTypeDevice memoryTypeHost "
        "memoryTypeManaged memoryTypeUnregistered memset memsetAsync pointerGetAttributes "
        "profilerStart profilerStop runtimeGetVersion setDevice streamAddCallback "
        "streamBeginCapture streamCaptureModeGlobal streamCaptureModeRelaxed "
        "streamCaptureModeThreadLocal streamCaptureStatusActive streamCaptureStatusInvalidated "
        "streamCaptureStatusNone streamCreate streamCreateWithFlags streamDefault streamDestroy "
        "streamEndCapture streamIsCapturing streamLegacy streamNonBlocking streamPerThread "
        "streamQuery streamSynchronize streamWaitEvent"
    ),
    "cupy.cuda.texture": (
        "CUDAarray ChannelFormatDescriptor ResourceDescriptor SurfaceObject TextureDescriptor "
        "TextureObject"
    ),
    "cupy.cuda.texture.CUDAarray": "copy_from copy_to depth desc flags height ndim ptr width",
    "cupy.cuda.texture.ChannelFormatDescriptor": "get_channel_format ptr",
    "cupy.cuda.texture.ResourceDescriptor": "arr chDesc cuArr get_resource_desc ptr",
    "cupy.cuda.texture.SurfaceObject": "ResDesc ptr",
    "cupy.cuda.texture.TextureDescriptor": "get_texture_desc ptr",
    "cupy.cuda.texture.TextureObject": "ResDesc TexDesc ptr",
    "cupyx": (
        "DeviceSynchronized GeneralizedUFunc allow_synchronize distributed empty_like_pinned "
        "empty_pinned errstate get_runtime_info geterr jit linalg optimizing profiler rsqrt "
        "scatter_add scatter_max scatter_min seterr time zeros_like_pinned zeros_pinned"
    ),
    "cupyx.distributed": "NCCLBackend array init_process_group",
    "cupyx.distributed.NCCLBackend": (
        "all_gather all_reduce all_to_all barrier broadcast gather recv reduce reduce_scatter "
        "scatter send send_recv stop"
    ),
    "cupyx.distributed.array": (
        "DistributedArray MAX MIN Mode PROD REPLICA SUM distributed_array make_2d_index_map matmul"
    ),
    "cupyx.jit": (
        "atomic_add atomic_and atomic_cas atomic_dec atomic_exch atomic_inc atomic_max "
        "atomic_min atomic_or atomic_sub atomic_xor blockDim blockIdx cg cub grid gridDim "
        "gridsize laneid range rawkernel shared_memory shfl_down_sync shfl_sync shfl_up_sync "
        "shfl_xor_sync syncthreads syncwarp threadIdx thrust warpsize"
    ),
    "cupyx.jit.cg": "memcpy_async sync this_grid this_thread_block wait wait_prior",
    "cupyx.jit.cub": "BlockReduce Max Min Sum WarpReduce",
    "cupyx.jit.thrust": (
        "adjacent_difference binary_search copy count device equal equal_range exclusive_scan "
        "exclusive_scan_by_key fill find gather host inclusive_scan inclusive_scan_by_key "
        "inner_product is_sorted is_sorted_until lower_bound make_constant_iterator "
        "make_counting_iterator mismatch reduce reduce_by_key remove remove_copy replace "
        "replace_copy reverse reverse_copy scatter seq sequence set_difference "
        "set_difference_by_key set_intersection set_intersection_by_key "
        "set_symmetric_difference set_symmetric_difference_by_key set_union set_union_by_key "
        "sort sort_by_key stable_sort stable_sort_by_key swap_ranges unique unique_by_key "
        "upper_bound"
    ),
    "cupyx.linalg": "invh",
    "cupyx.optimizing": "optimize",
    "cupyx.profiler": "benchmark profile time_range",
    "cupyx.time": "repeat",
}

NAMES = {place: tuple(names.split()) for place, names in _NAMES.items()}
"""Names by the path of their module or class."""
