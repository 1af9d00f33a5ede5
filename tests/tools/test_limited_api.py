"""The bindings use Python's limited API, but for what they have for one version of Python alone:
the wheel for 3.12 and later is built with it, and a build for one version does not show a slip."""

import re
from pathlib import Path

import abi3info

ROOT = Path(__file__).resolve().parents[2]
VERSION = (3, 12)  # of the stable ABI that the wheel is for
CONDITION = re.compile(r"^#\s*(?:(if\w*)\b(.*)|(else|elif|endif)\b)")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
NAME = re.compile(r"\bPy[A-Z]\w*_\w+\b")
LOADER = "interpreter_functions.cc"  # finds functions by their names when it runs
# Macros that the limited API has, and abi3info does not list.
CHECKS = re.compile(r"Py\w+_Check(Exact)?")


def lines_for_all_versions(text: str) -> str:
    """Without what stands where Py_LIMITED_API is not defined."""
    kept = []
    open_conditions = []  # whether the lines are left out, and those after an #else
    for line in text.splitlines():
        if match := CONDITION.match(line):
            kind, condition, other = match.groups()
            if kind and "Py_LIMITED_API" in condition:
                is_negative = kind == "ifndef" or "!defined(Py_LIMITED_API)" in condition
                open_conditions.append((is_negative, not is_negative))
            elif kind == "ifdef" and "Py_GIL_DISABLED" in condition:  # it has no limited API
                open_conditions.append((True, False))
            elif kind:
                open_conditions.append((False, False))
            elif other == "endif":
                open_conditions.pop()
            else:
                open_conditions[-1] = open_conditions[-1][::-1]
        elif not any(left_out for left_out, _ in open_conditions):
            kept.append(line)
    return "\n".join(kept)


def limited_api() -> set[str]:
    found = {"PyObject_HEAD"}
    for table in (
        abi3info.FUNCTIONS,
        abi3info.MACROS,
        abi3info.TYPEDEFS,
        abi3info.DATAS,
        abi3info.STRUCTS,
    ):
        for key, each in table.items():
            if (each.added.major, each.added.minor) <= VERSION:
                found.add(getattr(key, "name", key))
    return found


def test_what_is_for_one_version_is_left_out() -> None:
    text = "a\n#ifndef Py_LIMITED_API\nb\n#if X\nc\n#endif\n#else\nd\n#endif\ne"
    assert lines_for_all_versions(text).split() == ["a", "d", "e"]
    text = "a\n#ifdef Py_LIMITED_API\nb\n#else\nc\n#endif\nd"
    assert lines_for_all_versions(text).split() == ["a", "b", "d"]
    text = "a\n#ifdef Py_GIL_DISABLED\nb\n#else\nc\n#endif\nd"
    assert lines_for_all_versions(text).split() == ["a", "c", "d"]


def test_the_bindings_use_the_limited_api() -> None:
    known = limited_api()
    unknown = {
        f"{path.name}: {name}"
        for path in sorted((ROOT / "src/python").rglob("*.*"))
        if path.name != LOADER
        for name in NAME.findall(
            COMMENT_OR_TEXT.sub("", lines_for_all_versions(path.read_text(encoding="utf-8")))
        )
        if name not in known and not CHECKS.fullmatch(name)
    }
    assert not unknown
