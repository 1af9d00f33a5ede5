"""The backend by which einops works on these arrays; it finds subclasses of its base class."""

from __future__ import annotations

from typing import Any

from einops._backends import AbstractBackend

import cupola


class CupolaBackend(AbstractBackend):
    """Operations of einops by functions of the package.

    Examples
    --------
    >>> import cupola as cp
    >>> from einops import rearrange
    >>> rearrange(cp.arange(6), "(a b) -> b a", a=2).shape
    (3, 2)
    """

    framework_name = "cupola"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether it is an array of ours.

        Parameters
        ----------
        tensor : object

        Returns
        -------
        bool
        """
        return isinstance(tensor, cupola.ndarray)

    def from_numpy(self, x: Any) -> Any:
        """A copy on the current device.

        Parameters
        ----------
        x : numpy.ndarray

        Returns
        -------
        ndarray
        """
        return cupola.asarray(x)

    def to_numpy(self, x: Any) -> Any:
        """A copy on the host.

        Parameters
        ----------
        x : ndarray

        Returns
        -------
        numpy.ndarray
        """
        return cupola.asnumpy(x)

    def arange(self, start: int, stop: int) -> Any:
        """Whole numbers of a range.

        Parameters
        ----------
        start, stop : int
            From, and up to which.

        Returns
        -------
        ndarray
            Of shape (stop - start,).
        """
        return cupola.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
        """The arrays of a list along a new first axis.

        Parameters
        ----------
        tensors : list of ndarray

        Returns
        -------
        ndarray
        """
        return cupola.stack(tensors)

    def tile(self, x: Any, repeats: Any) -> Any:
        """Repeated along each axis.

        Parameters
        ----------
        x : ndarray
        repeats : tuple of int
            For each axis.

        Returns
        -------
        ndarray
        """
        return cupola.tile(x, repeats)

    def concat(self, tensors: Any, axis: int) -> Any:
        """Joined along an axis.

        Parameters
        ----------
        tensors : list of ndarray
        axis : int

        Returns
        -------
        ndarray
        """
        return cupola.concatenate(tensors, axis=axis)

    def add_axis(self, x: Any, new_position: int) -> Any:
        """With one more axis of one element.

        Parameters
        ----------
        x : ndarray
        new_position : int
            Its number in the result.

        Returns
        -------
        ndarray
        """
        return cupola.expand_dims(x, new_position)

    def is_float_type(self, x: Any) -> bool:
        """Whether means are of the same dtype.

        Parameters
        ----------
        x : ndarray

        Returns
        -------
        bool
        """
        return str(x.dtype) in ("float16", "float32", "float64", "bfloat16")

    def einsum(self, pattern: str, *x: Any) -> Any:
        """A sum of products.

        Parameters
        ----------
        pattern : str
            As of `cupola.einsum`.
        *x : ndarray

        Returns
        -------
        ndarray
        """
        return cupola.einsum(pattern, *x)
