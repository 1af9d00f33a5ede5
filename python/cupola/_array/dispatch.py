"""NumPy's functions called with arrays of ours: `numpy.sin(a)`, `numpy.concatenate([a, b])`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.comparison import compare
from cupola._cupola import ndarray


def _allows_host() -> bool:
    """Whether the program allowed copies between host and device that it does not ask for."""
    return _core.host_copy() in ("allow", "warn")


def _on_device(values: Any) -> Any:
    """The same, nested as it is, with arrays of NumPy's on the current device."""
    if isinstance(values, (list, tuple)) and type(values) in (list, tuple):
        return type(values)(_on_device(value) for value in values)
    if isinstance(values, dict):
        return {name: _on_device(value) for name, value in values.items()}
    if isinstance(values, np.ndarray) and values.ndim:
        return _core.upload(values, None, None, "K")
    return values


def _refuse_host(values: Any) -> None:
    """NumPy arrays are not mixed in unasked; those of rank 0 count as numbers."""
    for value in values:
        if isinstance(value, np.ndarray) and value.ndim:
            raise TypeError(
                "operand is a numpy.ndarray; cupola.asarray copies it to a device (nothing is "
                "copied between host and device unasked)"
            )


_NAMES = (
    "arange array asanyarray asarray ascontiguousarray asfortranarray empty eye frombuffer "
    "fromfile fromfunction fromiter fromstring full genfromtxt identity loadtxt ones require tri "
    "zeros"
)
_LIKE = frozenset(_NAMES.split())
"""NumPy's functions of `like=`: with an array of ours they make another one on its device."""


def array_ufunc(self: ndarray, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Run the ufunc of the same name, or its method."""
    if ufunc.__name__ in ("equal", "not_equal") and method == "__call__":
        for value in inputs:
            if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind in "mMSU":
                _refuse_host([value])
                return compare(self, np.asarray(value)[()], ufunc.__name__ == "not_equal")
    own = _core._ufuncs.get(ufunc.__name__)
    outputs = kwargs.get("out") or ()
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    where = kwargs.get("where", True)
    if any(_core.has_override(value) for value in (*inputs, *outputs, where)):
        return NotImplemented
    if _allows_host():
        with self.device:
            inputs = _on_device(inputs)
    _refuse_host((*inputs, *outputs))
    if own is None:
        return _call_function(ufunc.__name__, method, inputs, kwargs)
    if "out" in kwargs and method != "__call__":
        kwargs["out"] = outputs[0] if outputs else None
    return getattr(own, method)(*inputs, **kwargs)


def _call_function(name: str, method: str, inputs: Any, kwargs: Any) -> Any:
    """NumPy's generalised ufuncs (matmul, vecdot), which are no elementwise functions."""
    import cupola

    function = getattr(cupola, name, None)
    if function is None or method != "__call__":
        return NotImplemented
    if "out" in kwargs:
        (kwargs["out"],) = kwargs["out"]
    return function(*inputs, **kwargs)


def _find(function: Any) -> Any:
    """cupola's function for one of NumPy's, by the module and name that it is public under."""
    import cupola

    namespace: Any = cupola
    for part in function.__module__.split(".")[1:]:
        namespace = getattr(namespace, part, None)
    found = getattr(namespace, function.__name__, None)
    return getattr(found, "__numpy_form__", found)  # where it has CuPy's order of arguments


def _share_memory(func: Any, args: Any, kwargs: Any) -> Any:
    """Whether arrays of ours and NumPy's do: those on CPU devices can be lent as buffers."""
    hosts = []
    for value in args:
        if isinstance(value, ndarray):
            if value.device.platform != "cpu" or value.dtype.name == "bfloat16":
                return False
            value = np.asarray(_core.host_memory(value))
        hosts.append(value)
    return func(*hosts, **kwargs)


def array_function(self: ndarray, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Run the function of the same name."""
    if not all(issubclass(kind, (ndarray, np.ndarray)) for kind in types):
        return NotImplemented
    own = _find(func)
    if own is None or own is func:
        raise TypeError(_absence(func))
    if any(issubclass(kind, np.ndarray) for kind in types):
        if func in (np.may_share_memory, np.shares_memory):
            return _share_memory(func, args, kwargs)
        if _allows_host():
            with self.device:
                return own(*_on_device(args), **_on_device(kwargs))
        raise TypeError(
            f"numpy.{func.__name__} was called with both cupola and numpy arrays; cupola.asarray "
            "copies a NumPy array to a device"
        )
    if func.__name__ not in _LIKE:
        return own(*args, **kwargs)
    with self.device:
        return own(*args, **kwargs)


def _absence(func: Any) -> str:
    """Why there is no function for one of NumPy's, and what to do."""
    from cupola._functions.not_planned import reason_for

    reason = reason_for(func.__module__, func.__name__)
    advice = reason or "convert the arrays with cupola.asnumpy to use NumPy's"
    return f"cupola has no {func.__module__}.{func.__name__}; {advice}"


def install() -> None:
    """Make NumPy hand its calls over."""
    ndarray.__array_ufunc__ = array_ufunc  # type: ignore[method-assign]
    ndarray.__array_function__ = array_function  # type: ignore[method-assign]
