"""An empty environment of free-threaded Python to install into.

No Debian release has that Python, so it is one that was built (docs/dev/releasing.md), and the
system around it is this one.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from packages.systems import NotHereError, run

ROOT = Path(__file__).resolve().parents[2]
VERSION = "3.14t"
LOCK_IS_OFF = """
import sys
import numpy
import cupola
assert cupola.arange(3).sum() == 3
assert not sys._is_gil_enabled(), "importing cupola switches the interpreter lock on"
"""


def find(version: str) -> Path:
    """That of this version, as in 3.14t.

    Raises
    ------
    NotHereError
        Where there is none.
    """
    done = subprocess.run(
        [ROOT / "scripts/find_python", version], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise NotHereError(
            f"there is no Python {version} on PATH, among pyenv's or named by PYTHON: "
            "docs/dev/releasing.md says how to build one"
        )
    return Path(done.stdout.strip())


def check(interpreter: Path, version: str, wheel: Path, tests: list[str]) -> None:
    """Install the wheel into an empty environment and run tests there without the lock."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    environment.pop("PYTHONPATH", None)
    environment |= {"CUPOLA_PLATFORM": "cpu", "MPLBACKEND": "Agg"}
    with tempfile.TemporaryDirectory(prefix="cupola-free-threaded-") as name:
        folder = Path(name)
        run(interpreter, "-m", "venv", folder / "venv")
        python = folder / "venv/bin/python"
        run(
            *(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *(wheel, *requirements(version)),
        )
        (folder / "run").mkdir()
        here = {"cwd": folder / "run", "env": environment}
        # Other packages of the tests may need the lock: they are not there yet.
        run(python, "-W", "error", "-c", LOCK_IS_OFF, **here)
        paths = [ROOT / "tests" / test for test in tests]
        options = ("-q", "-p", "no:cacheprovider", "--import-mode=importlib")
        run(python, "-m", "pytest", *options, *paths, **here)


def requirements(version: str) -> list[str]:
    """What the tests need, as arguments of pip: exact versions where they are for this Python."""
    path = ROOT / "requirements/test.txt"
    if version == VERSION:
        return ["-r", str(path)]
    names = [name.partition("==")[0] for name in path.read_text(encoding="utf-8").split()]
    return ["--prefer-binary", *names]
