"""`python -m cupola info`: what this installation is and what it runs on."""

from __future__ import annotations

import argparse

from cupola._commands import add_json, show
from cupola._observation.config import configuration, describe

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the configuration."""
    return show(options, configuration(), describe)
