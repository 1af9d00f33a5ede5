"""The programs of examples/scenarios run and find nothing wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCENARIOS = sorted((Path(__file__).parents[2] / "examples/scenarios").glob("*.py"))


def test_there_is_one_for_each_problem() -> None:
    assert len(SCENARIOS) == 5


@pytest.mark.parametrize("program", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(program: Path) -> None:
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=300, env=os.environ
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
