"""Sections of a GPU record: of which sources they are, and what they say together."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from gpu import record

pytestmark = pytest.mark.long


def section(source_hash="these", **more):
    device = {"name": "GPU"}
    known = {"device": device, "problems": [], "passed": True, "complete": True}
    return {"source_hash": source_hash, **known, **more}


def whole(**replaced):
    """A record of all required parts."""
    document = {}
    for part in record.REQUIRED:
        document = record.with_section(
            document, part, replaced.get(part, section()), source_hash="these"
        )
    return document


def test_all_parts_of_one_source_are_complete():
    document = whole()
    assert document["complete"]
    assert document["source_hash"] == "these"
    assert document["missing"] == document["stale"] == []


@pytest.mark.parametrize("part", record.REQUIRED)
def test_each_required_part_has_to_be_there(part):
    document = whole()
    del document[part]
    other = next(name for name in record.REQUIRED if name != part)
    document = record.with_section(document, other, section(), "these")
    assert document["missing"] == [part]
    assert not document["complete"]
    assert document["source_hash"] is None


def test_a_part_that_lacks_entries_or_was_killed_is_missing():
    document = whole(memcheck=section(complete=False))
    assert document["missing"] == ["memcheck"]
    assert not document["complete"]


def test_parts_of_other_sources_are_stale():
    document = whole(memcheck=section("before"))
    assert document["stale"] == ["memcheck"]
    assert not document["complete"]
    assert document["source_hash"] is None
    document = record.with_section(document, "memcheck", section(), "these")
    assert document["complete"]


def test_new_sources_make_all_other_parts_stale():
    document = record.with_section(whole(), "cpp", section("new"), "new")
    assert document["stale"] == list(record.REQUIRED[1:])
    assert document["source_hash"] is None


def test_a_profile_may_be_missing_but_not_stale():
    assert "profile" not in whole()["missing"]
    document = record.with_section(whole(), "profile", section("before"), "these")
    assert document["stale"] == ["profile"]


def test_problems_say_of_which_part_they_are():
    document = whole(memcheck=section(problems=["a.py: not finished"]))
    assert document["problems"] == ["memcheck: a.py: not finished"]
    assert document["complete"]


def row(name, figure, **more):
    return {"name": name, "figures": {"cupola": figure}, **more}


def figures(merged):
    return {entry["name"]: entry["figures"]["cupola"] for entry in merged["rows"]}


def test_rows_are_merged_by_name():
    earlier = section(rows=[row("a", 1), row("b", 2)], copy_gb_per_s=4000)
    later = section(rows=[row("b", 3), row("c", 4)], copy_gb_per_s=None)
    merged = record.with_earlier_entries("benchmarks", later, earlier)
    assert figures(merged) == {"a": 1, "b": 3, "c": 4}
    assert merged["copy_gb_per_s"] == 4000


@pytest.mark.parametrize(
    "earlier",
    [
        None,
        section("before", rows=[row("a", 1)]),
        section(rows=[row("a", 1)], device={"name": "another GPU"}),
    ],
)
def test_rows_of_other_sources_or_devices_are_dropped(earlier):
    later = section(rows=[row("b", 2)])
    assert figures(record.with_earlier_entries("benchmarks", later, earlier)) == {"b": 2}


def test_rows_that_fail_are_problems_and_others_that_are_expected_are_missing():
    found = section(rows=[row("a", 1), row("b", 2, problems=["wrong"])])
    assert record.entry_problems("benchmarks", found) == ["b: wrong"]
    assert record.missing_entries("benchmarks", found, ["a", "b"]) == []
    assert record.missing_entries("benchmarks", found, ["c", "a", "b", "d"]) == ["c", "d"]


@pytest.mark.parametrize(
    ("found", "clean"),
    [
        ({"problems": [], "tests": {"failed": 0}}, True),
        ({"problems": []}, True),
        ({"problems": [], "tests": {"failed": 1}}, False),
        ({"problems": ["x"], "tests": {"failed": 0}}, False),
    ],
)
def test_only_a_section_without_any_finding_is_clean(found, clean):
    assert record.is_clean(found) is clean
