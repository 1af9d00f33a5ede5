#!/usr/bin/env python3
"""Run what README.md and the pages of the documentation tell their readers to run.

Lines of ```sh blocks run one by one in the repository root, but for `make test`, which runs this.
```python and ```pycon blocks run with the built package on CPU devices, as scripts/page_examples.py
says, each page in a process and a folder of its own: docs/_generated/NAME keeps the pictures that
the page shows. Pages as arguments choose some; without any it is README.md. Prints `ok`, `skipped`
or `FAILED` with the block's first line for each.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import page_examples

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "docs/_generated"
# Pages show what a machine with several devices does, wherever they run.
ON_CPU_DEVICES = {"CUPOLA_PLATFORM": "cpu", "CUPOLA_CPU_DEVICES": "4", "MPLBACKEND": "agg"}


def pages() -> list[Path]:
    """Every page that is written by hand, README.md first."""
    found = [path for path in (ROOT / "docs").rglob("*.md") if is_written(path)]
    return [ROOT / "README.md", *sorted(found)]


def is_written(path: Path) -> bool:
    folder = path.relative_to(ROOT / "docs").parts[0]
    return not folder.startswith("_") and path.name != "coverage.md"


def environment_of(preset: str) -> dict[str, str]:
    package = str(ROOT / "build" / preset / "python")
    return {**os.environ, "PYTHONPATH": package, "PRESET": preset}


def run(command: list[str], environment: dict[str, str], folder: Path = ROOT) -> tuple[bool, str]:
    """Whether a command succeeded, and what it printed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode == 0, done.stdout


def check_commands(page: Path, environment: dict[str, str]) -> int:
    """Runs the lines of ```sh blocks; how many failed."""
    failed = 0
    for block in page_examples.blocks(page.read_text(encoding="utf-8")):
        if block.language != "sh":
            continue
        for line in block.body.splitlines():
            command = line.split("#")[0].strip()
            if command and command != "make test":
                passed, text = run(["bash", "-c", command], environment)
                failed += not passed
                print(f"ok {command}" if passed else f"FAILED {command}\n{text}", flush=True)
    return failed


def check_code(page: Path, environment: dict[str, str]) -> int:
    """Runs the blocks of Python in a process; 1 if one failed."""
    if not any(b.language != "sh" for b in page_examples.blocks(page.read_text("utf-8"))):
        return 0
    folder = GENERATED / page.stem
    folder.mkdir(parents=True, exist_ok=True)
    program = [str(ROOT / ".venv/bin/python"), str(ROOT / "scripts/page_examples.py"), str(page)]
    passed, text = run(program, {**environment, **ON_CPU_DEVICES}, folder)
    print(text, end="", flush=True)
    if not passed and "FAILED" not in text:
        print(f"FAILED {page.name}: the process ended", flush=True)
    return not passed


def check(page: Path, environment: dict[str, str]) -> int:
    """What a page tells its reader to run; how many failed."""
    return check_commands(page, environment) + check_code(page, environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release", help="the build to use")
    parser.add_argument("pages", nargs="*", type=Path, help="README.md if there are none")
    arguments = parser.parse_args()
    environment = environment_of(arguments.preset)
    chosen = arguments.pages or [ROOT / "README.md"]
    return 1 if sum(check(page.resolve(), environment) for page in chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
