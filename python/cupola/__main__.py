"""`python -m cupola info`, `python -m cupola cache`: the commands of `cupola._commands`."""

from __future__ import annotations

import argparse
import importlib
import sys

from cupola._commands import COMMANDS, CommandError
from cupola.errors import CompileError, LibraryError


def _parser(arguments: list[str]) -> argparse.ArgumentParser:
    """Of all commands; only the module of the one that is named is imported."""
    parser = argparse.ArgumentParser(prog="python -m cupola")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        added = commands.add_parser(name, help=command.text, description=command.text)
        if arguments[:1] == [name]:
            module = importlib.import_module(command.module)
            added.set_defaults(run=getattr(module, "run", None))
            module.add_arguments(added)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser(arguments)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except (CommandError, CompileError, LibraryError, ModuleNotFoundError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
