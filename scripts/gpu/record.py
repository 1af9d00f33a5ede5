"""The record of what ran on a GPU: a section for each part, and what they say together.

A section holds `source_hash`, `date`, `seconds`, `device`, `problems`, `passed`, `complete` and
what the part found. The sections of some parts consist of entries with names, which may be made in
several calls; such a section is complete when all of them are there, and names the others as
`missing`.
"""

import json
from pathlib import Path

from outcomes import LISTED_FAILURES

SUITES = ("cpp", "python", "alone")
REQUIRED = (*SUITES, "memcheck", "racecheck", "initcheck", "benchmarks")
PARTS = (*REQUIRED, "profile")
ENTRIES = {
    "memcheck": "programs",
    "racecheck": "programs",
    "initcheck": "programs",
    "benchmarks": "rows",
    "profile": "rows",
}


def load(path: Path) -> dict:
    """The document; empty where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(document: dict, *targets: Path) -> None:
    """Replace each file at once, so that no reader finds half of it."""
    text = json.dumps(document, indent=1) + "\n"
    for target in targets:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)


def sections_of(document: dict) -> dict[str, dict]:
    """The sections of a record by part; one of an older format has none."""
    return {
        part: document[part]
        for part in PARTS
        if isinstance(document.get(part), dict) and "source_hash" in document[part]
    }


def same_sources_and_device(one: dict, other: dict) -> bool:
    """Whether two sections are of the same sources and kind of device."""
    return one["source_hash"] == other["source_hash"] and one.get("device", {}).get(
        "name"
    ) == other.get("device", {}).get("name")


def with_earlier_entries(part: str, section: dict, earlier: dict | None) -> dict:
    """A section of some entries, with those that an earlier one of the same sources had besides.

    Facts that only the earlier section knows stay, too.
    """
    if earlier is None or not same_sources_and_device(section, earlier):
        return section
    key = ENTRIES[part]
    entries = {entry["name"]: entry for entry in [*earlier.get(key, ()), *section.get(key, ())]}
    told = {fact: value for fact, value in section.items() if value is not None}
    return {**earlier, **told, key: list(entries.values())}


def missing_entries(part: str, section: dict, expected: list[str]) -> list[str]:
    """Names of the expected entries that are not there."""
    names = {entry["name"] for entry in section.get(ENTRIES[part], ())}
    return [name for name in expected if name not in names]


def entry_problems(part: str, section: dict) -> list[str]:
    """The problems of all entries, with their names."""
    entries = section.get(ENTRIES[part], ())
    return [f"{entry['name']}: {text}" for entry in entries for text in entry.get("problems", ())]


def is_clean(section: dict) -> bool:
    """No problem, and no test has failed."""
    return not section["problems"] and not section.get("tests", {}).get("failed", 0)


def total_tests(tests: list[dict]) -> dict:
    """The sums of some counts of tests, and the names of all that failed."""
    total: dict = {key: sum(each[key] for each in tests) for key in ("passed", "failed", "skipped")}
    failures = [name for each in tests for name in each["failures"]]
    return {**total, "failures": failures[:LISTED_FAILURES]}


def tests_of_entries(part: str, section: dict) -> dict:
    """The tests that the section's entries have counted; an entry without tests counts as one."""
    tests = []
    for entry in section.get(ENTRIES[part], ()):
        failed = bool(entry.get("problems"))
        whole = {"passed": int(not failed), "failed": int(failed), "skipped": 0}
        tests.append(entry.get("tests") or {**whole, "failures": [entry["name"]] * failed})
    return total_tests(tests)


def summary(sections: dict[str, dict], source_hash: str) -> dict:
    """What the sections say together of the sources with that hash.

    `source_hash` is None unless all required sections are complete and all are of these sources;
    `tests` are those of the test suites, which other parts run again under tools.
    """
    tests = [sections[part]["tests"] for part in SUITES if "tests" in sections.get(part, ())]
    problems = [f"{part}: {text}" for part, each in sections.items() for text in each["problems"]]
    missing = [part for part in REQUIRED if not sections.get(part, {}).get("complete")]
    stale = [part for part, each in sections.items() if each["source_hash"] != source_hash]
    complete = not missing and not stale
    return {
        "source_hash": source_hash if complete else None,
        "complete": complete,
        "missing": missing,
        "stale": stale,
        "tests": total_tests(tests),
        "problems": problems,
    }


def with_section(document: dict, part: str, section: dict, source_hash: str, **facts) -> dict:
    """The record with a section in place of the part's earlier one; `sets` stays as it is."""
    known = {**sections_of(document), part: section}
    sections = {name: known[name] for name in PARTS if name in known}
    sets = {"sets": document["sets"]} if "sets" in document else {}
    return {**summary(sections, source_hash), **facts, **sections, **sets}
