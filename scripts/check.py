#!/usr/bin/env python3
"""Check the sources: layers, headers, format, lint, types, generated files, names in documents.

Each check prints `ok NAME` or `FAILED NAME` with what it found; names as arguments choose some.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv/bin"
CPP = ("*.h", "*.cc", "*.cuh", "*.cu")
LONGEST_FILE = 600  # lines
HEADER_FLAGS = "-std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror -Iinclude -fsyntax-only"


def tracked(*patterns: str) -> list[str]:
    """Files of the repository, new ones included, that match."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    return sorted({name for name in listed if name and (ROOT / name).is_file()})


def run(*command, **options) -> str:
    """Output of a command that failed, nothing if it did not."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    return (done.stdout.strip() or f"exit status {done.returncode}") if done.returncode else ""


def built_package(preset: str) -> dict[str, str]:
    """Environment in which the built package is imported."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "build" / preset / "python")}


def check_layers(_preset: str) -> str:
    return run(sys.executable, "scripts/check_layers.py", "--quiet")


def check_python_imports(_preset: str) -> str:
    """The rooms of the Python package import each other in one direction."""
    return run(sys.executable, "scripts/check_imports.py")


def check_public_headers(_preset: str) -> str:
    """Each compiles by itself, twice."""

    def compile_alone(header: str) -> str:
        line = f'#include "{header.removeprefix("include/")}"\n'
        compiler = os.environ.get("CXX", "c++")
        return run(compiler, *HEADER_FLAGS.split(), "-x", "c++", "-", input=line * 2)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return "\n".join(filter(None, pool.map(compile_alone, tracked("include/*.h"))))


def check_cpp_format(_preset: str) -> str:
    return run(BIN / "clang-format", "--dry-run", "-Werror", "--style=file", *tracked(*CPP))


def check_python_lint(_preset: str) -> str:
    return run(BIN / "ruff", "check", ".")


def check_python_format(_preset: str) -> str:
    return run(BIN / "ruff", "format", "--check", ".")


def check_types(_preset: str) -> str:
    """The package's Python code and stubs are consistent."""
    if not tracked("python/cupola/*.py"):
        return ""
    return run(BIN / "mypy", "python/cupola")


def check_stubs(preset: str) -> str:
    """What the stubs declare is what the built package has."""
    if not tracked("python/cupola/*.pyi"):
        return ""
    allow = ROOT / "scripts/stubtest_allowlist.txt"
    options = ["--mypy-config-file", "pyproject.toml", "--ignore-unused-allowlist"]
    options += ["--allowlist", allow] if allow.exists() else []
    # mypy itself may run at the same time.
    environment = {**built_package(preset), "MYPY_CACHE_DIR": ".mypy_cache/of_stubs"}
    return run(BIN / "python", "-m", "mypy.stubtest", "cupola", *options, env=environment)


def check_generated_files(preset: str) -> str:
    """Every scripts/generate_*.py, with --check, finds its files as it would write them."""
    environment = built_package(preset)
    outputs = [
        run(BIN / "python", script, "--check", env=environment)
        for script in tracked("scripts/generate_*.py")
    ]
    return "\n".join(filter(None, outputs))


def check_names_in_documents(_preset: str) -> str:
    """Paths in backticks in docs/dev/*.md exist."""
    missing = []
    for document in (ROOT / "docs/dev").glob("*.md"):
        for name in re.findall(r"`([\w.*/-]+)`", document.read_text(encoding="utf-8")):
            looks_like_path = "/" in name or re.search(r"\.(h|cc|cuh|def|py|md|txt)$", name)
            if looks_like_path and not any(ROOT.glob(name.strip("/"))):
                missing.append(f"{document.relative_to(ROOT)}: {name} does not exist")
    return "\n".join(missing)


PROMISES = [
    f"P{problem}.{number}"
    for problem, count in {1: 5, 2: 5, 3: 6, 4: 8, 5: 4}.items()
    for number in range(1, count + 1)
]


def check_promises(_preset: str) -> str:
    """docs/dev/promises.md has every promise, and tests of each, `file::name`, that exist.

    Each is broken by a mutant of tests/mutants/mutants.toml.
    """
    problems, found = [], []
    for line in (ROOT / "docs/dev/promises.md").read_text(encoding="utf-8").splitlines():
        promise = re.match(r"\| (P\d\.\d) \|", line)
        if not promise:
            continue
        found.append(promise[1])
        tests = re.findall(r"`([\w./]+)::([\w.]+)`", line)
        if not tests:
            problems.append(f"{promise[1]} has no test")
        for file, name in tests:
            path = ROOT / file
            if not path.is_file():
                problems.append(f"{promise[1]}: there is no {file}")
            elif not re.search(rf"\b{name.split('.')[-1]}\b", path.read_text(encoding="utf-8")):
                problems.append(f"{promise[1]}: {file} has no {name}")
    mutants = tomllib.loads((ROOT / "tests/mutants/mutants.toml").read_text(encoding="utf-8"))
    broken = {mutant["breaks"] for mutant in mutants.values()}
    problems += [f"{name} is missing" for name in PROMISES if name not in found]
    problems += [f"{name} is broken by no mutant" for name in PROMISES if name not in broken]
    return "\n".join(problems)


def check_local_statics(preset: str) -> str:
    """No function makes a static variable that a fork could leave half made (threads/lazy.h)."""
    libraries = sorted((ROOT / "build" / preset / "python/cupola").glob("libcupola*.so"))
    found = [] if libraries else [f"the preset {preset} is not built"]
    for library in libraries:
        symbols = subprocess.run(
            ["readelf", "-sW", library], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        # The guards of thread-local ones are of type TLS.
        found += [
            f"{library.name}: {name}: make it a Lazy"
            for name in re.findall(r" OBJECT .* (_ZGV\S+)$", symbols, re.MULTILINE)
        ]
    return "\n".join(found)


def check_file_sizes(_preset: str) -> str:
    """No file is longer than the house rule allows."""
    return "\n".join(
        f"{name}: more than {LONGEST_FILE} lines"
        for name in tracked(*CPP, "*.py")
        if (ROOT / name).read_text(encoding="utf-8").count("\n") > LONGEST_FILE
    )


CHECKS = {
    name.removeprefix("check_"): function
    for name, function in list(globals().items())
    if name.startswith("check_")
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release", help="the build to look at")
    parser.add_argument("names", nargs="*", help=f"of: {' '.join(CHECKS)}")
    arguments = parser.parse_args()
    names = arguments.names or list(CHECKS)
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda name: CHECKS[name](arguments.preset), names)
        for name, problems in zip(names, found, strict=True):
            failed += bool(problems)
            print(f"FAILED {name}\n{problems}" if problems else f"ok {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
