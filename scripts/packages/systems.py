"""Empty systems to install into: Debian releases in folders, made by debootstrap.

They have Python and neither compilers nor headers. A command runs there as root with processes,
/dev/shm and mounts of its own, so that nothing is left mounted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

MIRROR = "http://deb.debian.org/debian"
PACKAGES = "ca-certificates,python3,python3-venv"


class System(NamedTuple):
    """A release and the version of its Python."""

    suite: str
    python: str


SYSTEMS = {
    "debian-12": System("bookworm", "3.11"),
    "debian-13": System("trixie", "3.13"),
    "debian-unstable": System("sid", "3.14"),
}


class NotHereError(Exception):
    """What this machine lacks."""


def require() -> None:
    """Check that systems can be made here.

    Raises
    ------
    NotHereError
        Without root's rights or debootstrap.
    """
    if os.geteuid() != 0:
        raise NotHereError(
            "empty systems are made and entered by root: run this with sudo, or leave them out by "
            "naming other steps (wheels contents extras cpp)"
        )
    if not shutil.which("debootstrap"):
        raise NotHereError("debootstrap is not installed: apt install debootstrap")


def run(*command: object, **options: object) -> None:
    """Run a command; one that fails ends the check."""
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


def make(system: System, folder: Path) -> Path:
    """The system's own folder below `folder`, made at the first call."""
    root = folder / system.suite
    if not (root / "etc/complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", system.suite, root, MIRROR)
        (root / "etc/complete").touch()
    for program in ("cc", "c++", "gcc", "g++", "clang"):
        if (root / "usr/bin" / program).exists():
            raise NotHereError(f"{root} has {program}, so it is no system without compilers")
    return root


def enter(root: Path, script: str) -> None:
    """Run a shell script in the system."""
    mounts = f"""
set -e
mount -t proc proc {root}/proc
mkdir -p {root}/dev/shm
mount -t tmpfs tmpfs {root}/dev/shm
exec chroot {root} /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 sh -e -c "$1"
"""
    run("unshare", "--mount", "--pid", "--fork", "sh", "-c", mounts, "sh", script)
