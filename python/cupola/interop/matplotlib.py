"""Matplotlib reads arrays where it would mix them with NumPy's: registered as units are."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import units

from cupola._cupola import ndarray


class Converter(units.ConversionInterface):
    """Values for an axis; arrays on GPUs are not copied unasked (`cupola.asnumpy` copies).

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.interop.matplotlib import Converter
    >>> if cp.current_device().platform == "cpu":
    ...     value = Converter.convert(cp.arange(3), None, None)
    """

    @staticmethod
    def convert(value: Any, unit: Any, axis: Any) -> Any:
        """The elements as a NumPy array.

        Parameters
        ----------
        value : object
            An array, or a list or tuple with arrays; others stay as they are.
        unit, axis
            Have no meaning.

        Returns
        -------
        object

        Raises
        ------
        ImplicitHostCopyError
            For arrays on GPUs.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.interop.matplotlib import Converter
        >>> if cp.current_device().platform == "cpu":
        ...     value = Converter.convert([cp.arange(3), 5], None, None)
        """
        del unit, axis
        if isinstance(value, ndarray):
            return np.asarray(value)
        if isinstance(value, (list, tuple)):
            return [np.asarray(each) if isinstance(each, ndarray) else each for each in value]
        return value


units.registry[ndarray] = Converter()
