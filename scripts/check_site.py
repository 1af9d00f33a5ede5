#!/usr/bin/env python3
"""Look at the built site in a browser: headless Chromium, at two widths.

Search finds pages, buttons copy code, pictures and formulas appear, pages are not wider than the
window, nothing is reported on the console. Prints `ok` or `FAILED` for each; `skipped` where there
is no Chromium (Debian: chromium and chromium-driver). Screenshots stay in docs/_build/screenshots.
"""

from __future__ import annotations

import contextlib
import http.server
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs/_build/html"
SCREENSHOTS = ROOT / "docs/_build/screenshots"
WIDTHS = {"wide": (1400, 1000), "narrow": (420, 900)}
PAGES = (
    "index.html",
    "guide/first_steps.html",
    "guide/deferral.html",
    "guide/several_gpus.html",
    "guide/performance.html",
    "faq.html",
    "reference/environment.html",
    "reference/cpp.html",
    "reference/api/creation.html",
    "coverage.html",
    "gallery/index.html",
    "gallery/mandelbrot.html",
)
WAIT = 20  # seconds


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """The site at an address of this machine: search does not work from files."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Silent, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def browser(chromium: str, driver: str) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options, webdriver.ChromeService(driver))
    try:
        yield started
    finally:
        started.quit()


class Look:
    """Pages of a site in a window of one width."""

    def __init__(self, driver: Any, address: str, width: str, folder: Path) -> None:
        self.driver, self.address, self.width, self.folder = driver, address, width, folder
        driver.set_window_size(*WIDTHS[width])

    def open(self, page: str) -> None:
        self.driver.get_log("browser")  # what earlier pages said
        self.driver.get(f"{self.address}/{page}")
        self.wait(lambda driver: driver.execute_script("return document.readyState") == "complete")

    def wait(self, condition: Callable[[Any], Any]) -> Any:
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, WAIT).until(condition)

    def save(self, name: str) -> None:
        self.driver.save_screenshot(str(self.folder / f"{name}-{self.width}.png"))

    def console(self) -> list[str]:
        """Errors and warnings, but for scripts that other sites would give."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING") and self.address in entry["message"]
        ]

    def page(self, page: str) -> str:
        """What is wrong with a page."""
        self.open(page)
        lost = self.driver.execute_script(
            "document.querySelectorAll('img').forEach(i => i.loading = 'eager');"
            "return Array.from(document.images).filter(i => !i.complete || !i.naturalWidth)"
            ".map(i => i.src)"
        )
        wide = self.driver.execute_script(
            "return document.documentElement.scrollWidth - window.innerWidth"
        )
        self.save(page.replace("/", "-").removesuffix(".html"))
        problems = [f"the picture {source} does not appear" for source in lost]
        problems += [f"{wide} pixels wider than the window"] if wide > 1 else []
        return "\n".join(problems + self.console())

    def pictures(self, page: str) -> str:
        """Whether a page that is about pictures has any."""
        self.open(page)
        count = self.driver.execute_script("return document.querySelectorAll('article img').length")
        return "" if count else "no pictures"

    def search(self, words: str, page: str) -> str:
        """Whether a search for the words names a page."""
        self.open(f"search.html?q={words.replace(' ', '+')}")
        found = f"#search-results a[href*='{page}']"
        try:
            self.wait(lambda driver: driver.find_elements("css selector", found))
        except Exception as error:
            return f"{page} is not among what was found: {error}"
        self.save("search")
        return "\n".join(self.console())

    def copy(self, page: str) -> str:
        """Whether the button of the first block of code copies it, without prompts."""
        from selenium.webdriver import ActionChains

        self.open(page)
        self.driver.execute_cdp_cmd(
            "Browser.grantPermissions",
            {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
        )
        button = self.wait(
            lambda d: d.find_elements("css selector", "div.highlight button.copybtn")
        )[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        # A hand's click: scripts may not write to the clipboard.
        ActionChains(self.driver).move_to_element(button).click().perform()
        shown = self.driver.execute_script(
            "return arguments[0].closest('div.highlight').querySelector('pre').innerText", button
        )
        read = "navigator.clipboard.readText().then(arguments[0], e => arguments[0]('' + e))"
        text = self.wait(lambda driver: driver.execute_async_script(read))
        wanted = [
            line.removeprefix("$ ").removeprefix(">>> ").removeprefix("... ")
            for line in shown.splitlines()
            if not shown.startswith((">>>", "$")) or line.startswith((">>>", "...", "$"))
        ]
        same = text.split() == " ".join(wanted).split()
        return "" if same and text else f"copied {text!r} of {shown!r}"


def checks(look: Look) -> Iterator[tuple[str, str]]:
    """Name and problem of each thing that is looked at."""
    for page in PAGES:
        yield page, look.page(page)
    for page in (
        "index.html",
        "guide/deferral.html",
        "guide/several_gpus.html",
        "guide/own_kernels.html",
    ):
        yield f"pictures of {page}", look.pictures(page)
    yield "search for a function", look.search("linspace", "reference/api/creation")
    yield "search for a question", look.search("fork CUDA", "guide/processes")
    yield "search for a variable", look.search("CUPOLA_CPU_DEVICES", "reference/environment")
    for page in ("guide/first_steps.html", "guide/own_kernels.html"):
        yield f"copying code of {page}", look.copy(page)


def check(site: Path, folder: Path) -> int:
    """Looks at a site; how many things are wrong."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        print("skipped browser: no Chromium here (Debian's chromium and chromium-driver)")
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    with served(site) as address, browser(chromium, driver) as started:
        for width in WIDTHS:
            for name, problem in checks(Look(started, address, width, folder)):
                failed += bool(problem)
                name = f"browser, {width}: {name}"
                print(f"FAILED {name}\n{problem}" if problem else f"ok {name}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if check(SITE, SCREENSHOTS) else 0)
