"""The devices of a scheduler's workers, as the page /cupola of its dashboard and as /cupola.json.

A scheduler serves them where the setting `distributed.scheduler.http.routes` names this module.
"""

from __future__ import annotations

from html import escape
from typing import Any

import dask
from distributed.http.utils import RequestHandler

SETTING = "distributed.scheduler.http.routes"

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Devices</title>
<meta http-equiv="refresh" content="2">
<style>
body {{ font-family: sans-serif; margin: 2em; }}
td, th {{ padding: 0.3em 1em; text-align: right; }} th {{ border-bottom: 1px solid gray; }}
meter {{ width: 16em; }}
</style></head><body><h1>Devices of the workers</h1>
<table><tr><th>worker</th><th>device</th><th>memory in use</th><th></th><th>limit</th>
<th>on the host</th><th>spills</th></tr>
{rows}
</table></body></html>
"""


def register() -> None:
    """Schedulers of this process serve the page."""
    modules = dask.config.get(SETTING)
    if __name__ not in modules:
        dask.config.set({SETTING: [*modules, __name__]})


def rows_of(scheduler: Any) -> list[dict[str, Any]]:
    """What the workers last said of their devices."""
    return [
        {
            "worker": str(worker.name),
            "address": worker.address,
            "device": worker.metrics["device"],
            "device memory": worker.metrics.get("device memory", 0),
            "device memory limit": worker.metrics.get("device memory limit", 0),
            "spilled now": worker.metrics.get("spilled now", 0),
            "spills": worker.metrics.get("spills", 0),
        }
        for worker in scheduler.workers.values()
        if "device" in worker.metrics
    ]


def _mebibytes(count: int) -> str:
    return f"{count / 2**20:,.1f} MiB"


def _row(row: dict[str, Any]) -> str:
    used, limit = row["device memory"], row["device memory limit"]
    meter = f'<meter min="0" max="{limit}" value="{used}"></meter>' if limit else ""
    cells = (
        *(escape(row["worker"]), escape(row["device"]), _mebibytes(used), meter),
        *(_mebibytes(limit) if limit else "none", _mebibytes(row["spilled now"]), row["spills"]),
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


class Page(RequestHandler):
    """For people."""

    def get(self) -> None:
        """Answer a request."""
        self.write(PAGE.format(rows="\n".join(_row(row) for row in rows_of(self.server))))


class Rows(RequestHandler):
    """For programs."""

    def get(self) -> None:
        """Answer a request."""
        self.set_header("Content-Type", "application/json")
        self.write({"devices": rows_of(self.server)})


routes: list[tuple[Any, ...]] = [(r"cupola", Page, {}), (r"cupola\.json", Rows, {})]
