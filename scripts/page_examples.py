"""The examples of a Markdown page: its ```python and ```pycon blocks, run in their order.

All blocks of a page share their names, as a reader who types them one after the other has it. A
line of a traceback is the line of the page. What a ```pycon block shows must be what comes. A block
with `if __name__ == "__main__":` is a program and runs as a file of its own. A comment before a
block, `<!-- needs: torch -->`, names modules without which it is skipped; `<!-- raises: TypeError
-->` the error that a ```python block ends with. `<!-- environment: NAME=VALUE ... -->` anywhere in
the page sets variables for all of it.

As a program: `page_examples.py PAGE` prints a line for each block; the working directory keeps
what the blocks write.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import linecache
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

BLOCK = re.compile(
    r"(?:^<!-- (?P<key>needs|raises): (?P<value>[\w., ]+) -->\n\n?)?"
    r"^```(?P<language>python|pycon|sh)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ENVIRONMENT = re.compile(r"<!-- environment: (.*?) -->")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A block of code, where it begins, and what the comment before it says."""

    language: str
    body: str
    line: int
    needs: tuple[str, ...] = ()
    raises: str = ""

    @property
    def title(self) -> str:
        first = next((line for line in self.body.splitlines() if line.strip()), "")
        return f"line {self.line}: {first}"

    def missing(self) -> list[str]:
        """Modules that it needs and that are not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page, in their order."""
    for found in BLOCK.finditer(text):
        words = tuple(re.split(r"[, ]+", found["value"])) if found["value"] else ()
        yield Block(
            found["language"],
            found["body"],
            text.count("\n", 0, found.start("body")) + 1,
            needs=words if found["key"] == "needs" else (),
            raises=words[0] if found["key"] == "raises" else "",
        )


def environment(text: str) -> dict[str, str]:
    """The variables that a page sets."""
    pairs = (word.partition("=") for row in ENVIRONMENT.findall(text) for word in row.split())
    return {name: value for name, _, value in pairs}


def run_python(block: Block, page: str, names: dict[str, object]) -> str:
    """Nothing, or what went wrong."""
    try:
        exec(compile("\n" * (block.line - 1) + block.body, page, "exec"), names)
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        return "" if block.raises in kinds else traceback.format_exc()
    return f"no {block.raises} was raised" if block.raises else ""


def run_session(block: Block, page: str, names: dict[str, object]) -> str:
    """The same of a session with `>>>`."""
    test = doctest.DocTestParser().get_doctest(block.body, names, page, page, block.line - 1)
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=said.write, clear_globs=False)
    names.update(test.globs)
    return said.getvalue()


def run_program(block: Block) -> str:
    """The same of a block that is a program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "example.py")
        path.write_text(block.body, encoding="utf-8")
        done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    said = f"{done.stdout}{done.stderr}exit status {done.returncode}\n"
    return said if done.returncode else ""


def run(block: Block, page: str, names: dict[str, object]) -> str:
    if block.language == "pycon":
        return run_session(block, page, names)
    if '__name__ == "__main__"' in block.body:
        return run_program(block)
    return run_python(block, page, names)


def keep_source(page: str, all_blocks: list[Block]) -> None:
    """Lets `inspect.getsource` find the page's functions: it must not see the text between."""
    lines: list[str] = []
    for block in all_blocks:
        if block.language == "python":
            lines += ["\n"] * (block.line - 1 - len(lines)) + block.body.splitlines(True)
    linecache.cache[page] = (len(lines), None, lines, page)


def run_page(path: Path) -> int:
    """Runs the blocks of a page, prints a line for each, and returns how many failed."""
    text = path.read_text(encoding="utf-8")
    os.environ.update(environment(text))  # before the library reads them
    module = ModuleType("__page__")
    sys.modules["__page__"] = module  # where classes and functions of the page are looked up
    all_blocks = [block for block in blocks(text) if block.language != "sh"]
    keep_source(str(path), all_blocks)
    failed = 0
    for block in all_blocks:
        missing = block.missing()
        if missing:
            print(f"skipped {path.name}, {block.title} ({', '.join(missing)} not installed)")
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            problem = run(block, str(path), vars(module))
        failed += bool(problem)
        verdict = f"FAILED {path.name}, {block.title}\n{said.getvalue()}{problem}"
        print(verdict if problem else f"ok {path.name}, {block.title}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(run_page(Path(sys.argv[1]).resolve()) > 0)
