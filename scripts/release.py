#!/usr/bin/env python3
"""Make a release: the version in all files that have it, the changelog's date, a commit and a tag.

Without --do it only shows what would change. Nothing is pushed: docs/dev/releasing.md has what
comes before and after.
"""

from __future__ import annotations

import argparse
import datetime
import difflib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?"
# Where the version stands: a file and what is around it. CMake's has no suffix.
PLACES = {
    "pyproject.toml": rf'(?m)^(version = "){NUMBER}(")',
    "python/cupola/_version.py": rf'(__version__ = "){NUMBER}(")',
    "CMakeLists.txt": r"(project\(cupola VERSION )\d+\.\d+\.\d+( )",
    "packaging/conda/recipe.yaml": rf'(?m)^(  version: "){NUMBER}(")',
}
SOVERSION = ("packaging/conda/recipe.yaml", r'(?m)^(  soversion: ")\d+\.\d+(")')
CHANGELOG = "CHANGELOG.md"


class ReleaseError(Exception):
    """Why this cannot be released."""


def git(*arguments: str) -> str:
    """The output of a git command in the repository."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ReleaseError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def read(name: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def order(version: str) -> tuple[int, ...]:
    """By which versions are compared: a release comes after its candidates."""
    found = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)(?:(a|b|rc)(\d+))?", version)
    if not found:
        raise ReleaseError(f"{version!r} is no version like 1.2.3 or 1.2.3rc1")
    stage = {"a": 0, "b": 1, "rc": 2, None: 3}[found[4]]
    return (*map(int, found.group(1, 2, 3)), stage, int(found[5] or 0))


def current() -> str:
    """The version in the sources."""
    found = re.search(rf'__version__ = "({NUMBER})"', read("python/cupola/_version.py"))
    if not found:
        raise ReleaseError("python/cupola/_version.py has no version")
    return found[1]


def replaced(text: str, pattern: str, value: str, name: str) -> str:
    """The text with the value in the one place where the pattern is."""
    changed, count = re.subn(pattern, rf"\g<1>{value}\g<2>", text)
    if count != 1:
        raise ReleaseError(f"{name} has the version in {count} places, not in one")
    return changed


def dated_changelog(text: str, version: str, date: str) -> str:
    """The changelog, whose first section becomes that of the release."""
    heading = re.search(r"(?m)^## (.*)$", text)
    if not heading or not heading[1].endswith("(unreleased)"):
        raise ReleaseError(f"the first section of {CHANGELOG} is not one that is (unreleased)")
    following = re.search(r"(?m)^## ", text[heading.end() :])
    body = (
        text[heading.end() : heading.end() + following.start()]
        if following
        else text[heading.end() :]
    )
    if "- " not in body:
        raise ReleaseError(f"the section of {version} in {CHANGELOG} is empty")
    return text[: heading.start()] + f"## {version} ({date})" + text[heading.end() :]


def changes(version: str, date: str) -> dict[str, str]:
    """The new text of each file."""
    plain = re.match(r"\d+\.\d+\.\d+", version)
    assert plain
    texts: dict[str, str] = {}
    for name, pattern in PLACES.items():
        value = plain[0] if name == "CMakeLists.txt" else version
        texts[name] = replaced(read(name), pattern, value, name)
    name, pattern = SOVERSION
    texts[name] = replaced(texts[name], pattern, ".".join(plain[0].split(".")[:2]), name)
    texts[CHANGELOG] = dated_changelog(read(CHANGELOG), version, date)
    return texts


def check(version: str) -> None:
    """Raise ReleaseError where this version cannot be released from here."""
    if order(version) < order(current()):
        raise ReleaseError(f"{version} is before {current()}, the version of the sources")
    if f"v{version}" in git("tag", "--list").split():
        raise ReleaseError(f"there is a tag v{version} already")
    if git("status", "--porcelain"):
        raise ReleaseError("there are changes that are not committed")


def show(texts: dict[str, str]) -> None:
    """Print what changes."""
    for name, text in texts.items():
        before = read(name).splitlines(keepends=True)
        sys.stdout.writelines(
            difflib.unified_diff(
                before, text.splitlines(keepends=True), f"a/{name}", f"b/{name}", n=0
            )
        )


def make(version: str, texts: dict[str, str]) -> None:
    """Write, commit and tag."""
    for name, text in texts.items():
        (ROOT / name).write_text(text, encoding="utf-8")
    git("add", *texts)
    git("commit", "--quiet", "--allow-empty", "-m", f"Release {version}")
    git("tag", "--annotate", f"v{version}", "-m", f"Cupola {version}")


def main() -> int:
    """Release, or show what would be done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version", help="as in 1.2.3 or 1.2.3rc1")
    parser.add_argument("--do", action="store_true", help="change, commit and tag")
    options = parser.parse_args()
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    try:
        check(options.version)
        texts = changes(options.version, date)
        show(texts)
        if options.do:
            make(options.version, texts)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    tag = f"v{options.version}"
    if options.do:
        print(f"committed and tagged {tag}; to publish: git push --follow-tags origin HEAD")
    else:
        print(f"nothing was changed; with --do this is committed and tagged {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
