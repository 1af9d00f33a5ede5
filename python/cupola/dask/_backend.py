"""What Dask's collections ask of their chunks, beyond NumPy's protocols: the backend "cupola"."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask import config
from dask.array import dispatch
from dask.array.backends import ArrayBackendEntrypoint
from dask.array.chunk_types import register_chunk_type
from dask.array.percentile import _percentile
from dask.hashing import hash_buffer_hex
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

import cupola
from cupola._array.pickling import host_values
from cupola._cupola import ndarray

__all__ = ["Backend"]


def _count(
    x: ndarray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: Any = np.float64,
    **_: Any,
) -> Any:
    """How many elements each result of a reduction is of."""
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    reduced = {a % x.ndim for a in axes}
    kept = [1 if a in reduced else n for a, n in enumerate(x.shape) if keepdims or a not in reduced]
    count = math.prod(x.shape[a] for a in reduced)
    return cupola.full(kept, count, dtype, device=x.device)


def _as_chunk(data: Any, **_: Any) -> ndarray:
    return cupola.asarray(data)


def _made(name: str, *args: Any, meta: Any = None, **kwargs: Any) -> da.Array:
    """Dask's own function of that name, with chunks of ours."""
    meta = cupola.empty(()) if meta is None else meta
    with config.set({"array.backend": "numpy"}):
        return getattr(da, name)(*args, meta=meta, **kwargs)


class Backend(ArrayBackendEntrypoint):
    """What `dask.config.set({"array.backend": "cupola"})` chooses.

    Examples
    --------
    >>> import dask
    >>> import dask.array as da
    >>> with dask.config.set({"array.backend": "cupola"}):
    ...     x = da.ones(4, chunks=2)
    >>> (x + 1).compute()
    array([2., 2., 2., 2.])
    """

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """What makes chunks of ours of others.

        Returns
        -------
        function

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.dask import Backend
        >>> Backend.to_backend_dispatch()([1, 2])
        array([1, 2])
        """
        return _as_chunk

    @classmethod
    def to_backend(cls, data: da.Array, **kwargs: Any) -> da.Array:
        """The same collection with chunks of ours.

        Parameters
        ----------
        data : dask.array.Array
        **kwargs
            Of `map_blocks`.

        Returns
        -------
        dask.array.Array
            Itself where its chunks are ours.

        Examples
        --------
        >>> import cupola as cp
        >>> import dask.array as da
        >>> from cupola.dask import Backend
        >>> Backend.to_backend(da.arange(4, chunks=2)).compute()
        array([0, 1, 2, 3])
        """
        if isinstance(data._meta, ndarray):
            return data
        convert: Any = _as_chunk
        return data.map_blocks(convert, meta=_as_chunk(data._meta), **kwargs)

    @property
    def default_bit_generator(self) -> Any:
        """The class of bit generators that `dask.array.random` uses."""
        return cupola.random.PCG64

    @property
    def RandomState(self) -> Any:  # noqa: N802
        """The class of random states that `dask.array.random` uses."""
        return cupola.random.RandomState

    @staticmethod
    def ones(*args: Any, **kwargs: Any) -> da.Array:
        """`dask.array.ones` with chunks of ours.

        Parameters
        ----------
        *args, **kwargs
            Of that function.

        Returns
        -------
        dask.array.Array

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.dask import Backend
        >>> Backend.ones(4, chunks=2).compute()
        array([1., 1., 1., 1.])
        """
        return _made("ones", *args, **kwargs)

    @staticmethod
    def zeros(*args: Any, **kwargs: Any) -> da.Array:
        """`dask.array.zeros` with chunks of ours.

        Parameters
        ----------
        *args, **kwargs
            Of that function.

        Returns
        -------
        dask.array.Array

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.dask import Backend
        >>> Backend.zeros(4, chunks=2).compute()
        array([0., 0., 0., 0.])
        """
        return _made("zeros", *args, **kwargs)

    @staticmethod
    def empty(*args: Any, **kwargs: Any) -> da.Array:
        """`dask.array.empty` with chunks of ours.

        Parameters
        ----------
        *args, **kwargs
            Of that function.

        Returns
        -------
        dask.array.Array

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.dask import Backend
        >>> Backend.empty((2, 3), chunks=2).compute().shape
        (2, 3)
        """
        return _made("empty", *args, **kwargs)

    @staticmethod
    def full(*args: Any, **kwargs: Any) -> da.Array:
        """`dask.array.full` with chunks of ours.

        Parameters
        ----------
        *args, **kwargs
            Of that function.

        Returns
        -------
        dask.array.Array

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.dask import Backend
        >>> Backend.full(4, 7, chunks=2).compute()
        array([7, 7, 7, 7])
        """
        return _made("full", *args, **kwargs)

    @staticmethod
    def arange(*args: Any, like: Any = None, **kwargs: Any) -> da.Array:
        """`dask.array.arange` with chunks of ours.

        Parameters
        ----------
        *args, like, **kwargs
            Of that function.

        Returns
        -------
        dask.array.Array

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.dask import Backend
        >>> Backend.arange(4, chunks=2).compute()
        array([0, 1, 2, 3])
        """
        like = cupola.empty(()) if like is None else like
        with config.set({"array.backend": "numpy"}):
            return da.arange(*args, like=like, **kwargs)


def _divide(a: Any, b: Any, dtype: Any = None) -> Any:
    """A quotient of a dtype that is given."""
    return cupola.divide(a, b, dtype=dtype)


def _count_without_nan(x: ndarray, **options: Any) -> Any:
    return cupola.sum(~cupola.isnan(x), **options)


def _token(array: ndarray) -> tuple[Any, ...]:
    """Equal for equal arrays, on whichever devices: by it Dask computes once what is the same."""
    host = host_values(array)
    contiguous = np.ascontiguousarray(host).reshape(-1).view(np.uint8)
    return "cupola.ndarray", array.shape, array.dtype.name, hash_buffer_hex(contiguous)


def _register() -> None:
    register_chunk_type(ndarray)
    dispatch.concatenate_lookup.register(ndarray, cupola.concatenate)
    dispatch.take_lookup.register(ndarray, cupola.take)
    dispatch.tensordot_lookup.register(ndarray, cupola.tensordot)
    dispatch.einsum_lookup.register(ndarray, cupola.einsum)
    dispatch.divide_lookup.register(ndarray, _divide)
    dispatch.numel_lookup.register(ndarray, _count)
    dispatch.nannumel_lookup.register(ndarray, _count_without_nan)
    dispatch.empty_lookup.register(ndarray, cupola.empty)
    dispatch.percentile_lookup.register(ndarray, _percentile)
    dispatch.to_numpy_dispatch.register(ndarray, lambda data, **_: cupola.asnumpy(data))
    normalize_token.register(ndarray, _token)
    sizeof.register(ndarray, sys.getsizeof)
    da.backends.array_creation_dispatch.register_backend("cupola", Backend())


_register()
