"""References within a built site that lead nowhere."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page refers to, and the places in it that others can refer to."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value is None:
                continue
            if name in ("href", "src"):
                self.references.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)


@functools.cache
def _page(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _problem(page: Path, reference: str) -> str:
    parts = urlsplit(reference)
    if parts.scheme or parts.netloc:
        return ""  # other sites are not looked at: the check needs no network
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "there is no such file"
    place = unquote(parts.fragment)
    if place and target.suffix == ".html" and place not in _page(target).places:
        return "the page has no such place"
    return ""


def broken(site: Path) -> Iterator[str]:
    """A line for each reference of a page of the site that leads nowhere."""
    for page in sorted(site.rglob("*.html")):
        if "_static" in page.relative_to(site).parts:
            continue
        for reference in sorted(set(_page(page).references)):
            problem = _problem(page, reference)
            if problem:
                yield f"{page.relative_to(site)}: {reference}: {problem}"
