"""The package under test, and one run of some programs with it."""

import datetime
import json
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gpu.machine import describe_device, describe_package, describe_versions
from outcomes import ROOT, Outcomes, pytest_outcomes, run, without_folders
from source_hash import source_hash

CARRIED = ROOT / ".gpu"
LOG_TAIL = 1 << 19  # bytes that are kept of a log


class Package:
    """Where the package and its C++ tests are, what machine this is, and what is wrong with it.

    It is the one in .gpu/ (scripts/build_gpu_package) where that is there, and otherwise built.
    """

    def __init__(self, configuration: Path, logs: Path) -> None:
        self.configuration = json.loads(configuration.read_text())
        self.source_hash = source_hash()
        self.problems: list[str] = []
        self.cache = tempfile.TemporaryDirectory()
        self.python = sys.executable
        self.folder = CARRIED / "python"
        self.programs = CARRIED / "tests"
        if not self.folder.is_dir():
            self.build(logs)
        elif (CARRIED / "source_hash").read_text().strip() != self.source_hash:
            self.problems.append("built from other sources: run scripts/build_gpu_package")
        self.device = describe_device()
        self.versions = describe_versions(self.python)
        self.info = describe_package(self.python, self.environment())
        if self.info is None:
            self.problems.append("`python -m cupola info` fails")

    def build(self, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        for step in (["scripts/setup"], ["scripts/build", "release"]):
            if status := run(step, logs / "build.log", 3600, {}):
                self.problems.append(f"{' '.join(step)}: exit status {status}")
        self.python = str(ROOT / ".venv/bin/python")
        self.folder = ROOT / "build/release/python"
        self.programs = ROOT / "build/release/tests"

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PYTHONPATH": str(self.folder),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "300",  # pytest shortens messages to the width
            "CUPOLA_GOLDEN_FOLDER": str(ROOT / "tests/golden"),
            # What one program compiles the others find.
            "CUPOLA_DISK_CACHE": "1",
            "CUPOLA_CACHE_DIR": self.cache.name,
            **self.configuration["environment"],
            **more,
        }


class Check:
    """One run: how much of its time is left, and what was found so far.

    `earlier` holds the sections of the record before it, by part.
    """

    def __init__(
        self, package: Package, seconds: float, logs: Path, earlier: dict[str, dict] | None = None
    ) -> None:
        self.package = package
        self.earlier = earlier or {}
        self.start = time.monotonic()
        self.seconds = seconds
        self.logs = logs
        logs.mkdir(parents=True, exist_ok=True)
        self.outcomes = Outcomes()
        self._lock = threading.Lock()
        self.result: dict = {
            "source_hash": package.source_hash,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "device": package.device,
            "versions": package.versions,
            "problems": list(package.problems),
        }

    def left(self) -> float:
        return self.start + self.seconds - time.monotonic()

    def spent(self) -> float:
        return time.monotonic() - self.start

    def problem(self, text: str) -> None:
        self.result["problems"].append(without_folders(text))

    def guarded(self, function: Callable, *arguments: object) -> Any:
        """What the function returns; what it raises is a problem."""
        try:
            return function(self, *arguments)
        except Exception as error:
            self.problem(f"{function.__name__}: {type(error).__name__}: {error}")
            return None

    def note_status(self, name: str, status: int | None, failures: int) -> None:
        """A program that was stopped, or failed without a failing test, is a problem."""
        if text := status_problem(status, failures):
            self.problem(f"{name}: {text}")

    def add_outcomes(self, name: str, outcomes: Outcomes) -> None:
        with self._lock:
            self.outcomes += outcomes
            print(f"{name}: {outcomes}", flush=True)
            self.result["tests"] = self.outcomes.as_dict()

    def add_errors(self, outcomes: Outcomes) -> None:
        """What failed tests said, of tests that are counted elsewhere."""
        with self._lock:
            self.outcomes.errors |= outcomes.errors

    def pytest_command(self, *options: object) -> list:
        return [self.package.python, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options]

    def run_pytest(self, name: str, tests: Sequence[str], workers: int, **environment: str) -> None:
        """Tests that were collected and have not ended when the time is over have failed."""
        log, collected = self.logs / f"{name}.log", self.logs / f"{name}.collected"
        collected.unlink(missing_ok=True)
        # A worker with many slow tests gives some away.
        spread = ("-n", workers, "--dist", "worksteal")
        command = self.pytest_command(*spread, "--durations=20", "--tb=short", *tests)
        environment["CUPOLA_TEST_COLLECTED"] = str(collected)
        status = run(command, log, self.left(), self.package.environment(**environment))
        names = collected.read_text().splitlines() if collected.exists() else []
        outcomes = pytest_outcomes(log.read_text(errors="replace"), names)
        self.add_outcomes(name, outcomes)
        self.note_status(name, status, len(outcomes.failures))


def status_problem(status: int | None, failures: int) -> str:
    """What an exit status says that the outcomes of tests do not; nothing where all is well."""
    if status is None:
        return "stopped, the time was over"
    return f"exit status {status}" if status != 0 and not failures else ""


def pack_logs(folder: Path, target: Path) -> None:
    """The ends of all files in a folder as one archive."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cut, tarfile.open(target, "w:gz") as archive:
        for log in sorted(path for path in folder.iterdir() if path.is_file()):
            end = Path(cut) / log.name
            end.write_bytes(log.read_bytes()[-LOG_TAIL:])
            archive.add(end, f"{folder.name}/{log.name}")
