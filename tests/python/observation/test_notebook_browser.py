"""What notebooks show, in a browser: it is drawn in both themes, and tables sort."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cupola as cp

pytestmark = [pytest.mark.cupola_only, pytest.mark.usefixtures("deferred")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,1200"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(driver)) as started:
        yield started


def open_page(browser: Any, folder: Path, body: str, colours: str) -> None:
    path = folder / "page.html"
    path.write_text(f'<meta charset="utf-8"><body style="{colours}">{body}</body>')
    browser.get(path.as_uri())


def run(browser: Any, script: str) -> Any:
    return browser.execute_script(f"return {script}")


LIGHT = "color:rgb(17, 17, 17);background:#fff"
DARK = "color:rgb(238, 238, 238);background:#111"


@pytest.mark.parametrize(("colours", "text"), [(LIGHT, 17), (DARK, 238)], ids=["light", "dark"])
def test_text_has_the_colour_of_the_page(
    browser: Any, tmp_path: Path, a: Any, colours: str, text: int
) -> None:
    explanation = cp.explain((a - a.mean(axis=0)) * 2)
    with cp.profile() as recorded:
        cp.eval(a * 2)
    body = a._repr_html_() + explanation._repr_html_() + recorded._repr_html_()
    open_page(browser, tmp_path, body, colours)
    wanted = f"rgb({text}, {text}, {text})"
    cells = "document.querySelectorAll('.cupola td, .cupola th, .cu-facts')"
    assert run(browser, f"Array.from({cells}).map(e => getComputedStyle(e).color)")
    assert set(run(browser, f"Array.from({cells}).map(e => getComputedStyle(e).color)")) == {wanted}
    labels = "document.querySelectorAll('.cupola svg:not(.cu-graph) text, .cu-graph .edge text')"
    assert set(run(browser, f"Array.from({labels}).map(e => getComputedStyle(e).fill)")) == {wanted}
    if shutil.which("dot"):
        boxes = "document.querySelectorAll('.cu-graph .node text')"
        fills = set(run(browser, f"Array.from({boxes}).map(e => getComputedStyle(e).fill)"))
        assert fills == {"rgb(0, 0, 0)"}
    assert browser.get_log("browser") == []


def test_a_click_sorts_a_table(browser: Any, tmp_path: Path) -> None:
    a = cp.asarray(np.ones((300, 300)))
    with cp.profile() as recorded:
        for i in range(3):
            cp.eval(a + i)
        cp.eval(cp.sqrt(a))
        for _ in range(5):
            cp.eval(a @ a)
    open_page(browser, tmp_path, recorded._repr_html_() + recorded._repr_html_(), LIGHT)
    column = "Array.from(document.querySelector('tbody').rows).map(r => r.cells[1].textContent)"
    click = "document.querySelector('thead th:nth-child({})').click()"
    run(browser, click.format(2))
    assert run(browser, column) == ["5", "3", "1"]
    run(browser, click.format(2))
    assert run(browser, column) == ["1", "3", "5"]
    run(browser, click.format(5))
    names = "Array.from(document.querySelector('tbody').rows).map(r => r.cells[4].textContent)"
    assert run(browser, names) == ["add", "matmul", "sqrt"]
    assert browser.get_log("browser") == []
