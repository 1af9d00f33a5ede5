"""Run a CuPy program with this package, and find out beforehand what it would miss.

    python -m cupola.as_cupy program.py [argument ...]
    python -m cupola.as_cupy -m module [argument ...]
    python -m cupola.as_cupy -c text [argument ...]
    python -m cupola.as_cupy --check path ...
    pytest -p cupola.as_cupy

The program runs as `python program.py` would run it, and its `cupy` and `cupyx` are `cupola` and
`cupola.cupyx` (see `install_as`). With `--prefer-cupy`, or CUPOLA_PREFER_CUPY=1 under pytest, they
are CuPy itself where that is installed.

`--check` reads programs, or all of a folder, without running them, and prints by file and line the
names of `cupy` and `cupyx` that are missing here or differ, why, and what to do. The exit status is
1 if a name is missing, 2 if a file cannot be read, else 0.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from cupola._cupy.aliases import install_as

__all__ = ["install_as", "main"]

_USAGE = (
    "usage: python -m cupola.as_cupy [--prefer-cupy] (program | -m module | -c text) [argument ...]"
    "\n       python -m cupola.as_cupy --check path ..."
)


def main(arguments: list[str] | None = None) -> int:
    """Run a program, or check programs; returns the exit status.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the command line.

    Returns
    -------
    int
        The exit status: 0, or 2 for what cannot be understood; of `--check`, that of the check.

    Examples
    --------
    >>> from cupola.as_cupy import main
    >>> main(["-c", "import cupy; print(cupy.arange(3))"])  # doctest: +SKIP
    [0 1 2]
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    prefer_installed = False
    while words and words[0] == "--prefer-cupy":
        prefer_installed = True
        del words[0]
    if words and words[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if words and words[0] == "--check":
        from cupola._cupy.check import check

        return check(words[1:])
    takes_more = bool(words) and words[0] in ("-m", "-c")
    if not words or (takes_more and len(words) == 1) or (words[0][0] == "-" and not takes_more):
        print(_USAGE, file=sys.stderr)
        return 2
    from cupola._cupy import running

    install_as("cupy", prefer_installed=prefer_installed)
    if words[0] == "-m":
        running.run_module(words[1], words[2:])
    elif words[0] == "-c":
        running.run_text(words[1], words[2:])
    else:
        running.run_file(words[0], words[1:])
    return 0


def pytest_load_initial_conftests(early_config: Any) -> None:
    """pytest calls this before it imports a conftest.py."""
    install_as("cupy", prefer_installed=os.environ.get("CUPOLA_PREFER_CUPY", "0") not in ("", "0"))


if __name__ == "__main__":
    sys.exit(main())
