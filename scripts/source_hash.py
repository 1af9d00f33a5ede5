#!/usr/bin/env python3
"""Print the hash of the sources that `bench/results/gpu_check.json` speaks of.

It is the SHA-256 of the concatenation of all files under src/ and include/, in the byte order of
their paths: find src include -type f | LC_ALL=C sort | xargs cat | sha256sum
"""

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def source_hash(root: Path = ROOT, folders: tuple[str, ...] = ("src", "include")) -> str:
    files = [
        path
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    files.sort(key=lambda path: os.fsencode(path.relative_to(root).as_posix()))
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    print(source_hash())
