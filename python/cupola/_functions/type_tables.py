"""NumPy's tables of types, of those that arrays can have."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ScalarType", "sctypeDict", "typecodes"]

_CHARACTERS = "?bhilqnpBHILQNPefdFD"

_TYPES = frozenset(np.dtype(character).type for character in _CHARACTERS)

_numpys: Any = np.typecodes

typecodes: dict[str, str] = {
    kind: "".join(character for character in characters if character in _CHARACTERS)
    for kind, characters in _numpys.items()
    if set(characters) & set(_CHARACTERS)
}
"""The characters of dtypes by their kinds."""

sctypeDict: dict[Any, type] = {  # noqa: N816
    name: scalar for name, scalar in np.sctypeDict.items() if scalar in _TYPES
}
"""The scalar types by names and characters."""

ScalarType: tuple[type, ...] = tuple(
    each for each in np.ScalarType if each in _TYPES or each in (int, float, complex, bool)
)
"""The types of numbers."""
