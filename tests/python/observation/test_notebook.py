"""What notebooks show, and the magics: a notebook is executed, and its outputs are looked at."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.marks import deferring, one_device

import cupola as cp
from cupola import _cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.usefixtures("deferred"), pytest.mark.long]

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))


class Page(HTMLParser):
    """The texts and the tags of a page; every tag that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def test_nothing_of_it_is_imported_with_the_package() -> None:
    code = (
        "import sys, cupola; print([n for n in sys.modules if 'IPython' in n or '_notebook' in n])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_array_says_what_it_is_and_shows_its_corners() -> None:
    host = np.arange(2000 * 300, dtype="i4").reshape(2000, 300)
    page = Page(cp.asarray(host)._repr_html_())
    assert "shape (2000, 300) dtype int32 device" in page.text
    assert "size 2.4 MB" in page.text
    for value in (host[0, 0], host[0, -1], host[-1, 0], host[-1, -1], host[2, 3]):
        assert re.search(rf"(^| ){value}( |$)", page.text), value
    assert f" {host[3, 4]} " not in page.text
    assert page.tags.count("tr") == 7


@pytest.mark.parametrize(
    ("array", "shown"),
    [
        (np.float64(2.5) * np.ones(()), "2.5"),
        (np.zeros((0, 3)), "no elements"),
        (np.array([True, False]), "True False"),
        (np.array([[1 + 2j, -3.5]]), "1.+2.j -3.5+0.j"),
        (np.arange(24).reshape(2, 3, 4), "[0, :, :], the first of 2"),
        (np.arange(30), "0 1 2 3 … 26 27 28 29"),
        (np.array([np.nan, np.inf]), "nan inf"),
    ],
    ids=lambda value: str(getattr(value, "shape", "")),
)
def test_all_kinds_of_arrays(array: Any, shown: str) -> None:
    assert shown in Page(cp.asarray(array)._repr_html_()).text


def test_bfloat16() -> None:
    assert "1.5 2.5" in Page(cp.asarray([1.5, 2.5]).astype(cp.bfloat16)._repr_html_()).text


def test_only_the_values_shown_are_copied() -> None:
    a = cp.asarray(np.ones((1000, 1000)))
    cp.cuda.get_current_stream().synchronize()
    with cp.profile() as recorded:
        a._repr_html_()
    copied = [e["bytes_read"] for e in recorded.events if e["kind"] == "to_host"]
    assert 0 < sum(copied) <= 6 * 8 * 8


def test_a_pending_array_is_evaluated_as_by_repr() -> None:
    a, b = (cp.asarray(np.ones((50, 50))) + 1 for _ in range(2))
    other = a * 3
    assert _cupola.is_pending(a)
    page = Page(a._repr_html_())
    repr(b)
    assert _cupola.is_pending(a) == _cupola.is_pending(b)
    assert _cupola.is_pending(other)
    assert "was pending: computed to be shown" in page.text
    assert "was pending" not in a._repr_html_()


def test_placements() -> None:
    devices = cp.all_devices()
    with devices:
        a = cp.ones(20_000_000, "f4")
    if not a.device.is_set:
        pytest.skip("one device")
    parts = a.placement
    assert isinstance(parts, list)
    for text in (a._repr_html_(), parts._repr_html_()):
        page = Page(text)
        widths = [
            float(value.split("%")[0].removeprefix("width:"))
            for name, value in page.attributes
            if name == "style" and value and value.startswith("width:")
        ]
        assert len(widths) == len(parts)
        assert sum(widths) == pytest.approx(100, abs=0.1)
        assert all(str(part.device) in page.text for part in parts)


def test_an_explanation_has_a_table_and_a_graph(a: Any) -> None:
    explanation = cp.explain((a - a.mean(axis=0)) * 2)
    page = Page(explanation._repr_html_())
    assert "2 kernels: 962 kB read" in page.text
    assert "subtract, multiply test_notebook.py:" in page.text
    assert "from kernel" in str(explanation)
    if explanation._repr_svg_():
        assert "svg" in page.tags
        assert "kernel 2 on" in page.text
    assert "nothing to do" in Page(cp.explain(cp.ones(3))._repr_html_()).text


def test_a_profile_has_tables_and_a_timeline(a: Any) -> None:
    with cp.profile() as recorded:
        float((a * 2 + 1).sum())
        cp.asnumpy(a)
    page = Page(recorded._repr_html_())
    assert "kernels, on the device" in page.text
    assert "multiply, add, sum" in page.text
    assert "waits of the host" in page.text
    assert page.tags.count("svg") == 1
    assert "host, thread 1" in page.text
    assert "nothing recorded" in Page(cp.profile()._repr_html_()).text


def test_what_a_program_says_is_escaped() -> None:
    evil = "<script>alert(1)</script>&\"'"
    from cupola._notebook import html
    from cupola._notebook.devices import snapshot_html
    from cupola._notebook.profiles import lines_html

    for text in (html.page(html.facts([(evil, evil)]), html.note(evil)), html.details(evil, "")):
        assert "<script>alert" not in text
    bar = html.bar([html.Share(evil, 1, "#000", evil)])
    table = html.table([evil], [[html.Cell(evil, 1.0)]])
    with cp.profile() as recorded:
        cp.eval(cp.asarray(np.ones(5)) + 1)
    for event in recorded.events:
        event["name"] = evil
        event["place"] = (evil, 1, evil)
    snapshot = {
        "segments": [
            {
                "device": 0,
                "total_size": 8,
                "allocated_size": 8,
                "blocks": [
                    {
                        "size": 8,
                        "state": "active_allocated",
                        "frames": [{"filename": evil, "line": 1, "name": evil}],
                    }
                ],
            }
        ],
        "device_traces": [[]],
        "device_names": [evil],
    }
    for text in (bar, table, lines_html(recorded, evil, evil), snapshot_html(snapshot)):
        assert "<script>alert" not in text
        Page(text)
    assert "alert(1)" in Page(recorded._repr_html_()).text


def execute(folder: Path, *cells: str) -> list[list[Any]]:
    """The outputs of each cell."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env={**os.environ, "PYTHONPATH": PACKAGE})
    return [cell.outputs for cell in notebook.cells]


def html_of(outputs: list[Any]) -> list[str]:
    return [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]


PROFILED = """\
%%cupola -o recorded
x = cp.linspace(0, 1, 100_000)
total = (x * 2 + 1).sum()
print(float(total))
total * 2
"""


@deferring
def test_a_notebook(tmp_path: Path) -> None:
    setup, array, profiled, named, failed, after, memory, statement, unloaded = execute(
        tmp_path,
        "import cupola as cp\n%load_ext cupola",
        "cp.arange(6).reshape(2, 3)",
        PROFILED,
        "len(recorded.events) > 0, float(total)",
        "%%cupola\ncp.eval(x + 1)\nraise KeyError('mine')",
        "%cupola devices",
        "cp.record_memory_history()\nheld = cp.ones(100_000)\ncp.memory_snapshot()",
        "%cupola cp.eval(x * 3)",
        "%unload_ext cupola\n%cupola devices",
    )
    assert setup == []
    assert "shape (2, 3)" in Page(html_of(array)[0]).text
    assert "array" in array[0].data["text/plain"]

    assert profiled[0].text.strip() == "200000.0"
    lines, value = html_of(profiled)
    page = Page(lines)
    # The row of a line of the cell: its number, what it took, and its text.
    rows = re.findall(r"<tr>(.*?)</tr>", lines, re.DOTALL)
    (row,) = (row for row in rows if "(x * 2 + 1).sum()" in row)
    assert 'data-value="3">3</td>' in row
    assert "multiply, add, sum" in row
    (waits,) = (row for row in rows if "print(float(total))" in row)
    assert Page(f"<table><tbody><tr>{waits}</tr></tbody></table>").text.split()[0] == "4"
    assert "timeline" in lines
    assert "kernels, on the device" in page.text
    assert "400000" in Page(value).text
    assert "(True, 200000.0)" in named[0].data["text/plain"]

    kinds = [output.output_type for output in failed]
    assert "error" in kinds
    assert failed[kinds.index("error")].ename == "KeyError"
    assert "cp.eval(x + 1)" in html_of(failed)[0]
    assert "streams" in Page(html_of(after)[0]).text
    assert "who holds most" in Page(html_of(memory)[0]).text
    assert "multiply" in Page(html_of(statement)[0]).text
    assert unloaded[-1].output_type in ("error", "stream")


@one_device
def test_a_live_view_changes_and_stops(tmp_path: Path) -> None:
    _, started, later = execute(
        tmp_path,
        "import sys\nsys.modules['ipywidgets'] = None\nimport time\nimport cupola as cp\n"
        "%load_ext cupola",
        "%cupola live 0.05\nheld = cp.ones(3_000_000)\ncp.eval(held + 1)\ntime.sleep(1)\n"
        "%cupola stop",
        "import threading\n[t.name for t in threading.enumerate() if 'cupola-live' in t.name]",
    )
    assert "24 MB" in Page(html_of(started)[0]).text
    assert later[0].data["text/plain"] == "[]"


def test_a_live_view_as_a_widget(tmp_path: Path) -> None:
    pytest.importorskip("ipywidgets")
    _, started = execute(
        tmp_path,
        "import cupola as cp\n%load_ext cupola",
        "%cupola live 0.1\n%cupola stop",
    )
    views = [o for o in started if "application/vnd.jupyter.widget-view+json" in o.get("data", {})]
    assert len(views) == 1


def test_in_a_terminal(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    (tmp_path / "session.ipy").write_text(
        "import cupola as cp\n%load_ext cupola\n%cupola cp.eval(cp.ones(1000) + 1)\n"
        "%cupola devices\n%cupola\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--quick", "session.ipy"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "IPYTHONDIR": str(tmp_path), "PYTHONPATH": PACKAGE},
    )
    assert "kernels  waited" in re.sub(r" +", "  ", done.stdout), done.stdout + done.stderr
    assert "add" in done.stdout
    assert "usage: %%cupola" in done.stdout
