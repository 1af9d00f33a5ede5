"""Sums, products, counts, and the averages made of them."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import count_nonzero, mean, ndarray, prod, std, sum, var
from cupola._functions.arguments import NoValue, axes_in

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike

__all__ = [
    "average",
    "count_nonzero",
    "mean",
    "prod",
    "std",
    "sum",
    "var",
]


def average(
    a: ArrayLike,
    axis: AxisLike = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: Any = NoValue,
) -> Any:
    """Weighted mean.

    Parameters
    ----------
    weights : array, optional
        Of a's shape, or one per element of `axis`.
    returned : bool
        Return (average, sum of weights).

    Returns
    -------
    ndarray
        With `returned` the sum of the weights as well.

    Raises
    ------
    ZeroDivisionError
        When the weights sum to zero.

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.average([1.0, 3.0], weights=[3, 1]))
    1.5
    """
    array = _core.as_array(a)
    if weights is None:
        result = _core.mean(array, axis, None, None, keepdims)
        total = _core.full(result.shape, array.size / builtins.max(result.size, 1), result.dtype)
    else:
        scale = _matching_weights(array, _core.as_array(weights), axis)
        dtype = np.result_type(array.dtype, scale.dtype)
        if array.dtype.kind in "biu":
            dtype = np.result_type(dtype, np.float64)
        total = _core.sum(scale, axis, dtype, None, keepdims)
        if bool(_core.any(total == 0)):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        products = _core._ufuncs["multiply"](array, scale, dtype=dtype)
        result = _core.sum(products, axis, None, None, keepdims) / total
    if not returned:
        return result
    return result, _core.copy(_core.broadcast_to(total, result.shape))


def _matching_weights(array: ndarray, weights: ndarray, axis: AxisLike) -> ndarray:
    if weights.shape == array.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    normalized = axes_in(axis, array.ndim)
    if weights.shape != tuple(array.shape[number] for number in normalized):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    ordered = _core.transpose(weights, [int(i) for i in np.argsort(normalized)])
    shape = tuple(n if i in normalized else 1 for i, n in enumerate(array.shape))
    return _core.broadcast_to(_core.reshape(ordered, shape), array.shape)
