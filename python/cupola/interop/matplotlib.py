"""Matplotlib reads arrays where it would mix them with NumPy's: registered as units are."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import units

from cupola._cupola import ndarray


class Converter(units.ConversionInterface):
    """Values for an axis; arrays on GPUs are not copied unasked (`cupola.asnumpy` copies)."""

    @staticmethod
    def convert(value: Any, unit: Any, axis: Any) -> Any:
        """The elements as a NumPy array."""
        del unit, axis
        if isinstance(value, ndarray):
            return np.asarray(value)
        if isinstance(value, (list, tuple)):
            return [np.asarray(each) if isinstance(each, ndarray) else each for each in value]
        return value


units.registry[ndarray] = Converter()
