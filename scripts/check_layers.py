#!/usr/bin/env python3
"""Check that each layer includes only what it may.

Reads the #include lines of src/ and include/. Prints one line per violation and exits with 1 if
there is any.
"""

import argparse
import re
import sys
from pathlib import Path

PURE = ["base", "core", "graph", "codegen"]
DEVICE = ["base", "core", "driver", "runtime", "memory"]

# Layer -> layers whose headers it may include, besides its own.
ALLOWED = {
    "base": [],
    "core": PURE[:1],
    "graph": PURE[:2],
    "codegen": PURE[:3],
    "driver": DEVICE[:2],
    "runtime": DEVICE[:3],
    "memory": DEVICE[:4],
    "exec": PURE + DEVICE,
    "ops": [*PURE, *DEVICE, "exec"],
    "python": [*PURE, *DEVICE, "exec", "ops"],
    "platforms/cpu": ["base", "core", "codegen", "driver"],
    "platforms/cuda": ["base", "core", "codegen", "driver"],
    "platforms/skeleton": ["base", "core", "codegen", "driver"],
}

# What the driver's interface is written in: everybody above it sees it through driver.h.
PLAN_HEADERS = {
    "codegen/plan.h",
    "codegen/launch_parts.h",
    "codegen/matmul_blocks.h",
    "codegen/touched_memory.h",
}
PLAN_USERS = {"driver", "runtime", "memory"}

# Public header -> the layer that it belongs to: usable where that layer's headers are. Headers that
# are not named here belong to exec.
VALUE_HEADERS = ["error", "dtype", "float16", "dims", "scalar", "device", "stream_options"]
VALUE_HEADERS += ["axes", "placement", "warnings"]
PUBLIC_HOMES = dict.fromkeys(VALUE_HEADERS, "base") | {
    "array": "core",
    "array_methods": "core",
    "index_terms": "core",
    "operand": "core",
    "opdefs/ufunc_id": "core",
    "opdefs/ufuncs": "core",
    "runtime": "runtime",
    "device_info": "runtime",
}

# Third-party headers that belong to one layer, by the beginning of their name.
RESERVED = {
    "cuda": "platforms/cuda",
    "nvrtc": "platforms/cuda",
    "cublas": "platforms/cuda",
    "cufft": "platforms/cuda",
    "cusolver": "platforms/cuda",
    "nvml": "platforms/cuda",
    "cub/": "platforms/cuda",
    "nanobind/": "python",
    "Python.h": "python",
}

SUFFIXES = {".h", ".cc", ".cuh", ".cu", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def layer_of(path: str) -> str | None:
    """The layer of a path relative to src/, None if it is in none."""
    parts = path.split("/")
    name = "/".join(parts[:2]) if parts[0] == "platforms" else parts[0]
    return name if name in ALLOWED and len(parts) > 1 else None


def source_error(layer: str, quoted: str | None, angled: str | None) -> str | None:
    """Why a source of `layer` may not have this include."""
    if angled:
        for prefix, owner in RESERVED.items():
            if angled.startswith(prefix) and layer != owner:
                return f"only {owner} may include <{angled}>"
        return None
    if quoted.startswith("cupola/"):
        name = quoted.removeprefix("cupola/").removesuffix(".h").removesuffix(".def")
        target = PUBLIC_HOMES.get(name, "exec")
    elif quoted.endswith(".cuh") and "/" not in quoted:
        target = "codegen"  # Device headers are also compiled by NVRTC, which knows no folders.
    else:
        target = layer_of(quoted)
    if target is None:
        return "not a path from src/ or include/ into a layer"
    if target == layer or target in ALLOWED[layer]:
        return None
    if quoted in PLAN_HEADERS and layer in PLAN_USERS:
        return None
    return f"{layer} may not include headers of {target}"


def public_error(quoted: str | None, angled: str | None) -> str | None:
    """Why a header of include/cupola may not have this include."""
    if quoted and not quoted.startswith("cupola/"):
        return "a public header may include public headers only"
    if angled and ("/" in angled or angled.endswith(".h")):
        return "a public header may include the C++ standard library only"
    return None


def includes_of(path: Path):
    """Yield (line number, quoted, angled) for each include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def sources_below(folder: Path):
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())


def violations(root: Path) -> list[str]:
    """One line per violation in the repository at `root`."""
    found = []
    for path in sources_below(root / "src"):
        layer = layer_of(path.relative_to(root / "src").as_posix())
        shown = path.relative_to(root).as_posix()
        if layer is None:
            found.append(f"{shown}: belongs to no layer")
            continue
        for number, quoted, angled in includes_of(path):
            error = source_error(layer, quoted, angled)
            if error:
                found.append(f"{shown}:{number}: {quoted or angled}: {error}")
    for path in sources_below(root / "include"):
        for number, quoted, angled in includes_of(path):
            error = public_error(quoted, angled)
            if error:
                found.append(f"{path.relative_to(root)}:{number}: {quoted or angled}: {error}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--quiet", action="store_true", help="print violations only")
    arguments = parser.parse_args()
    found = violations(arguments.root)
    for line in found:
        print(line)
    if not found and not arguments.quiet:
        print("layers: every include is allowed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
