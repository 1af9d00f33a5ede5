"""Each commit leaves out other tests of those that are dealt to commits, and none is left out for
good."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import run_tests

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
        left.append(set(run_tests.left_to_other_commits("tsan", program)))
    assert all(len(each) == 4 and each < ALL for each in left)
    assert set.intersection(*left) == set()


@pytest.mark.parametrize("preset", ["release", "asan", "tsan"])
def test_nothing_is_dealt_when_all_are_run(preset: str, program: Path) -> None:
    always = [] if preset == "release" else list(run_tests.NOT_INSTRUMENTED)
    assert run_tests.left_out_of(preset, program, is_all=True) == always
    more = run_tests.left_out_of(preset, program, is_all=False)[len(always) :]
    assert bool(more) == (preset != "asan")


def test_every_test_of_tests_has_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    files = set(run_tests.TESTS_OF_TESTS)
    assert all((run_tests.ROOT / file).is_file() for file in files)
    left = []
    for seed in range(40):
        monkeypatch.setattr(run_tests, "commit", lambda seed=seed: str(seed))
        left.append(set(run_tests.tests_of_tests_left_to_other_commits()))
    taken = -(-len(files) // run_tests.TESTS_OF_TESTS_PARTS)
    assert all(each < files and len(each) == len(files) - taken for each in left)
    assert set.intersection(*left) == set()
