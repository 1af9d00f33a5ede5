#!/usr/bin/env python3
"""Check what a wheel of Cupola holds: libraries, where they look for others, licences, bills.

Prints what is wrong with each wheel and exits with 1 if anything is.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What every system has that the wheel's tag names.
OF_THE_SYSTEM = re.compile(
    r"(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux-[\w-]+)\.so\.\d+"
)
OWN = re.compile(r"_cupola\.[\w.-]*so|libcupola\.so\.\d+\.\d+|libcupola_cuda\.so")
# auditwheel's: a hash in the name keeps it apart from the system's.
RENAMED = re.compile(r"lib[\w.+]+-[0-9a-f]{8,}\.so[.\d]*")


def dynamic_section(library: Path) -> dict[str, list[str]]:
    """NEEDED, RUNPATH and the like of an ELF file, each with its values."""
    text = subprocess.run(
        ["readelf", "-d", "-W", library], capture_output=True, text=True, check=True
    ).stdout
    entries: dict[str, list[str]] = {}
    for name, value in re.findall(r"\((\w+)\)\s.*?\[(.*)\]", text):
        entries.setdefault(name, []).append(value)
    return entries


def library_problems(folder: Path) -> Iterator[str]:
    """Of all libraries in an unpacked wheel, or in what `cmake --install` made of one."""
    libraries = sorted(path for path in folder.rglob("*.so*") if path.is_file())
    inside = {path.name for path in libraries}
    for library in libraries:
        name = library.relative_to(folder)
        pattern = RENAMED if library.parent.name == "cupola.libs" else OWN
        if not pattern.fullmatch(library.name):
            yield f"{name} may stand in for a library of the system"
        entries = dynamic_section(library)
        for path in ":".join(entries.get("RUNPATH", []) + entries.get("RPATH", [])).split(":"):
            if path and not path.startswith("$ORIGIN"):
                yield f"{name} looks for libraries in {path}"
        for needed in entries.get("NEEDED", []):
            if needed not in inside and not OF_THE_SYSTEM.fullmatch(needed):
                yield f"{name} needs {needed}, which is neither in the wheel nor everywhere"
    for wanted in (r"_cupola\..*so", r"libcupola\.so\..*", r"libcupola_cuda\.so"):
        if not any(re.fullmatch(wanted, name) for name in inside):
            yield f"there is no {wanted}"


def modules_missing(folder: Path) -> Iterator[str]:
    """Python's files of the sources that are not there."""
    package = ROOT / "python"
    for pattern in ("*.py", "*.pyi", "py.typed"):
        for path in sorted(package.rglob(pattern)):
            name = path.relative_to(package)
            if not (folder / name).is_file():
                yield f"{name} is missing"


def bills(info: Path) -> list[tuple[Path, dict]]:
    """The bills of materials, as PEP 770 places them."""
    found = sorted((info / "sboms").glob("*.json"))
    return [(path, json.loads(path.read_text(encoding="utf-8"))) for path in found]


def schema_problem(path: Path) -> str | None:
    """What CycloneDX's own validation says; None where it is not installed."""
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError:
        return None
    text = path.read_text(encoding="utf-8")
    version = SchemaVersion.from_version(json.loads(text)["specVersion"])
    problem = JsonStrictValidator(version).validate_str(text)
    return None if problem is None else f"{path.name}: {problem}"


def bill_problems(folder: Path, info: Path) -> Iterator[str]:
    """Bills are valid and name all that is bundled, and each component has its licence."""
    found = bills(info)
    if not found:
        yield "there is no bill of materials"
    names = set()
    for path, bill in found:
        problem = schema_problem(path)
        if problem:
            yield problem
        if bill.get("bomFormat") != "CycloneDX":
            yield f"{path.name} is not CycloneDX"
        names |= {component["name"] for component in bill.get("components", [])}
    for library in sorted((folder / "cupola.libs").glob("*.so*")):
        stem = re.sub(r"^lib|-[0-9a-f]{8,}.*$", "", library.name)
        if not any(stem in name for name in names):
            yield f"no bill names {library.name}"
    own = [bill for path, bill in found if path.name == "cupola.cdx.json"]
    licences = {path.stem for path in info.glob("licenses/**/*.txt")}
    for component in own[0]["components"] if own else []:
        if component["name"] not in licences:
            yield f"there is no licence of {component['name']}"
    if not list(info.glob("licenses/**/LICENSE")):
        yield "the package's own licence is missing"


def wheel_problems(wheel: Path) -> list[str]:
    """All that is wrong with a wheel."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        (info,) = folder.glob("cupola-*.dist-info")
        problems = [
            *library_problems(folder),
            *modules_missing(folder),
            *bill_problems(folder, info),
        ]
        if not (folder / "cupola/cupola_kernels.bin").is_file():
            problems.append("there are no compiled kernels")
        return problems


def main() -> int:
    """Check the wheels that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", nargs="+", type=Path)
    failed = False
    for wheel in parser.parse_args().wheels:
        problems = wheel_problems(wheel)
        failed |= bool(problems)
        print("\n  ".join([f"{'FAILED' if problems else 'ok'} {wheel.name}", *problems]))
    return failed


if __name__ == "__main__":
    sys.exit(main())
