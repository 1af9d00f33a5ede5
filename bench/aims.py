"""What rows are to reach, and what keeps those from it that fall short."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libraries import ONE_DEVICE

Rows = Mapping[str, dict[str, Any]]  # of the JSON file, by name


@dataclass(frozen=True)
class Aim:
    """A bound of a row's figure, of its share of something, or of its speed beside another's.

    `of`: "copy", the library that it is so many times as fast as, or the name of a row of the same
    unit; "" is the figure itself. `each`: for every device of a set; `devices`: of so many only.
    `why`: what keeps the row from it, and what was tried.
    """

    wanted: float
    of: str = ""
    at_most: bool = False
    each: bool = False
    devices: int | None = None
    why: str = ""

    def reached(self, row: dict[str, Any], rows: Rows) -> float | None:
        """None: this run does not tell."""
        if self.of == "copy":
            return row.get("of_copy")
        ours = row["figures"].get("cupola")
        if ours is None or not self.of:
            return ours
        if self.of in rows:
            other = rows[self.of]["figures"].get("cupola")
            return ours / other if other else None
        return row["ratios"].get(self.of)

    def outcome(self, row: dict[str, Any], rows: Rows, devices: int) -> dict[str, Any] | None:
        """What the JSON file says of it: `short_by` is a share of what is wanted."""
        reached = self.reached(row, rows)
        if reached is None or self.devices not in (None, devices):
            return None
        wanted = self.wanted * (devices if self.each else 1)
        short_by = (reached / wanted if self.at_most else wanted / reached) - 1
        told = {
            "of": self.of,
            "at_most" if self.at_most else "at_least": wanted,
            "reached": reached,
        }
        return told | ({"short_by": short_by, "why": self.why} if short_by > 0 else {})


def within(most: float, why: str = "") -> Aim:
    return Aim(most, at_most=True, why=why)


def of_copy(least: float, why: str = "") -> Aim:
    return Aim(least, "copy", why=why)


def of_devices(least: float) -> Aim:
    return Aim(least, ONE_DEVICE, each=True)


def of_two_devices(least: float, why: str = "") -> Aim:
    return Aim(least, ONE_DEVICE, devices=2, why=why)


IMAGES = "512x512 images: to device, mean, read; {} threads"

CUDA = {
    "new process to a result, empty cache": [within(0.7)],
    "new process to a result, filled cache": [
        within(
            0.5,
            "what NumPy's import and a context take varies between machines and is most of it "
            "(the row 'NumPy, a CUDA context, no more'); beside them are the library's import, "
            "NVML, loading the plugin and kernels, and the interpreter's end. Tried: kernels "
            "compiled within the package, imports and libraries at first use",
        )
    ],
    "a + b, 1,024 elements": [within(3.5)],
    "(a*b + c)*d - a, 1,024 elements": [within(5)],
    "a[10:500].sum()": [within(5)],
    "empty(1024)": [within(0.5)],
    "float(a.sum()), 1,024 elements": [within(9)],
    "asarray of 4 KiB": [within(4)],
    "a + b from 8 threads, 1,024 elements": [Aim(4, "cupy")],
    IMAGES.format(16): [Aim(4, IMAGES.format(1)), Aim(8, "cupy")],
    "a finished copy lets its source go, another stream stuck (p99)": [within(1000)],
    "asarray": [Aim(0.8, "pinned memory to device")],
    "to NumPy, new memory": [Aim(0.6, "device to pinned memory")],
    "a + b": [of_copy(0.95)],
    "(a*b + c)*d - a": [of_copy(0.95)],
    "option pricing, 18 operations": [
        of_copy(
            0.92,
            "four divisions, a root, a logarithm and two exponentials with IEEE rounding and "
            "without contraction take nearly as long as the memory, and the two overlap not quite; "
            "a kernel written by hand reaches 0.93. Tried: packs one after the other with the next "
            "one loaded ahead (0.890 before)",
        )
    ],
    "((a - b)**2).mean()": [of_copy(0.95)],
    "var, axis 1": [of_copy(0.95)],
    "sum": [of_copy(0.95)],
    "sum, axis 0": [of_copy(0.95)],
    "sum, axis 1": [of_copy(0.95)],
    "argmax": [of_copy(0.95)],
    "softmax of rows of 4,096": [of_copy(0.9)],
    "softmax, s[:, None]": [of_copy(0.9)],
    "(a - a.mean(0)) / a.std(0), 8,192 columns": [of_copy(0.62)],
    "transpose copy": [of_copy(0.9)],
    "a + b.T": [of_copy(0.88)],
    "a[:, ::2] + b[:, 1::2], sectors": [of_copy(0.88)],
    "row + column": [of_copy(0.88)],
    "a[idx]*w + b[idx], sectors": [Aim(0.9, "its gathers alone, by a raw kernel")],
    "2*a + b, all devices": [of_devices(0.95)],
    "option pricing, all devices": [of_devices(0.95)],
    "sum, all devices": [of_devices(0.95)],
    "mean, all devices": [of_devices(0.95)],
    "var, all devices": [of_devices(0.95)],
    "a[1:] + b[:-1], all devices": [of_devices(0.9)],
    "sort, all devices": [
        of_two_devices(
            1.5,
            "two devices with nothing else on them reach 1.507; here results that were made "
            "after those of the one device were cut by the memory that it had left, 44 to 56 where "
            "devices are emulated. Since then runs warm up until all results have memory of the "
            "time before. Half of all elements cross NVLink once. Tried: runs parted by borders "
            "that are looked for once, stages of one device that wait for no other",
        )
    ],
    "matmul float32, all devices": [of_two_devices(1.85)],
    "a + b, 1,024 elements, on a set": [Aim(1 / 1.5, ONE_DEVICE)],
    "float(a.sum()), 1,024 elements, on a set": [Aim(1 / 1.5, ONE_DEVICE)],
}

CPU = {
    "a + b, 1,024 elements": [within(3)],
    "(a*b + c)*d - a": [
        Aim(
            3,
            "numpy",
            why="where new pages cost little, NumPy's temporaries do; a loop written by hand over "
            "all five arrays, on both cores, is bound by memory at 36 to 40 GB/s there. Tried: "
            "tiles of 512 elements that are fetched ahead (1.95 before)",
        )
    ],
    "option pricing, 18 operations": [Aim(4, "numpy")],
    "((a - b)**2).mean()": [
        Aim(
            4,
            "numpy",
            why="as in the row above: a loop written by hand reads 29 GB/s on both cores. Tried: "
            "tiles that are fetched ahead, without gain",
        )
    ],
}

AIMS = {"cuda": CUDA, "cpu": CPU}


def add_aims(rows: list[dict[str, Any]], platform: str, devices: int) -> None:
    """Tells in each row what was wanted of it, and by how much it falls short."""
    by_name = {row["name"]: row for row in rows}
    for name, aims in AIMS[platform].items():
        if (row := by_name.get(name)) is None:
            continue
        outcomes = [aim.outcome(row, by_name, devices) for aim in aims]
        if known := [outcome for outcome in outcomes if outcome]:
            row["aims"] = known


def shortfalls(rows: list[dict[str, Any]]) -> str:
    """A line for each aim that was not reached."""
    return "\n".join(
        f"short: {row['name']}: {aim['reached']:.3g} of "
        f"{aim.get('at_least', aim.get('at_most')):.3g}"
        f"{' of ' + aim['of'] if aim['of'] else ''}: {aim['why']}"
        for row in rows
        for aim in row.get("aims", ())
        if "short_by" in aim
    )
