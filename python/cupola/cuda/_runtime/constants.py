"""Numbers of the CUDA runtime that CuPy programs name."""

from cupola.cuda._runtime.attributes import ATTRIBUTES

cudaCpuDeviceId = -1
cudaInvalidDeviceId = -2
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
cudaMemoryTypeHost = memoryTypeHost
cudaMemoryTypeDevice = memoryTypeDevice

cudaLimitStackSize = 0
cudaLimitPrintfFifoSize = 1
cudaLimitMallocHeapSize = 2
cudaLimitDevRuntimeSyncDepth = 3
cudaLimitDevRuntimePendingLaunchCount = 4
cudaLimitMaxL2FetchGranularity = 5
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
cudaMemAttachGlobal = memAttachGlobal
cudaMemAttachHost = memAttachHost
cudaMemAttachSingle = memAttachSingle

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

CUDA_R_32F = 0
CUDA_R_64F = 1
CUDA_R_16F = 2
CUDA_R_8I = 3
CUDA_C_32F = 4
CUDA_C_64F = 5
CUDA_C_16F = 6
CUDA_C_8I = 7
CUDA_R_8U = 8
CUDA_C_8U = 9
CUDA_R_16BF = 14

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
cudaGraphDebugDotFlagsKernelNodeParams = 4
cudaGraphDebugDotFlagsMemcpyNodeParams = 8
cudaGraphDebugDotFlagsMemsetNodeParams = 16
cudaGraphDebugDotFlagsHostNodeParams = 32
cudaGraphDebugDotFlagsEventNodeParams = 64
cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128
cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256
cudaGraphDebugDotFlagsKernelNodeAttributes = 512
cudaGraphDebugDotFlagsHandles = 1024
cudaGraphDebugDotFlagsConditionalNodeParams = 32768

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

for _name, _number in ATTRIBUTES.items():
    globals()[f"cudaDevAttr{_name}"] = _number
