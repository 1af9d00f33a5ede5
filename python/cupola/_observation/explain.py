"""What would run if arrays were evaluated now: `explain`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
    # Of an input: "stored already", or "from kernel 1" and why it is not a part of this kernel. Of
    # an output: "in place of a0", which was in that memory before.
    origin: str = ""

    def __str__(self) -> str:
        walk = "" if self.access == "contiguous" else f", {self.access}"
        text = f"{self.name} {self.dtype}{self.shape} {self.layout}{walk}"
        origin = f", {self.origin}" if self.origin else ""
        return f"{text}, {bytes_text(self.bytes)}{origin}"


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

    def lines(self, number: int, bound: str) -> Iterable[str]:
        """The kernel as text; `bound` says what its time is, "at least" or "about"."""
        place = f" ({self.place[0]}:{self.place[1]})" if self.place else ""
        yield f"kernel {number} on {self.device}: {', '.join(self.operations)}{place}"
        yield from (f"  reads   {operand}" for operand in self.inputs)
        yield from (f"  writes  {operand}" for operand in self.outputs)
        built = "built" if self.is_built else "not built yet"
        if self.members:
            yield f"  runs on {self._shares()}"
        yield f"  {bound} {duration_text(self.seconds)}; its code is {built}"


class Bandwidth(NamedTuple):
    """Of a device's memory."""

    bytes_per_second: float
    source: str  # in words: how it is known
    is_peak: bool  # no program is faster

    def bound(self) -> str:
        """What a time is that is made of it."""
        return "at least" if self.is_peak else "about"


class Explanation:
    """The kernels that would compute some arrays, in the order of their launches.

    `str()` gives the text, `kernels` the data; a graph of it is drawn by `to_dot`, `to_svg` and
    `to_png`. That of no arrays is a context manager, and holds the kernels that ran meanwhile.

    Attributes
    ----------
    kernels : list of Kernel
        Those that would run, in the order of their launches.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.ones((1000, 1000))
    >>> seen = cp.explain((a * 2 + 1).sum())
    >>> seen.kernels[-1].operations[-1]
    'sum'
    """

    def __init__(
        self, kernels: list[Kernel], bandwidths: dict[str, Bandwidth], computed: list[str]
    ) -> None:
        self.kernels = kernels
        self.computed = computed  # of the arrays asked about, those with nothing to do
        self._bandwidths = bandwidths
        self._has_run = False

    def __enter__(self) -> Explanation:
        if self.kernels or self.computed:
            raise TypeError("explain() records what runs only without arrays")
        _core.start_launch_log()
        return self

    def __exit__(self, *_: object) -> None:
        self._has_run = True
        self.kernels, self._bandwidths = _kernels_of(_core.stop_launch_log(), {})

    def __str__(self) -> str:
        if not self.kernels:
            return "nothing ran" if self._has_run else "nothing to do: the arrays are computed"
        lines = [self._head()]
        for number, kernel in enumerate(self.kernels, 1):
            lines += kernel.lines(number, self._bandwidths[str(kernel.device)].bound())
        return "\n".join([*lines, *self.notes()])

    def _head(self) -> str:
        count = len(self.kernels)
        read = sum(kernel.bytes_read for kernel in self.kernels)
        written = sum(kernel.bytes_written for kernel in self.kernels)
        seconds = sum(kernel.seconds for kernel in self.kernels)
        bounds = {bandwidth.bound() for bandwidth in self._bandwidths.values()}
        bound = "at least" if bounds == {"at least"} else "about"
        return (
            f"{count} kernel{'s' if count > 1 else ''}{' ran' if self._has_run else ''}: "
            f"{bytes_text(read)} read, "
            f"{bytes_text(written)} written, {bound} {duration_text(seconds)}"
        )

    def notes(self) -> list[str]:
        """What was computed already, and where the times come from.

        Returns
        -------
        list of str

        Examples
        --------
        >>> import cupola as cp
        >>> cp.explain(cp.ones((1000, 1000)) * 2).notes()  # doctest: +ELLIPSIS
        ['times of ...: bytes at ... GB/s (...)']
        """
        lines = [f"computed already: {array}" for array in self.computed if self.kernels]
        for device, bandwidth in self._bandwidths.items():
            speed = bandwidth.bytes_per_second / 1e9
            lines.append(f"times of {device}: bytes at {speed:.1f} GB/s ({bandwidth.source})")
        return lines

    def __repr__(self) -> str:
        return str(self)

    def to_dot(self) -> str:
        """The graph for Graphviz: operations, coloured and framed by kernel, and their arrays.

        Returns
        -------
        str
            In the language of Graphviz.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.explain(cp.ones((1000, 1000)) * 2).to_dot()[:7]
        'digraph'
        """
        from cupola._observation import graph_picture

        return graph_picture.dot_text(graph_picture.graph_of(self.kernels))

    def to_png(self, path: str | os.PathLike[str]) -> None:
        """Write the picture of the graph as a PNG file; see `to_svg`.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        ImportError
            Without Graphviz.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.explain(cp.ones((1000, 1000)) * 2).to_png("graph.png")  # doctest: +SKIP
        """
        from cupola._observation import graphviz

        picture = graphviz.drawn(self.to_dot(), "png")
        with open(path, "wb") as file:
            file.write(picture)

    def to_svg(self) -> str:
        """The graph as a picture: operations of one kernel in one colour, bytes and times on the
        arrows from and to arrays.

        Returns
        -------
        str
            An SVG element. Lines and text outside of boxes have the colour of the page.

        Raises
        ------
        ImportError
            Without Graphviz, whose program `dot` lays the graph out.

        Examples
        --------
        >>> a = cp.ones(1000)
        >>> picture = cp.explain(a * 2 + 1).to_svg()  # doctest: +SKIP
        """
        from cupola._observation import graphviz

        return graphviz.svg_of(self.to_dot())

    def _repr_svg_(self) -> str | None:
        from cupola._observation import graphviz

        return self.to_svg() if self.kernels and graphviz.is_available() else None

    def _repr_html_(self) -> str:
        from cupola._notebook.explanations import explanation_html

        return explanation_html(self)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["address"], row["dtype"], row["shape"], row["layout"]


class _Names:
    """A name for each array, and which kernel computes it."""

    def __init__(self, reasons: dict[int, str]) -> None:
        self._names: dict[Any, str] = {}
        self._reasons = reasons  # by the addresses of arrays that are kernels of their own
        self._makers: dict[int, int] = {}

    def inputs(self, rows: Iterable[dict[str, Any]]) -> list[Operand]:
        return [self._operand(row, self._origin(row["address"])) for row in rows]

    def outputs(self, rows: Iterable[dict[str, Any]], kernel: int) -> list[Operand]:
        rows = list(rows)
        self._makers.update({row["address"]: kernel for row in rows})
        return [self._operand(row, self._version(row)) for row in rows]

    def _version(self, row: dict[str, Any]) -> str:
        """Elements that are there anew have a new name."""
        key = _key(row)
        before = self._names.get(key)
        if before is None:
            return ""
        base, _, number = before.partition("_")
        self._names[key] = f"{base}_{int(number or 0) + 1}"
        return f"in place of {before}"

    def _origin(self, address: int) -> str:
        if address not in self._makers:
            return "stored already"
        reason = self._reasons.get(address)
        return f"from kernel {self._makers[address]}" + (f": {reason}" if reason else "")

    def _operand(self, row: dict[str, Any], origin: str = "") -> Operand:
        name = self._names.setdefault(_key(row), f"a{len(self._names)}")
        shown = (row["shape"], row["dtype"], row["layout"], row["access"], row["bytes"])
        return Operand(name, *shown, origin)


def _kernel(row: dict[str, Any], number: int, names: _Names, speed: float) -> Kernel:
    inputs = names.inputs(row["inputs"])
    outputs = names.outputs(row["outputs"], number)
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


def _kernels_of(
    rows: list[dict[str, Any]], reasons: dict[int, str]
) -> tuple[list[Kernel], dict[str, Bandwidth]]:
    devices = dict.fromkeys(str(row["device"]) for row in rows)
    bandwidths = {device: Bandwidth(*_core.bandwidth_of(device)) for device in devices}
    names = _Names(reasons)
    kernels = [
        _kernel(row, number, names, bandwidths[str(row["device"])].bytes_per_second)
        for number, row in enumerate(rows, 1)
    ]
    return kernels, bandwidths


def _described(array: ndarray) -> str:
    return f"{array.dtype}{array.shape} on {array.device}"


def explain(*arrays: ndarray) -> Explanation:
    """What would run if the arrays were evaluated now, as `eval` does; nothing runs.

    Writes to existing memory (`a += 1`, `out=`, `a[i] = b`) run at their call, and nothing of them
    is pending. Without arrays it is a context manager that shows what runs inside, these included.

    Parameters
    ----------
    *arrays : ndarray
        Of any shapes, dtypes and devices.

    Returns
    -------
    Explanation
        Prints as a table of the kernels in the order of their launches: operations, operands with
        shapes, dtypes and layouts, bytes, and the time that the device's memory takes for those
        bytes. An input is stored already, or comes from another kernel; then it says why both are
        not one. CUDA devices tell the most that their memory can do, and no kernel takes less
        time; the bandwidth of the host is measured at the first explanation of arrays on a CPU
        device, by a copy of 32 MiB, and the time is an estimate: what lies in caches is faster.

    Raises
    ------
    TypeError
        For what is no array; as a context manager, with arrays.
    ValueError
        As a context manager, inside another one.

    Examples
    --------
    >>> a = cp.ones((1000, 1000), dtype=cp.float32)
    >>> print(cp.explain((a * 2 + 1).sum()))  # doctest: +ELLIPSIS
    1 kernel: 4 MB read, 4 B written...
    kernel 1 on ...: multiply, add, sum ...
    ...
    >>> with cp.explain() as seen:
    ...     a *= 2
    >>> print(seen)  # doctest: +ELLIPSIS
    1 kernel ran: ...
    kernel 1 on ...: multiply ...
      reads   a0 float32(1000, 1000) row-major, 4 MB, stored already
      writes  a0_1 float32(1000, 1000) row-major, 4 MB, in place of a0
    ...
    """
    computed = [_described(array) for array in arrays if not _core.is_pending(array)]
    kernels, bandwidths = _kernels_of(*_core.explain(*arrays))
    return Explanation(kernels, bandwidths, computed)
