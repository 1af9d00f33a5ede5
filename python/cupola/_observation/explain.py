"""What would run if arrays were evaluated now: `explain`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device, ndarray
from cupola._observation.quantities import bytes_text, duration_text

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Operand:
    """An array as one kernel reads or writes it."""

    name: str  # "a0": the same array has the same name in all kernels of an explanation
    shape: tuple[int, ...]
    dtype: str
    layout: str  # "row-major", "column-major" or "strides (8, 1)", in elements
    access: str  # of the kernel: "contiguous", "strided", "broadcast" or "indexed"
    bytes: int  # that the kernel moves for it

    def __str__(self) -> str:
        walk = "" if self.access == "contiguous" else f", {self.access}"
        text = f"{self.name} {self.dtype}{self.shape} {self.layout}{walk}"
        return f"{text}, {bytes_text(self.bytes)}"


@dataclass(frozen=True)
class Kernel:
    """One kernel that would be launched."""

    device: Device
    operations: list[str]  # in their order: ["multiply", "add", "sum"]
    inputs: list[Operand]
    outputs: list[Operand]
    seconds: float  # what the device's memory takes for the bytes, at its bandwidth
    is_built: bool  # this process has its code; else it comes from a cache or is compiled
    place: tuple[str, int, str] | None  # file, line, function that asked for what it computes
    # On several devices as one: each that takes part, and its share. Empty where that is not known
    # before the code is built.
    members: list[tuple[Device, float]]
    details: dict[str, Any] = field(repr=False)

    def _shares(self) -> str:
        if len(self.members) == 1:
            return f"{self.members[0][0]} alone: not divided"
        return ", ".join(f"{device} ({share:.0%})" for device, share in self.members)

    @property
    def bytes_read(self) -> int:
        """Bytes of the inputs, each element once."""
        return sum(operand.bytes for operand in self.inputs)

    @property
    def bytes_written(self) -> int:
        """Bytes of the outputs."""
        return sum(operand.bytes for operand in self.outputs)

    def lines(self, number: int) -> Iterable[str]:
        """The kernel as text."""
        place = f" ({self.place[0]}:{self.place[1]})" if self.place else ""
        yield f"kernel {number} on {self.device}: {', '.join(self.operations)}{place}"
        yield from (f"  reads   {operand}" for operand in self.inputs)
        yield from (f"  writes  {operand}" for operand in self.outputs)
        built = "built" if self.is_built else "not built yet"
        if self.members:
            yield f"  runs on {self._shares()}"
        yield f"  at least {duration_text(self.seconds)}; its code is {built}"


class Explanation:
    """The kernels that would compute some arrays, in the order of their launches.

    `str()` gives the text, `kernels` the data; a graph of it is drawn by `to_dot` and `to_png`.
    """

    def __init__(self, kernels: list[Kernel], bandwidths: dict[str, tuple[float, str]]) -> None:
        self.kernels = kernels
        self._bandwidths = bandwidths

    def __str__(self) -> str:
        if not self.kernels:
            return "nothing to do: the arrays are computed"
        count = len(self.kernels)
        read = sum(kernel.bytes_read for kernel in self.kernels)
        written = sum(kernel.bytes_written for kernel in self.kernels)
        seconds = sum(kernel.seconds for kernel in self.kernels)
        lines = [
            f"{count} kernel{'s' if count > 1 else ''}: {bytes_text(read)} read, "
            f"{bytes_text(written)} written, at least {duration_text(seconds)}"
        ]
        for number, kernel in enumerate(self.kernels, 1):
            lines += kernel.lines(number)
        for device, (speed, source) in self._bandwidths.items():
            lines.append(f"times of {device}: bytes at {speed / 1e9:.1f} GB/s ({source})")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def to_dot(self) -> str:
        """The graph for Graphviz: operations, coloured and framed by kernel, and their arrays."""
        from cupola._observation import graph_picture

        return graph_picture.dot_text(graph_picture.graph_of(self.kernels))

    def to_png(self, path: str | os.PathLike[str]) -> None:
        """Draw the graph as a PNG file, operations of one kernel in one colour.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        from cupola._observation import graph_picture

        graph_picture.draw(graph_picture.graph_of(self.kernels), path)


class _Names:
    """A name for each array."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}

    def operand(self, row: dict[str, Any]) -> Operand:
        key = (row["address"], row["dtype"], row["shape"], row["layout"])
        name = self._names.setdefault(key, f"a{len(self._names)}")
        return Operand(name, row["shape"], row["dtype"], row["layout"], row["access"], row["bytes"])


def _kernel(row: dict[str, Any], names: _Names, speed: float) -> Kernel:
    inputs = [names.operand(operand) for operand in row["inputs"]]
    outputs = [names.operand(operand) for operand in row["outputs"]]
    moved = sum(operand.bytes for operand in inputs + outputs)
    seconds = moved / speed if speed > 0 else float("nan")
    return Kernel(
        row["device"],
        row["operations"],
        inputs,
        outputs,
        seconds,
        row["is_built"],
        row["place"],
        row["members"] or [],
        row,
    )


def explain(*arrays: ndarray) -> Explanation:
    """What would run if the arrays were evaluated now, as `eval` does; nothing runs.

    Parameters
    ----------
    *arrays : ndarray
        Of any shapes, dtypes and devices.

    Returns
    -------
    Explanation
        Prints as a table of the kernels in the order of their launches: operations, operands with
        shapes, dtypes and layouts, bytes, and the time that the device's memory takes for those
        bytes. That time is a lower bound. CUDA devices tell their bandwidth; that of the host is
        measured at the first explanation of arrays on a CPU device, by a copy of 32 MiB.

    Raises
    ------
    TypeError
        For what is no array.

    Examples
    --------
    >>> a = cp.ones((1000, 1000), dtype=cp.float32)
    >>> print(cp.explain((a * 2 + 1).sum()))  # doctest: +ELLIPSIS
    1 kernel: 4 MB read, 4 B written...
    kernel 1 on ...: multiply, add, sum ...
    ...
    """
    rows = _core.explain(*arrays)
    devices = dict.fromkeys(str(row["device"]) for row in rows)
    bandwidths = {device: _core.bandwidth_of(device) for device in devices}
    names = _Names()
    kernels = [_kernel(row, names, bandwidths[str(row["device"])][0]) for row in rows]
    return Explanation(kernels, bandwidths)
