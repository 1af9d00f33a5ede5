#!/usr/bin/env python3
"""Write the software bill of materials (CycloneDX 1.6) of a build: what is compiled into it.

Versions are read from the headers that the build includes, so they are those of the code that is
really inside. Libraries that are only linked to are not in it: auditwheel writes another file of
this kind for those that it adds to a wheel.
"""

from __future__ import annotations

import argparse
import json
import re
import uuid
from pathlib import Path
from typing import Any, NamedTuple


class Component(NamedTuple):
    """A third-party library: where its version stands, and under which terms it comes."""

    header: str
    version: tuple[str, ...]  # patterns with one group each, joined by dots
    licence: str  # an SPDX expression
    purl: str
    site: str


def _macros(*names: str) -> tuple[str, ...]:
    return tuple(rf"#\s*define {name}\s+(\d+)" for name in names)


COMPONENTS = {
    "fmt": Component(
        "fmt/core.h",
        (r"#\s*define FMT_VERSION (\d+)",),
        "MIT",
        "pkg:github/fmtlib/fmt",
        "https://fmt.dev",
    ),
    "zlib": Component(
        "zlib.h",
        (r'#\s*define ZLIB_VERSION "([\d.]+)"',),
        "Zlib",
        "pkg:github/madler/zlib",
        "https://zlib.net",
    ),
    "xxhash": Component(
        "xxhash.h",
        _macros("XXH_VERSION_MAJOR", "XXH_VERSION_MINOR", "XXH_VERSION_RELEASE"),
        "BSD-2-Clause",
        "pkg:github/Cyan4973/xxHash",
        "https://xxhash.com",
    ),
    "highway": Component(
        "hwy/highway.h",
        _macros("HWY_MAJOR", "HWY_MINOR", "HWY_PATCH"),
        "Apache-2.0",
        "pkg:github/google/highway",
        "https://google.github.io/highway",
    ),
    "nanobind": Component(
        "nanobind/nanobind.h",
        _macros("NB_VERSION_MAJOR", "NB_VERSION_MINOR", "NB_VERSION_PATCH"),
        "BSD-3-Clause",
        "pkg:pypi/nanobind",
        "https://nanobind.readthedocs.io",
    ),
    "robin-map": Component(
        "tsl/robin_growth_policy.h",
        _macros("TSL_RH_VERSION_MAJOR", "TSL_RH_VERSION_MINOR", "TSL_RH_VERSION_PATCH"),
        "MIT",
        "pkg:github/Tessil/robin-map",
        "https://github.com/Tessil/robin-map",
    ),
}
# Newer releases of fmt and Highway have their versions there.
MOVED = {"fmt": "fmt/base.h", "highway": "hwy/base.h"}


def version_of(name: str, folder: Path) -> str:
    """The version in a header of `folder`.

    Raises
    ------
    ValueError
        When no header there says so.
    """
    component = COMPONENTS[name]
    for header in filter(None, (component.header, MOVED.get(name))):
        file = folder / header
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        found = [re.search(pattern, text) for pattern in component.version]
        numbers = [match[1] for match in found if match]
        if len(numbers) == len(component.version):
            return _version_of_fmt(int(numbers[0])) if name == "fmt" else ".".join(numbers)
    raise ValueError(f"{folder}/{component.header} does not say which version {name} is")


def _version_of_fmt(number: int) -> str:
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def entry(name: str, version: str) -> dict[str, Any]:
    """A component as CycloneDX has it."""
    component = COMPONENTS[name]
    purl = f"{component.purl}@{version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "licenses": [{"expression": component.licence}],
        "purl": purl,
        "externalReferences": [{"type": "website", "url": component.site}],
    }


def document(version: str, folders: dict[str, Path]) -> dict[str, Any]:
    """The whole bill: of Cupola `version` and the components found in `folders`."""
    own = f"pkg:pypi/cupola@{version}"
    components = [entry(name, version_of(name, folder)) for name, folder in folders.items()]
    identity = json.dumps([own, components], sort_keys=True)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, identity)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": "cupola",
                "version": version,
                "licenses": [{"expression": "Apache-2.0"}],
                "purl": own,
            }
        },
        "components": components,
        "dependencies": [
            {"ref": own, "dependsOn": [each["bom-ref"] for each in components]},
            *({"ref": each["bom-ref"]} for each in components),
        ],
    }


def _found(text: str) -> tuple[str, Path]:
    name, _, folder = text.partition("=")
    if name not in COMPONENTS or not folder:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FOLDER of {', '.join(COMPONENTS)}")
    return name, Path(folder)


def main() -> int:
    """Write the file that the build installs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True, help="of Cupola")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("components", nargs="*", type=_found, metavar="NAME=INCLUDE_FOLDER")
    options = parser.parse_args()
    try:
        bill = document(options.version, dict(options.components))
    except ValueError as error:
        parser.error(str(error))
    options.output.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
