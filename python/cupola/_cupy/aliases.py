"""The package under the names `cupy` and `cupyx`: the same module objects, submodules included."""

from __future__ import annotations

import copyreg
import functools
import importlib
import importlib.util
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from cupola import _later
from cupola._cupy.answers import give_arrays
from cupola._cupy.current_device import use_current_device
from cupola._cupy.halves import take_halves
from cupola._cupy.names import VERSION
from cupola._cupy.numpy_arguments import take_numpy_arrays
from cupola._cupy.raw_modules import find_kernels
from cupola._cupy.spellings import take_spellings
from cupola._cupy.strided_arguments import pass_addresses

__all__ = ["install_as"]

_OWN = {"cupy": "cupola", "cupyx": "cupola.cupyx", "cupy_backends": "cupola._cupy.backends"}
_INTERNAL = {"_core": "cupola._cupy.core", "_util": "cupola._cupy.util"}
"""Modules of CuPy's own that libraries over it use."""


def own_name(name: str) -> str | None:
    """The path of a module of the package for one of CuPy's; None for others."""
    top, dot, rest = name.partition(".")
    if top not in _OWN:
        return None
    internal, _, inner = rest.partition(".")
    if top == "cupy" and internal in _INTERNAL:
        return f"{_INTERNAL[internal]}.{inner}".removesuffix(".")
    return _OWN[top] + dot + rest


def _module(own: str) -> ModuleType | None:
    """A module by its own path, or one that a module has as an attribute."""
    if own in sys.modules:
        return sys.modules[own]
    try:
        if importlib.util.find_spec(own) is not None:
            return importlib.import_module(own)
    except ModuleNotFoundError:  # there is no package that it would be in
        return None
    parent, _, name = own.rpartition(".")
    value = getattr(sys.modules.get(parent), name, None)
    return value if isinstance(value, ModuleType) else None


class _AliasLoader(Loader):
    """Gives a module that exists, and leaves its attributes as they are."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class _AliasFinder(MetaPathFinder):
    """Finds `cupy`, `cupyx`, `cupy_backends` and their submodules in the package."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        own = own_name(fullname)
        module = _module(own) if own is not None else None
        if module is None:
            return None
        spec = ModuleSpec(fullname, _AliasLoader(module), origin=getattr(module, "__file__", None))
        if hasattr(module, "__path__"):
            spec.submodule_search_locations = list(module.__path__)
        return spec


_finder = _AliasFinder()


class _ForChildren:
    """In the data for a spawned process; installs the names when it is read there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return install_as, ("cupy",)


def _tell_spawned_processes() -> None:
    """Processes that `multiprocessing` starts import the main program, which imports `cupy`."""
    from multiprocessing import spawn

    prepare = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {"cupola_names": _ForChildren(), **prepare(name)}

    spawn.get_preparation_data = get_preparation_data


def _class_named(name: str) -> type:
    import cupola

    found: type = getattr(cupola, name)
    return found


def _reduce_class(kind: type) -> Any:
    """In a pickle, a class has its own path, so that it is found without the names too."""
    return (_class_named, (kind.__qualname__,)) if kind.__module__ == "cupy" else kind.__qualname__


def _give_internal_modules(package: Any) -> None:
    """Modules of CuPy's own as attributes, and what programs take from them by other paths."""
    _later.MODULES.update({name: own.partition(".")[2] for name, own in _INTERNAL.items()})
    for name in ("get_cuda_path", "get_hipcc_path", "get_nvcc_path", "get_rocm_path"):
        setattr(package._environment, name, getattr(package.cuda, name))
    for name in ("RandomState", "get_random_state", "set_random_state"):
        setattr(package.random._generator, name, getattr(package.random, name))


def _take_seed(random: ModuleType) -> None:
    """Let CUPY_SEED seed the module's numbers, now and at each `reset_states`."""
    resetting = random.reset_states
    if hasattr(resetting, "__wrapped__"):
        return

    @functools.wraps(resetting)
    def reset_states() -> None:
        resetting()
        if os.environ.get("CUPY_SEED"):
            random.seed(int(os.environ["CUPY_SEED"]))

    random.reset_states = reset_states  # type: ignore[attr-defined]
    if os.environ.get("CUPY_SEED"):
        reset_states()


def _give_names() -> None:
    """For libraries that look at names instead of objects."""
    import cupola
    from cupola import cupyx

    # Programs choose what they call by CuPy's version.
    cupola.__version__ = f"{VERSION}.0"
    cupola.__name__ = "cupy"
    take_spellings(cupola)
    give_arrays(cupola)
    take_numpy_arrays(cupola)
    pass_addresses(cupola)
    find_kernels(cupola)
    use_current_device(cupola)
    take_halves(cupola)
    _give_internal_modules(cupola)
    _take_seed(cupola.random)
    cupyx.__name__ = "cupyx"
    for value in list(vars(cupola).values()):
        if isinstance(value, type) and value.__module__ in ("cupola", "cupola._cupola"):
            try:
                value.__module__ = "cupy"
            except TypeError:  # a type whose attributes are fixed
                continue
            copyreg.pickle(type(value), _reduce_class)


def install_as(name: str = "cupy", *, prefer_installed: bool = False) -> bool:
    """Let `import cupy` and `import cupyx` give this package in the whole process.

    Both are the same module objects as `cupola` and `cupola.cupyx`, and so are their submodules.
    The package's `__name__` and the `__module__` of its classes become `cupy`, and its
    `__version__` that of the CuPy that it follows, for libraries that look at them. Functions that
    CuPy makes of methods, as `cupy.sum`, take NumPy arrays and give NumPy's results, and those that
    make arrays of what they are given, as `cupy.average`, copy them. Functions take CuPy's keywords
    and order of arguments, and `cupy.allclose` and its like give arrays.
    `cupy.asarray` and copies are on the current device, wherever their source is. Raw kernels take
    views with gaps by the address of their first element, with a warning, and raw modules find a
    kernel when it is asked for. Processes that `multiprocessing` spawns have the names too. Classes
    are at the paths that libraries import them from, as `cupy._core.core.ndarray` and
    `cupy_backends.cuda.api.runtime.CUDARuntimeError`.

    Parameters
    ----------
    name : str
        "cupy".
    prefer_installed : bool
        Leave both names to CuPy where CuPy is installed.

    Returns
    -------
    bool
        Whether the names are this package's.

    Raises
    ------
    ValueError
        For another name.
    RuntimeError
        When CuPy itself is imported already: its arrays would be of another library.

    Examples
    --------
    >>> import cupola
    >>> cupola.install_as("cupy")  # doctest: +SKIP
    True
    >>> import cupy  # doctest: +SKIP
    >>> cupy.ones(2) + 1  # doctest: +SKIP
    array([2., 2.])
    """
    import cupola

    if name != "cupy":
        raise ValueError(f"the package can be installed as 'cupy', not as {name!r}")
    if _finder in sys.meta_path:
        return True
    if prefer_installed and importlib.util.find_spec("cupy") is not None:
        return False
    imported = sys.modules.get("cupy")
    if imported is not None and imported is not cupola:
        raise RuntimeError("cupy is imported already; call cupola.install_as before that")
    from cupola import cupyx as cupyx

    sys.meta_path.insert(0, _finder)
    for alias, own in _OWN.items():
        loaded = [name for name in sys.modules if name == own or name.startswith(own + ".")]
        sys.modules.update({alias + name.removeprefix(own): sys.modules[name] for name in loaded})
    _give_names()
    _tell_spawned_processes()
    return True
