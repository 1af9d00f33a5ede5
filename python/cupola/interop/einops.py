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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().is_appropriate_type(cp.arange(3))
        True
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> import numpy as np
        >>> CupolaBackend().from_numpy(np.arange(3))
        array([0, 1, 2])
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().to_numpy(cp.arange(3)).tolist()
        [0, 1, 2]
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().arange(1, 4)
        array([1, 2, 3])
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().stack_on_zeroth_dimension([cp.ones(3), cp.zeros(3)]).shape
        (2, 3)
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().tile(cp.arange(2), (2,))
        array([0, 1, 0, 1])
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().concat([cp.arange(2), cp.arange(2)], 0)
        array([0, 1, 0, 1])
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().add_axis(cp.ones((2, 3)), 1).shape
        (2, 1, 3)
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().is_float_type(cp.ones(3)), CupolaBackend().is_float_type(cp.arange(3))
        (True, False)
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

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.einops import CupolaBackend
        >>> CupolaBackend().einsum("i,i", cp.arange(3), cp.arange(3))
        array(5)
        """
        return cupola.einsum(pattern, *x)
