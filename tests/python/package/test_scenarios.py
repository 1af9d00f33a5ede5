"""The programs of examples/scenarios run and find nothing wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cupola_under_test import cp, is_alone

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

# Looks at what the devices have free that it does not use.
OF_WHOLE_DEVICES = "work_on_the_last_device"
SCENARIOS = sorted((Path(__file__).parents[3] / "examples/scenarios").glob("*.py"))


def test_there_is_one_for_each_problem() -> None:
    assert len(SCENARIOS) == 5


@pytest.mark.parametrize("program", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(program: Path) -> None:
    devices = cp.cuda.runtime.getDeviceCount()
    if program.stem == OF_WHOLE_DEVICES and devices > 1 and not is_alone():
        pytest.skip("takes whole devices")
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=300, env=os.environ
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
