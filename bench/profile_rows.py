#!/usr/bin/env python3
"""Runs benchmark rows once each for a profiler, after a run that compiles what they need.

With Nsight Compute: `ncu --profile-from-start off ... python bench/profile_rows.py ROW`; with
`--library`, what another one runs for the same row.
"""

import argparse
import contextlib
import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

import cupola
import installed
import judgement
import libraries
import record
import rows
from registry import Case, Inputs

SEED = 1
WITHOUT_KERNELS = ("process",)  # areas in which other processes do the work


def driver_call(driver: ctypes.CDLL, name: str, *arguments: object) -> None:
    """Raises RuntimeError if a function of the CUDA driver fails."""
    if status := getattr(driver, name)(*arguments):
        raise RuntimeError(f"{name} fails with {status}")


@contextlib.contextmanager
def profiled(platform: str) -> Iterator[None]:
    """The profiler records what runs meanwhile on the first GPU; nothing on the CPU."""
    if platform != "cuda":
        yield
        return
    driver = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    driver_call(driver, "cuInit", 0)
    driver_call(driver, "cuDeviceGet", ctypes.byref(device), 0)
    driver_call(driver, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver_call(driver, "cuCtxSetCurrent", context)
    driver_call(driver, "cuProfilerStart")
    try:
        yield
    finally:
        driver_call(driver, "cuProfilerStop")


def run_once(library: libraries.Library, case: Case, inputs: Inputs) -> None:
    """One run that compiles, and one for the profiler."""
    task = case.build(library, inputs)
    work = task.run or task.seconds
    assert work is not None
    library.use(result := work())
    library.wait(result)
    with profiled(library.platform):
        result = work()
        library.use(result)
        library.wait(result)


def chosen(options: argparse.Namespace, platform: str) -> list[Case]:
    """Rows of one device."""
    cases = rows.chosen([] if options.exactly else options.rows, platform, devices=1)
    if options.exactly:
        cases = [case for case in cases if case.name == options.exactly]
    if options.short:
        short = judgement.short_rows(record.read(options.short))
        cases = [case for case in cases if case.name in short]
    if options.kernels or not options.list:
        cases = [case for case in cases if case.area not in WITHOUT_KERNELS]
    return cases


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="*", help="names or areas, with * and ?; default: all")
    parser.add_argument("--exactly", metavar="ROW", help="one row, by its whole name")
    parser.add_argument(
        "--short", type=Path, metavar="FILE", help="rows that fall short in these results"
    )
    parser.add_argument("--list", action="store_true", help="print the rows' names, no more")
    parser.add_argument("--kernels", action="store_true", help="list rows that run kernels only")
    parser.add_argument("--library", default="cupola", help="as bench/run.py names them")
    parser.add_argument("--quick", action="store_true", help="small arrays")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    platform = str(cupola.empty(0).device).partition(":")[0]
    cases = chosen(options, platform)
    if not cases:
        print("no such row", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    usable = installed.installed(platform, (options.library,))
    if not usable:
        print(f"{options.library} cannot be used here", file=sys.stderr)
        return 2
    inputs = Inputs(*rows.size_on(platform, options.quick), SEED, small=options.quick)
    for case in cases:
        run_once(usable[0], case, inputs)
        print(case.name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
