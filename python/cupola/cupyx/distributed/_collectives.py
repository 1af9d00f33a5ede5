"""What all processes of a group do together."""

from __future__ import annotations

from typing import Any

from cupola._cupola import ndarray
from cupola.cupyx.distributed import _checks
from cupola.cupyx.distributed._rank import Rank


class Collectives(Rank):
    """Collective operations, which each process of the group must call."""

    def broadcast(self, in_out_array: ndarray, root: int = 0, stream: Any = None) -> None:
        """Send the array of the rank `root` into the arrays of all ranks.

        Parameters
        ----------
        in_out_array : ndarray
            Contiguous; of one size and dtype in all ranks.
        root : int
            The rank whose array is sent.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a = cp.arange(3)
        >>> comm.broadcast(a)
        >>> a
        array([0, 1, 2])
        >>> comm.stop()
        """
        self._check_rank(root, "root")
        name = "in_out_array"
        is_root = self.rank == root
        array = _checks.flat(in_out_array, name) if is_root else _checks.target(in_out_array, name)
        self._group().broadcast(array, root, stream)

    def reduce(
        self,
        in_array: ndarray,
        out_array: ndarray,
        root: int = 0,
        op: str = "sum",
        stream: Any = None,
    ) -> None:
        """Combine the arrays of all ranks in `out_array` of the rank `root`.

        Parameters
        ----------
        in_array, out_array : ndarray
            Of one size and dtype. `out_array` of other ranks stays as it is.
        root : int
            The rank that gets the result.
        op : str
            "sum", "prod", "max" or "min".
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> comm.reduce(a, b, op="max")
        >>> b
        array([0, 1, 2])
        >>> comm.stop()
        """
        self._check_rank(root, "root")
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        _checks.check_operation(op, source)
        if self.rank == root:
            _checks.check_equal(source, target)
        self._group().reduce(source, target, root, op, stream)

    def all_reduce(
        self, in_array: ndarray, out_array: ndarray, op: str = "sum", stream: Any = None
    ) -> None:
        """Combine the arrays of all ranks in `out_array` of each: the same bits in all of them.

        Parameters
        ----------
        in_array, out_array : ndarray
            Of one size and dtype; they may be the same array.
        op : str
            "sum", "prod", "max" or "min".
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> comm.all_reduce(a, b)
        >>> b
        array([0, 1, 2])
        >>> comm.stop()
        """
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        _checks.check_operation(op, source)
        _checks.check_equal(source, target)
        self._group().all_reduce(source, target, op, stream)

    def reduce_scatter(
        self,
        in_array: ndarray,
        out_array: ndarray,
        count: int,
        op: str = "sum",
        stream: Any = None,
    ) -> None:
        """Combine the arrays of all ranks; rank i gets the i-th `count` elements of the result.

        Parameters
        ----------
        in_array : ndarray
            Of at least n_devices * count elements.
        out_array : ndarray
            Of at least `count` elements.
        count : int
            Number of elements for each rank.
        op : str
            "sum", "prod", "max" or "min".
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> comm.reduce_scatter(a, b, 3)
        >>> b
        array([0, 1, 2])
        >>> comm.stop()
        """
        source = _checks.first(
            _checks.flat(in_array, "in_array"), self._n_devices * count, "in_array"
        )
        target = _checks.first(_checks.target(out_array, "out_array"), count, "out_array")
        _checks.check_operation(op, source)
        _checks.check_pair(source, target)
        self._group().reduce_scatter(source, target, op, stream)

    def all_gather(
        self, in_array: ndarray, out_array: ndarray, count: int, stream: Any = None
    ) -> None:
        """Put the first `count` elements of all ranks' arrays, by rank, into `out_array` of each.

        Parameters
        ----------
        in_array : ndarray
            Of at least `count` elements.
        out_array : ndarray
            Of at least n_devices * count elements.
        count : int
            Number of elements of each rank.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> comm.all_gather(a, b, 3)
        >>> b
        array([0, 1, 2])
        >>> comm.stop()
        """
        source = _checks.first(_checks.flat(in_array, "in_array"), count, "in_array")
        target = _checks.target(out_array, "out_array")
        target = _checks.first(target, self._n_devices * count, "out_array")
        _checks.check_pair(source, target)
        self._group().all_gather(source, target, stream)

    def gather(
        self, in_array: ndarray, out_array: ndarray, root: int = 0, stream: Any = None
    ) -> None:
        """Put the arrays of all ranks, by rank, along the first dimension of an array of one.

        Parameters
        ----------
        in_array : ndarray
            Contiguous; of one size and dtype in all ranks.
        out_array : ndarray
            Of shape (n_devices, ...), C-contiguous; only that of the rank `root` is used.
        root : int
            The rank that gets them.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there, or parts of another size or dtype.
        RuntimeError
            For an `out_array` of another first extent, or that is not C-contiguous.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a, b = cp.arange(3), cp.zeros((1, 3), int)
        >>> comm.gather(a, b)
        >>> b
        array([[0, 1, 2]])
        >>> comm.stop()
        """
        self._check_rank(root, "root")
        source = _checks.flat(in_array, "in_array")
        parts: list[ndarray] = []
        if self.rank == root:
            _checks.target(out_array, "out_array")
            parts = self._parts(out_array, "out_array", source)
        self._group().gather(source, parts, root, stream)

    def scatter(
        self, in_array: ndarray, out_array: ndarray, root: int = 0, stream: Any = None
    ) -> None:
        """Give each rank its part along the first dimension of an array of one.

        Parameters
        ----------
        in_array : ndarray
            Of shape (n_devices, ...), C-contiguous; only that of the rank `root` is used.
        out_array : ndarray
            Contiguous; of one size and dtype in all ranks.
        root : int
            The rank whose array is divided.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        ValueError
            For a rank that is not there, or parts of another size or dtype.
        RuntimeError
            For an `in_array` of another first extent, or that is not C-contiguous.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a, b = cp.asarray([[1, 2, 3]]), cp.zeros(3, int)
        >>> comm.scatter(a, b)
        >>> b
        array([1, 2, 3])
        >>> comm.stop()
        """
        self._check_rank(root, "root")
        target = _checks.target(out_array, "out_array")
        parts = self._parts(in_array, "in_array", target) if self.rank == root else []
        self._group().scatter(parts, target, root, stream)

    def all_to_all(self, in_array: ndarray, out_array: ndarray, stream: Any = None) -> None:
        """Send a part of an array to each rank, and receive one from each.

        Parameters
        ----------
        in_array : ndarray
            Of shape (n_devices, ...), C-contiguous: part i goes to rank i.
        out_array : ndarray
            Of the same shape and dtype: part i is what rank i sends.
        stream : Stream, optional
            Where the work is put; default: the current stream.

        Raises
        ------
        TypeError, ValueError
            For another dtype or size of `out_array`.
        RuntimeError
            For another first extent, or what is not C-contiguous.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> a, b = cp.asarray([[1, 2, 3]]), cp.zeros((1, 3), int)
        >>> comm.all_to_all(a, b)
        >>> b
        array([[1, 2, 3]])
        >>> comm.stop()
        """
        source, target = _checks.flat(in_array, "in_array"), _checks.target(out_array, "out_array")
        _checks.check_equal(source, target)
        size = target.size // self._n_devices
        sources = self._parts(in_array, "in_array", source[:size])
        targets = self._parts(out_array, "out_array", source[:size])
        self._group().all_to_all(sources, targets, stream)

    def barrier(self) -> None:
        """Wait until all ranks have called it.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.cupyx.distributed import NCCLBackend
        >>> comm = NCCLBackend(1, 0)
        >>> comm.barrier()
        >>> comm.stop()
        """
        self._group().barrier(None)
