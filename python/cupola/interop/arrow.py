"""Arrow's C data interface, by pyarrow."""

from __future__ import annotations

from typing import Any

import numpy as np

from cupola._cupola import ndarray


def export(array: ndarray, requested_schema: Any = None) -> tuple[Any, Any]:
    """Capsules of the schema and the array, over the array's own memory where it is on the host.

    Parameters
    ----------
    array : ndarray
        Of one dimension; any dtype but complex numbers and bfloat16, which Arrow has not.
    requested_schema : capsule, optional
        What the other library would like better.

    Returns
    -------
    tuple of capsule
        The schema and the array.

    Raises
    ------
    ImportError
        Without pyarrow.
    ValueError
        For other numbers of dimensions.
    cupola.errors.ImplicitHostCopyError
        For arrays on GPUs.

    Examples
    --------
    >>> import importlib.util
    >>> import cupola as cp
    >>> from cupola.interop.arrow import export
    >>> if importlib.util.find_spec("pyarrow") and cp.current_device().platform == "cpu":
    ...     schema, array = export(cp.arange(3))
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("Arrow's interface needs pyarrow: pip install pyarrow") from error
    if array.ndim != 1:
        raise ValueError(
            f"an Arrow array has one dimension, this one has shape {array.shape}: pass "
            "its columns, a.ravel(), or pyarrow.Tensor.from_numpy(cupola.asnumpy(a))"
        )
    capsules: tuple[Any, Any] = pyarrow.array(np.asarray(array)).__arrow_c_array__(requested_schema)
    return capsules
