#!/usr/bin/env python3
"""Run what README.md tells its reader to run, but for `make test`, which runs this.

Lines of ```sh blocks run one by one in the repository root, ```python blocks with the built
package. Prints `ok COMMAND` or `FAILED COMMAND` for each.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(text: str):
    """Yield (title, command) for each example of the document."""
    for language, body in BLOCK.findall(text):
        if language == "python":
            title = next(line for line in body.splitlines() if line.strip())
            yield f"python: {title}", [str(ROOT / ".venv/bin/python"), "-c", body]
            continue
        for line in body.splitlines():
            command = line.split("#")[0].strip()
            if command and command != "make test":
                yield command, ["bash", "-c", command]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release", help="the build to use")
    arguments = parser.parse_args()
    package = str(ROOT / "build" / arguments.preset / "python")
    environment = {**os.environ, "PYTHONPATH": package, "PRESET": arguments.preset}
    failed = 0
    for title, command in examples((ROOT / "README.md").read_text(encoding="utf-8")):
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        failed += done.returncode != 0
        print(f"FAILED {title}\n{done.stdout}" if done.returncode else f"ok {title}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
