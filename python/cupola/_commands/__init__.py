"""What `python -m cupola NAME` runs: a module for each name, imported only when it is asked for.

A module has `add_arguments(parser)`, which gives the command's parser its arguments, and
`run(options)`, which does it, prints and returns the exit status. With commands of its own
(`cache info`) it sets each one's function as the default `run` of its parser. What cannot be done
is a `CommandError`, an error of `cupola.errors` or one that says that something is not installed:
the program prints its message and ends with 1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["COMMANDS", "Command", "CommandError", "add_json", "show"]


class CommandError(Exception):
    """Why a command cannot be done."""


class Command(NamedTuple):
    """A row of the table: the module's name and a line for `--help`."""

    module: str
    text: str


COMMANDS = {
    "info": Command("cupola._commands.info", "versions, devices, libraries and what is missing"),
    "cache": Command("cupola._commands.cache", "compiled kernels on disk"),
    "dask": Command("cupola.dask._command", "workers of Dask, one for each device"),
    "top": Command("cupola._observation.top", "a live view of devices and programs"),
}


def add_json(parser: argparse.ArgumentParser) -> None:
    """Give a command the option `--json`."""
    parser.add_argument("--json", action="store_true", help="as JSON")


def show(
    options: argparse.Namespace,
    answer: Mapping[str, Any],
    describe: Callable[[Mapping[str, Any]], str],
) -> int:
    """Print an answer as JSON, or as the text that `describe` makes of it."""
    print(json.dumps(answer, indent=2) if options.json else describe(answer))
    return 0
