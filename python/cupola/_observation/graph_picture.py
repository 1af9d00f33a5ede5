"""The graph of an explanation as a picture: Graphviz text, or PNG by matplotlib."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# Light enough for black text; kernels take them in turn.
COLOURS = ("#8dd3c7", "#fdb462", "#bebada", "#b3de69", "#fb8072", "#80b1d3", "#fccde5", "#ffed6f")
ARRAY_COLOUR = "#eeeeee"


@dataclass
class Graph:
    """Nodes by their names, and edges from what is read to what reads it."""

    labels: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, int] = field(default_factory=dict)  # of the nodes that are operations
    titles: list[str] = field(default_factory=list)  # of the kernels
    edges: list[tuple[str, str]] = field(default_factory=list)

    def colour(self, node: str) -> str:
        """The node's colour."""
        kernel = self.kernels.get(node)
        return ARRAY_COLOUR if kernel is None else COLOURS[kernel % len(COLOURS)]


class _KernelNodes:
    """Adds one kernel's operations to a graph."""

    def __init__(self, graph: Graph, number: int, kernel: Any) -> None:
        self._graph = graph
        self._number = number
        self._kernel = kernel
        self._row = kernel.details

    def add(self) -> None:
        graph, row = self._graph, self._row
        for operand in self._kernel.inputs + self._kernel.outputs:
            graph.labels.setdefault(operand.name, f"{operand.name}\n{operand.dtype}{operand.shape}")
        values = self._add_steps(row["steps"], "s", {})
        if row["combination"]:
            result = self._node("combination", row["combination"])
            self._edge(values[row["output_values"][0]], result)
            for operand in self._kernel.inputs[self._inputs_of_steps() :]:
                self._edge(operand.name, result)
            if row["finish"]:
                finished = self._add_steps(row["finish"], "f", {0: result})
                result = finished[row["finish_value"]]
            self._edge(result, self._kernel.outputs[0].name)
        else:
            for operand, value in zip(self._kernel.outputs, row["output_values"], strict=True):
                self._edge(values[value], operand.name)

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
        self._graph.edges.append((source, target))


def graph_of(kernels: Sequence[Any]) -> Graph:
    """The operations of the kernels and the arrays between them."""
    graph = Graph()
    for number, kernel in enumerate(kernels):
        graph.titles.append(f"kernel {number + 1} on {kernel.device}")
        _KernelNodes(graph, number, kernel).add()
    return graph


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def dot_text(graph: Graph) -> str:
    """The graph in Graphviz' language."""
    lines = ["digraph kernels {", "  node [style=filled];"]
    for name, label in graph.labels.items():
        if name not in graph.kernels:
            shape = f"shape=box, fillcolor={_quoted(ARRAY_COLOUR)}"
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
    lines += [f"  {source} -> {target};" for source, target in graph.edges]
    return "\n".join([*lines, "}", ""])


def _levels(graph: Graph) -> dict[str, int]:
    """For each node the length of the longest way to it."""
    sources: dict[str, set[str]] = defaultdict(set)
    targets: dict[str, set[str]] = defaultdict(set)
    for source, target in graph.edges:
        sources[target].add(source)
        targets[source].add(target)
    missing = {name: len(sources[name]) for name in graph.labels}
    levels = dict.fromkeys(graph.labels, 0)
    ready = [name for name, count in missing.items() if count == 0]
    while ready:
        name = ready.pop()
        for target in targets[name]:
            levels[target] = max(levels[target], levels[name] + 1)
            missing[target] -= 1
            if missing[target] == 0:
                ready.append(target)
    return levels


def _positions(graph: Graph) -> dict[str, tuple[float, float]]:
    """Levels from the top to the bottom; within a level, below the middle of what is read."""
    rows: dict[int, list[str]] = defaultdict(list)
    for name, level in _levels(graph).items():
        rows[level].append(name)
    read: dict[str, list[str]] = defaultdict(list)
    for source, target in graph.edges:
        read[target].append(source)
    places: dict[str, tuple[float, float]] = {}
    for level in sorted(rows):
        middle = {
            name: sum(places[source][0] for source in read[name]) / max(len(read[name]), 1)
            for name in rows[level]
        }
        row = sorted(rows[level], key=lambda name: (graph.kernels.get(name, -1), middle[name]))
        for position, name in enumerate(row):
            places[name] = (2.2 * (position - (len(row) - 1) / 2), -1.0 * level)
    return places


def draw(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write the graph as a PNG file. Raises ImportError without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError as error:
        raise ImportError(
            "to_png() needs matplotlib: pip install matplotlib. to_dot() needs nothing"
        ) from error
    places = _positions(graph)
    width = max((x for x, _ in places.values()), default=0.0)
    height = -min((y for _, y in places.values()), default=0.0)
    size = (min(4 + 1.3 * 2 * width, 60), min(2 + 0.8 * height, 100))
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set(xlim=(-width - 1.5, width + 1.5), ylim=(-height - 0.7, 0.7))
    axes.axis("off")
    for source, target in graph.edges:
        axes.annotate(
            "",
            xy=places[target],
            xytext=places[source],
            arrowprops={"arrowstyle": "->", "color": "#777777", "shrinkA": 12, "shrinkB": 12},
        )
    for name, label in graph.labels.items():
        is_array = name not in graph.kernels
        style = "square" if is_array else "round4"
        axes.text(
            *places[name],
            label,
            ha="center",
            va="center",
            fontsize=8,
            bbox={"boxstyle": style, "facecolor": graph.colour(name), "edgecolor": "#555555"},
        )
    handles = [
        Patch(color=COLOURS[number % len(COLOURS)], label=title)
        for number, title in enumerate(graph.titles[: len(COLOURS)])
    ]
    if handles:
        axes.legend(handles=handles, loc="upper left", fontsize=7)
    figure.savefig(path, format="png", dpi=120)
