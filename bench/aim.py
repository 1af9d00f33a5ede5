"""A bound of what a row is to reach, and how a row of a record stands to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libraries import COMPILED, ONE_DEVICE, PLAIN

Row = dict[str, Any]
BEST_PEER = "best peer"
NOISE = 0.02  # of a figure; a spread of samples beyond it excuses nothing


@dataclass(frozen=True)
class Record:
    """Rows of the JSON file by name, and the machine that they are from."""

    rows: Mapping[str, Row]
    platform: str
    devices: int

    def best_peer(self, row: Row) -> str | None:
        """The fastest library that computes on the same devices: on GPUs, not NumPy."""
        names = [*PLAIN, *COMPILED]
        if self.platform != "cpu":
            names.remove("numpy")
        ratios = {name: row["ratios"][name] for name in names if name in row["ratios"]}
        return min(ratios, key=lambda name: ratios[name]) if ratios else None


@dataclass(frozen=True)
class Aim:
    """A bound of a row's figure, of its share of something, or of its speed beside another's.

    `of`: "copy", BEST_PEER, the library that it is so many times as fast as, or the name of a row
    of the same unit; "" is the figure itself. `each`: for every device of a set; `devices`: of so
    many only. `why`: what keeps the row from it, and what was tried.
    """

    wanted: float
    of: str = ""
    at_most: bool = False
    each: bool = False
    devices: int | None = None
    why: str = ""

    def reached(self, row: Row, record: Record) -> float | None:
        """None: this record does not tell."""
        if self.of == "copy":
            return row.get("of_copy")
        ours = row["figures"].get("cupola")
        if ours is None or not self.of:
            return ours
        if self.of in record.rows:
            other = record.rows[self.of]["figures"].get("cupola")
            return ours / other if other else None
        peer = record.best_peer(row) if self.of == BEST_PEER else self.of
        return row["ratios"].get(peer)

    def outcome(self, row: Row, record: Record) -> dict[str, Any] | None:
        """`short_by` is a share of what is wanted."""
        reached = self.reached(row, record)
        if reached is None or self.devices not in (None, record.devices):
            return None
        wanted = self.wanted * (record.devices if self.each else 1)
        short_by = (reached / wanted if self.at_most else wanted / reached) - 1
        told = {
            "of": self.of,
            "at_most" if self.at_most else "at_least": wanted,
            "reached": reached,
        }
        if short_by <= 0:
            return told
        return told | {"short_by": short_by, "why": self.why or excuse(row, short_by)}


def excuse(row: Row, short_by: float) -> str:
    """Why a row is short that is so by no more than its samples differ."""
    spread = max(row["spread"].values(), default=0.0)
    return "within the spread of the samples" if short_by <= min(spread, NOISE) else ""


def within(most: float, why: str = "") -> Aim:
    return Aim(most, at_most=True, why=why)


def of_copy(least: float, why: str = "") -> Aim:
    return Aim(least, "copy", why=why)


def of_devices(least: float, why: str = "") -> Aim:
    return Aim(least, ONE_DEVICE, each=True, why=why)


def of_two_devices(least: float, why: str = "") -> Aim:
    return Aim(least, ONE_DEVICE, devices=2, why=why)


def of_four_devices(least: float, why: str = "") -> Aim:
    return Aim(least, ONE_DEVICE, devices=4, why=why)
