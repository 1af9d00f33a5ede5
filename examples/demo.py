#!/usr/bin/env python3
"""Photographs, handwritten digits, and an array larger than any device, beside NumPy.

Sixteen threads take crops of two photographs to the devices and measure them; principal components
and clusters of 1,797 digits are computed on one device; an array that no device has the memory for
lies on all of them. NumPy runs the same code. Prints a table, writes one PNG, and exits with status
1 if a result differs beyond its tolerance.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from demo_jobs import digits, one_array, photographs, picture

# Without a GPU the CPU takes the part of four small devices; read when the package is imported.
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
os.environ.setdefault("CUPOLA_CPU_DEVICE_MEMORY", "128M,112M,96M,80M")
import cupola as cp

# Largest differences allowed. float32 crops: sums of 36,864 terms in another order. float64
# digits: rounding of the matrix products, kept small by what the iterations converge to. The array:
# float64 sums of float32 elements that are the same to the last bit.
CROPS_TOLERANCE = 1e-5
DIGITS_TOLERANCE = 1e-9
ARRAY_TOLERANCE = 1e-12


class Row(NamedTuple):
    """A line of the table: seconds with either module, and how far the results are apart."""

    job: str
    device: str
    numpy_seconds: float
    cupola_seconds: float
    difference: float
    tolerance: float

    def passed(self) -> bool:
        return self.difference <= self.tolerance  # False for NaN


def all_devices() -> list[cp.Device]:
    """Every device of the platform that new arrays are made on."""
    platform = str(cp.empty(0).device).partition(":")[0]
    return [cp.Device(f"{platform}:{i}") for i in range(cp.cuda.runtime.getDeviceCount())]


def to_host(result: Any) -> Any:
    """A result with its arrays, on any device or none, as NumPy arrays."""
    if isinstance(result, tuple):
        return type(result)(*map(to_host, result))
    return cp.asnumpy(result)


def timed(job: Callable[[], Any]) -> tuple[Any, float]:
    """The result, on the host, and the seconds until it was there."""
    start = time.perf_counter()
    result = to_host(job())
    return result, time.perf_counter() - start


def run_crops(images: list[np.ndarray], count: int, devices: list[cp.Device], bar: tqdm) -> Row:
    crops = photographs.cut_crops(images, count)
    expected, numpy_seconds = photographs.serve(np, crops, [nullcontext()], np.asarray, bar.update)
    found, cupola_seconds = photographs.serve(cp, crops, devices, cp.asnumpy, bar.update)
    return Row(
        f"{count:,} crops, {photographs.THREADS} threads",
        str(devices[0]) if len(devices) == 1 else f"{devices[0]} .. {devices[-1]}",
        numpy_seconds,
        cupola_seconds,
        photographs.largest_difference(found, expected),
        CROPS_TOLERANCE,
    )


def run_digits(
    name: str,
    job: Callable[..., Any],
    difference: Callable[[Any, Any], float],
    samples: np.ndarray,
    device: cp.Device,
    bar: tqdm,
) -> tuple[Row, Any]:
    """One job over the digits with both modules; Cupola's result on the host."""
    expected, numpy_seconds = timed(partial(job, np, samples, bar.update))
    with device:
        on_device = cp.asarray(samples)
        found, cupola_seconds = timed(partial(job, cp, on_device, bar.update))
    apart = difference(found, expected)
    return Row(name, str(device), numpy_seconds, cupola_seconds, apart, DIGITS_TOLERANCE), found


def run_one_array(devices: list[cp.Device], bar: tqdm) -> tuple[Row, list[Any]]:
    """The row, and where the array was."""
    elements = one_array.elements_beyond(max(device.mem_info[0] for device in devices))
    own = np.empty(elements, "float32")
    expected, numpy_seconds = timed(lambda: one_array.summarise(np, own, bar.update))
    everywhere = cp.all_devices()
    with everywhere:
        array = cp.empty(elements, "float32")
        found, cupola_seconds = timed(lambda: one_array.summarise(cp, array, bar.update))
    return Row(
        f"one array of {array.nbytes >> 20} MiB",
        str(everywhere),
        numpy_seconds,
        cupola_seconds,
        one_array.largest_difference(found, expected),
        ARRAY_TOLERANCE,
    ), array.placement


def edges_of(photograph: np.ndarray) -> np.ndarray:
    grey = photographs.grey_levels(cp.asarray(photograph))
    return cp.asnumpy(photographs.edge_magnitude(cp, grey))


def table(rows: list[Row]) -> str:
    cells = [("job", "device", "NumPy s", "Cupola s", "largest difference", "tolerance", "")]
    for row in rows:
        seconds = (f"{row.numpy_seconds:.3f}", f"{row.cupola_seconds:.3f}")
        limits = (f"{row.difference:.1e}", f"{row.tolerance:.0e}")
        verdict = "ok" if row.passed() else "DIFFERS"
        cells.append((row.job, row.device, *seconds, *limits, verdict))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    aligned = [str.ljust, str.ljust, *[str.rjust] * 4, str.ljust]
    return "\n".join(
        "  ".join(a(c, w) for a, c, w in zip(aligned, line, widths, strict=True)).rstrip()
        for line in cells
    )


def run(crop_count: int) -> tuple[list[Row], Callable[[Path], None]]:
    """All jobs: the table's rows, and what draws the picture."""
    images = photographs.load_photographs()
    samples, shown = digits.load_digits()
    devices = all_devices()
    digit_steps = digits.COMPONENTS * digits.POWER_ITERATIONS + digits.ROUNDS
    warm_up = min(crop_count, len(devices)) + 1
    steps = 2 * (crop_count + digit_steps + one_array.STEPS) + warm_up
    with tqdm(total=steps, unit="step") as bar:
        crops = run_crops(images, crop_count, devices, bar)
        on_first = partial(run_digits, samples=samples, device=devices[0], bar=bar)
        axes, components = on_first(
            f"digits: {digits.COMPONENTS} principal components",
            digits.principal_components,
            digits.components_difference,
        )
        groups, clusters = on_first(
            f"digits: {digits.CLUSTERS} clusters", digits.k_means, digits.clusters_difference
        )
        whole, placement = run_one_array(devices, bar)
    share = digits.agreement(clusters.labels, shown)
    print(f"{share:.0%} of the digits are in a cluster of mostly their own kind.")
    draw = partial(
        picture.draw,
        photograph=images[0],
        edges=edges_of(images[0]),
        centres=clusters.centres,
        coordinates=components.coordinates[:, :2],
        labels=clusters.labels,
        parts={str(part.device): part.bytes[1] - part.bytes[0] for part in placement},
    )
    return [crops, axes, groups, whole], draw


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("build/demo.png"), help="the picture")
    parser.add_argument("--crops", type=int, default=512, help="number of crops (default: 512)")
    arguments = parser.parse_args()
    if arguments.crops < 1:
        parser.error("--crops must be at least 1")
    rows, draw = run(arguments.crops)
    print(table(rows))
    draw(arguments.output)
    print(f"Picture: {arguments.output}")
    return 0 if all(row.passed() for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
