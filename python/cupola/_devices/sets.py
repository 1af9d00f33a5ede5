"""Arrays over several devices: where their parts are, and how to choose that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from cupola import _cupola as _core
from cupola._cupola import Device, ndarray
from cupola._devices.current import all_devices
from cupola._functions.creation.arrays import asarray
from cupola._functions.indexing.assignment import _set_places
from cupola._functions.manipulation.splitting import array_split

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike

__all__ = [
    "PlacedPart",
    "PlacementPlan",
    "place",
    "plan_placement",
    "split_over",
    "to_device",
]


class PlacedPart(NamedTuple):
    """A part of an array's memory, on one device.

    Attributes
    ----------
    device : Device
    uuid : str
        The GPU as `nvidia-smi` and CUDA_VISIBLE_DEVICES know it.
    bytes : (int, int)
        First byte and the byte after the last, from the array's lowest address.
    elements : (int, int)
        Positions along the first axis, those whose first element lies in the part.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.ones(6)
    >>> sum(part.bytes[1] - part.bytes[0] for part in a.placement) == a.nbytes
    True
    """

    device: Device
    uuid: str
    bytes: tuple[int, int]
    elements: tuple[int, int]


class Placement(list[PlacedPart]):
    """The parts of an array, in the order of addresses; a notebook shows them as a bar."""

    def _repr_html_(self) -> str:
        from cupola._notebook.arrays import placement_html

        return placement_html(self)


class PlacementPlan(NamedTuple):
    """How memory would be divided.

    Attributes
    ----------
    bytes : list of int
        Of each device, in the order of addresses; whole pieces of `granularity` bytes.
    wished : list of float
        The shares of the whole that the rule asks for.
    deviation : float
        The most by which a part differs from its wished share, in bytes.
    granularity : int
        Bytes of the smallest piece.

    Examples
    --------
    >>> import cupola as cp
    >>> plan = cp.plan_placement(8 << 20, free=[16 << 20, 16 << 20])
    >>> plan.bytes, plan.granularity
    ([4194304, 4194304], 2097152)
    """

    bytes: list[int]
    wished: list[float]
    deviation: float
    granularity: int


def _placement(array: ndarray) -> Placement:
    return Placement(
        PlacedPart(device, uuid, (first, end), (first_row, end_row))
        for device, uuid, first, end, first_row, end_row in _core.placement_of(array)
    )


def plan_placement(
    nbytes: int,
    devices: DeviceLike = None,
    *,
    weights: Sequence[float] | None = None,
    even: bool = False,
    cuts: Sequence[int] | None = None,
    free: Sequence[int] | None = None,
    granularity: int = 2 << 20,
    threshold: int = 0,
) -> PlacementPlan:
    """How an array of so many bytes would be divided; nothing is allocated.

    The shares are rounded to whole pieces, so that a part is at most one piece more or less than
    wished. A device with less free memory than its share is filled, and the others take the rest
    by their weights.

    Parameters
    ----------
    nbytes : int
    devices : Device, optional
        A set, or a device that takes all. Default: the current device.
    weights : sequence of float, optional
        Of each device; 0: none of the memory. Default: the free memory of each; devices that have
        at most an eighth less than the one with the most count as equal to it.
    even : bool
        Equal shares.
    cuts : sequence of int, optional
        Bytes before each device but the first.
    free : sequence of int, optional
        Bytes that each device has free, of a machine that is not there; `devices` is not looked at.
    granularity : int
        With `free`: bytes of the smallest piece; 2 MiB on NVIDIA GPUs.
    threshold : int
        With `free`: fewer bytes are not divided.

    Returns
    -------
    PlacementPlan

    Raises
    ------
    ValueError
        For weights that are negative, not finite, all 0 or not one for each device, and cuts that
        do not rise.
    cupola.errors.OutOfMemoryError
        If the devices do not have the room, with what each has.

    Examples
    --------
    >>> cp.plan_placement(42 << 30, free=[31 << 30, 31 << 30, 12 << 30]).bytes
    [18891145216, 18893242368, 7312769024]
    """
    if free is not None:
        plan = _core.plan_on_free(nbytes, free, granularity, threshold, weights, even, cuts)
    else:
        plan = _core.plan_on_devices(nbytes, devices, weights, even, cuts)
    return PlacementPlan(*plan)


@overload
def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None: ...
@overload
def place(
    arr: Any,
    mask: None = None,
    vals: None = None,
    *,
    devices: DeviceLike = None,
    weights: Sequence[float] | None = None,
    even: bool = False,
    cuts: Sequence[int] | None = None,
) -> ndarray: ...
def place(
    arr: Any,
    mask: Any = None,
    vals: Any = None,
    *,
    devices: DeviceLike = None,
    weights: Sequence[float] | None = None,
    even: bool = False,
    cuts: Sequence[int] | None = None,
) -> ndarray | None:
    """A copy of an array, divided anew over several devices; with a mask, what NumPy's place does.

    Parameters
    ----------
    arr : array_like
    mask, vals : array_like, optional
        Both together: the elements of `arr` where `mask` holds are set to the values in turn,
        repeated as needed, and nothing is returned.
    devices : Device, optional
        A set. Default: the array's own device, where that is a set, else the current device.
    weights : sequence of float, optional
        Of each device; 0: none of the array. Default: the free memory of each, as in
        `plan_placement`.
    even : bool
        Equal parts.
    cuts : sequence of int, optional
        Positions along the first axis before each device but the first, rounded to whole pieces
        of memory.

    Returns
    -------
    ndarray
        On `devices`. Its `placement` tells what became of the wish. With `weights`, `even` or
        `cuts`, large arrays that are computed from it are divided alike, but for what `take`
        and joining give, and for those of an allocator that the program has set.

    Raises
    ------
    ValueError
        For weights or cuts that do not fit.
    cupola.errors.OutOfMemoryError
        With what each device has free.
    cupola.errors.PeerAccessError
        If two of the devices do not reach each other's memory.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(5)
    >>> cp.place(a, a > 2, [7, 8])
    >>> a.tolist()
    [0, 1, 2, 7, 8]
    """
    if mask is not None or vals is not None:
        if mask is None or vals is None:
            raise TypeError("place() takes a mask and its values together")
        _set_places(arr, mask, vals)
        return None
    array = arr if isinstance(arr, ndarray) else asarray(arr)
    if devices is None and array.device.is_set:
        devices = array.device
    return _core.place(array, devices, weights, even, cuts)


def split_over(a: Any, devices: Any = None) -> list[ndarray]:
    """An array as one array for each of several devices; works also where peers are not reached.

    Parameters
    ----------
    a : array_like
        With at least one dimension.
    devices : Device or sequence of devices, optional
        Default: all devices of the default platform.

    Returns
    -------
    list of ndarray
        Parts along the first axis, of nearly equal extents, each on its device.

    Raises
    ------
    ValueError
        For an axis that cannot be divided so.

    Examples
    --------
    >>> import cupola as cp
    >>> parts = cp.split_over(cp.arange(10), [cp.current_device()] * 2)
    >>> [part.tolist() for part in parts]
    [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    """
    if devices is None:
        devices = all_devices()
    if isinstance(devices, (str, int)):
        devices = Device(devices)
    members = [member if isinstance(member, Device) else Device(member) for member in devices]
    if not isinstance(a, ndarray):
        import numpy as np

        pieces = np.array_split(np.asarray(a), len(members))
        return [
            asarray(piece, device=member) for piece, member in zip(pieces, members, strict=True)
        ]
    parts = array_split(a, len(members))
    return [part.to_device(device) for part, device in zip(parts, members, strict=True)]


def to_device(a: ArrayLike, device: DeviceLike) -> ndarray:
    """The array on another device or set of devices; itself where it is there.

    Parameters
    ----------
    device : Device, str or int
        "cuda:1", a set such as "cuda:0-3", or `all_devices()`.

    Returns
    -------
    ndarray
        The array itself where it is on the device already.

    Raises
    ------
    cupola.errors.DeviceError
        For a device that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(3)
    >>> cp.to_device(a, a.device) is a
    True
    """
    return _core.to_device(asarray(a), device)
