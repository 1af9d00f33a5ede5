"""NumPy's functions of one of its modules of series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Named:
    """A basis, by the names of its functions in NumPy.

    `module` is the name of NumPy's module, `prefix` begins the names of its functions.
    """

    def __init__(self, module: str, prefix: str) -> None:
        self._module = module
        self._prefix = prefix

    def _numpy(self, name: str) -> Callable[..., Any]:
        module = getattr(np.polynomial, self._module)
        return getattr(module, name.replace("*", self._prefix))
