"""`python -m cupola dask worker SCHEDULER`: a worker for each device, for any scheduler."""

from __future__ import annotations

import argparse
import asyncio
import signal
from typing import Any

from cupola._commands import CommandError
from cupola.errors import DeviceError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of `dask`."""
    commands = parser.add_subparsers(dest="action", required=True)
    worker = commands.add_parser("worker", help="start one worker process per device")
    worker.add_argument("scheduler", help="address of the scheduler: tcp://host:8786")
    worker.add_argument(
        "--device",
        action="append",
        dest="devices",
        metavar="DEVICE",
        help="a device (cuda:1) or a set (cuda:0-3); may be repeated. Default: all devices",
    )
    worker.add_argument("--threads", type=int, default=1, help="threads of each worker")
    worker.add_argument("--memory-limit", default="auto", help="host memory of each worker")
    worker.add_argument(
        "--device-memory-limit",
        default="auto",
        help='beyond it arrays move to the host: "10 GiB", a fraction, "auto" (0.8), 0: never',
    )
    worker.add_argument("--name", help="the workers are called NAME-DEVICE")
    worker.add_argument("--host", help="the address to listen at")
    worker.add_argument("--local-directory", help="for what is written to disk")
    worker.add_argument(
        "--death-timeout", type=float, help="seconds to wait for the scheduler before giving up"
    )
    worker.set_defaults(run=_run_workers)


def _limit_from(text: str) -> Any:
    try:
        value = float(text)
    except ValueError:
        return text
    return value if value <= 1 else int(value)


def _specifications(options: argparse.Namespace) -> list[dict[str, Any]]:
    from cupola.dask._cluster import worker_options
    from cupola.dask._devices import parse_devices

    devices = parse_devices(options.devices or "all")
    prefix = f"{options.name}-" if options.name else ""
    return [
        worker_options(
            device,
            _limit_from(options.device_memory_limit),
            scheduler_ip=options.scheduler,
            nthreads=options.threads,
            name=f"{prefix}{device}" if options.name else None,
            memory_limit=options.memory_limit,
            host=options.host,
            local_directory=options.local_directory,
            death_timeout=options.death_timeout,
        )
        for device in devices
    ]


async def _serve(specifications: list[dict[str, Any]]) -> None:
    from distributed import Nanny

    nannies = [Nanny(**specification) for specification in specifications]
    closing: list[asyncio.Task[Any]] = []

    def close() -> None:
        closing.extend(asyncio.ensure_future(nanny.close()) for nanny in nannies)

    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, close)
    try:
        await asyncio.gather(*nannies)
        await asyncio.gather(*(nanny.finished() for nanny in nannies))
    finally:
        await asyncio.gather(*(nanny.close() for nanny in nannies))


def _run_workers(options: argparse.Namespace) -> int:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise CommandError(f"workers need Dask: pip install 'cupola[dask]' ({error})") from error
    try:
        specifications = _specifications(options)
    except (DeviceError, ValueError) as error:
        raise CommandError(str(error)) from error
    try:
        asyncio.run(_serve(specifications))
    except (TimeoutError, OSError, RuntimeError) as error:
        raise CommandError(f"the workers of {options.scheduler} ended: {error}") from error
    print(f"{len(specifications)} workers ended")
    return 0
