"""Zarr reads chunks into memory of a device: its buffers, over arrays of ours.

    with cupola.interop.zarr.enable():
        a = zarr.open("data.zarr")[...]  # an array of ours, on the default device

Codecs that are no array operations (compression) run on the host, between the store and the
device, as in zarr itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import zarr
from zarr.core.buffer import core
from zarr.registry import register_buffer, register_ndbuffer

import cupola

__all__ = ["Buffer", "NDBuffer", "enable", "prototype"]


class Buffer(core.Buffer):
    """Bytes of a device.

    Parameters
    ----------
    array_like : array_like
        Bytes, of one dimension.

    Raises
    ------
    ValueError
        For larger elements, and other dimensions.

    Examples
    --------
    >>> from cupola.interop.zarr import Buffer
    >>> Buffer.from_bytes(b"abc").to_bytes()
    b'abc'
    """

    def __init__(self, array_like: Any) -> None:
        array = cupola.asarray(array_like)
        if array.ndim != 1 or array.itemsize != 1:
            raise ValueError(f"a buffer is a row of bytes, not {array.dtype} of {array.shape}")
        self._data = array

    @classmethod
    def create_zero_length(cls) -> Buffer:
        """Without bytes.

        Returns
        -------
        Buffer

        Examples
        --------
        >>> from cupola.interop.zarr import Buffer
        >>> Buffer.create_zero_length().to_bytes()
        b''
        """
        return cls(cupola.empty(0, dtype="B"))

    @classmethod
    def from_buffer(cls, buffer: core.Buffer) -> Buffer:
        """Of another buffer; copied to the device if it is not there.

        Parameters
        ----------
        buffer : zarr.core.buffer.Buffer

        Returns
        -------
        Buffer
            Itself where it is on a device.

        Examples
        --------
        >>> from cupola.interop.zarr import Buffer
        >>> buffer = Buffer.from_bytes(b"abc")
        >>> Buffer.from_buffer(buffer) is buffer
        True
        """
        if isinstance(buffer, cls):
            return buffer
        return cls.from_bytes(buffer.to_bytes())

    @classmethod
    def from_bytes(cls, bytes_like: Any) -> Buffer:
        """Of bytes in host memory, which are copied to the device.

        Parameters
        ----------
        bytes_like : bytes-like

        Returns
        -------
        Buffer

        Examples
        --------
        >>> from cupola.interop.zarr import Buffer
        >>> Buffer.from_bytes(b"abc").as_numpy_array().tolist()
        [97, 98, 99]
        """
        return cls(cupola.asarray(np.frombuffer(bytes_like, dtype="B")))

    def as_numpy_array(self) -> np.ndarray:
        """A copy on the host.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> from cupola.interop.zarr import Buffer
        >>> Buffer.from_bytes(b"abc").as_numpy_array().tolist()
        [97, 98, 99]
        """
        return cupola.asnumpy(self._data)

    def combine(self, others: Iterable[core.Buffer]) -> Buffer:
        """All bytes one after the other.

        Parameters
        ----------
        others : iterable of zarr.core.buffer.Buffer
            What follows.

        Returns
        -------
        Buffer

        Examples
        --------
        >>> from cupola.interop.zarr import Buffer
        >>> Buffer.from_bytes(b"ab").combine([Buffer.from_bytes(b"c")]).to_bytes()
        b'abc'
        """
        data = [self._data, *(type(self).from_buffer(other)._data for other in others)]
        return type(self)(cupola.concatenate(data))


class NDBuffer(core.NDBuffer):
    """An array of a device.

    Parameters
    ----------
    array : array_like
        Of any shape.

    Examples
    --------
    >>> from cupola.interop.zarr import NDBuffer
    >>> NDBuffer.create(shape=(2, 3), dtype="int8", fill_value=7).as_numpy_array().tolist()
    [[7, 7, 7], [7, 7, 7]]
    """

    def __init__(self, array: Any) -> None:
        self._data = cupola.asarray(array)

    @classmethod
    def create(
        cls, *, shape: Iterable[int], dtype: Any, order: Any = "C", fill_value: Any | None = None
    ) -> NDBuffer:
        """A new array.

        Parameters
        ----------
        shape : iterable of int
        dtype : dtype
        order : {'C', 'F'}, optional
            In memory.
        fill_value : number, optional
            Default: any elements.

        Returns
        -------
        NDBuffer

        Examples
        --------
        >>> from cupola.interop.zarr import NDBuffer
        >>> NDBuffer.create(shape=(2,), dtype="int8", fill_value=7).as_numpy_array().tolist()
        [7, 7]
        """
        if fill_value is None:
            return cls(cupola.empty(tuple(shape), dtype=dtype, order=order))
        return cls(cupola.full(tuple(shape), fill_value, dtype=dtype, order=order))

    @classmethod
    def empty(cls, shape: Any, dtype: Any, order: Any = "C") -> NDBuffer:
        """A new array with any elements.

        Parameters
        ----------
        shape : tuple of int
        dtype : dtype
        order : {'C', 'F'}, optional
            In memory.

        Returns
        -------
        NDBuffer

        Examples
        --------
        >>> from cupola.interop.zarr import NDBuffer
        >>> NDBuffer.empty((2, 3), "int8").as_numpy_array().shape
        (2, 3)
        """
        return cls(cupola.empty(shape, dtype=dtype, order=order))

    @classmethod
    def from_numpy_array(cls, array_like: Any) -> NDBuffer:
        """A copy of an array on the host.

        Parameters
        ----------
        array_like : array_like

        Returns
        -------
        NDBuffer

        Examples
        --------
        >>> from cupola.interop.zarr import NDBuffer
        >>> import numpy as np
        >>> NDBuffer.from_numpy_array(np.arange(3)).as_numpy_array().tolist()
        [0, 1, 2]
        """
        return cls(cupola.asarray(np.asarray(array_like)))

    def as_numpy_array(self) -> np.ndarray:
        """A copy on the host.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> from cupola.interop.zarr import NDBuffer
        >>> NDBuffer([1, 2]).as_numpy_array().tolist()
        [1, 2]
        """
        return cupola.asnumpy(self._data)

    def __getitem__(self, key: Any) -> NDBuffer:
        return type(self)(self._data[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        data = value._data if isinstance(value, core.NDBuffer) else value
        self._data[key] = cupola.asarray(data) if isinstance(data, np.ndarray) else data


prototype = core.BufferPrototype(buffer=Buffer, nd_buffer=NDBuffer)
"""For functions of zarr that take `prototype=`."""


def enable() -> Any:
    """Let zarr read into arrays of ours; the result is a context that takes it back.

    Returns
    -------
    context manager
        As `zarr.config.enable_gpu()`.

    Examples
    --------
    >>> import zarr
    >>> from cupola.interop.zarr import enable
    >>> with enable():
    ...     a = zarr.ones((4, 4), chunks=(2, 2))[...]
    >>> type(a).__module__
    'cupola'
    """
    place = f"{__name__}."
    return zarr.config.set({"buffer": f"{place}Buffer", "ndbuffer": f"{place}NDBuffer"})


register_buffer(Buffer)
register_ndbuffer(NDBuffer)
