"""What functions, arrays and the machine are, as text; and the order in which einsum multiplies."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from cupola._cupola import ndarray
from cupola._functions.arguments import on_host

__all__ = ["einsum_path", "info", "show_runtime"]


def info(
    object: Any = None, maxwidth: int = 76, output: Any = None, toplevel: str = "cupola"
) -> None:
    """Print the documentation of a function or class, or how an array lies in memory.

    Parameters
    ----------
    object : ndarray, function, class, module or str
        Names are looked up in the modules of `toplevel`.
    maxwidth : int
        Characters of a line.
    output : file, optional
        Default: standard output.
    toplevel : str

    Returns
    -------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> cp.info(cp.ones(3, "int8"))  # doctest: +ELLIPSIS
    class:  ndarray
    shape:  (3,)
    strides:  (1,)
    itemsize:  1
    aligned:  True
    contiguous:  True
    fortran:  True
    device:  ...
    type: int8
    """
    if isinstance(object, ndarray):
        print(_description(object), file=sys.stdout if output is None else output)
    else:
        np.info(object, maxwidth, output, toplevel)


def _description(array: ndarray) -> str:
    lines = [
        f"class:  {type(array).__name__}",
        f"shape:  {array.shape}",
        f"strides:  {array.strides}",
        f"itemsize:  {array.itemsize}",
        f"aligned:  {array.flags.aligned}",
        f"contiguous:  {array.flags.contiguous}",
        f"fortran:  {array.flags.f_contiguous}",
        f"device:  {array.device}",
        f"type: {array.dtype}",
    ]
    return "\n".join(lines)


def show_runtime() -> None:
    """Print the versions of Python, NumPy and this library, and the devices.

    Returns
    -------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> cp.show_runtime()  # doctest: +SKIP
    """
    from cupola._observation.config import show_config

    print(f"Python {sys.version}")
    print(f"NumPy {np.__version__}")
    show_config()


def einsum_path(
    *operands: Any, optimize: Any = "greedy", einsum_call: bool = False
) -> tuple[list[Any], Any]:
    """The order of pairwise products for `einsum`, from the shapes alone.

    Parameters
    ----------
    *operands
        As those of `einsum`.
    optimize : bool, str, path or (str, number)
        How it is found: 'greedy' or 'optimal', with the most elements of an intermediate result.
    einsum_call : bool
        Return the products instead, as NumPy's function does for its own use.

    Returns
    -------
    path : list
        For the `optimize` of `einsum`.
    text : str
        Its cost.

    Examples
    --------
    >>> import cupola as cp
    >>> a, b = cp.ones((2, 9)), cp.ones((9, 3))
    >>> cp.einsum_path("ij,jk,kl->il", a, b, cp.ones((3, 3)))[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    last = len(operands) - 1
    labels: Any = range(0)
    if operands and not isinstance(operands[0], str):
        labels = {*range(1, last + 1, 2), last if last % 2 == 0 else 1}  # behind each, and of all
    shapes = [
        on_host(operand) if i in labels else _same_shape(operand)
        for i, operand in enumerate(operands)
    ]
    numpys: Any = np.einsum_path
    path: tuple[list[Any], Any] = numpys(*shapes, optimize=optimize, einsum_call=einsum_call)
    if not einsum_call:
        return path
    given = {id(shape): operand for shape, operand in zip(shapes, operands, strict=True)}
    return [given.get(id(operand), operand) for operand in path[0]], path[1]


def _same_shape(operand: Any) -> Any:
    """An array of NumPy's that has the shape, and no memory for it."""
    if not isinstance(operand, ndarray):
        return operand
    return np.broadcast_to(np.zeros(()), operand.shape)
