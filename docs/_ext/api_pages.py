"""Writes the pages of the Python reference before Sphinx reads them, from the package itself.

A page per module, and for the package's own namespace one per family of functions, which is the
folder or module of the package that the function comes from. A page has a table of its names and
below it what each says; docs/reference/api is written anew by each build.
"""

from __future__ import annotations

import importlib
import inspect
import operator
import re
import sys
import types
from collections import defaultdict
from pathlib import Path
from typing import Any, ClassVar

from reference_pages import FAMILIES, MODULES, family_of
from sphinx.application import Sphinx

import cupola

OUT = Path(__file__).resolve().parents[1] / "reference/api"


# What would begin markup: a bar, a star before a word, an underscore behind one.
MARKUP = re.compile(r"(\||\*(?=\S)|(?<=\w)_(?!\w))")


def write_if_new(path: Path, text: str) -> None:
    """A file that says the same keeps its time."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def public_names(module: types.ModuleType) -> list[str]:
    """What a module offers: `__all__`, else its own names without an underscore."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(set(listed))
    return sorted(
        name
        for name, value in vars(module).items()
        if name[0] != "_" and not inspect.ismodule(value) and is_ours(value)
    )


def is_ours(value: Any) -> bool:
    """Not NumPy's, nor the standard library's."""
    owner = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return str(owner).split(".")[0] == "cupola"


def members_of(cls: type) -> list[str]:
    """Public methods and attributes of a class that say something, those of our classes only."""
    return sorted(
        name
        for name in dir(cls)
        if name[0] != "_"
        and getattr(getattr(cls, name, None), "__doc__", None)
        and is_ours(next(base for base in cls.__mro__ if name in vars(base)))
    )


class Page:
    """The text of a page of names of one module."""

    # What is documented already, by identity -> its full name. An object has one description,
    # and its other names refer to that.
    described: ClassVar[dict[int, str]] = {}

    def __init__(self, title: str, module: str, intro: str) -> None:
        self.lines = [title, "=" * len(title), "", intro, "", f".. currentmodule:: {module}", ""]
        self.module = module

    def add(self, names: dict[str, Any]) -> None:
        """A table of some names of the module, and what each says."""
        values = {name: value for name, value in names.items() if not inspect.ismodule(value)}
        documented = {name: value for name, value in values.items() if is_documented(value)}
        own = [name for name in in_order(documented) if self.claim(name, documented[name])]
        self._add_table("name", "what it does", {n: summary(values[n]) for n in sorted(own)}, True)
        others = {n: self.other(values[n]) for n in sorted(set(values) - set(own))}
        self._add_table("other names", "what they are", others, False)
        for name in sorted(own):
            self._add_one(name, values[name])

    def claim(self, name: str, value: Any) -> bool:
        """Whether the value is described here: no name before was one of it."""
        return self.described.setdefault(id(value), self.full(name)) == self.full(name)

    def full(self, name: str) -> str:
        return f"{self.module}.{name}"

    def other(self, value: Any) -> str:
        known = self.described.get(id(value)) if is_documented(value) else None
        return f":py:obj:`{known}`" if known else said_of(value)

    def _add_table(self, left: str, right: str, rows: dict[str, str], is_link: bool) -> None:
        if not rows:
            return
        self.lines += [".. list-table::", "   :header-rows: 1", "   :widths: 30 70", ""]
        self.lines += [f"   * - {left}", f"     - {right}"]
        for name, text in rows.items():
            link = f":py:obj:`{name} <{self.full(name)}>`" if is_link else f"``{name}``"
            self.lines += [f"   * - {link}", f"     - {text}"]
        self.lines.append("")

    def _add_one(self, name: str, value: Any) -> None:
        if isinstance(value, type):
            kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
            self.lines += [f".. {kind}:: {name}", ""]
            if value.__name__ != name.rpartition(".")[2]:  # autodoc would call it an alias
                self.lines[-2:] = [f".. py:class:: {name}", "", *indented(value, 3)]
            for member in members_of(value):
                self._add_member(value, name, member)
        elif isinstance(value, cupola.ufunc):
            self.lines += [f".. autofunction:: {name}{inspect.signature(value)}", ""]
        elif callable(value):
            self.lines += [f".. autofunction:: {name}", ""]
        else:
            self.lines += [f".. autodata:: {name}", "   :no-value:", ""]

    def _add_member(self, cls: type, name: str, member: str) -> None:
        value = inspect.getattr_static(cls, member)
        if is_attribute(value):  # compiled ones have no signature that autodoc could read
            self.lines += [f"   .. py:attribute:: {name}.{member}", ""]
            self.lines += indented(getattr(cls, member), 6)
        else:
            self.lines += [f"   .. automethod:: {name}.{member}", ""]

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def indented(value: Any, columns: int) -> list[str]:
    """What a value says, below a directive."""
    said = escaped(inspect.getdoc(value) or "").splitlines()
    return [f"{'':{columns}}{line}".rstrip() for line in said] + [""]


def in_order(values: dict[str, Any]) -> list[str]:
    """Names of values, those by which they call themselves first."""
    return sorted(values, key=lambda name: (getattr(values[name], "__name__", name) != name, name))


def summary(value: Any) -> str:
    """The first paragraph of what it says, without a signature above, as one line."""
    lines = (inspect.getdoc(value) or "").strip().split("\n\n")
    text = next((part for part in lines if not re.match(r"\w+\(.*\)( ->.*)?$", part)), "")
    return escaped(re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0])


def escaped(text: str) -> str:
    """Bars, stars and underscores of formulas are no markup, but for what stands in backticks."""
    parts = re.split(r"(`+[^`]*`+)", text)
    return "".join(p if p[:1] == "`" else MARKUP.sub(r"\\\1", p) for p in parts)


def escape_docstring(_app: Any, _what: str, _name: str, _obj: Any, _opt: Any, lines: list) -> None:
    """The same for docstrings, whose examples stay as they are."""
    show_attributes_as_text(lines)
    is_example = False
    for i, line in enumerate(lines):
        is_example = line.lstrip().startswith(">>>") or (is_example and bool(line.strip()))
        if not is_example and not line.lstrip().startswith(".. "):
            lines[i] = escaped(line)


def is_attribute(value: Any) -> bool:
    if isinstance(value, property | types.GetSetDescriptorType | types.MemberDescriptorType):
        return True
    return not callable(value) and not isinstance(value, classmethod | staticmethod)


def is_documented(value: Any) -> bool:
    """Whether it says something of itself, not its type for it."""
    own = getattr(value, "__doc__", None)
    return is_ours(value) and bool(own) and (callable(value) or own != type(value).__doc__)


def said_of(value: Any) -> str:
    """A constant, or whose type a name is."""
    if isinstance(value, type):
        return f"``{value.__module__}.{value.__qualname__}``"
    if callable(value):
        return f"``{value.__module__}.{getattr(value, '__name__', type(value).__name__)}``"
    return f"``{value!r}``" if len(repr(value)) < 60 else f"of type ``{type(value).__name__}``"


def namespace_families() -> dict[str, list[str]]:
    """The names of `cupola`, by the family that they are documented in."""
    families = defaultdict(list)
    for name in public_names(cupola):
        value = getattr(cupola, name)
        if not inspect.ismodule(value):
            families[family_of(name, value)].append(name)
    return families


def loaded(module: str) -> types.ModuleType:
    """The package, with this module of it loaded."""
    if module != "cupola.emath":
        importlib.import_module(module)
    return cupola


def pages() -> dict[str, Page]:
    """The pages, by the names of their files."""
    Page.described.clear()
    families = namespace_families()
    made = {}
    for family, (title, intro) in FAMILIES.items():
        made[family] = Page(title, "cupola", intro)
        made[family].add({name: getattr(cupola, name) for name in families.pop(family, [])})
    if families:
        raise ValueError(f"families without a page: {dict(families)}")
    for module, intro in MODULES.items():
        found = operator.attrgetter(module.removeprefix("cupola."))(loaded(module))
        sys.modules.setdefault(module, found)  # `emath` is only an attribute
        made[module] = Page(module, module, intro)
        made[module].add({name: getattr(found, name) for name in public_names(found)})
    return made


def write_pages() -> None:
    """Pages that say what they said keep their time, so that Sphinx reads only what changed."""
    OUT.mkdir(parents=True, exist_ok=True)
    made = pages()
    for path in OUT.glob("*.rst"):
        if path.stem not in made:
            path.unlink()
    for name, page in made.items():
        write_if_new(OUT / f"{name}.rst", page.text())


def show_attributes_as_text(lines: list[str]) -> None:
    """A section of attributes would refer to objects, which those of instances are not."""
    heads = [i for i, line in enumerate(lines[:-1]) if set(lines[i + 1].strip()) == {"-"}]
    names = [lines[i].strip() for i in heads]
    if "Attributes" not in names:
        return
    first = heads[names.index("Attributes")]
    end = min((i for i in heads if i > first), default=len(lines))
    said = lines[first + 2 : end]
    items = [f"  {line.strip()}" if line[:1] == " " else f"- {line}" for line in said if line]
    rows = ["Attributes:", "", *items, ""]
    del lines[first:end]
    if "Notes" in names:
        notes = lines.index("Notes") + 2
        lines[notes:notes] = rows
    else:
        lines[first:first] = ["Notes", "-----", *rows]


def keep_signature(
    _app: Any, _what: str, _name: str, value: Any, _options: Any, signature: str, returned: str
) -> tuple[str, str] | None:
    """Spares compiled functions what numpydoc makes of their text, which has a type behind it."""
    has_type = "->" in str(getattr(value, "__text_signature__", ""))
    return (signature, returned) if has_type else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", lambda _: write_pages())
    app.connect("autodoc-process-signature", keep_signature, priority=400)
    app.connect("autodoc-process-docstring", escape_docstring, priority=400)
    return {"parallel_read_safe": True}
