"""`python -m cupola info [--json]`."""

from __future__ import annotations

import argparse
import json

from cupola._config import configuration, describe


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m cupola")
    commands = parser.add_subparsers(dest="command", required=True)
    info = commands.add_parser("info", help="versions, devices and settings")
    info.add_argument("--json", action="store_true", help="as JSON")
    options = parser.parse_args(arguments)
    print(json.dumps(configuration(), indent=2) if options.json else describe())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
