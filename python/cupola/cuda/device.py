"""CuPy's names for devices, of the default platform."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device, is_initialized

__all__ = [
    "Device",
    "available_gpus",
    "from_pointer",
    "get_compute_capability",
    "get_cublas_handle",
    "get_cusolver_handle",
    "get_cusolver_sp_handle",
    "get_cusparse_handle",
    "get_device_id",
    "is_available",
    "is_initialized",
]


def is_available() -> bool:
    """Whether a CUDA device can be used; initialises nothing.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cupola as cp
    >>> isinstance(cp.cuda.is_available(), bool)
    True
    """
    return bool(_core.device_count("cuda") > 0)


def get_device_id() -> int:
    """The number of the thread's current device.

    Returns
    -------
    int

    Examples
    --------
    >>> import cupola as cp
    >>> with cp.cuda.Device(0):
    ...     cp.cuda.get_device_id()
    0
    """
    return _core.current_device().id


def available_gpus() -> list[int]:
    """The numbers of the default platform's devices; initialises nothing.

    Returns
    -------
    list of int

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.available_gpus()[0]
    0
    """
    return Device.available_gpus()


def get_compute_capability() -> str:
    """The compute capability of the current device, as in "90"; "00" on the CPU.

    Returns
    -------
    str

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.get_compute_capability() == cp.cuda.Device().compute_capability
    True
    """
    return _core.current_device().compute_capability


def _place(device: Device) -> tuple[str, tuple[int, ...]]:
    return device.platform, tuple(member.id for member in device.members)


def _compare(name: str) -> None:
    """Devices are ordered by platform and number."""
    method = getattr(tuple, name)

    def compare(self: Device, other: Any) -> bool:
        if not isinstance(other, Device):
            return NotImplemented
        return bool(method(_place(self), _place(other)))

    compare.__name__ = name
    compare.__qualname__ = f"Device.{name}"
    setattr(Device, name, compare)


for _name in ("__lt__", "__le__", "__gt__", "__ge__"):
    _compare(_name)


def from_pointer(ptr: int) -> Device:
    """The device that the memory at an address belongs to.

    Parameters
    ----------
    ptr : int
        Any address within the memory.

    Returns
    -------
    Device

    Raises
    ------
    ValueError
        For memory of no device.

    Examples
    --------
    >>> import cupola as cp
    >>> with cp.cuda.Device(0):
    ...     a = cp.arange(3)
    >>> cp.cuda.Device.from_pointer(a.data.ptr) == a.device
    True
    """
    kind, number = _core.describe_pointer(_core.default_platform(), ptr)
    if number < 0:
        raise ValueError(f"the memory at {ptr} belongs to no device (it is {kind})")
    return Device(number)


Device.from_pointer = staticmethod(from_pointer)  # type: ignore[attr-defined]


def _handle(device: Device, name: str) -> int:
    from cupola.cuda._library_handles import library_handle

    return library_handle(device, name)


def get_cublas_handle() -> int:
    """The calling thread's handle of cuBLAS on the current device, for its current stream.

    Returns
    -------
    int
        It lives as long as the process.

    Raises
    ------
    DeviceError
        On the CPU platform, and for a set of devices.
    RuntimeError
        Where the library is not installed.

    Examples
    --------
    >>> import cupola as cp
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         handle = cp.cuda.get_cublas_handle()
    """
    return _handle(_core.current_device(), "cublas")


def get_cusolver_handle() -> int:
    """The calling thread's handle of cuSOLVER's dense functions on the current device.

    It is for the device's current stream.

    Returns
    -------
    int
        It lives as long as the process.

    Raises
    ------
    DeviceError
        On the CPU platform, and for a set of devices.
    RuntimeError
        Where the library is not installed.

    Examples
    --------
    >>> import cupola as cp
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         handle = cp.cuda.device.get_cusolver_handle()
    """
    return _handle(_core.current_device(), "cusolver")


def get_cusolver_sp_handle() -> int:
    """The calling thread's handle of cuSOLVER's sparse functions on the current device.

    It is for the device's current stream.

    Returns
    -------
    int
        It lives as long as the process.

    Raises
    ------
    DeviceError
        On the CPU platform, and for a set of devices.
    RuntimeError
        Where the library is not installed.

    Examples
    --------
    >>> import cupola as cp
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         handle = cp.cuda.device.get_cusolver_sp_handle()
    """
    return _handle(_core.current_device(), "cusolver_sp")


def get_cusparse_handle() -> int:
    """The calling thread's handle of cuSPARSE on the current device, for its current stream.

    Returns
    -------
    int
        It lives as long as the process.

    Raises
    ------
    DeviceError
        On the CPU platform, and for a set of devices.
    RuntimeError
        Where the library is not installed.

    Examples
    --------
    >>> import cupola as cp
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         try:
    ...             handle = cp.cuda.device.get_cusparse_handle()
    ...         except RuntimeError as error:
    ...             handle, reason = 0, error  # cuSPARSE is not installed
    """
    return _handle(_core.current_device(), "cusparse")


def _add_handle(name: str) -> None:
    def handle(self: Device) -> int:
        return _handle(self, name)

    handle.__doc__ = f"The calling thread's handle of {name} on the device."
    setattr(Device, f"{name}_handle", property(handle))


for _name in ("cublas", "cusolver", "cusolver_sp", "cusparse"):
    _add_handle(_name)
