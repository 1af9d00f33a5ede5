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
    """Record work on the stream from here on; `mode` is one of `streamCaptureMode...`.

    Parameters
    ----------
    stream : int
        Handle of a stream of streamCreate().
    mode : int, optional
        One of `streamCaptureMode...`.

    Raises
    ------
    CaptureError
        Where the stream cannot be recorded, or is already.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream, address = runtime.streamCreate(), runtime.malloc(1024)
    >>> runtime.streamBeginCapture(stream)
    >>> runtime.memsetAsync(address, 7, 1024, stream)  # is not done yet
    >>> graph = runtime.streamEndCapture(stream)
    >>> launchable = runtime.graphInstantiate(graph)
    >>> runtime.graphLaunch(launchable, stream)
    >>> runtime.streamSynchronize(stream)
    >>> runtime.graphExecDestroy(launchable)
    >>> runtime.graphDestroy(graph)
    >>> runtime.free(address)
    >>> runtime.streamDestroy(stream)
    """
    current(stream).begin_capture(mode)


def streamEndCapture(stream: int) -> int:
    """End what streamBeginCapture() began; graphDestroy() ends the graph that it returns.

    Parameters
    ----------
    stream : int
        Handle of the stream.

    Returns
    -------
    int
        The number of a graph.

    Raises
    ------
    CaptureError
        Where the stream was not recorded, or the capture failed.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamBeginCapture(stream)
    >>> graph = runtime.streamEndCapture(stream)
    >>> runtime.graphDestroy(graph)
    >>> runtime.streamDestroy(stream)
    """
    graph = current(stream).end_capture()
    number = graph.graph or id(graph)
    _graphs[number] = graph
    return number


def streamIsCapturing(stream: int) -> bool:
    """Whether work on the stream is being recorded.

    Parameters
    ----------
    stream : int
        Handle of a stream; 0 is the current one.

    Returns
    -------
    bool

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.streamIsCapturing(0)
    False
    """
    return current(stream).is_capturing()


def graphInstantiate(graph: int) -> int:
    """What graphLaunch() takes, of a graph of streamEndCapture(); graphExecDestroy() ends it.

    Parameters
    ----------
    graph : int
        Its number.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For what is no graph.

    See Also
    --------
    streamBeginCapture : A whole example.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamBeginCapture(stream)
    >>> graph = runtime.streamEndCapture(stream)
    >>> launchable = runtime.graphInstantiate(graph)
    >>> runtime.graphDestroy(graph)
    >>> runtime.graphExecDestroy(launchable)
    >>> runtime.streamDestroy(stream)
    """
    made = _known(_graphs, graph, "streamEndCapture")
    number = made.graphExec or id(made)
    _executables[number] = made
    return number


def graphDestroy(graph: int) -> None:
    """End a graph of streamEndCapture(); what was made of it stays.

    Parameters
    ----------
    graph : int
        Its number.

    Raises
    ------
    ValueError
        For what is no graph.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamBeginCapture(stream)
    >>> runtime.graphDestroy(runtime.streamEndCapture(stream))
    >>> runtime.streamDestroy(stream)
    """
    _known(_graphs, graph, "streamEndCapture")
    del _graphs[graph]


def graphExecDestroy(graphExec: int) -> None:
    """End what graphInstantiate() made.

    Parameters
    ----------
    graphExec : int
        What graphInstantiate() returned.

    Raises
    ------
    ValueError
        For other numbers.

    See Also
    --------
    streamBeginCapture : A whole example.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.graphExecDestroy(0)
    Traceback (most recent call last):
        ...
    ValueError: 0 is no graph of graphInstantiate()
    """
    _known(_executables, graphExec, "graphInstantiate")
    del _executables[graphExec]


def graphLaunch(graphExec: int, stream: int) -> None:
    """Put the recorded work on a stream.

    Parameters
    ----------
    graphExec : int
        What graphInstantiate() returned.
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    ValueError
        For other numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> stream, address, host = runtime.streamCreate(), runtime.malloc(3), np.zeros(3, "uint8")
    >>> runtime.streamBeginCapture(stream)
    >>> runtime.memsetAsync(address, 7, 3, stream)
    >>> graph = runtime.streamEndCapture(stream)
    >>> launchable = runtime.graphInstantiate(graph)
    >>> runtime.graphLaunch(launchable, stream)
    >>> runtime.streamSynchronize(stream)
    >>> runtime.memcpy(host.ctypes.data, address, 3, runtime.memcpyDeviceToHost)
    >>> host.tolist()
    [7, 7, 7]
    >>> runtime.graphExecDestroy(launchable)
    >>> runtime.graphDestroy(graph)
    >>> runtime.free(address)
    >>> runtime.streamDestroy(stream)
    """
    _known(_executables, graphExec, "graphInstantiate").launch(current(stream))


def graphUpload(graphExec: int, stream: int) -> None:
    """Prepare the next launch on a stream.

    Parameters
    ----------
    graphExec : int
        What graphInstantiate() returned.
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    ValueError
        For other numbers.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamBeginCapture(stream)
    >>> graph = runtime.streamEndCapture(stream)
    >>> launchable = runtime.graphInstantiate(graph)
    >>> runtime.graphUpload(launchable, stream)
    >>> runtime.graphExecDestroy(launchable)
    >>> runtime.graphDestroy(graph)
    >>> runtime.streamDestroy(stream)
    """
    _known(_executables, graphExec, "graphInstantiate").upload(current(stream))


def graphDebugDotStr(graph: int, flags: int = 0) -> str:
    """The recorded steps and their order, in the language of Graphviz.

    Parameters
    ----------
    graph : int
        Number of a graph of streamEndCapture().
    flags : int, optional
        With any of `cudaGraphDebugDotFlags...`, in detail.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        For what is no graph.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> stream = runtime.streamCreate()
    >>> runtime.streamBeginCapture(stream)
    >>> graph = runtime.streamEndCapture(stream)
    >>> runtime.graphDebugDotStr(graph).startswith("digraph")
    True
    >>> runtime.graphDestroy(graph)
    >>> runtime.streamDestroy(stream)
    """
    return _known(_graphs, graph, "streamEndCapture").debug_dot_str(flags)
