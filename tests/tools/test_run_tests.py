"""Each commit leaves out other tests of those that are dealt to commits, and none is left out for
good."""

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import run_tests
import step_record

LISTING = """\
Running main() from gtest_main.cc
Plans/StagesOfPlans.
  Parts/add  # GetParam() = add
  Parts/max  # GetParam() = max
Shapes/ReduceShapes.  # TypeParam = float
  Sum/0  # GetParam() = 24-byte object <01-00>
Selection.
  OfIntegers
  OfFloats
  OfComplexNumbers
"""
ALL = {
    "Plans/StagesOfPlans.Parts/add",
    "Plans/StagesOfPlans.Parts/max",
    "Shapes/ReduceShapes.Sum/0",
    "Selection.OfIntegers",
    "Selection.OfFloats",
    "Selection.OfComplexNumbers",
}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run_tests, "without_address_randomisation", lambda preset: [])
    path = tmp_path / "some_tests"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{LISTING}END\n")
    path.chmod(0o755)
    return path


def test_every_test_has_its_commit(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = []
    for seed in range(30):
        monkeypatch.setattr(run_tests, "commit", lambda seed=seed: str(seed))
        left.append(set(run_tests.tests_left_to_other_commits("tsan", program)))
    assert all(len(each) == 4 and each < ALL for each in left)
    assert set.intersection(*left) == set()


@pytest.mark.parametrize("preset", ["release", "asan", "tsan"])
def test_nothing_is_dealt_when_all_are_run(preset: str, program: Path) -> None:
    always = [] if preset == "release" else list(run_tests.NOT_INSTRUMENTED)
    assert run_tests.left_out_of(preset, program, is_all=True) == always
    more = run_tests.left_out_of(preset, program, is_all=False)[len(always) :]
    assert bool(more) == (preset != "asan")


def test_long_tests_are_dealt_to_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = runpy.run_path(str(run_tests.ROOT / "tests/conftest.py"))[
        "pytest_collection_modifyitems"
    ]
    items = [SimpleNamespace(nodeid=f"long {i}", keywords={"long": True}) for i in range(8)]
    items.insert(3, SimpleNamespace(nodeid="short", keywords={}))

    def dealt(asked: str) -> tuple[list, list]:
        """What runs, and what pytest is told to be left out."""
        monkeypatch.setenv("CUPOLA_TEST_LONG_PARTS", asked)
        taken, told = items.copy(), []
        hook = SimpleNamespace(pytest_deselected=lambda items: told.extend(items))
        deal(SimpleNamespace(hook=hook), taken)
        return taken, told

    assert dealt("") == (items, [])
    for seed in range(12):
        taken, told = dealt(f"4 {seed}")
        assert len(taken) == 1 + 2
        assert items[3] in taken
        assert [item for item in items if item not in taken] == told
    every = [item for seed in range(12) for item in dealt(f"4 {seed}")[0]]
    assert all(item in every for item in items)
    assert dealt("4 0") == dealt("4 0")


def test_every_step_has_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    left = []
    for seed in range(30):
        monkeypatch.setattr(run_tests, "commit", lambda seed=seed: str(seed))
        left.append(run_tests.steps_left_to_other_commits())
    assert all(len({"asan", "tsan", "docs"} - each) == 1 for each in left)
    assert all(("docs" in each) == ("neighbours" in each) == ("mutants" in each) for each in left)
    assert set.intersection(*left) == set(run_tests.ONLY_OF_ALL)


def test_a_record_has_what_each_step_gave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is run again takes its own place; the others stay."""

    def steps(preset: str, count: run_tests.Count, *_: object) -> dict:
        return {
            "good": lambda: count.add(3, 0, "good", skipped=1),
            "bad": lambda: count.add(1, 2, "bad", which=["one", "other"]),
        }

    monkeypatch.setattr(run_tests, "steps", steps)
    monkeypatch.setattr(step_record, "PATH", tmp_path / "record.json")
    monkeypatch.setattr(sys, "argv", ["run_tests", "--all", "--record"])
    assert run_tests.main() == 1
    first = step_record.load()["steps"]
    assert (first["good"]["passed"], first["good"]["skipped"]) == (3, 1)
    assert first["good"]["failures"] == []
    assert first["bad"]["passed"] == 1
    assert first["bad"]["failures"] == ["bad (2)\n  one\n  other"]
    monkeypatch.setattr(step_record.source_hash, "source_hash", lambda *_: "others")
    monkeypatch.setattr(sys, "argv", ["run_tests", "--all", "--record", "good"])
    assert run_tests.main() == 0
    second = step_record.load()["steps"]
    assert second["bad"] == first["bad"]
    assert second["good"]["source_hash"] == "others" != first["good"]["source_hash"]
    monkeypatch.setattr(sys, "argv", ["run_tests", "--record"])
    with pytest.raises(SystemExit):
        run_tests.main()
