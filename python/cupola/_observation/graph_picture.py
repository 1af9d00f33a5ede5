"""The graph of an explanation in Graphviz' language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from cupola._observation.quantities import bytes_text, duration_text

if TYPE_CHECKING:
    from cupola._observation.explain import Kernel

# Light enough for black text; kernels take them in turn.
COLOURS = ("#8dd3c7", "#fdb462", "#bebada", "#b3de69", "#fb8072", "#80b1d3", "#fccde5", "#ffed6f")
ARRAY_COLOUR = "#eeeeee"
# Of kernels with more operations the operations are one node: such a graph shows nothing any more.
MOST_OPERATIONS = 64


class Edge(NamedTuple):
    """From what is read to what reads it; `label` where memory is read or written."""

    source: str
    target: str
    label: str = ""


@dataclass
class Graph:
    """Nodes by their names, and edges."""

    labels: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, int] = field(default_factory=dict)  # of the nodes that are operations
    titles: list[str] = field(default_factory=list)  # of the kernels
    edges: list[Edge] = field(default_factory=list)


class _KernelNodes:
    """Adds one kernel's operations to a graph."""

    def __init__(self, graph: Graph, number: int, kernel: Kernel) -> None:
        self._graph = graph
        self._number = number
        self._kernel = kernel
        self._row = kernel.details
        self._moved: dict[str, str] = {}  # of the arrays: what the kernel moves for them

    def add(self) -> None:
        graph, row, kernel = self._graph, self._row, self._kernel
        operands = kernel.inputs + kernel.outputs
        total = sum(operand.bytes for operand in operands) or 1
        for operand in operands:
            label = f"{operand.name}\n{operand.dtype}{operand.shape}"
            graph.labels.setdefault(operand.name, label)
            seconds = kernel.seconds * operand.bytes / total
            self._moved[operand.name] = f"{bytes_text(operand.bytes)}, {duration_text(seconds)}"
        if len(row["steps"]) + len(row["finish"]) > MOST_OPERATIONS:
            self._add_as_one()
            return
        values = self._add_steps(row["steps"], "s", {})
        if row["combination"]:
            self._add_combination(values)
            return
        for operand, value in zip(kernel.outputs, row["output_values"], strict=True):
            self._edge(values[value], operand.name)

    def _add_as_one(self) -> None:
        node = self._node("all", f"{len(self._kernel.operations)} operations")
        for name in dict.fromkeys(operand.name for operand in self._kernel.inputs):
            self._edge(name, node)
        for operand in self._kernel.outputs:
            self._edge(node, operand.name)

    def _add_combination(self, values: list[str]) -> None:
        row = self._row
        result = self._node("combination", row["combination"])
        self._edge(values[row["output_values"][0]], result)
        for operand in self._kernel.inputs[self._inputs_of_steps() :]:
            self._edge(operand.name, result)
        if row["finish"]:
            finished = self._add_steps(row["finish"], "f", {0: result})
            result = finished[row["finish_value"]]
        self._edge(result, self._kernel.outputs[0].name)

    def _inputs_of_steps(self) -> int:
        used = [step[4] for step in self._row["steps"] if step[0] in ("load", "gather")]
        return max(used, default=-1) + 1

    def _add_steps(self, steps: list[Any], prefix: str, bound: dict[int, str]) -> list[str]:
        values: list[str] = []
        for position, (kind, operation, _, args, operand) in enumerate(steps):
            if kind == "load":
                inputs = self._kernel.inputs
                values.append(bound[operand] if bound else inputs[operand].name)
                continue
            label = operation
            if kind == "scalar":
                label = str(self._row["scalars"][operand])
            elif kind == "index":
                label = "numbers"
            values.append(self._node(f"{prefix}{position}", label))
            if kind == "gather":
                self._edge(self._kernel.inputs[operand].name, values[-1])
            for value in args:
                self._edge(values[value], values[-1])
        return values

    def _node(self, name: str, label: str) -> str:
        full = f"k{self._number}_{name}"
        self._graph.labels[full] = label
        self._graph.kernels[full] = self._number
        return full

    def _edge(self, source: str, target: str) -> None:
        """What is read by several operations is moved once: the first edge says how much."""
        array = source if source not in self._graph.kernels else target
        is_memory = source not in self._graph.kernels or target not in self._graph.kernels
        label = self._moved.pop(array, "") if is_memory else ""
        self._graph.edges.append(Edge(source, target, label))


def graph_of(kernels: Sequence[Kernel]) -> Graph:
    """The operations of the kernels and the arrays between them."""
    graph = Graph()
    for number, kernel in enumerate(kernels):
        graph.titles.append(f"kernel {number + 1} on {kernel.device}")
        _KernelNodes(graph, number, kernel).add()
    _drop_unread(graph)
    return graph


def _drop_unread(graph: Graph) -> None:
    """Numbers that stand in a kernel's plan, and that no step reads."""
    used = {name for edge in graph.edges for name in edge[:2]}
    for name in [name for name in graph.kernels if name not in used]:
        del graph.kernels[name], graph.labels[name]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _edge_text(edge: Edge) -> str:
    label = f" [label={_quoted(edge.label)}]" if edge.label else ""
    return f"  {edge.source} -> {edge.target}{label};"


def dot_text(graph: Graph) -> str:
    """The graph in Graphviz' language."""
    lines = [
        "digraph kernels {",
        '  bgcolor="transparent"; fontname="Helvetica"; fontsize=11; nodesep=0.3; ranksep=0.4;',
        '  node [style="filled,rounded", shape=box, fontname="Helvetica", fontsize=11, '
        'height=0.3, margin="0.12,0.05"];',
        '  edge [fontname="Helvetica", fontsize=9, arrowsize=0.7];',
    ]
    for name, label in graph.labels.items():
        if name not in graph.kernels:
            shape = f"style=filled, fillcolor={_quoted(ARRAY_COLOUR)}"
            lines.append(f"  {name} [label={_quoted(label)}, {shape}];")
    for number, title in enumerate(graph.titles):
        colour = _quoted(COLOURS[number % len(COLOURS)])
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f"    label={_quoted(title)}; color={colour}; penwidth=2;")
        for name, kernel in graph.kernels.items():
            if kernel == number:
                label = _quoted(graph.labels[name])
                lines.append(f"    {name} [label={label}, fillcolor={colour}];")
        lines.append("  }")
    lines += map(_edge_text, graph.edges)
    return "\n".join([*lines, "}", ""])
