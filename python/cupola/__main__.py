"""`python -m cupola info`, `cache info|clear|warm` and `dask worker`; `--json` for programs."""

from __future__ import annotations

import argparse
import json
import sys

from cupola._observation import kernel_cache
from cupola._observation.config import configuration, describe
from cupola.dask import _command as dask_command
from cupola.errors import CompileError, LibraryError


def _answer(options: argparse.Namespace) -> str:
    if options.command == "info":
        return json.dumps(configuration(), indent=2) if options.json else describe()
    answer = options.answer(options)
    if options.command == "dask":
        return f"{answer['workers']} workers ended"
    return json.dumps(answer, indent=2) if options.json else kernel_cache.describe(answer)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m cupola")
    commands = parser.add_subparsers(dest="command", required=True)
    info = commands.add_parser("info", help="versions, devices and settings")
    info.add_argument("--json", action="store_true", help="as JSON")
    kernel_cache.add_commands(commands.add_parser("cache", help="compiled kernels on disk"))
    dask_command.add_command(commands.add_parser("dask", help="workers of Dask"))
    options = parser.parse_args(arguments)
    try:
        print(_answer(options))
    except (kernel_cache.CommandError, CompileError, LibraryError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
