"""Sphinx's configuration of the documentation; `scripts/build_docs` builds it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

# Before the package is imported: the pages and the gallery show several devices everywhere.
os.environ.setdefault("CUPOLA_PLATFORM", "cpu")
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
os.environ.setdefault("MPLBACKEND", "agg")

import cupola  # noqa: E402

project = "Cupola"
author = "The Cupola developers"
copyright = author
version = release = cupola.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "breathe",
    "api_pages",
    "cpp_pages",
    "result_tables",
]

root_doc = "index"
exclude_patterns = ["_build", "_generated", "_ext", "_templates", "gallery/README.rst"]
nitpicky = True
# Types of C++ that are only declared, or the standard library's; bases of public classes.
nitpick_ignore_regex = [("cpp:identifier", r".*"), ("py:class", r"cupola\._.*|;<")]
# Every header opens the one namespace of C++.
suppress_warnings = ["config.cache", "duplicate_declaration.cpp"]
show_warning_types = True

# Markdown.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# The reference of Python.
autodoc_typehints = "none"
autodoc_member_order = "alphabetical"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
default_role = "code"

# The reference of C++: Doxygen writes XML before Sphinx starts.
breathe_projects = {"cupola": str(HERE / "_build/doxygen/xml")}
breathe_default_project = "cupola"
breathe_show_include = False
breathe_default_members = ("members",)

# The gallery, where there is one.
_gallery = HERE.parent / "examples/gallery"
if any(_gallery.glob("*.py")):
    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": [str(_gallery)],
        "gallery_dirs": ["gallery"],
        # Processes look for the functions of the program in the module that was started, which is
        # Sphinx here: that one is shown without its picture. Its test runs it.
        "filename_pattern": r"/(?!forked_service)\w+\.py",
        "ignore_pattern": r"(^|/)_\w*\.py",
        "download_all_examples": False,
        "show_memory": False,
        "abort_on_example_error": False,
        "remove_config_comments": True,
        "min_reported_time": 10,
    }

# Code is copied without its prompts and what it printed.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_exclude = ".linenos, .gp, .go"


def _without_empty_globs(_app: Any, page: str, source: list[str]) -> None:
    """A glob that matches nothing would be a warning."""
    if page == "index" and "sphinx_gallery.gen_gallery" not in extensions:
        source[0] = source[0].replace("gallery/index*\n", "")
    if page == "guide/index":
        for pattern in ("*neighbours*", "*notebooks*"):
            if not any((HERE / "guide").glob(pattern)):
                source[0] = source[0].replace(f"{pattern}\n", "")


def setup(app: Any) -> None:
    app.connect("source-read", _without_empty_globs)


html_theme = "pydata_sphinx_theme"
html_title = "Cupola"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Cupola"},
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "search_bar_text": "Search",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
}
html_context = {"default_mode": "auto"}
html_sidebars = {"faq": [], "coverage": [], "changelog": []}
