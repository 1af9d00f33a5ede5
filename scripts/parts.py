"""A part of many tests, another one for each commit."""

import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def commit() -> str:
    """The first digits of HEAD's id; `none` where there is no repository."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "none"


def rank(seed: str, file: str) -> bytes:
    return hashlib.sha256(f"{seed} {file}".encode()).digest()


def part_of(files: list[str], always: Iterable[str], parts: int, seed: str) -> list[str]:
    """`always`, and of the other files one of so many parts, in the order of `files`.

    The part has the same number of files for every seed, and over seeds every file comes as often.
    """
    always = set(always)
    others = sorted(set(files) - always, key=lambda file: rank(seed, file))
    taken = always | set(others[: -(-len(others) // parts)])
    return [file for file in dict.fromkeys(files) if file in taken] + sorted(always - set(files))
