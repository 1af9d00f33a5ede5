"""Numbers of the CUDA runtime that CuPy programs name."""

cudaCpuDeviceId = -1
cudaMemAdviseSetReadMostly = 1
cudaMemAdviseUnsetReadMostly = 2
cudaMemAdviseSetPreferredLocation = 3
cudaMemAdviseUnsetPreferredLocation = 4
cudaMemAdviseSetAccessedBy = 5
cudaMemAdviseUnsetAccessedBy = 6

memcpyHostToHost = 0
memcpyHostToDevice = 1
memcpyDeviceToHost = 2
memcpyDeviceToDevice = 3
memcpyDefault = 4

memoryTypeUnregistered = 0
memoryTypeHost = 1
memoryTypeDevice = 2
memoryTypeManaged = 3

cudaLimitStackSize = 0
cudaLimitPrintfFifoSize = 1
cudaLimitMallocHeapSize = 2
cudaIpcMemLazyEnablePeerAccess = 1

hostRegisterDefault = 0
hostRegisterPortable = 1
hostRegisterMapped = 2
hostRegisterIoMemory = 4
hostRegisterReadOnly = 8
hostAllocDefault = 0
hostAllocPortable = 1
hostAllocMapped = 2
hostAllocWriteCombined = 4
memAttachGlobal = 1
memAttachHost = 2
memAttachSingle = 4

cudaArrayDefault = 0
cudaArraySurfaceLoadStore = 2
cudaChannelFormatKindSigned = 0
cudaChannelFormatKindUnsigned = 1
cudaChannelFormatKindFloat = 2
cudaChannelFormatKindNone = 3
cudaResourceTypeArray = 0
cudaResourceTypeMipmappedArray = 1
cudaResourceTypeLinear = 2
cudaResourceTypePitch2D = 3
cudaAddressModeWrap = 0
cudaAddressModeClamp = 1
cudaAddressModeMirror = 2
cudaAddressModeBorder = 3
cudaFilterModePoint = 0
cudaFilterModeLinear = 1
cudaReadModeElementType = 0
cudaReadModeNormalizedFloat = 1

cudaMemPoolReuseFollowEventDependencies = 1
cudaMemPoolReuseAllowOpportunistic = 2
cudaMemPoolReuseAllowInternalDependencies = 3
cudaMemPoolAttrReleaseThreshold = 4
cudaMemPoolAttrReservedMemCurrent = 5
cudaMemPoolAttrReservedMemHigh = 6
cudaMemPoolAttrUsedMemCurrent = 7
cudaMemPoolAttrUsedMemHigh = 8
cudaMemAllocationTypePinned = 1
cudaMemHandleTypeNone = 0
cudaMemHandleTypePosixFileDescriptor = 1
cudaMemLocationTypeInvalid = 0
cudaMemLocationTypeDevice = 1
cudaMemLocationTypeHost = 2
cudaMemLocationTypeHostNuma = 3
cudaMemLocationTypeHostNumaCurrent = 4

streamDefault = 0
streamNonBlocking = 1
streamLegacy = 1
streamPerThread = 2

streamCaptureModeGlobal = 0
streamCaptureModeThreadLocal = 1
streamCaptureModeRelaxed = 2
streamCaptureStatusNone = 0
streamCaptureStatusActive = 1
streamCaptureStatusInvalidated = 2
cudaGraphDebugDotFlagsVerbose = 1

eventDefault = 0
eventBlockingSync = 1
eventDisableTiming = 2
eventInterprocess = 4

errorInvalidValue = 1
errorMemoryAllocation = 2
errorInvalidDevice = 101
errorInvalidResourceHandle = 400
errorNotReady = 600
errorIllegalAddress = 700
errorPeerAccessAlreadyEnabled = 704
errorPeerAccessNotEnabled = 705
errorPeerAccessUnsupported = 217
errorContextIsDestroyed = 709
errorIllegalState = 401
errorStreamCaptureUnsupported = 900
errorStreamCaptureInvalidated = 901
errorStreamCaptureMerge = 902
errorStreamCaptureUnmatched = 903
errorStreamCaptureUnjoined = 904
errorStreamCaptureIsolation = 905
errorStreamCaptureImplicit = 906
errorCapturedEvent = 907
errorStreamCaptureWrongThread = 908

# The numbers of some attributes that programs ask for; all of them are in Device.attributes.
ATTRIBUTES = {
    "MaxThreadsPerBlock": 1,
    "MaxBlockDimX": 2,
    "MaxBlockDimY": 3,
    "MaxBlockDimZ": 4,
    "MaxGridDimX": 5,
    "MaxGridDimY": 6,
    "MaxGridDimZ": 7,
    "MaxSharedMemoryPerBlock": 8,
    "TotalConstantMemory": 9,
    "WarpSize": 10,
    "MaxPitch": 11,
    "MaxRegistersPerBlock": 12,
    "ClockRate": 13,
    "MultiProcessorCount": 16,
    "Integrated": 18,
    "CanMapHostMemory": 19,
    "ConcurrentKernels": 31,
    "EccEnabled": 32,
    "MemoryClockRate": 36,
    "GlobalMemoryBusWidth": 37,
    "L2CacheSize": 38,
    "MaxThreadsPerMultiProcessor": 39,
    "AsyncEngineCount": 40,
    "UnifiedAddressing": 41,
    "ComputeCapabilityMajor": 75,
    "ComputeCapabilityMinor": 76,
    "MaxSharedMemoryPerMultiprocessor": 81,
    "MaxRegistersPerMultiprocessor": 82,
    "ManagedMemory": 83,
    "ConcurrentManagedAccess": 89,
    "CooperativeLaunch": 95,
    "MaxSharedMemoryPerBlockOptin": 97,
    "MemoryPoolsSupported": 115,
}
for _name, _number in ATTRIBUTES.items():
    globals()[f"cudaDevAttr{_name}"] = _number
