"""Graphs laid out by Graphviz, whose program `dot` is installed by itself."""

from __future__ import annotations

import re
import shutil
import subprocess

_TIMEOUT = 60.0  # seconds
# Black lines and text are Graphviz' defaults; those in boxes stay black, which the boxes are light
# enough for.
_STYLE = (
    "<style>.cu-graph .edge path,.cu-graph .edge polygon{stroke:currentColor}"
    ".cu-graph .edge polygon{fill:currentColor}"
    ".cu-graph .edge text,.cu-graph .cluster text{fill:currentColor}"
    ".cu-graph .node text{fill:#000}</style>"
)


def is_available() -> bool:
    """Whether `dot` is found."""
    return shutil.which("dot") is not None


def drawn(text: str, form: str) -> bytes:
    """The graph as a picture.

    Parameters
    ----------
    text : str
        In Graphviz' language.
    form : {'svg', 'png'}

    Raises
    ------
    ImportError
        Without `dot`.
    RuntimeError
        Where `dot` fails.
    """
    program = shutil.which("dot")
    if program is None:
        raise ImportError(
            "a picture of the graph needs Graphviz' program `dot`: apt install graphviz, "
            "brew install graphviz or conda install graphviz. to_dot() needs nothing"
        )
    done = subprocess.run(
        [program, f"-T{form}"], input=text.encode(), capture_output=True, timeout=_TIMEOUT
    )
    if done.returncode != 0:
        raise RuntimeError(f"dot failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def svg_of(dot: str) -> str:
    """The element of a graph in Graphviz' language. ImportError without Graphviz."""
    text = drawn(dot, "svg").decode()
    element = text[text.index("<svg") :].strip()
    # Titles are names of nodes, which the pointer would show; ids would be those of other graphs.
    element = re.sub(r"<title>.*?</title>\n?", "", element)
    element = re.sub(r' id="[^"]*"', "", element)
    start, rest = element.split(">", 1)
    return f'{start} class="cu-graph">{_STYLE}{rest}'
