"""What runs, checks and generates the documentation notices mistakes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "docs/_ext")]

import check_readme  # noqa: E402
import check_site  # noqa: E402
import measured  # noqa: E402
import site_links  # noqa: E402

PAGES = [page for page in check_readme.pages() if page.name != "README.md"]


def run_page(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    command = [sys.executable, str(ROOT / "scripts/page_examples.py"), str(page)]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)


def test_blocks_share_their_names_and_leave_files(tmp_path: Path) -> None:
    text = (
        "# A\n```python\na = 1\n```\ntext\n```pycon\n>>> a + 1\n2\n>>> b = 3\n```\n"
        "```python\nopen('made', 'w').write(str(a + b))\n```\n"
    )
    done = run_page(tmp_path, text)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok page.md, line") == 3
    assert (tmp_path / "made").read_text() == "4"


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("```python\n1 / 0\n```", "ZeroDivisionError"),
        ("```pycon\n>>> 1 + 1\n3\n```", "Expected:"),
        ("```python\ndef (:\n```", "SyntaxError"),
        ("<!-- raises: ValueError -->\n```python\npass\n```", "no ValueError was raised"),
        ("<!-- raises: ValueError -->\n```python\n1 / 0\n```", "ZeroDivisionError"),
        ('```python\nif __name__ == "__main__":\n    raise SystemExit(3)\n```', "FAILED"),
    ],
)
def test_a_wrong_example_fails(tmp_path: Path, block: str, said: str) -> None:
    done = run_page(tmp_path, f"text\n\n{block}\n\n```python\nfine = 1\n```\n")
    assert done.returncode == 1
    assert "FAILED page.md, line 4" in done.stdout or "FAILED page.md, line 5" in done.stdout
    assert said in done.stdout + done.stderr
    assert "ok page.md" in done.stdout  # the blocks after it run all the same


def test_an_error_names_the_line_of_the_page(tmp_path: Path) -> None:
    done = run_page(tmp_path, "a\nb\n```python\nx = 1\nraise KeyError(x)\n```\n")
    assert 'page.md", line 5' in done.stdout


def test_what_a_comment_before_a_block_says(tmp_path: Path) -> None:
    text = (
        "<!-- environment: SOME=thing OTHER=2 -->\n"
        "```python\nimport os\nassert os.environ['SOME'] + os.environ['OTHER'] == 'thing2'\n```\n"
        "<!-- raises: ArithmeticError -->\n```python\n1 / 0\n```\n"
        "<!-- needs: no_such_module -->\n```python\nimport no_such_module\n```\n"
    )
    done = run_page(tmp_path, text)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("ok ") == 2
    assert "skipped page.md, line 12: import no_such_module" in done.stdout


def test_functions_of_a_page_have_their_source(tmp_path: Path) -> None:
    text = "It's\n```python\nimport inspect\ndef f():\n    return 1\n```\nit's\n```python\n"
    done = run_page(tmp_path, text + "assert inspect.getsource(f).endswith('return 1\\n')\n```\n")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_of_a_page_are_made_by_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for picture in re.findall(r"!\[.+?\]\((.*?)\)", text):
        folder, name = Path(picture).parts[-2:]
        if folder == "_static":
            continue  # of the records, by scripts/generate_figures.py
        assert folder == page.stem
        assert f'"{name}"' in text


def test_references_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here">x</a><a href="#gone">x</a><a href="b.html#there">x</a>'
        '<img src="no.png"><a href="https://example.org/x">x</a><a href="b.html#lost">x</a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>')
    assert list(site_links.broken(tmp_path)) == [
        "a.html: #gone: the page has no such place",
        "a.html: b.html#lost: the page has no such place",
        "a.html: no.png: there is no such file",
    ]


def test_without_chromium_the_browser_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check_site.check(tmp_path, tmp_path / "screenshots") == 0
    assert capsys.readouterr().out.startswith("skipped browser: no Chromium here")


def test_figures_stand_as_they_are_in_the_records() -> None:
    rows = [
        {"name": "a|b", "unit": "ms", "figures": {"cupola": 1234.5, "torch compiled": 0.1234}},
        {"name": "c", "unit": "GB/s", "figures": {"cupola": 12.0, "jax compiled": 5}},
    ]
    cells = measured.table(rows, measured.PLAIN)
    assert cells == [
        ["", "unit", "Cupola", "compiled by hand"],
        ["a|b", "ms", "1,234", "0.123"],
        ["c", "GB/s", "12", "5"],
    ]
    assert measured.markdown(cells).splitlines()[2] == "| a\\|b | ms | 1,234 | 0.123 |"
    faster = {"unit": "ms", "figures": {"jax compiled": 5, "cupy fused": 7}}
    assert measured.figure(faster, measured.PLAIN["compiled by hand"]) == 5


@pytest.mark.parametrize("record", measured.RECORDS)
def test_records_have_rows_and_a_machine(record: str) -> None:
    found = measured.RECORDS[record]()
    assert found.rows
    assert re.search(r"\d{4}-\d\d-\d\d$", found.machine)


def test_twenty_questions_are_answered_with_a_link() -> None:
    text = (ROOT / "docs/faq.md").read_text(encoding="utf-8")
    questions = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert [question.split(".")[0] for question in questions] == [str(n) for n in range(1, 21)]
    for question in questions:
        (link,) = re.findall(r"^→ \[.+\]\((.+)\)$", question, flags=re.MULTILINE)
        assert (ROOT / "docs" / link.split("#")[0]).is_file()


def test_the_reference_has_every_public_name() -> None:
    pytest.importorskip("sphinx")
    import api_pages
    import reference_pages

    import cupola

    pages = {name: page.text() for name, page in api_pages.pages().items()}
    shown = "".join(pages[family] for family in reference_pages.FAMILIES)
    missing = [
        name
        for name in api_pages.public_names(cupola)
        if not api_pages.inspect.ismodule(getattr(cupola, name))
        and f"* - ``{name}``" not in shown
        and f"<cupola.{name}>`" not in shown
    ]
    assert not missing
    assert len(api_pages.public_names(cupola)) > 500


def test_every_public_module_has_a_page() -> None:
    """All modules without an underscore, but those that only hold rooms of others."""
    pytest.importorskip("sphinx")
    import reference_pages

    package = ROOT / "python/cupola"
    without = {"cupola.lib", "cupola.__main__"}
    modules = set()
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(("cupola", *(part for part in parts if part != "__init__")))
        if not any(part.startswith("_") for part in parts if part != "__init__"):
            modules.add(name)
    assert modules - without - {"cupola"} <= set(reference_pages.MODULES)


def test_pages_that_say_the_same_keep_their_time(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    import api_pages

    path = tmp_path / "page.rst"
    api_pages.write_if_new(path, "a")
    os.utime(path, (1, 1))
    api_pages.write_if_new(path, "a")
    assert path.stat().st_mtime == 1
    api_pages.write_if_new(path, "b")
    assert path.stat().st_mtime > 1


def test_functions_of_cpp_have_their_words() -> None:
    pytest.importorskip("sphinx")
    import cpp_pages

    rows = {name: rest for name, *rest in cpp_pages.ufunc_rows()}
    assert rows["add"] == [2, 1, "Sum, element by element."]
    assert rows["divmod"] == [2, 2, "floor_divide and remainder at once."]
    assert len(rows) > 80
