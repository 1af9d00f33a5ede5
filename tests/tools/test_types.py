"""What type checkers know of the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cupola as cp

pytestmark = pytest.mark.long


def test_types_are_exact(tmp_path: Path) -> None:
    """What mypy knows of results, and of names that are none."""
    program = tmp_path / "program.py"
    program.write_text(
        "import cupola as cp\n"
        "a = cp.ones(3)\n"
        "for each in (a @ a, cp.sin(a), cp.add.reduce(a), cp.convolve(a, a), a.sum(), a[0]):\n"
        "    reveal_type(each)\n"
        "reveal_type(cp.divmod(a, a))\n"
        "reveal_type(a.dtype)\n"
        "for one in (cp.linalg.inv(a), cp.where(a > 0, a, 1), cp.sum(a), a.var(ddof=1)):\n"
        "    reveal_type(one)\n"
        "for two in (cp.linalg.svd(a, False, False), cp.unique(a), cp.atleast_1d(a)):\n"
        "    reveal_type(two)\n"
        "reveal_type(cp.linalg.svd(a).S)\n"
        "reveal_type(cp.linalg.qr(a).R)\n"
        "cp.nosuch\n"
        "cp.random.nosuch\n"
        "cp.linalg.nosuch\n"
    )
    package = Path(cp.__file__).parent.parent
    command = [sys.executable, "-m", "mypy", "--no-incremental", str(program)]
    done = subprocess.run(
        command, env={**os.environ, "MYPYPATH": str(package)}, capture_output=True, text=True
    )
    lines = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if "program.py" in line]
    assert lines == [
        'note: Revealed type is "cupola._cupola.ndarray"',
        'note: Revealed type is "tuple[cupola._cupola.ndarray, cupola._cupola.ndarray]"',
        'note: Revealed type is "numpy.dtype[Any]"',
        *['note: Revealed type is "cupola._cupola.ndarray"'] * 4,
        *['error: Module has no attribute "nosuch"  [attr-defined]'] * 3,
    ], done.stdout + done.stderr
