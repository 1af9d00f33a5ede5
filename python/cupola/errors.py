"""The exceptions that are the library's own; for NumPy's mistakes NumPy's own types are raised."""

from cupola._cupola import (
    CaptureError,
    CastingError,
    CompileError,
    CompileException,
    DeviceError,
    FaultError,
    ForkedProcessError,
    ImplicitHostCopyError,
    LaunchError,
    LibraryError,
    OutOfMemoryError,
    PeerAccessError,
    PerformanceWarning,
)

__all__ = [
    "CaptureError",
    "CastingError",
    "CompileError",
    "CompileException",
    "DeviceError",
    "FaultError",
    "ForkedProcessError",
    "ImplicitHostCopyError",
    "LaunchError",
    "LibraryError",
    "OutOfMemoryError",
    "PeerAccessError",
    "PerformanceWarning",
]
