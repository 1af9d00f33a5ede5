"""The libraries that are compared, behind the few names in which they differ."""

import functools
import importlib
import itertools
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

ONE_DEVICE = "one device"
TORCH_COMPILED, JAX_COMPILED, CUPY_FUSED = "torch compiled", "jax compiled", "cupy fused"
PLAIN = ("numpy", "cupy", "torch", "jax")
COMPILED = (TORCH_COMPILED, JAX_COMPILED, CUPY_FUSED)


class Library:
    """A library with arrays on one device; by default it spells everything as NumPy does."""

    name: str
    module_name: str
    arrays_of: str | None = None  # the library's name that it shares operands with

    def __init__(self, platform: str) -> None:
        self.platform = platform
        self.xp: ModuleType = importlib.import_module(self.module_name)

    @property
    def version(self) -> str:
        return str(importlib.import_module(self.module_name.partition(".")[0]).__version__)

    def asarray(self, host: np.ndarray) -> Any:
        """A copy on the device."""
        return self.xp.asarray(host)

    def operand(self, host: np.ndarray) -> Any:
        """An array for several rows."""
        return self.asarray(host)

    def begin_row(self) -> None:
        """What was used before need not be kept."""

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of arrays, compiled where the library is a compiler."""
        return function

    def to_host(self, array: Any) -> np.ndarray:
        """A NumPy array with memory of its own."""
        raise NotImplementedError

    def use(self, result: Any) -> None:
        """Has `result` computed, which a library may leave out as long as nobody looks at it."""

    def use_together(self, results: list[Any]) -> None:
        """The same for many, in one call where a library has one."""
        for result in results:
            self.use(result)

    def wait(self, result: Any = None) -> None:
        """Returns when `result` and the calling thread's work before it are computed."""

    def copy_into(self, target: Any, source: Any) -> None:
        target[...] = source

    def pinned(self, host: np.ndarray) -> Any:
        """A copy in pinned host memory."""
        raise NotImplementedError

    def upload_into(self, target: Any, source: Any) -> None:
        """From pinned memory, which nobody changes meanwhile."""
        target.set(source)

    def download_into(self, target: Any, source: Any) -> None:
        source.get(out=target)

    def copy_from_numpy(self, target: Any, host: np.ndarray) -> None:
        target.set(host)

    def empty(self, elements: int) -> Any:
        return self.xp.empty(elements, dtype="float32")

    def maker(self) -> Callable[[int], Any]:
        """What a program calls for an array of the default dtype."""
        return self.xp.empty

    def cast(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype)

    def transposed_copy(self, array: Any) -> Any:
        return self.xp.ascontiguousarray(array.T)

    def variance(self, array: Any, axis: int) -> Any:
        return array.var(axis)

    def deviation(self, array: Any, axis: int) -> Any:
        return array.std(axis)

    def largest(self, array: Any, axis: int) -> Any:
        """Along the axis, which stays; total() likewise."""
        return array.max(axis, keepdims=True)

    def total(self, array: Any, axis: int) -> Any:
        return array.sum(axis, keepdims=True)

    def sorted(self, array: Any) -> Any:
        """A copy whose last axis is sorted; places_sorted() gives where its elements stand."""
        return self.xp.sort(array)

    def places_sorted(self, array: Any) -> Any:
        return self.xp.argsort(array)

    def unique(self, array: Any) -> Any:
        return self.xp.unique(array)

    def bin_counts(self, array: Any) -> Any:
        return self.xp.bincount(array)

    def histogram_of_unit(self, array: Any, bins: int) -> Any:
        """Counts of bins of one width between 0 and 1."""
        return self.xp.histogram(array, bins, (0, 1))[0]

    def uniform_numbers(self, elements: int) -> Callable[[], Any]:
        """What a program calls for random float32 in [0, 1); normal_numbers() likewise."""
        generator = self.xp.random.default_rng(1)
        return lambda: generator.random(elements, dtype="float32")

    def normal_numbers(self, elements: int) -> Callable[[], Any]:
        generator = self.xp.random.default_rng(1)
        return lambda: generator.standard_normal(elements, dtype="float32")


class Numpy(Library):
    name = module_name = "numpy"

    def asarray(self, host: np.ndarray) -> Any:
        return host.copy()

    def to_host(self, array: Any) -> np.ndarray:
        return np.array(array)


class Cupola(Library):
    name = module_name = "cupola"

    def __init__(self, platform: str) -> None:
        super().__init__(platform)
        self.device = self.xp.Device(f"{platform}:0")

    def to_host(self, array: Any) -> np.ndarray:
        return self.xp.asnumpy(array)

    def use(self, result: Any) -> None:
        if type(result) is self.xp.ndarray:
            self.xp.eval(result)

    def use_together(self, results: list[Any]) -> None:
        self.xp.eval(*results)

    def wait(self, result: Any = None) -> None:
        self.device.synchronize()

    def pinned(self, host: np.ndarray) -> Any:
        result = self.xp.empty_pinned(host.shape, host.dtype)
        result[...] = host
        return result

    def upload_into(self, target: Any, source: Any) -> None:
        target.set(source, blocking=False, source="keepalive")


class CupolaOnAll(Cupola):
    """Arrays over all devices, by the memory that each has free."""

    def __init__(self, platform: str) -> None:
        super().__init__(platform)
        self.device = self.xp.all_devices(platform)

    def asarray(self, host: np.ndarray) -> Any:
        return self.xp.asarray(host, device=self.device)

    def begin_row(self) -> None:
        for device in (*self.device, self.device):
            with device:
                self.xp.get_default_memory_pool().free_all_blocks()


class CupolaOnOne(Cupola):
    """Arrays on the first device."""

    name = ONE_DEVICE

    def __init__(self, platform: str) -> None:
        super().__init__(platform)
        self._others = list(self.xp.all_devices(platform))[1:]
        self._beside: list[Any] = []

    def operand(self, host: np.ndarray) -> Any:
        """The other devices hold as much, so that all have the same room for arrays over all."""
        self._beside += [self.xp.asarray(host, device=other) for other in self._others]
        return self.asarray(host)


class Cupy(Library):
    name = module_name = "cupy"

    def to_host(self, array: Any) -> np.ndarray:
        return self.xp.asnumpy(array)

    def pinned(self, host: np.ndarray) -> Any:
        result = importlib.import_module("cupyx").empty_pinned(host.shape, host.dtype)
        result[...] = host
        return result

    def wait(self, result: Any = None) -> None:
        self.xp.cuda.Device().synchronize()


class Torch(Library):
    name = module_name = "torch"

    def asarray(self, host: np.ndarray) -> Any:
        tensor = self.xp.from_numpy(host)
        return tensor.cuda() if self.platform == "cuda" else tensor.clone()

    def to_host(self, array: Any) -> np.ndarray:
        return array.cpu().numpy() if self.platform == "cuda" else array.numpy().copy()

    def wait(self, result: Any = None) -> None:
        if self.platform == "cuda":
            self.xp.cuda.synchronize()

    def copy_into(self, target: Any, source: Any) -> None:
        target.copy_(source)

    def pinned(self, host: np.ndarray) -> Any:
        return self.xp.from_numpy(host).pin_memory()

    def upload_into(self, target: Any, source: Any) -> None:
        target.copy_(source, non_blocking=True)

    def download_into(self, target: Any, source: Any) -> None:
        target.copy_(source)

    def copy_from_numpy(self, target: Any, host: np.ndarray) -> None:
        target.copy_(self.xp.from_numpy(host), non_blocking=True)

    def empty(self, elements: int) -> Any:
        return self.xp.empty(elements, dtype=self.xp.float32, device=self.platform)

    def maker(self) -> Callable[[int], Any]:
        return functools.partial(self.xp.empty, device=self.platform)

    def cast(self, array: Any, dtype: str) -> Any:
        return array.to(getattr(self.xp, dtype))

    def transposed_copy(self, array: Any) -> Any:
        return array.T.contiguous()

    def variance(self, array: Any, axis: int) -> Any:
        return array.var(axis, correction=0)

    def deviation(self, array: Any, axis: int) -> Any:
        return array.std(axis, correction=0)

    def largest(self, array: Any, axis: int) -> Any:
        return array.amax(axis, keepdim=True)

    def total(self, array: Any, axis: int) -> Any:
        return array.sum(axis, keepdim=True)

    def sorted(self, array: Any) -> Any:
        return array.sort().values

    def places_sorted(self, array: Any) -> Any:
        return array.argsort()

    def histogram_of_unit(self, array: Any, bins: int) -> Any:
        return self.xp.histc(array, bins, 0, 1)

    def uniform_numbers(self, elements: int) -> Callable[[], Any]:
        kind = {"dtype": self.xp.float32, "device": self.platform}
        return lambda: self.xp.rand(elements, **kind)

    def normal_numbers(self, elements: int) -> Callable[[], Any]:
        kind = {"dtype": self.xp.float32, "device": self.platform}
        return lambda: self.xp.randn(elements, **kind)


class Jax(Library):
    name = "jax"
    module_name = "jax.numpy"

    def __init__(self, platform: str) -> None:
        # Memory as it is needed, so that the others find some; float64 and full float32 products.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        super().__init__(platform)
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_enable_x64", True)
        self.jax.config.update("jax_default_matmul_precision", "highest")

    def asarray(self, host: np.ndarray) -> Any:
        return self.xp.array(host)

    def to_host(self, array: Any) -> np.ndarray:
        # An array keeps the host's copy of itself that was made once; this one is new.
        return np.array(array.addressable_data(0))

    def wait(self, result: Any = None) -> None:
        self.jax.block_until_ready(result)

    def copy_into(self, target: Any, source: Any) -> None:
        raise TypeError("arrays of JAX cannot be written to")

    def transposed_copy(self, array: Any) -> Any:
        return array.T  # makes a copy

    def uniform_numbers(self, elements: int) -> Callable[[], Any]:
        return self._numbers(self.jax.random.uniform, elements)

    def normal_numbers(self, elements: int) -> Callable[[], Any]:
        return self._numbers(self.jax.random.normal, elements)

    def _numbers(self, draw: Callable[..., Any], elements: int) -> Callable[[], Any]:
        compiled = self.jax.jit(lambda key: draw(key, (elements,), self.xp.float32))
        keys = itertools.count()
        return lambda: compiled(self.jax.random.PRNGKey(next(keys)))
