"""The arguments of distributions, checked as NumPy checks them.

Conditions are written with operators, which Python numbers, NumPy's arrays and ours all have: for
numbers alone they cost a part of what NumPy's functions take.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import on_host

if TYPE_CHECKING:
    from collections.abc import Callable

    from cupola._typing import DeviceLike, DTypeLike


DOUBLE = np.dtype(np.float64)
_NUMBERS = (float, int)


def shape_of(size: Any) -> tuple[int, ...]:
    """The shape that a `size` other than None asks for."""
    if type(size) is int and size >= 0:
        return (size,)
    if type(size) is tuple:
        for extent in size:
            if type(extent) is not int or extent < 0:
                break
        else:
            return size
    size = on_host(size)
    if isinstance(size, (list, tuple)) or (isinstance(size, np.ndarray) and size.ndim == 1):
        shape = tuple(operator.index(extent) for extent in size)
    elif hasattr(size, "__index__"):
        shape = (operator.index(size),)
    else:
        raise TypeError(f"expected a sequence of integers or a single integer, got '{size!r}'")
    if any(extent < 0 for extent in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def float_dtype(dtype: DTypeLike, name: str) -> Any:
    """float32 or float64."""
    if dtype is float:
        return DOUBLE
    wanted = _core.dtype(dtype)
    if wanted not in (np.float32, np.float64):
        raise TypeError(f"Unsupported dtype {wanted!r} for {name}")
    return wanted


def as_dtype(numbers: ndarray, dtype: DTypeLike) -> ndarray:
    """In the dtype asked for, where arrays of parameters have made another one of it."""
    wanted = DOUBLE if dtype is float else _core.dtype(dtype)
    if numbers.dtype == wanted:
        return numbers
    return _core.astype(numbers, wanted, "K", "unsafe", False)


def target_of(size: Any, dtype: Any, out: ndarray | None) -> tuple[int, ...]:
    """The shape of standard numbers, which `out` can take."""
    if out is None:
        return () if size is None else shape_of(size)
    if not isinstance(out, ndarray):
        raise TypeError(f"out must be an array of cupola, not {type(out).__name__}")
    if out.dtype != dtype:
        raise TypeError(
            f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}"
        )
    if size is not None and shape_of(size) != out.shape:
        raise ValueError("size must match out.shape when used together")
    return out.shape


class Parameters:
    """Parameters of a distribution: Python floats, or arrays on one device.

    Those in `integers` are Python integers or arrays of int64. Values of all of them are checked;
    where they are on a device, this waits for it. TypeError for arrays of complex numbers, and for
    arrays of floats where integers are wanted.
    """

    def __init__(self, device: DeviceLike, *, integers: tuple[str, ...] = (), **given: Any) -> None:
        self.device = device
        self._are_numbers = True
        for value in given.values():
            if not isinstance(value, _NUMBERS):
                self._are_numbers = False
        self.values: dict[str, Any] = {}
        self._host: dict[str, Any] = {}
        if self._are_numbers:
            for name, value in given.items():
                self.values[name] = int(value) if name in integers else float(value)
            self._host = self.values
        else:
            self._add_all(given, integers)

    def _add_all(self, given: dict[str, Any], integers: tuple[str, ...]) -> None:
        arrays = [value for value in given.values() if isinstance(value, ndarray)]
        if self.device is None and arrays:
            self.device = arrays[0].device
        for name, value in given.items():
            self._add(name, value, name in integers)

    def _add(self, name: str, value: Any, is_integer: bool) -> None:
        if isinstance(value, ndarray):
            wanted = "int64" if is_integer else "float64"
            if not np.can_cast(value.dtype, wanted, "same_kind"):
                raise TypeError(
                    f"Cannot cast array data from {value.dtype!r} to dtype('{wanted}') according "
                    "to the rule 'safe'"
                )
            is_kept = not is_integer and value.dtype.kind == "f"
            self.values[name] = value if is_kept else _cast(value, wanted)
        elif np.ndim(value) == 0:
            self.values[name] = self._host[name] = int(value) if is_integer else float(value)
            if isinstance(value, (str, bytes)):
                raise TypeError(f"must be real number, not {type(value).__name__}")
        else:
            self._host[name] = np.asarray(value, np.int64 if is_integer else np.float64)
            if isinstance(value, np.ndarray):
                self.values[name] = _core.as_array(value, self.device)
            else:
                self.values[name] = _core.upload(self._host[name], None, self.device)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def require(
        self, condition: Callable[..., Any], message: str, *names: str, error: Any = ValueError
    ) -> Parameters:
        """Raises unless the condition holds for all values."""
        holds: Any
        if self._are_numbers:
            holds = condition(*[self.values[name] for name in names])
        elif self.are_on_host(*names):
            with np.errstate(invalid="ignore", over="ignore"):
                holds = np.all(condition(*(self._host[name] for name in names)))
        else:
            holds = _core.all(condition(*(self.values[name] for name in names)))
        if not bool(holds):
            raise error(message)
        return self

    def are_on_host(self, *names: str) -> bool:
        """Whether what these values are is known without waiting for a device."""
        return all(name in self._host for name in names)

    def hold(self, condition: Callable[..., Any], *names: str) -> bool:
        """Whether these values are on the host and satisfy a condition."""
        if self._are_numbers:
            return bool(condition(*[self.values[name] for name in names]))
        return self.are_on_host(*names) and bool(
            np.all(condition(*(self._host[name] for name in names)))
        )

    def not_negative(self, name: str) -> Parameters:
        """NaN is let through, -0.0 is not."""
        if self._are_numbers and self.values[name] > 0:
            return self
        return self.require(
            lambda value: has_no_sign(value) | (value != value),
            f"{name} < 0",
            name,
        )

    def positive(self, name: str) -> Parameters:
        """NaN is let through."""
        if self._are_numbers and self.values[name] > 0:
            return self
        return self.require(lambda value: (value > 0) | (value != value), f"{name} <= 0", name)

    def share(self, name: str) -> Parameters:
        """Between 0 and 1."""
        return self.require(
            lambda value: (value >= 0) & (value <= 1),
            f"{name} < 0, {name} > 1 or {name} contains NaNs",
            name,
        )

    def shape(self, size: Any) -> tuple[int, ...]:
        """Of the result: `size`, or what the parameters broadcast to."""
        if self._are_numbers:
            return () if size is None else shape_of(size)
        shapes = [value.shape for value in self.values.values() if isinstance(value, ndarray)]
        if size is None:
            return np.broadcast_shapes(*shapes)
        shape = shape_of(size)
        if shapes and np.broadcast_shapes(shape, *shapes) != shape:
            raise ValueError(
                f"Output size {shape} is not compatible with broadcast dimensions of inputs "
                f"{np.broadcast_shapes(*shapes)}."
            )
        return shape


def has_no_sign(value: Any) -> Any:
    """Neither negative, nor -0.0, nor NaN."""
    if isinstance(value, _NUMBERS):
        return value > 0 or (value == 0 and math.copysign(1.0, value) > 0)
    return (value > 0) | ((value == 0) & ~np.signbit(value))


def _cast(array: ndarray, dtype: str) -> ndarray:
    return _core.astype(array, dtype, "K", "safe", False)
