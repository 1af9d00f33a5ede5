"""`python -m cupola top`, and the programs that it watches."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.marks import one_device

import cupola as cp
from cupola._observation import feed, load

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

PROGRAM = """
import sys, time
import numpy as np
import cupola as cp

held = cp.ones(3_000_000)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    a = cp.asarray(np.ones(100_000))
    cp.eval(a + 1)
    time.sleep(0.01)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs write."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def top(*options: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cupola", "top", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


def wait_for(folder: Path) -> Path:
    """What a program has written that has launched kernels: a device's first takes its time."""
    for _ in range(600):
        for found in folder.glob("cupola-top/*.json"):
            if json.loads(found.read_text())["kernels"] > 1:
                return found
        time.sleep(0.1)
    raise AssertionError("nothing was written")


@pytest.fixture
def program(folder: Path, tmp_path: Path) -> Any:
    """One that runs until the test ends."""
    path = tmp_path / "busy.py"
    path.write_text(PROGRAM)
    environment = {**os.environ, "CUPOLA_TOP": "1"}
    with subprocess.Popen([sys.executable, path, "100"], env=environment) as running:
        wait_for(folder)
        yield running
        running.kill()


def test_nothing_runs(folder: Path) -> None:
    assert json.loads(top("--json").stdout) == []
    pytest.importorskip("rich")
    done = top("--once")
    assert done.returncode == 0
    assert "no program of yours" in done.stdout


@one_device
def test_a_program_is_seen(program: Any) -> None:
    (seen,) = json.loads(top("--json").stdout)
    assert seen["pid"] == program.pid
    assert "busy.py 100" in seen["program"]
    (first, *_) = seen["devices"]
    assert first["live"] >= 24_000_000
    assert first["streams"] >= 1
    assert first["total"] >= first["free"] > 0
    assert seen["kernels"] > 0
    assert seen["to_device"] >= 800_000
    pytest.importorskip("rich")
    done = top("--once", env={**os.environ, "COLUMNS": "140"})
    assert str(program.pid) in done.stdout
    rate = float(done.stdout.split("kernels/s")[0].split()[-1].replace(",", ""))
    assert rate > 1


def test_a_program_that_was_killed_is_not_seen(program: Any, folder: Path) -> None:
    program.send_signal(signal.SIGKILL)
    program.wait()
    assert wait_for(folder).exists()
    assert json.loads(top("--json").stdout) == []


def test_it_runs_a_program_and_ends_with_it(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("rich")
    path = tmp_path / "busy.py"
    path.write_text(PROGRAM + "\nprint('done')\nsys.exit(3)\n")
    done = top("--interval", "0.2", "--", sys.executable, str(path), "3")
    assert done.returncode == 3
    assert done.stdout.strip() == "done"
    assert "busy.py 3" in done.stderr
    assert list(folder.glob("cupola-top/*")) == []


def test_without_rich(folder: Path) -> None:
    code = """
import sys
sys.modules['rich'] = None
from cupola.__main__ import main
sys.exit(main(['top']))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "pip install rich" in done.stderr


def test_a_folder_that_others_may_write_to_is_refused(folder: Path) -> None:
    (folder / "cupola-top").mkdir()
    (folder / "cupola-top").chmod(0o777)
    with pytest.raises(PermissionError, match="of this user alone"):
        feed.own_folder()


def test_what_is_no_load_is_left_out(folder: Path) -> None:
    place = feed.own_folder()
    for name, text in (("1.json", "{"), ("2.json", "[]"), ("3.json", '{"devices": []}')):
        (place / name).write_text(text)
    assert json.loads(top("--json").stdout) == []


def test_a_load_survives_json_and_rates_are_differences() -> None:
    before = load.look()
    again = load.load_from(json.loads(json.dumps(before.as_dict())))
    assert again == before
    cp._cupola.start_traffic_meter()
    try:
        cp.eval(cp.asarray(np.ones(1000)) + 1)
        now = load.look()
    finally:
        cp._cupola.stop_traffic_meter()
    rates = load.rates(before, now)
    assert rates.kernels * (now.seconds - before.seconds) == pytest.approx(1)
    assert rates.to_device * (now.seconds - before.seconds) == pytest.approx(8000)
    assert load.rates(None, now).kernels == 0
