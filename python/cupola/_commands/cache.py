"""Compiled kernels on disk: `python -m cupola cache`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from typing import Any

from cupola import _cupola as _core
from cupola._commands import CommandError, add_json, show

__all__ = ["add_arguments"]

Answer = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `info`, `clear` and `warm` to the parser of `cache`."""
    commands = parser.add_subparsers(dest="cache_command", required=True)
    texts = {
        info: "where compiled kernels are kept, and how many",
        clear: "remove them",
        warm: "compile the most used kernels now",
    }
    for command, text in texts.items():
        added = commands.add_parser(command.__name__, help=text)
        add_json(added)
        added.set_defaults(run=_shown(command))
        if command is warm:
            added.add_argument(
                "--arch",
                type=_architectures,
                metavar="sm_90,...",
                help="architectures; default: those of the GPUs here",
            )


def _shown(command: Callable[[argparse.Namespace], Answer]) -> Callable[[argparse.Namespace], int]:
    return lambda options: show(options, command(options), describe)


def info(_options: argparse.Namespace) -> Answer:
    """The folder, what it holds, what it may hold."""
    found: Answer = _core.kernel_cache_info()
    usable = found["folder"] and not found["objection"]
    return {
        "folder": found["folder"] or None,
        "used": bool(usable),
        "reason": found["objection"] or (None if found["folder"] else "it is turned off"),
        "entries": found["entries"],
        "bytes": found["bytes"],
        "most_bytes": found["most_bytes"],
    }


def clear(options: argparse.Namespace) -> Answer:
    """Remove all entries."""
    entries, size = _core.kernel_cache_clear()
    return {"folder": info(options)["folder"], "removed": entries, "removed_bytes": size}


def warm(options: argparse.Namespace) -> Answer:
    """Compile the most used kernels for each architecture."""
    before = info(options)
    if not before["used"]:
        raise CommandError(f"compiled kernels are not kept: {before['reason']}")
    architectures = options.arch or _present_architectures()
    if not architectures:
        raise CommandError("there is no GPU here: name architectures, as in --arch sm_90,sm_120")
    kernels = {f"sm_{number}": _warm_one(number) for number in architectures}
    after = info(options)
    return {"kernels": kernels, **{key: after[key] for key in ("folder", "entries", "bytes")}}


def describe(answer: Mapping[str, Any]) -> str:
    """The answer as lines of text."""
    values = dict(answer)
    for name, counts in values.pop("kernels", {}).items():
        values[name] = f"{counts['compiled']} kernels compiled, {counts['found']} were there"
    return "\n".join(f"{name:<13}: {value}" for name, value in values.items())


def _architectures(text: str) -> list[int]:
    names = re.split(r"[,\s]+", text.strip())
    found = [re.fullmatch(r"(?:sm_)?(\d{2,3})", name) for name in names]
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of architectures like sm_90,sm_120")
    return sorted({int(match[1]) for match in found if match})


def _present_architectures() -> list[int]:
    devices = [_core.Device(f"cuda:{i}") for i in range(_core.device_count("cuda"))]
    capabilities = [_core.describe_device(device)["compute_capability"] for device in devices]
    return sorted({10 * major + minor for major, minor in capabilities})


def _warm_one(architecture: int) -> dict[str, int]:
    before = _core.counters()["compilations"]
    count = _core.kernel_cache_warm(architecture)
    compiled = _core.counters()["compilations"] - before
    return {"compiled": compiled, "found": count - compiled}
