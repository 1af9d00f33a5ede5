"""Tells other libraries about these arrays when both are there, and imports none of them for it."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

REGISTRATIONS = {
    "dask.array": "cupola.dask._backend",
    "distributed.protocol": "cupola.dask._serialization",
    "einops._backends": "cupola.interop.einops",
    "matplotlib.units": "cupola.interop.matplotlib",
    "numba": "cupola.interop.numba",
}


def _register(name: str) -> None:
    """A version of a library that is not known must go on to work for others."""
    try:
        importlib.import_module(REGISTRATIONS[name])
    except (ImportError, AttributeError) as error:
        warnings.warn(f"{name} does not know cupola's arrays: {error}", stacklevel=2)


class _Loader(importlib.abc.Loader):
    """Loads a module as another loader does, and then the registration."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.inner
        if module.__spec__ is not None:
            module.__spec__.loader = self.inner
        self.inner.exec_module(module)
        _register(module.__name__)


class _Watch(importlib.abc.MetaPathFinder):
    """Notices that modules of these libraries are imported, each once."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in self.names:
            return None
        self.names.remove(name)
        if not self.names:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def install() -> None:
    """Called once, at import."""
    there = sys.modules.keys() & REGISTRATIONS.keys()
    for name in there:
        _register(name)
    if there != REGISTRATIONS.keys():
        sys.meta_path.insert(0, _Watch(REGISTRATIONS.keys() - there))
