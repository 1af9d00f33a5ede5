"""When values are computed, `eval` and `config.eager`; other settings of the process."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola._cupola import ndarray

__all__ = ["config", "eval"]


def eval(*arrays: ndarray) -> None:
    """Compute arrays now.

    Elementwise operations, casts and reductions are computed when somebody could notice: when a
    value is read, memory that they read is written, or their stream is synchronised. What is
    computed together becomes one kernel as far as possible. This function computes the given
    arrays at once; it does not wait for the device.

    Parameters
    ----------
    *arrays : ndarray
        Of any shapes, dtypes and devices; those that are computed already are left alone.

    Returns
    -------
    None

    Raises
    ------
    OutOfMemoryError
        If there is no memory for a result; the arrays stay as they are, to be tried again.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.ones(3) + 1
    >>> cp.eval(a)
    >>> print(cp.explain(a))
    nothing to do: the arrays are computed
    """
    _core.evaluate(*arrays)


class Config:
    """Settings of the whole process; the one instance is `cupola.config`."""

    __slots__ = ()

    @property
    def eager(self) -> bool | None:
        """Whether every operation is computed at the call (CUPOLA_EAGER=1), or none that may wait
        (CUPOLA_EAGER=0). None: those on few elements that a CPU device has stored are. The results
        are the same bits."""
        return _core.eager()

    @eager.setter
    def eager(self, value: bool | None) -> None:
        _core.set_eager(None if value is None else bool(value))

    @property
    def kernel_check(self) -> bool:
        """Whether CPU devices check raw kernels use by use (CUPOLA_KERNEL_CHECK=1): addresses in no
        array, races on shared memory, shared memory that nobody has written, barriers that not all
        threads reach. Each is a `LaunchError` at the launch, with kernel, block, thread and line.
        Holds for modules that are compiled from then on."""
        return bool(_core.checks_kernels())

    @kernel_check.setter
    def kernel_check(self, value: bool) -> None:
        _core.set_checks_kernels(bool(value))

    @property
    def host_copy(self) -> str:
        """What happens where an array would be copied between host and device unasked
        (CUPOLA_HOST_COPY): NumPy or another library reads it by `__array__` or as a buffer, or a
        NumPy array is an operand.

        "default": arrays on CPU devices may be read, all else raises. "error": an
        `ImplicitHostCopyError`, `BufferError` or `TypeError`, so that programs are tested on CPU
        devices for what a GPU would refuse. "warn": copied, with a `PerformanceWarning`. "allow":
        copied. Memory of GPUs is never lent as a buffer."""
        return str(_core.host_copy())

    @host_copy.setter
    def host_copy(self, value: str) -> None:
        _core.set_host_copy(value)

    def __repr__(self) -> str:
        return (
            f"<cupola.config: eager={self.eager}, kernel_check={self.kernel_check}, "
            f"host_copy={self.host_copy!r}>"
        )


config = Config()
