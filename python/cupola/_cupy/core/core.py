"""`cupy._core.core`: the class of arrays, and functions that make them."""

from __future__ import annotations

from typing import Any

import cupola
from cupola import ndarray

__all__ = [
    "array",
    "ascontiguousarray",
    "asfortranarray",
    "compile_with_cache",
    "divmod",
    "elementwise_copy",
    "min_scalar_type",
    "ndarray",
]

array = cupola.array
ascontiguousarray = _internal_ascontiguousarray = cupola.ascontiguousarray
asfortranarray = _internal_asfortranarray = cupola.asfortranarray
divmod = cupola.divmod
min_scalar_type = cupola.min_scalar_type


def elementwise_copy(source: Any, out: ndarray | None = None, dtype: Any = None) -> ndarray:
    """A copy of an array, or the elements of `source` in `out`."""
    if out is None:
        return cupola.array(source, dtype, copy=True)
    cupola.copyto(out, source, casting="unsafe")
    return out


def compile_with_cache(
    source: str,
    options: tuple[str, ...] = (),
    arch: object = None,
    cachd_dir: object = None,
    prepend_cupy_headers: bool = True,
    backend: str = "nvrtc",
    **kwargs: Any,
) -> Any:
    """The module of a source text; `get_function` gives its kernels."""
    return cupola.RawModule(code=source, options=tuple(options), backend=backend, **kwargs)
