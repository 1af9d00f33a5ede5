"""`python -m cupola info`: what this installation is, what it runs on, and what is missing."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Mapping
from typing import Any

from cupola._commands import add_json, show, toolkit
from cupola._devices.libraries import numpy_blas
from cupola._observation import config

__all__ = ["add_arguments", "run"]

_COMPILERS = ("c++", "g++", "clang++")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the configuration."""
    return show(options, _answer(), _describe)


def _answer() -> dict[str, Any]:
    answer = config.configuration()
    driver, found = toolkit.driver(), toolkit.toolkit()
    answer["blas"] = os.environ.get("CUPOLA_BLAS") or numpy_blas() or "the system's"
    answer["compiler"] = _compiler()
    answer["driver"] = driver
    answer["toolkit"] = found
    answer["to_do"] = [
        *toolkit.remedies(driver, found, answer["devices"]),
        *_for_own_kernels(answer),
    ]
    return answer


def _compiler() -> str | None:
    """The one that makes kernels of users for CPU devices."""
    named = os.environ.get("CXX")
    candidates = (named,) if named else _COMPILERS
    return next((path for path in map(shutil.which, candidates) if path), None)


def _for_own_kernels(answer: Mapping[str, Any]) -> list[str]:
    if answer["compiler"]:
        return []
    return [
        "your own kernels on CPU devices need a C++ compiler: apt install g++, or name one in CXX"
    ]


def _library_line(name: str, found: Mapping[str, Any]) -> str:
    if found["file"] is None:
        return f"{name}: {found['problem'] or 'not found'} (for {found['purpose']})"
    text = f"{name} {found['version'] or ''}: {found['file']}"
    if found.get("architectures"):
        text += f", compiles for {found['architectures'][0]} to {found['architectures'][-1]}"
    return f"{text}; {found['problem']}" if found["problem"] else text


def _describe(answer: Mapping[str, Any]) -> str:
    driver = answer["driver"]
    is_there = f"{driver['version'] or 'unknown version'}, for CUDA {driver['cuda']}"
    rows = [
        ("blas", answer["blas"]),
        ("compiler", answer["compiler"] or "none"),
        ("driver", is_there if driver["cuda"] else driver["problem"]),
        *(("toolkit", _library_line(name, each)) for name, each in answer["toolkit"].items()),
        *(("to do", sentence) for sentence in answer["to_do"]),
    ]
    return "\n".join([config.describe(answer), *(config.row(name, text) for name, text in rows)])
