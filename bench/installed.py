"""Which libraries can be compared on this machine: plain ones, their compilers, device sets."""

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from libraries import (
    CUPY_FUSED,
    JAX_COMPILED,
    TORCH_COMPILED,
    Cupola,
    CupolaOnAll,
    CupolaOnOne,
    Cupy,
    Jax,
    Library,
    Numpy,
    Torch,
)


class TorchCompiled(Torch):
    name, arrays_of = TORCH_COMPILED, Torch.name

    def begin_row(self) -> None:
        self.xp.compiler.reset()

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.xp.compile(function, dynamic=False)


class JaxCompiled(Jax):
    name, arrays_of = JAX_COMPILED, Jax.name

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.jax.jit(function)


class CupyFused(Cupy):
    name, arrays_of = CUPY_FUSED, Cupy.name

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        # It is the name of a function in CUDA C++, which those of lambda expressions cannot be.
        return self.xp.fuse(kernel_name="fused")(function)


def usable(library: type[Library], platform: str) -> bool:
    """Installed, and able to compute on the platform."""
    try:
        module = importlib.import_module(library.module_name.partition(".")[0])
        if issubclass(library, Cupy):
            return platform == "cuda" and bool(module.cuda.runtime.getDeviceCount())
        if issubclass(library, Torch):
            return platform == "cpu" or bool(module.cuda.is_available())
        if issubclass(library, Jax):
            return str(module.default_backend()) == {"cpu": "cpu", "cuda": "gpu"}[platform]
    except Exception:
        return False  # not installed, or installed for another machine
    return True


def over_devices(platform: str) -> list[Library]:
    """Cupola on all devices and on one; nothing where there is one."""
    if Cupola(platform).xp.all_devices(platform).is_set:
        return [CupolaOnAll(platform), CupolaOnOne(platform)]
    return []


def installed(platform: str, names: Sequence[str]) -> list[Library]:
    """Cupola, NumPy, and those of the others that are there and named."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    plain: tuple[type[Library], ...] = (Cupola, Numpy, Cupy, Torch, Jax)
    known: tuple[type[Library], ...] = (*plain, TorchCompiled, JaxCompiled, CupyFused)
    return [k(platform) for k in known if k.name in names and usable(k, platform)]
