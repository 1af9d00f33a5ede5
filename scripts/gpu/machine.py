"""What a record says of the machine and of the package that was tested on it."""

import json
import os
import re
import subprocess
import sys

from outcomes import ROOT

PEERS = ("numpy", "cupy", "torch", "jax")


def output_of(*command: str, environment: dict | None = None) -> str:
    """Of a short command; nothing if it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **(environment or {})},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def without_paths(value: object) -> object:
    """The same, less the texts that name a place on this machine."""
    if not isinstance(value, dict):
        return value
    return {
        key: without_paths(entry)
        for key, entry in value.items()
        if not (isinstance(entry, str) and "/" in entry)
    }


def describe_device() -> dict:
    """Of the first visible GPU, and how many there are."""
    fields = ("name", "driver_version", "memory.total", "compute_cap")
    query = f"--query-gpu={','.join(fields)}"
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = [f"--id={visible}"] if visible else []
    lines = output_of("nvidia-smi", query, "--format=csv,noheader", *chosen).splitlines()
    values = lines[0].split(", ") if lines else [""] * len(fields)
    return {"count": len(lines), **dict(zip(fields, values, strict=False))}


def describe_versions(python: str) -> dict[str, str]:
    """Of the interpreter, the toolkit and the packages that the benchmarks compare with."""
    code = (
        "import importlib.metadata as m, json\n"
        "packages = m.packages_distributions()\n"
        f"print(json.dumps({{p: m.version(packages[p][0]) for p in {PEERS!r} if p in packages}}))"
    )
    release = re.search(r"release ([\d.]+)", output_of("nvcc", "--version"))
    return {
        "python": sys.version.split()[0],
        "cuda": release[1] if release else "",
        **json.loads(output_of(python, "-c", code) or "{}"),
    }


def describe_package(python: str, environment: dict[str, str]) -> object:
    """What `python -m cupola info` says; None if it fails."""
    info = output_of(python, "-m", "cupola", "info", "--json", environment=environment)
    return without_paths(json.loads(info)) if info else None
