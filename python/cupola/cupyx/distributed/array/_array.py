"""`DistributedArray`, and how one is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from cupola import _cupola as _core
from cupola._cupola import Device, ndarray
from cupola.cupyx.distributed.array._chunks import (
    Chunk,
    Chunks,
    shares_counted_once,
    values_at,
)
from cupola.cupyx.distributed.array._indices import Index, normalized, normalized_map
from cupola.cupyx.distributed.array._modes import Mode, mode_from
from cupola.cupyx.distributed.array._reducing import Reducing

if TYPE_CHECKING:
    from cupola._typing import DeviceLike, DTypeLike

__all__ = ["DistributedArray"]


class DistributedArray(Reducing, NDArrayOperatorsMixin):
    """An array whose chunks lie on several devices; `distributed_array` makes one.

    Elementwise functions of the package and of NumPy, `ElementwiseKernel` and operators take
    distributed arrays of the same shape and numbers. The result has the chunks of the first, in
    mode REPLICA. Nothing waits: chunks are ordinary arrays, whose uses the library orders.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype
    chunks_map : dict of int to list
        The chunks by device, each an array and its index.
    mode : Mode or str
    comms : optional
        Ignored: copies between devices need no communicator.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cupyx.distributed.array import distributed_array
    >>> a = distributed_array(cp.arange(6), {0: [slice(0, 3), slice(3, 6)]})
    >>> a.shape, a.mode
    ((6,), 'replica')
    >>> a.sum().get()
    array(15)
    """

    __array_priority__ = 200.0

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: DTypeLike,
        chunks_map: Chunks,
        mode: Mode | str = Mode.REPLICA,
        comms: Any = None,
    ) -> None:
        self._shape = tuple(shape)
        self._dtype = np.dtype(dtype)
        self._chunks = chunks_map
        self._mode = mode_from(mode)

    # ---- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the elements."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements of the whole."""
        return int(np.prod(self._shape, dtype=np.int64))

    @property
    def mode(self) -> Mode:
        """How elements that several chunks hold are made of their values."""
        return self._mode

    @property
    def devices(self) -> Iterable[int]:
        """Numbers of the devices that have chunks."""
        return self._chunks.keys()

    @property
    def index_map(self) -> dict[int, list[Index]]:
        """Which elements the chunks of each device are."""
        return {device: [each.index for each in those] for device, those in self._chunks.items()}

    def all_chunks(self) -> dict[int, list[ndarray]]:
        """The chunks of each device.

        Returns
        -------
        dict of int to list of ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 2), slice(2, 6)]})
        >>> [chunk.tolist() for chunk in a.all_chunks()[0]]
        [[0, 1], [2, 3, 4, 5]]
        """
        return {device: [each.array for each in those] for device, those in self._chunks.items()}

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    # ---- elsewhere

    def _whole(self, device: DeviceLike) -> ndarray:
        index = normalized(self._shape, ())
        return values_at(self._chunks, index, self._dtype, self._mode, device)

    def get(
        self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True
    ) -> np.ndarray:
        """The whole as a NumPy array.

        Parameters
        ----------
        stream, order, out
            Only the defaults.
        blocking : bool, optional
            Has no meaning.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        RuntimeError
            For `stream`, `order` or `out` other than the defaults, as in CuPy.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 2), slice(2, 6)]})
        >>> a.get()
        array([0, 1, 2, 3, 4, 5])
        """
        for name, changed in (("stream", stream), ("out", out), ("order", order != "C")):
            if changed is not None and changed is not False:
                raise RuntimeError(f"Argument `{name}` not supported")
        devices = [Device(device) for device in self._chunks]
        found: np.ndarray = self._whole(devices[0] if devices else _core.current_device()).get()
        return found

    def to_device(self, device: DeviceLike) -> ndarray:
        """The whole as an ordinary array on a device, or on a set of them.

        Parameters
        ----------
        device : Device, int or str
            Where it goes.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 2), slice(2, 6)]})
        >>> a.to_device(cp.cuda.Device(0))
        array([0, 1, 2, 3, 4, 5])
        """
        return self._whole(device)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError("a distributed array becomes a NumPy array by .get(), not implicitly")

    # ---- modes and indices

    def change_mode(self, mode: Mode | str) -> DistributedArray:
        """The same elements in another mode; itself where nothing changes.

        Parameters
        ----------
        mode : Mode or str

        Returns
        -------
        DistributedArray

        Raises
        ------
        RuntimeError
            For an unknown mode.
        TypeError
            For mode MIN or MAX of complex numbers.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 3), slice(3, 6)]})
        >>> a.change_mode("sum").mode
        'sum'
        """
        wanted = mode_from(mode)
        if wanted is self._mode:
            return self
        index_map = self.index_map
        chunks = self._chunks if self._mode is Mode.REPLICA else self._read(index_map)
        if wanted is not Mode.REPLICA:
            chunks = shares_counted_once(chunks, wanted.identity(self._dtype))
        return DistributedArray(self._shape, self._dtype, chunks, wanted)

    def _read(self, index_map: Mapping[int, list[Index]]) -> Chunks:
        """Chunks with the values of the whole."""
        return {
            device: [
                Chunk(values_at(self._chunks, each, self._dtype, self._mode, device), each)
                for each in indices
            ]
            for device, indices in index_map.items()
        }

    def reshard(self, index_map: Mapping[int, Any]) -> DistributedArray:
        """The same elements in other chunks, in the same mode; itself where they are these.

        Parameters
        ----------
        index_map : dict of int to index or list of indices
            As in `distributed_array`.

        Returns
        -------
        DistributedArray

        Raises
        ------
        IndexError, ValueError
            For an index that is none of the array, or is empty.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 3), slice(3, 6)]})
        >>> [chunk.tolist() for chunk in a.reshard({0: [slice(0, 5), slice(5, 6)]}).all_chunks()[0]]
        [[0, 1, 2, 3, 4], [5]]
        """
        wanted = normalized_map(self._shape, index_map)
        if wanted == self.index_map:
            return self
        chunks = self._read(wanted)
        if not self._mode.idempotent:
            # Of several chunks with an element, the first has its value.
            order = list(reversed(chunks.items()))
            turned = {device: those[::-1] for device, those in order}
            once = shares_counted_once(turned, self._mode.identity(self._dtype))
            chunks = {device: once[device][::-1] for device in chunks}
        return DistributedArray(self._shape, self._dtype, chunks, self._mode)

    # ---- operations

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from cupola.cupyx.distributed.array._elementwise import elementwise
        from cupola.cupyx.distributed.array._products import matmul

        if method != "__call__":
            return NotImplemented
        if ufunc.__name__ == "matmul":
            return matmul(*inputs, **kwargs)
        own = _core._ufuncs.get(ufunc.__name__)
        return NotImplemented if own is None else elementwise(own, inputs, kwargs)

    def __cupy_override_elementwise_kernel__(self, kernel: Any, *args: Any, **kwargs: Any) -> Any:
        from cupola.cupyx.distributed.array._elementwise import elementwise

        return elementwise(kernel, args, kwargs)

    def __len__(self) -> int:
        raise NotImplementedError(_absent("len()"))

    def __iter__(self) -> Any:
        raise NotImplementedError(_absent("iteration"))

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(_absent("indexing"))

    def __setitem__(self, index: Any, value: Any) -> None:
        raise NotImplementedError(_absent("indexing"))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(ndarray, name):
            raise _NoMemberError(_absent(name))
        raise AttributeError(f"'DistributedArray' object has no attribute {name!r}")

    def _write(self, values: DistributedArray) -> None:
        """Take over the elements of another array, in the chunks there are, as replicas."""
        for device, those in self._chunks.items():
            for chunk in those:
                found = values_at(values._chunks, chunk.index, values.dtype, values.mode, device)
                chunk.array[...] = found
        self._mode = Mode.REPLICA


class _NoMemberError(NotImplementedError, AttributeError):
    """What arrays have and distributed ones have not: `hasattr` is False, a use says what to do."""


def _absent(name: str) -> str:
    return (
        f"DistributedArray does not support {name}; a.to_device(cupola.all_devices()) is an "
        "ordinary array on several devices, which does"
    )
