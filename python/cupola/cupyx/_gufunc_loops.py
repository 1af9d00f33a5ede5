"""Loops of a generalised universal function: functions for arguments of certain dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cupola._cupola import ndarray

__all__ = ["Loop", "chosen", "parsed"]


class Loop(NamedTuple):
    """A function, and the dtypes of its arguments and results."""

    inputs: tuple[np.dtype[Any], ...]
    outputs: tuple[np.dtype[Any], ...]
    function: Callable[..., Any]

    @property
    def text(self) -> str:
        """As "ff->f"."""
        sides = ("".join(each.char for each in side) for side in (self.inputs, self.outputs))
        return "->".join(sides)


def parsed(
    signatures: Sequence[Any], function: Callable[..., Any], counts: tuple[int, int]
) -> list[Loop]:
    """The loops of texts as "ff->f", or of tuples of a text and a function.

    Raises
    ------
    ValueError
        For another text, and for one without `counts` arguments and results.
    """
    loops = []
    for each in signatures:
        text, own = each if isinstance(each, tuple) else (each, function)
        sides = text.replace(" ", "").split("->")
        if len(sides) != 2 or (len(sides[0]), len(sides[1])) != counts:
            raise ValueError(
                f"the loop {text!r} is not of {counts[0]} arguments and {counts[1]} results"
            )
        inputs, outputs = (tuple(np.dtype(char) for char in side) for side in sides)
        loops.append(Loop(inputs, outputs, own))
    return loops


def chosen(
    loops: list[Loop], arrays: Sequence[ndarray], dtype: Any, casting: str, signature: Any
) -> Loop | None:
    """The loop of a signature, else of results of a dtype, else that takes the arguments; None
    where there is none, but of a signature.

    Raises
    ------
    TypeError
        For a signature that no loop has.
    """
    if signature is not None:
        return _of_signature(loops, signature)
    if dtype is not None:
        wanted = np.dtype(dtype)
        return next((loop for loop in loops if set(loop.outputs) == {wanted}), None)
    for loop in loops:
        pairs = zip(arrays, loop.inputs, strict=True)
        if all(np.can_cast(array.dtype, kind, casting) for array, kind in pairs):  # type: ignore[arg-type]
            return loop
    return None


def _of_signature(loops: list[Loop], signature: Any) -> Loop:
    if isinstance(signature, tuple) and loops:
        chars, count = [np.dtype(each).char for each in signature], len(loops[0].inputs)
        signature = f"{''.join(chars[:count])}->{''.join(chars[count:])}"
    for loop in loops:
        is_of_results = isinstance(signature, str) and len(signature) == 1
        if loop.text == signature or (
            is_of_results and all(each.char == signature for each in loop.outputs)
        ):
            return loop
    raise TypeError(f"no loop has the signature {signature!r}")
