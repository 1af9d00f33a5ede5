"""Attributes of devices by CUDA's numbers, as `deviceGetAttribute` takes them."""

from __future__ import annotations

_RUNS = {
    1: (
        "MaxThreadsPerBlock MaxBlockDimX MaxBlockDimY MaxBlockDimZ MaxGridDimX MaxGridDimY "
        "MaxGridDimZ MaxSharedMemoryPerBlock TotalConstantMemory WarpSize MaxPitch "
        "MaxRegistersPerBlock ClockRate TextureAlignment GpuOverlap MultiProcessorCount "
        "KernelExecTimeout Integrated CanMapHostMemory ComputeMode MaxTexture1DWidth "
        "MaxTexture2DWidth MaxTexture2DHeight MaxTexture3DWidth MaxTexture3DHeight "
        "MaxTexture3DDepth MaxTexture2DLayeredWidth MaxTexture2DLayeredHeight "
        "MaxTexture2DLayeredLayers SurfaceAlignment ConcurrentKernels EccEnabled PciBusId "
        "PciDeviceId TccDriver MemoryClockRate GlobalMemoryBusWidth L2CacheSize "
        "MaxThreadsPerMultiProcessor AsyncEngineCount UnifiedAddressing "
        "MaxTexture1DLayeredWidth MaxTexture1DLayeredLayers"
    ),
    45: (
        "MaxTexture2DGatherWidth MaxTexture2DGatherHeight MaxTexture3DWidthAlt "
        "MaxTexture3DHeightAlt MaxTexture3DDepthAlt PciDomainId TexturePitchAlignment "
        "MaxTextureCubemapWidth MaxTextureCubemapLayeredWidth MaxTextureCubemapLayeredLayers "
        "MaxSurface1DWidth MaxSurface2DWidth MaxSurface2DHeight MaxSurface3DWidth "
        "MaxSurface3DHeight MaxSurface3DDepth MaxSurface1DLayeredWidth "
        "MaxSurface1DLayeredLayers MaxSurface2DLayeredWidth MaxSurface2DLayeredHeight "
        "MaxSurface2DLayeredLayers MaxSurfaceCubemapWidth MaxSurfaceCubemapLayeredWidth "
        "MaxSurfaceCubemapLayeredLayers MaxTexture1DLinearWidth MaxTexture2DLinearWidth "
        "MaxTexture2DLinearHeight MaxTexture2DLinearPitch MaxTexture2DMipmappedWidth "
        "MaxTexture2DMipmappedHeight ComputeCapabilityMajor ComputeCapabilityMinor "
        "MaxTexture1DMipmappedWidth StreamPrioritiesSupported GlobalL1CacheSupported "
        "LocalL1CacheSupported MaxSharedMemoryPerMultiprocessor MaxRegistersPerMultiprocessor "
        "ManagedMemory IsMultiGpuBoard MultiGpuBoardGroupID HostNativeAtomicSupported "
        "SingleToDoublePrecisionPerfRatio PageableMemoryAccess ConcurrentManagedAccess "
        "ComputePreemptionSupported CanUseHostPointerForRegisteredMem Reserved92 Reserved93 "
        "Reserved94 CooperativeLaunch CooperativeMultiDeviceLaunch MaxSharedMemoryPerBlockOptin "
        "CanFlushRemoteWrites HostRegisterSupported PageableMemoryAccessUsesHostPageTables "
        "DirectManagedMemAccessFromHost"
    ),
    106: "MaxBlocksPerMultiprocessor",
    111: (
        "ReservedSharedMemoryPerBlock SparseCudaArraySupported HostRegisterReadOnlySupported "
        "MaxTimelineSemaphoreInteropSupported MemoryPoolsSupported GPUDirectRDMASupported "
        "GPUDirectRDMAFlushWritesOptions GPUDirectRDMAWritesOrdering "
        "MemoryPoolSupportedHandleTypes"
    ),
}
"""Names from a number on."""

ATTRIBUTES = {
    name: first + i for first, names in _RUNS.items() for i, name in enumerate(names.split())
}
