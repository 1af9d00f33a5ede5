"""Captures and graphs of the runtime, kept alive here by the number that stands for them."""

from __future__ import annotations

from cupola._cupola import Graph
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.streams import current

_graphs: dict[int, Graph] = {}
_executables: dict[int, Graph] = {}


def _known(graphs: dict[int, Graph], number: int, maker: str) -> Graph:
    try:
        return graphs[number]
    except KeyError:
        raise ValueError(f"{number} is no graph of {maker}()") from None


def streamBeginCapture(stream: int, mode: int = numbers.streamCaptureModeRelaxed) -> None:
    """Record work on the stream from here on; `mode` is one of `streamCaptureMode...`."""
    current(stream).begin_capture(mode)


def streamEndCapture(stream: int) -> int:
    """End what streamBeginCapture() began; graphDestroy() ends the graph that it returns."""
    graph = current(stream).end_capture()
    number = graph.graph or id(graph)
    _graphs[number] = graph
    return number


def streamIsCapturing(stream: int) -> bool:
    """Whether work on the stream is being recorded."""
    return current(stream).is_capturing()


def graphInstantiate(graph: int) -> int:
    """What graphLaunch() takes, of a graph of streamEndCapture(); graphExecDestroy() ends it."""
    made = _known(_graphs, graph, "streamEndCapture")
    number = made.graphExec or id(made)
    _executables[number] = made
    return number


def graphDestroy(graph: int) -> None:
    """End a graph of streamEndCapture(); what was made of it stays."""
    _known(_graphs, graph, "streamEndCapture")
    del _graphs[graph]


def graphExecDestroy(graphExec: int) -> None:
    """End what graphInstantiate() made."""
    _known(_executables, graphExec, "graphInstantiate")
    del _executables[graphExec]


def graphLaunch(graphExec: int, stream: int) -> None:
    """Put the recorded work on a stream."""
    _known(_executables, graphExec, "graphInstantiate").launch(current(stream))


def graphUpload(graphExec: int, stream: int) -> None:
    """Prepare the next launch on a stream."""
    _known(_executables, graphExec, "graphInstantiate").upload(current(stream))


def graphDebugDotStr(graph: int, flags: int = 0) -> str:
    """The recorded steps and their order, in the language of Graphviz."""
    return _known(_graphs, graph, "streamEndCapture").debug_dot_str(flags)
