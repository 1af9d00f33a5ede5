"""The compiled part is there, or a message says what is wrong with the installation."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_FOLDER = Path(__file__).parent


def _explanation(text: str) -> str:
    """Why the extension was not imported, and what helps, from the interpreter's message."""
    needed = re.search(r"version `((?:GLIBC|GLIBCXX|CXXABI)_[\d.]+)' not found", text)
    if needed:
        return (
            f"this system's C or C++ library is older than {needed[1]}, for which this package of "
            "cupola was built: install with pip, which chooses a wheel that fits, or build from "
            f"source ({text})"
        )
    extensions = sorted(path.name for path in _FOLDER.glob("_cupola.*.so"))
    own = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    if "No module named 'cupola._cupola'" in text or "cannot import name '_cupola'" in text:
        if not extensions:
            return (
                f"{_FOLDER} has no compiled part: it is a folder of the sources, or the "
                "installation is incomplete (pip install --force-reinstall cupola)"
            )
        return (
            f"cupola in {_FOLDER} was built for another Python ({', '.join(extensions)}) than "
            f"this one ({own}, {sys.executable}): install it with this Python's own pip"
        )
    return f"the compiled part of cupola cannot be loaded: {text}"


try:
    from cupola import _cupola as _cupola
except ImportError as error:
    raise ImportError(_explanation(str(error)), name=error.name, path=error.path) from error
