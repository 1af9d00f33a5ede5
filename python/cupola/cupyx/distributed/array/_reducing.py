"""The methods of `DistributedArray` that reduce it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cupola._typing import DTypeLike
    from cupola.cupyx.distributed.array._array import DistributedArray


class Reducing:
    """Results are distributed arrays, in the mode of the operation."""

    def _reduced(self: Any, name: str, axis: Any, dtype: Any, out: Any, keepdims: bool) -> Any:
        from cupola.cupyx.distributed.array._reductions import reduced

        if out is not None:
            raise RuntimeError("Argument `out` is not supported")
        return reduced(self, name, axis, dtype, bool(keepdims))

    def max(self, axis: Any = None, out: None = None, keepdims: bool = False) -> DistributedArray:
        """The largest elements along axes; in mode MAX.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Default: all.
        out : None
            There is none.
        keepdims : bool, optional
            Whether the axes stay, with extent 1.

        Returns
        -------
        DistributedArray

        Raises
        ------
        RuntimeError
            For `out`.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 3), slice(3, 6)]})
        >>> a.max().get()
        array(5)
        """
        result: DistributedArray = self._reduced("max", axis, None, out, keepdims)
        return result

    def min(self, axis: Any = None, out: None = None, keepdims: bool = False) -> DistributedArray:
        """The smallest elements along axes; in mode MIN.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Default: all.
        out : None
            There is none.
        keepdims : bool, optional
            Whether the axes stay, with extent 1.

        Returns
        -------
        DistributedArray

        Raises
        ------
        RuntimeError
            For `out`.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 3), slice(3, 6)]})
        >>> a.min().get()
        array(0)
        """
        result: DistributedArray = self._reduced("min", axis, None, out, keepdims)
        return result

    def sum(
        self, axis: Any = None, dtype: DTypeLike = None, out: None = None, keepdims: bool = False
    ) -> DistributedArray:
        """Sums along axes; in mode SUM.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Default: all.
        dtype : dtype, optional
            Of the result.
        out : None
            There is none.
        keepdims : bool, optional
            Whether the axes stay, with extent 1.

        Returns
        -------
        DistributedArray

        Raises
        ------
        RuntimeError
            For `out`.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(6), {0: [slice(0, 3), slice(3, 6)]})
        >>> a.sum().get()
        array(15)
        """
        result: DistributedArray = self._reduced("sum", axis, dtype, out, keepdims)
        return result

    def prod(
        self, axis: Any = None, dtype: DTypeLike = None, out: None = None, keepdims: bool = False
    ) -> DistributedArray:
        """Products along axes; in mode PROD.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Default: all.
        dtype : dtype, optional
            Of the result.
        out : None
            There is none.
        keepdims : bool, optional
            Whether the axes stay, with extent 1.

        Returns
        -------
        DistributedArray

        Raises
        ------
        RuntimeError
            For `out`.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed.array import distributed_array
        >>> a = distributed_array(cp.arange(1, 7), {0: [slice(0, 3), slice(3, 6)]})
        >>> a.prod().get()
        array(720)
        """
        result: DistributedArray = self._reduced("prod", axis, dtype, out, keepdims)
        return result
