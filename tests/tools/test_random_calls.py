"""The generator of calls finds what is broken, and calls what is new."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import call_record

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def random_calls(only: str, count: int, fault: str = "", preset: str = "release") -> str:
    """What scripts/random_calls prints, with a library that a statement has changed."""
    command = [sys.executable, ROOT / "scripts/random_calls", "--only", only, "--preset", preset]
    done = subprocess.run(
        [*command, "--count", str(count)],
        env={**os.environ, "CUPOLA_TEST_CALLS_FAULT": fault},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.stdout, done.stderr
    return done.stdout


@pytest.fixture
def preset(build_folder: Path) -> str:
    return build_folder.name


def outcome(output: str) -> dict:
    """The counts in the last line."""
    return json.loads(output.splitlines()[-1].partition("random calls: ")[2])


FAULTS = {
    "flip": ("xp.flip = lambda m, axis=None: m", "value"),
    "argmax": ("f = xp.argmax; xp.argmax = lambda *a, **k: f(*a, **k) + 0.0", "dtype"),
    "squeeze": ("xp.squeeze = lambda a, axis=None: a", "shape"),
    "roll": ("xp.roll = lambda a, shift, axis=None: 1 / 0", "rejects"),
    "putmask": (
        "f = xp.putmask; xp.putmask = lambda a, mask, values: f(a, mask, values * 2)",
        "written",
    ),
    "concatenate": (
        "f = xp.concatenate; xp.concatenate = lambda arrays, *a, **k: f(arrays, 0)",
        "accepts",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_function_is_found(name: str, preset: str) -> None:
    fault, kind = FAULTS[name]
    output = random_calls(name, 150, fault, preset)
    assert outcome(output)["findings_by_kind"].get(kind, 0) > 0, output
    assert re.search(rf"^seed \d+: {kind}: .*\n    import .*xp\.{name}\(", output, re.MULTILINE)
    assert output.splitlines()[-1].startswith("FAILED random calls")


@pytest.mark.parametrize("name", ["flip", "putmask"])
def test_nothing_is_found_where_nothing_is_broken(name: str, preset: str) -> None:
    assert outcome(random_calls(name, 150, preset=preset))["findings"] == 0


def test_the_printed_line_makes_the_call(preset: str) -> None:
    output = random_calls("trace", 100, "xp.trace = lambda a, *b, **k: 1 / 0", preset)
    lines = re.findall(r"^seed \d+: rejects: .*\n    (import .*)", output, re.MULTILINE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build" / preset / "python")}
    command = [sys.executable, "-c", lines[0]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_crash_is_found_and_others_go_on(preset: str) -> None:
    crash = "import ctypes; xp.fliplr = lambda m: ctypes.string_at(0)"
    output = random_calls("flip*", 8, crash, preset)
    crashes = re.findall(
        r"^seed (\d+): crash: exit status -\d+\n    .*xp\.(\w+)\(", output, re.MULTILINE
    )
    assert crashes
    assert {name for _, name in crashes} == {"fliplr"}
    assert outcome(output)["calls"] == 8
    assert outcome(output)["findings"] == len(crashes)


def test_a_crash_after_other_calls_names_them(preset: str) -> None:
    """What a call breaks may be noticed by a later one."""
    late = (
        "import os; seen = []\n"
        "def flipud(m):\n seen.append(m)\n return m[::-1] if len(seen) < 3 else os.abort()\n"
        "xp.flipud = flipud"
    )
    output = random_calls("flipud", 4, late, preset)
    assert re.search(r"crash: exit status -6 after the \d+ calls before", output), output


def test_a_new_function_is_called(preset: str) -> None:
    """By what its signature says; nothing names it in the generator."""
    new = "\n".join(f"{xp}.halves = lambda x, axis=0, keepdims=False: x / 2" for xp in ("xp", "np"))
    good = outcome(random_calls("halves", 80, new, preset))
    assert good["functions"] == 1
    assert good["calls"] == 80
    assert good["ended"]["returned"] > 20
    other = new.replace("x / 2\nnp", "x / 3\nnp")
    assert outcome(random_calls("halves", 80, other, preset))["findings_by_kind"]["value"] > 5


def a_run(first: int, count: int, findings: int = 0, missed: tuple[str, ...] = ()) -> dict:
    """As a run of random_calls is told."""
    return {
        "first_seed": first,
        "end_seed": first + count,
        "calls": count,
        "ended": {"returned": count - 1, "raised": 1},
        "functions": 10 - len(missed),
        "functions_not_called": sorted(missed),
        "differences_that_are_meant": 2,
        "met_faults_that_are_open": {},
        "findings": findings,
        "findings_by_kind": {"value": findings} if findings else {},
        "seconds": 0.5,
    }


def test_runs_of_the_same_sources_are_added_up() -> None:
    record = call_record.with_run({}, a_run(1, 100, 1, ("sin", "cos")), "abc")
    assert call_record.next_seed(record, "abc") == 101
    record = call_record.with_run(record, a_run(101, 50, 2, ("cos", "tan")), "abc")
    assert record["calls"] == 150
    assert record["ended"] == {"returned": 148, "raised": 2}
    assert record["findings"] == 3
    assert record["findings_by_kind"] == {"value": 3}
    assert record["functions"] == 9
    assert record["functions_not_called"] == ["cos"]
    assert [run["first_seed"] for run in record["runs"]] == [1, 101]
    assert record["seconds"] == 1.0


def test_other_sources_begin_a_new_record() -> None:
    record = call_record.with_run({}, a_run(1, 100), "abc")
    assert call_record.next_seed(record, "def") == 1
    assert call_record.with_run(record, a_run(1, 7), "def")["calls"] == 7


def test_no_seed_is_recorded_twice() -> None:
    record = call_record.with_run({}, a_run(1, 100), "abc")
    for first in (1, 50, 100):
        with pytest.raises(ValueError, match="are recorded"):
            call_record.with_run(record, a_run(first, 10), "abc")
