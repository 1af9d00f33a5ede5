#!/usr/bin/env python3
"""Build the documentation site into docs/_build/html, and check it.

Steps: `pages` runs the examples of all pages, which writes the pictures that they show; `doxygen`
reads the headers of C++; `site` builds the pages, where a warning is a failure; `links` finds what
the site refers to and has not; `browser` looks at it (scripts/check_site.py). Names as arguments
choose some. Prints `ok`, `skipped` or `FAILED` for each, or for each of its parts.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_readme
import check_site
import site_links

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SITE = DOCS / "_build/html"
JOBS = 2
BUILD = "scripts/build "


def said(name: str, problem: str) -> bool:
    """Prints the outcome of a step; whether it failed."""
    print(f"FAILED {name}\n{problem}" if problem else f"ok {name}", flush=True)
    return bool(problem)


def run(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def pages(environment: dict[str, str]) -> bool:
    """README.md has a step of its own; pages that build write the library that the others load."""
    chosen = [page for page in check_readme.pages() if page.name != "README.md"]
    builders = [page for page in chosen if BUILD in page.read_text(encoding="utf-8")]
    failed = [check_readme.check(page, environment) for page in builders]
    others = [page for page in chosen if page not in builders]
    with ThreadPoolExecutor(JOBS) as pool:
        failed += pool.map(lambda page: check_readme.check(page, environment), others)
    return any(failed)


def doxygen(environment: dict[str, str]) -> bool:
    if shutil.which("doxygen") is None:
        return said("doxygen", "doxygen is not installed: scripts/setup does that")
    (DOCS / "_build").mkdir(exist_ok=True)
    status, text = run(["doxygen", "docs/Doxyfile"], environment)
    return said("doxygen", text if status else "")


def site(environment: dict[str, str]) -> bool:
    sphinx = [str(ROOT / ".venv/bin/python"), "-m", "sphinx", "-b", "html", "-j", str(JOBS)]
    sphinx += ["-W", "--keep-going", "-q", "-d", str(DOCS / "_build/doctrees")]
    status, text = run([*sphinx, str(DOCS), str(SITE)], environment)
    return said("site", text if status else "")


def links(_: dict[str, str]) -> bool:
    return said("links", "\n".join(site_links.broken(SITE)))


def browser(_: dict[str, str]) -> bool:
    return bool(check_site.check(SITE, DOCS / "_build/screenshots"))


STEPS: dict[str, Callable[[dict[str, str]], bool]] = {
    step.__name__: step for step in (pages, doxygen, site, links, browser)
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release", help="the build to use")
    parser.add_argument("steps", nargs="*", help=f"of: {' '.join(STEPS)}")
    arguments = parser.parse_args()
    environment = check_readme.environment_of(arguments.preset)
    failed = [name for name in arguments.steps or STEPS if STEPS[name](environment)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
