"""CuPy's names for calls of the CUDA driver. Handles are numbers.

They act on the current device, with its primary context unless another was made the thread's own.
On the CPU platform all but `get_build_version` raise `DeviceError`.
"""

from __future__ import annotations

from cupola import _cupola as _core
from cupola.cuda._driver_calls import CUDADriverError, check
from cupola.cuda._driver_contexts import (
    ctxCreate,
    ctxDestroy,
    ctxGetCurrent,
    ctxGetDevice,
    ctxSetCurrent,
    streamGetCtx,
)
from cupola.cuda._driver_modules import (
    funcGetAttribute,
    funcSetAttribute,
    launchKernel,
    moduleGetFunction,
    moduleGetGlobal,
    moduleLoad,
    moduleLoadData,
    moduleUnload,
    occupancyMaxActiveBlocksPerMultiprocessor,
)

__all__ = [
    "CUDADriverError",
    "check_status",
    "ctxCreate",
    "ctxDestroy",
    "ctxGetCurrent",
    "ctxGetDevice",
    "ctxSetCurrent",
    "funcGetAttribute",
    "funcSetAttribute",
    "get_build_version",
    "launchKernel",
    "moduleGetFunction",
    "moduleGetGlobal",
    "moduleLoad",
    "moduleLoadData",
    "moduleUnload",
    "occupancyMaxActiveBlocksPerMultiprocessor",
    "streamGetCtx",
]


def check_status(status: int) -> None:
    """Raise CUDADriverError for the code of a call that failed.

    Parameters
    ----------
    status : int
        A CUresult; 0 is success.

    Raises
    ------
    CUDADriverError
        For another code, which is its `status`.

    Examples
    --------
    >>> from cupola.cuda import driver
    >>> driver.check_status(0)
    """
    check(status, "check_status")


def get_build_version() -> int:
    """The version of the CUDA toolkit in use, as in 13000; 0 on the CPU platform.

    Returns
    -------
    int
        1000 times the major version, and 10 times the minor one.

    Examples
    --------
    >>> from cupola.cuda import driver
    >>> driver.get_build_version() >= 0
    True
    """
    return _core.runtime_version(_core.default_platform())
