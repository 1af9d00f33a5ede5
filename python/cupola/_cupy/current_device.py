"""The current device as CuPy has it: copies are made there, and `cupy.asarray(a)` moves an array.

In the package a copy is where its source is. Sets of devices are nothing that CuPy has, and arrays
on them stay where they are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import ndarray

__all__ = ["use_current_device"]

_COPIES = ("array", "asarray", "asanyarray", "copy")
_LIKE = ("empty_like", "zeros_like", "ones_like", "full_like")
_KEYWORDS = ("a", "obj", "object", "prototype")


def _is_elsewhere(array: Any, device: Any) -> bool:
    """Whether an array is on another single device of the same platform."""
    if not isinstance(array, ndarray) or device.is_set:
        return False
    own = array.device
    return own != device and not own.is_set and own.platform == device.platform


def _on(device: Any, array: Any) -> Any:
    return _core.to_device(array, device) if _is_elsewhere(array, device) else array


def _found_in_package(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__module__ = "cupola"  # where a pickle finds it
    return function


def _copying(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def on_current(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("device") is not None:
            return function(*args, **kwargs)
        device = _core.current_device()
        if args:
            return function(_on(device, args[0]), *args[1:], **kwargs)
        given = {key: _on(device, kwargs[key]) for key in _KEYWORDS if key in kwargs}
        return function(**{**kwargs, **given})

    on_current.__on_current__ = True  # type: ignore[attr-defined]
    return _found_in_package(on_current)


def _making(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def on_current(*args: Any, **kwargs: Any) -> Any:
        like = args[0] if args else next((kwargs[key] for key in _KEYWORDS if key in kwargs), None)
        device = _core.current_device()
        if kwargs.get("device") is None and _is_elsewhere(like, device):
            kwargs["device"] = device
        return function(*args, **kwargs)

    return _found_in_package(on_current)


def _copying_to(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def copyto(dst: Any, src: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(dst, ndarray):
            src = _on(dst.device, src)
        return function(dst, src, *args, **kwargs)

    return _found_in_package(copyto)


def use_current_device(package: Any) -> None:
    """Let the package's functions, and the method `copy`, give arrays on the current device;
    `copyto` takes those of another device."""
    if hasattr(package.asarray, "__on_current__"):
        return
    made: dict[Any, Any] = {}  # asanyarray is asarray, and stays so: pickles find it by that name
    for name in _COPIES:
        function = getattr(package, name)
        if function not in made:
            made[function] = _copying(function)
        setattr(package, name, made[function])
    for name in _LIKE:
        setattr(package, name, _making(getattr(package, name)))
    package.copyto = _copying_to(package.copyto)
    package.ndarray.copy = _copying(package.ndarray.copy)
