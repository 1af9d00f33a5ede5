"""The universal functions, one per row of the operation table (and NumPy's other names)."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._cupola import ufunc

__all__ = sorted(_core._ufuncs)

globals().update(_core._ufuncs)


def signature_of(function: ufunc) -> Any:
    """What `inspect.signature` gives for a ufunc."""
    from inspect import Parameter, Signature

    count = function.nin
    inputs = ["x"] if count == 1 else [f"x{i + 1}" for i in range(count)]
    parameters = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in inputs]
    parameters.append(Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=None))
    options: dict[str, Any] = {"where": True, "casting": "same_kind", "order": "K"}
    options |= {"dtype": None, "subok": True, "signature": None}
    parameters += [
        Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in options.items()
    ]
    return Signature(parameters)
