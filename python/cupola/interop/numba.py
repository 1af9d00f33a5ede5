"""Functions that numba compiles take arrays in host memory: NumPy arrays over that memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import extending, typeof, types
from numba.core import datamodel

from cupola._cupola import ndarray


class HostArray(types.Array):
    """The type of an argument that is an array of ours.

    Parameters
    ----------
    dtype, ndim, layout, readonly
        Of numba's type of arrays.

    Examples
    --------
    >>> import numba
    >>> import cupola as cp
    >>> if cp.current_device().platform == "cpu":
    ...     kind = numba.typeof(cp.arange(3))
    """


extending.register_model(HostArray)(datamodel.models.ArrayModel)


def _host_view(array: ndarray) -> np.ndarray:
    return np.asarray(array)


@extending.typeof_impl.register(ndarray)
def type_of_array(array: ndarray, context: Any) -> HostArray:
    """The type by which numba compiles for an array: that of a NumPy array over its memory.

    Parameters
    ----------
    array : ndarray
    context : object
        Of numba.

    Returns
    -------
    HostArray

    Raises
    ------
    ImplicitHostCopyError
        For arrays on GPUs.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.interop.numba import type_of_array
    >>> if cp.current_device().platform == "cpu":
    ...     kind = type_of_array(cp.arange(3), None)
    """
    del context
    host: Any = typeof(_host_view(array))
    return HostArray(host.dtype, host.ndim, host.layout, readonly=not host.mutable)


@extending.unbox(HostArray)
def unbox_array(kind: Any, array: Any, context: Any) -> Any:
    """Views the memory of an argument, without a copy; numba calls it.

    Parameters
    ----------
    kind : HostArray
    array, context : object
        Of numba.

    Returns
    -------
    object
        Numba's value.

    Examples
    --------
    >>> import numba
    >>> import cupola as cp
    >>> first = numba.njit(lambda a: a[0])
    >>> if cp.current_device().platform == "cpu":
    ...     value = first(cp.arange(3))
    """
    api = context.pyapi
    view = api.unserialize(api.serialize_object(_host_view))
    host = api.call_function_objargs(view, (array,))
    api.decref(view)
    plain = types.Array(kind.dtype, kind.ndim, kind.layout, readonly=not kind.mutable)
    native = context.unbox(plain, host)
    api.decref(host)
    return native


def register() -> None:
    """What numba calls by its entry point; importing the module is what it takes.

    Examples
    --------
    >>> from cupola.interop import numba
    >>> numba.register()
    """
