"""`python -m cupola top`: a live view, in a terminal, of what runs with CUPOLA_TOP=1."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._observation.feed import INTERVAL, folder
from cupola._observation.load import Load, Rates, load_from, rates
from cupola._observation.quantities import bytes_text

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

# A program that stopped writing for so long has ended, or hangs.
_STALE = 5 * INTERVAL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `top`."""
    parser.add_argument("--once", action="store_true", help="print what is there now, and end")
    parser.add_argument("--json", action="store_true", help="the same as JSON, for programs")
    parser.add_argument(
        "--interval", type=_positive, default=INTERVAL, metavar="SECONDS", help="between two looks"
    )
    parser.add_argument(
        "program",
        nargs=argparse.REMAINDER,
        metavar="-- command ...",
        help="run it with CUPOLA_TOP=1, and watch until it ends",
    )


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 3600:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds between 0 and 3600")
    return value


def _read(path: Path) -> Load | None:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        if time.time() - path.stat().st_mtime > _STALE:
            return None
        found = load_from(json.loads(path.read_text(encoding="utf-8")))
        os.kill(found.pid, 0)
        return found
    return None


def loads() -> list[Load]:
    """Of all programs that write theirs, by their numbers."""
    place = folder()
    if not place.is_dir() or place.stat().st_uid != os.getuid():
        return []
    found = [_read(path) for path in place.glob("*.json")]
    return sorted((each for each in found if each), key=lambda each: each.pid)


def _memory(total: int, live: int, cached: int, others: int, width: int = 14) -> Any:
    from rich.text import Text

    bar = Text()
    used = 0
    for size, colour in ((live, "blue"), (cached, "cyan"), (others, "bright_black")):
        wanted = max(round(width * size / total), 1) if size and total else 0
        cells = min(wanted, width - used)
        bar.append("█" * cells, style=colour)
        used += cells
    bar.append("·" * (width - used), style="bright_black")
    return bar


def _speed(rate: float) -> str:
    return f"{bytes_text(rate)}/s" if rate else "-"


def _process_table(load: Load, rate: Rates) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    title = Text(f"{load.pid}  {load.program}", style="bold")
    table = Table(title=title, title_justify="left", expand=False)
    for column in ("device", "memory", "arrays", "pools", "others", "free", "streams", "busy"):
        is_text = column in ("device", "memory")
        table.add_column(column, justify="left" if is_text else "right")
    for device in load.devices:
        table.add_row(
            device.device,
            _memory(device.total, device.live, device.cached, device.others),
            bytes_text(device.live),
            bytes_text(device.cached),
            bytes_text(device.others),
            bytes_text(device.free),
            str(device.streams),
            str(device.busy_streams),
        )
    table.caption = Text(
        f"{rate.kernels:,.0f} kernels/s over {_speed(rate.kernel_bytes)};  "
        f"to devices {_speed(rate.to_device)};  to the host {_speed(rate.to_host)};  "
        f"between devices {_speed(rate.between_devices)};  "
        f"in flight {bytes_text(load.in_flight)}"
    )
    table.caption_justify = "left"
    return table


def _machine_table() -> list[RenderableType]:
    """The GPUs of the machine, whoever uses them."""
    from rich.table import Table

    gpus = [_core.describe_device(_core.Device(f"cuda:{i}")) for i in range(_gpu_count())]
    if not gpus:
        return []
    table = Table(title="GPUs of this machine", title_justify="left", expand=False)
    for column in ("device", "name", "used", "free"):
        table.add_column(column, justify="right" if column in ("used", "free") else "left")
    for gpu in gpus:
        free, total = gpu["free_memory"], gpu["total_memory"]
        table.add_row(gpu["device"], gpu["name"], bytes_text(total - free), bytes_text(free))
    return [table]


def _gpu_count() -> int:
    try:
        return int(_core.device_count("cuda"))
    except _core.DeviceError:
        return 0


def _screen(now: list[Load], before: dict[int, Load]) -> RenderableType:
    from rich.console import Group

    processes = [_process_table(load, rates(before.get(load.pid), load)) for load in now]
    none = "no program of yours runs with CUPOLA_TOP=1 (python -m cupola top -- command)"
    return Group(*_machine_table(), *(processes or [none]))


def _steps(options: argparse.Namespace, child: subprocess.Popen[bytes] | None) -> Iterator[None]:
    while child is None or child.poll() is None:
        yield
        time.sleep(options.interval)


def _watch(options: argparse.Namespace, child: subprocess.Popen[bytes] | None) -> None:
    from rich.console import Console
    from rich.live import Live

    before: dict[int, Load] = {}
    with Live(console=Console(stderr=child is not None), auto_refresh=False) as live:
        for _ in _steps(options, child):
            now = loads()
            if child and before and not now:
                continue  # it is about to end: what it did last stays
            live.update(_screen(now, before), refresh=True)
            before = {load.pid: load for load in now}


def _start(command: list[str]) -> subprocess.Popen[bytes] | None:
    command = command[1:] if command[:1] == ["--"] else command
    if not command:
        return None
    return subprocess.Popen(command, env={**os.environ, "CUPOLA_TOP": "1"})


def run(options: argparse.Namespace) -> int:
    """Show the view until it is interrupted, or the program ends; returns the exit status, the
    program's where there is one."""
    if options.json:
        print(json.dumps([load.as_dict() for load in loads()], indent=2))
        return 0
    try:
        from rich import print as rich_print
    except ImportError:
        print("python -m cupola top needs rich: pip install rich", file=sys.stderr)
        return 1
    if options.once:
        before = {load.pid: load for load in loads()}
        if before:
            time.sleep(max(options.interval, INTERVAL))
        rich_print(_screen(loads(), before))
        return 0
    child = _start(options.program)
    try:
        _watch(options, child)
    except KeyboardInterrupt:
        if child:
            child.terminate()
    return child.wait() if child else 0
