"""Writes the pages of the C++ reference: one per public header, and the universal functions, whose
declarations are made by macros from include/cupola/opdefs/ufuncs.def.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from api_pages import escaped, write_if_new
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include/cupola"
OUT = ROOT / "docs/reference/api/cpp"
MADE_BY_MACROS = {"ops/functions.h"}
WITHOUT_DECLARATIONS = {"cupola.h"}
SECTIONS = (
    "briefdescription detaileddescription innernamespace innerclass public-type public-func "
    "public-static-func public-attrib public-static-attrib friend func enum typedef var "
    "user-defined"
)
ROW = re.compile(r"^CUPOLA_UFUNC\((\w+), (\d), (\d),(.*?\")\)$", re.MULTILINE | re.DOTALL)
PUBLIC = re.compile(r"#ifndef CUPOLA_ONLY_PUBLIC_UFUNCS.*?#endif", re.DOTALL)


def ufunc_rows() -> list[tuple[str, int, int, str]]:
    """Name, inputs, outputs and documentation of each public universal function."""
    text = PUBLIC.sub("", (INCLUDE / "opdefs/ufuncs.def").read_text(encoding="utf-8"))
    rows = []
    for name, inputs, outputs, rest in ROW.findall(text):
        words = ast.literal_eval("(" + rest[rest.index('"') :] + ")")
        rows.append((name, int(inputs), int(outputs), words))
    return sorted(rows)


def functions_page() -> str:
    """The functions of functions.h, a definition each."""
    lines = ["ops/functions.h", "===============", ""]
    lines += ["One function per universal function, and the operators of ``Array``.", ""]
    for name, inputs, outputs, words in ufunc_rows():
        result = "Array" if outputs == 1 else "std::vector<Array>"
        parameters = ", ".join(f"const Operand& {'abc'[i]}" for i in range(inputs))
        lines += [
            f".. cpp:function:: {result} cupola::{name}({parameters})",
            "",
            f"   {escaped(words)}",
            "",
        ]
    return "\n".join(lines)


def write_pages() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    headers = sorted(path.relative_to(INCLUDE) for path in INCLUDE.rglob("*.h"))
    names = []
    for header in headers:
        if str(header) in WITHOUT_DECLARATIONS or header.parts[0] == "opdefs":
            continue
        name = str(header.with_suffix("")).replace("/", "-")
        names.append(name)
        title = str(header)
        if title in MADE_BY_MACROS:
            text = functions_page()
        else:
            lines = [title, "=" * len(title), "", f".. doxygenfile:: {header.name}"]
            text = "\n".join([*lines, f"   :sections: {SECTIONS}", ""])
        write_if_new(OUT / f"{name}.rst", text)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", lambda _: write_pages(), priority=600)
    return {"parallel_read_safe": True}
