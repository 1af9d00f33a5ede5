"""The backend by which einops works on these arrays; it finds subclasses of its base class."""

from __future__ import annotations

from typing import Any

from einops._backends import AbstractBackend

import cupola


class CupolaBackend(AbstractBackend):
    """Operations of einops by functions of the package."""

    framework_name = "cupola"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether it is an array of ours."""
        return isinstance(tensor, cupola.ndarray)

    def from_numpy(self, x: Any) -> Any:
        """A copy on the current device."""
        return cupola.asarray(x)

    def to_numpy(self, x: Any) -> Any:
        """A copy on the host."""
        return cupola.asnumpy(x)

    def arange(self, start: int, stop: int) -> Any:
        """Whole numbers of a range."""
        return cupola.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
        """The arrays of a list along a new first axis."""
        return cupola.stack(tensors)

    def tile(self, x: Any, repeats: Any) -> Any:
        """Repeated along each axis."""
        return cupola.tile(x, repeats)

    def concat(self, tensors: Any, axis: int) -> Any:
        """Joined along an axis."""
        return cupola.concatenate(tensors, axis=axis)

    def add_axis(self, x: Any, new_position: int) -> Any:
        """With one more axis of one element."""
        return cupola.expand_dims(x, new_position)

    def is_float_type(self, x: Any) -> bool:
        """Whether means are of the same dtype."""
        return str(x.dtype) in ("float16", "float32", "float64", "bfloat16")

    def einsum(self, pattern: str, *x: Any) -> Any:
        """A sum of products."""
        return cupola.einsum(pattern, *x)
