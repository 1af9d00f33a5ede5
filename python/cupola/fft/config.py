"""CuPy's settings of Fourier transforms, and what the library keeps of their plans.

Transforms are planned row by row, whatever the number of axes, and an array on a set of devices is
transformed by all of them. So `enable_nd_planning`, `use_multi_gpus` and `set_cufft_gpus` change
no result and no plan; they are kept for programs that set and read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cupola import _cupola as _core

__all__ = [
    "PlanCache",
    "clear_plan_cache",
    "enable_nd_planning",
    "get_current_callback_manager",
    "get_plan_cache",
    "get_plan_cache_max_memsize",
    "get_plan_cache_size",
    "set_cufft_gpus",
    "set_plan_cache_max_memsize",
    "set_plan_cache_size",
    "show_plan_cache_info",
    "use_multi_gpus",
]

enable_nd_planning = True
use_multi_gpus = False
_gpus: list[int] | None = None

_memory_limits: dict[str, int] = {}
_UNLIMITED = -1


def set_cufft_gpus(gpus: int | Sequence[int]) -> None:
    """Choose the GPUs of `use_multi_gpus`.

    Parameters
    ----------
    gpus : int or list of int
        How many devices, or which; at least two.

    Raises
    ------
    ValueError
        For less than two, or one twice.
    DeviceError
        For a device that does not exist.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.set_cufft_gpus(1)
    Traceback (most recent call last):
        ...
    ValueError: Must use at least 2 GPUs, got 1
    """
    global _gpus
    chosen = list(range(gpus)) if isinstance(gpus, int) else [int(gpu) for gpu in gpus]
    if len(chosen) < 2:
        raise ValueError(f"Must use at least 2 GPUs, got {len(chosen)}")
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"each GPU can be chosen once, got {chosen}")
    for gpu in chosen:
        _core.Device(gpu)
    _gpus = chosen


class PlanCache:
    """What a device keeps of the plans of transforms, of which the least recently used go first.

    `get_plan_cache` gives that of the current device. CUDA devices have one each, for all threads;
    the devices of the CPU platform share one. A plan keeps no work area: transforms take theirs
    from the memory pool for as long as they run. So plans keep no memory of arrays, and a limit of
    it, unless it is 0, leaves them alone.

    Parameters
    ----------
    device : Device, optional
        Default: the current one.

    Examples
    --------
    >>> import cupola as cp
    >>> cache = cp.fft.config.get_plan_cache()
    >>> cache.set_size(8)
    >>> cache.clear()
    >>> cache.get_curr_size(), cache.get_size()
    (0, 8)
    >>> cache.set_size(32)
    """

    def __init__(self, device: Any = None) -> None:
        self._device = _core.current_device() if device is None else device

    def __repr__(self) -> str:
        return f"<PlanCache of {self._device}: {self.get_curr_size()} of {self.get_size()} plans>"

    def get_size(self) -> int:
        """How many plans are kept at most; 32 unless it was set.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.fft.config.get_plan_cache().get_size()
        32
        """
        return int(_core.fft_plans(self._device)[1])

    def set_size(self, size: int) -> None:
        """Keep at most `size` plans; -1: any number, 0: none.

        Parameters
        ----------
        size : int
            Plans.

        Raises
        ------
        ValueError
            For a number below -1.

        Examples
        --------
        >>> import cupola as cp
        >>> cache = cp.fft.config.get_plan_cache()
        >>> cache.set_size(8)
        >>> cache.get_size()
        8
        >>> cache.set_size(32)
        """
        if size < -1:
            raise ValueError(f"size must be -1 (unlimited), 0 (disabled) or larger, not {size}")
        _core.keep_fft_plans(self._device, 2**62 if size == -1 else size)

    def get_curr_size(self) -> int:
        """How many plans are kept now, those not counted that a transform is using.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.fft.config.get_plan_cache().get_curr_size() >= 0
        True
        """
        return int(_core.fft_plans(self._device)[0])

    def get_memsize(self) -> int:
        """The limit that was set in bytes; -1: none.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.fft.config.get_plan_cache().get_memsize()
        -1
        """
        return _memory_limits.get(str(self._device), _UNLIMITED)

    def set_memsize(self, memsize: int) -> None:
        """Limit the memory that plans keep, in bytes; -1: no limit, 0: keep no plans.

        Parameters
        ----------
        memsize : int
            Bytes.

        Raises
        ------
        ValueError
            For a number below -1.

        Examples
        --------
        >>> import cupola as cp
        >>> cache = cp.fft.config.get_plan_cache()
        >>> cache.set_memsize(1 << 20)
        >>> cache.get_memsize()
        1048576
        >>> cache.set_memsize(-1)
        """
        if memsize < -1:
            raise ValueError(
                f"memsize must be -1 (unlimited), 0 (disabled) or larger, not {memsize}"
            )
        _memory_limits[str(self._device)] = memsize
        if memsize == 0:
            self.set_size(0)

    def get_curr_memsize(self) -> int:
        """Bytes of device memory that the plans keep: 0.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.fft.config.get_plan_cache().get_curr_memsize()
        0
        """
        return 0

    def clear(self) -> None:
        """Forget the plans that are kept.

        Examples
        --------
        >>> import cupola as cp
        >>> cache = cp.fft.config.get_plan_cache()
        >>> cache.clear()
        >>> cache.get_curr_size()
        0
        """
        most = _core.fft_plans(self._device)[1]
        _core.keep_fft_plans(self._device, 0)
        _core.keep_fft_plans(self._device, most)

    def show_info(self) -> None:
        """Print what is kept.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.fft.config.get_plan_cache().show_info()  # doctest: +ELLIPSIS
        ------... FFT plan cache (...) ...
        cache enabled? True
        current / max size   : ... / 32 (counts)
        current / max memsize: 0 / unlimited (bytes)
        """
        size, limit = self.get_size(), self.get_memsize()
        bound = "unlimited" if size >= 2**62 else size
        memory = "unlimited" if limit == _UNLIMITED else limit
        title = f" FFT plan cache ({self._device}) "
        print(f"{title:-^67}")
        print(f"cache enabled? {size != 0}")
        print(f"current / max size   : {self.get_curr_size()} / {bound} (counts)")
        print(f"current / max memsize: {self.get_curr_memsize()} / {memory} (bytes)")


def get_plan_cache() -> PlanCache:
    """The plans that the current device keeps.

    Returns
    -------
    PlanCache

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.get_plan_cache().get_curr_memsize()
    0
    """
    return PlanCache()


def clear_plan_cache() -> None:
    """Forget the plans that the current device keeps.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.clear_plan_cache()
    >>> cp.fft.config.get_plan_cache().get_curr_size()
    0
    """
    PlanCache().clear()


def get_plan_cache_size() -> int:
    """How many plans the current device keeps at most.

    Returns
    -------
    int

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.set_plan_cache_size(32)
    >>> cp.fft.config.get_plan_cache_size()
    32
    """
    return PlanCache().get_size()


def set_plan_cache_size(size: int) -> None:
    """Keep at most `size` plans on the current device; -1: any number, 0: none.

    Parameters
    ----------
    size : int
        Plans.

    Raises
    ------
    ValueError
        For a number below -1.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.set_plan_cache_size(8)
    >>> cp.fft.config.get_plan_cache_size()
    8
    >>> cp.fft.config.set_plan_cache_size(32)
    """
    PlanCache().set_size(size)


def get_plan_cache_max_memsize() -> int:
    """The limit of memory that was set for the current device, in bytes; -1: none.

    Returns
    -------
    int

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.set_plan_cache_max_memsize(-1)
    >>> cp.fft.config.get_plan_cache_max_memsize()
    -1
    """
    return PlanCache().get_memsize()


def set_plan_cache_max_memsize(size: int) -> None:
    """Limit the memory that plans of the current device keep, in bytes; -1: no limit.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    ValueError
        For a number below -1.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.set_plan_cache_max_memsize(1 << 20)
    >>> cp.fft.config.get_plan_cache_max_memsize()
    1048576
    >>> cp.fft.config.set_plan_cache_max_memsize(-1)
    """
    PlanCache().set_memsize(size)


def show_plan_cache_info() -> None:
    """Print what all devices keep of plans.

    Examples
    --------
    >>> cp.fft.config.clear_plan_cache()
    >>> cp.fft.config.show_plan_cache_info()  # doctest: +ELLIPSIS
    ------...
    """
    for index in range(_core.device_count(_core.default_platform())):
        PlanCache(_core.Device(index)).show_info()


def get_current_callback_manager() -> None:
    """The callbacks that are in force: None, as transforms call none.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fft.config.get_current_callback_manager() is None
    True
    """


def __getattr__(name: str) -> Any:
    from cupola._cupy.differences import absence

    raise AttributeError(absence("cupy.fft.config", name))
