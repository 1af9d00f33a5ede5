"""Tables of numbers as text."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import agree, assert_same

TABLE = "# heading\n1, 2.5, 3\n4, 5, 6\n\n7, 8, 9 # last\n"


def test_written_text_is_numpys() -> None:
    def texts(xp: Any, *arrays: Any) -> list[str]:
        found = []
        for a in arrays:
            with_lines = {"header": "a\nb", "footer": "c"}
            for options in ({}, {"fmt": "%.3f", "delimiter": ";"}, with_lines):
                file = io.StringIO()
                xp.savetxt(file, a, **options)
                found.append(file.getvalue())
        return found

    table = np.arange(12.0).reshape(4, 3) / 7
    agree(texts, table, table.T, table[:, 0], table[:0], (table + 1j).astype("c8"))
    agree(texts, np.arange(6).reshape(2, 3))
    agree(lambda xp, a: xp.savetxt(io.StringIO(), a), np.ones((2, 2, 2)))
    agree(lambda xp, a: xp.savetxt(io.StringIO(), a), np.ones(()))
    agree(lambda xp, a: xp.savetxt(io.StringIO(), a, fmt=["%d"]), table)


@pytest.mark.parametrize("ending", [".txt", ".gz", ".bz2", ".xz"])
def test_files(ending: str, tmp_path: Path) -> None:
    table = np.arange(6.0).reshape(2, 3)
    cp.savetxt(tmp_path / f"a{ending}", from_numpy(table))
    assert np.array_equal(np.loadtxt(tmp_path / f"a{ending}"), table)
    assert_same(cp.loadtxt(tmp_path / f"a{ending}"), table)
    assert_same(cp.genfromtxt(str(tmp_path / f"a{ending}")), table)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"dtype": "f4", "usecols": (0, 2)},
    {"unpack": True},
    {"usecols": 1, "ndmin": 2},
    {"max_rows": 1},
    {"max_rows": 2, "ndmin": 1, "converters": {0: lambda text: float(text) + 1}},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_read_text(options: dict[str, Any]) -> None:
    agree(lambda xp: xp.loadtxt(io.StringIO(TABLE), delimiter=",", **options))
    agree(lambda xp: xp.genfromtxt(io.StringIO(TABLE), delimiter=",", **options))


def test_what_is_missing() -> None:
    text = "a b c\n1,,3\n4,x,6\n"
    agree(lambda xp: xp.genfromtxt(io.StringIO(text), delimiter=",", skip_header=1))
    agree(
        lambda xp: xp.genfromtxt(
            io.StringIO(text),
            delimiter=",",
            skip_header=1,
            missing_values="x",
            filling_values=-1,
            skip_footer=0,
        )
    )
    agree(lambda xp: xp.genfromtxt(io.StringIO("1 2\n3\n")))
    agree(lambda xp: xp.genfromtxt(io.StringIO("1 2\n3\n"), invalid_raise=False))


@pytest.mark.parametrize("text", ["1 2\n3\n", "a b\n", "1,2\n", "", "1 2 \x00\n"])
def test_bad_text(text: str) -> None:
    agree(lambda xp: xp.loadtxt(io.StringIO(text)))
    agree(lambda xp: xp.loadtxt(["1 2", "3 4"], quotechar='"'))
    agree(lambda xp: xp.loadtxt(io.StringIO(text), skiprows=-1))


@pytest.mark.cupola_only
def test_dtypes_that_arrays_cannot_have() -> None:
    for dtype in (str, object, "M8[D]", [("a", int), ("b", float)]):
        with pytest.raises((TypeError, ValueError)):
            cp.loadtxt(io.StringIO("1 2\n"), dtype)
    with pytest.raises(TypeError, match="masked"):
        cp.genfromtxt(io.StringIO("1 2\n"), usemask=True)
    with pytest.raises(TypeError):
        cp.genfromtxt(io.StringIO("1 2\n"), names="a, b")
