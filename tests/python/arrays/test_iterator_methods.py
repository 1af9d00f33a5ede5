"""Methods and attributes of `nditer`, `flat` and `flags`: programs give what NumPy's give.

A program is a text that is run with NumPy and with this package as `xp`; it records by `p`.
"""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

pytestmark = pytest.mark.cupola_only

CUBE = "a = A(np.arange(24).reshape(2, 3, 4)); "
SQUARE = "a = A(np.arange(6).reshape(2, 3)); "
LINE = "a = A(np.arange(4.)); "
MULTI = "it = xp.nditer(a, flags=['multi_index']); "
RANGED = "it = xp.nditer(a, flags=['ranged']); "
WRITES = "it = xp.nditer([a, A([7])[0]], op_flags=[['readwrite'], ['readonly']]); "
AFTER_CLOSE = (
    *("operands", "value", "iterindex", "itviews", "dtypes", "itersize", "iterrange", "ndim"),
    *("nop", "finished", "has_index", "iternext()", "reset()", "copy()", "close()", "__len__()"),
    *("__next__()", "__enter__()"),
)
ALL = "p(it.shape, it.multi_index, [int(x) for x in it])"

PROGRAMS = [
    CUBE + MULTI + "it.remove_axis(1); " + ALL,
    CUBE + MULTI + "[it.remove_axis(0) for _ in range(3)]; " + ALL,
    CUBE + "a = a[:, ::-1]; " + MULTI + "it.remove_axis(0); " + ALL,
    CUBE + "a = a[:, ::-1]; " + MULTI + "it.remove_axis(1); " + ALL,
    CUBE + "it = xp.nditer(a.T, flags=['multi_index'], order='F'); it.remove_axis(1); " + ALL,
    *(CUBE + MULTI + f"it.remove_axis({axis})" for axis in (3, -1)),
    *(
        CUBE + f"xp.nditer(a, flags={flags}).remove_axis(0)"
        for flags in ([], ["c_index"], ["c_index", "multi_index"], ["buffered", "multi_index"])
    ),
    CUBE + "it = xp.nditer([a, None], flags=['multi_index']); it.remove_axis(0); "
    "p(it.operands[1].shape, [view.shape for view in it.itviews], it.dtypes)",
    CUBE + "a = a.T; " + MULTI + "it.iternext(); it.remove_multi_index(); "
    "p(it.iterindex, it.ndim, it.shape, it.has_multi_index, [int(x) for x in it])",
    CUBE + "it = xp.nditer(a, flags=['ranged', 'multi_index']); it.iterrange = 2, 5; "
    "it.remove_multi_index(); p(it.iterrange, it.iterindex)",
    SQUARE + "it = xp.nditer(a, flags=['c_index', 'multi_index']); it.remove_multi_index(); "
    "p(it.has_multi_index, it.has_index, it.shape, it.ndim, it.index)",
    *(
        SQUARE + f"it = xp.nditer(a{view}, flags=['{flag}']); p(it.shape, it.ndim)"
        for flag in ("c_index", "f_index", "multi_index", "external_loop")
        for view in ("", ".T", "[:, ::2]", "[:, ::-1]")
    ),
    CUBE + "it = xp.nditer(a[:, :, :2]); it.iternext(); it.enable_external_loop(); "
    "p(it.iterindex); p(*it)",
    SQUARE + MULTI + "it.enable_external_loop()",
    SQUARE + "xp.nditer(a, flags=['external_loop', 'ranged'])",
    SQUARE + "it = xp.nditer(a[:, :2], flags=['external_loop', 'ranged', 'buffered']); "
    "it.iterrange = 1, 3; p([x.tolist() for x in it])",
    SQUARE + "it = xp.nditer(a, flags=['external_loop', 'buffered'], buffersize=4); "
    "p([x.tolist() for x in it])",
    CUBE + RANGED + "p(it.iterrange); it.iterrange = 3, 9; it.reset(); "
    "p(it.iterindex, it.iterrange, it.itersize, len(list(it)), it.finished)",
    CUBE + RANGED + "it.iterrange = 3, 9; p(it.iternext(), it.iterindex, int(next(it)))",
    *(LINE + RANGED + f"it.iterrange = {pair}" for pair in ((4, 2), (-1, 2), (0, 5))),
    LINE + RANGED + "it.iterrange = 3, 3; p(it.iterrange, it.finished, list(it))",
    LINE + "it = xp.nditer(a); it.iterrange = 0, 4",
    LINE + RANGED + "it.iterrange = 1, 3; it.iterindex = 0",
    SQUARE + MULTI + "it.iterindex = 4; p(it.multi_index, it.value); it.multi_index = 0, 2; "
    "p(it.iterindex, it.value, [int(x) for x in it])",
    *(SQUARE + MULTI + f"it.iterindex = {place}" for place in (-1, 6, 7)),
    *(
        SQUARE + MULTI + f"it.multi_index = {place}"
        for place in ((2, 0), (0,), (0, 1, 2), (-1, 0), 5)
    ),
    SQUARE + "a = a.T[::-1]; " + MULTI + "it.multi_index = 2, 1; p(it.value, it.iterindex)",
    SQUARE + "it = xp.nditer(a, flags=['f_index']); it.index = 1; p(it.iterindex, it.value)",
    *(SQUARE + f"it = xp.nditer(a, flags=['c_index']); it.index = {n}" for n in (-1, 6)),
    SQUARE + "it = xp.nditer(a); it.index = 0",
    SQUARE + WRITES + "it[0] = 9; it[0:1] = [8]; it[-2] = 5; p(a)",
    *(
        SQUARE + WRITES + statement
        for statement in ("it[1] = 9", "it[2]", "it['x']", "it[::2]", "it[:] = [1]")
    ),
    SQUARE + WRITES + "p(it[-1], it[0:2])",
    SQUARE + MULTI + "it.iternext(); c = it.copy(); it.iternext(); "
    "p(c.iterindex, it.iterindex, it.value, c.value); c.remove_axis(0); p(it.shape, c.shape)",
    SQUARE + "import copy; it = xp.nditer(a); it.iternext(); p(copy.copy(it).iterindex)",
    SQUARE + "import pickle; pickle.dumps(xp.nditer(a))",
    *(SQUARE + f"it = xp.nditer(a); it.close(); p(it.{name})" for name in AFTER_CLOSE),
    LINE + "it = xp.nditer(a, flags=['buffered', 'delay_bufalloc']); p(it.has_delayed_bufalloc); "
    "it.reset(); p(it.has_delayed_bufalloc, it.value, it.iterationneedsapi)",
    LINE + "it = xp.nditer(a, flags=['buffered', 'delay_bufalloc']); next(it)",
    *(LINE + f"xp.nditer(a, flags={flags})" for flags in ("'ranged'", [1], ["c_index", "f_index"])),
    SQUARE + "f = a.flat; next(f); p(iter(f) is f, *f); p(f.index, f.coords, list(f))",
    SQUARE + "f = a.T.flat; p(f == 3, f < 2, f != 1, f >= 2, f > 3, f <= 1, *f)",
    *(
        SQUARE + f"f = a{view}.flags; p(f.behaved, f.carray, f.fnc, f.num, f['B'], f['X'], f['CA'])"
        for view in ("", ".T", "[:1]")
    ),
    SQUARE + "f = a.flags; f.c_contiguous = True",
    SQUARE + "f = a.flags; f['NUM']",
]


def plain(value: Any) -> Any:
    if isinstance(value, cp.ndarray):
        value = to_numpy(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype, value.shape, value.tolist()
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def recorded(program: str, xp: Any) -> list[Any]:
    found: list[Any] = []
    host = np.array if xp is np else (lambda value: from_numpy(np.array(value)))
    names = {"xp": xp, "np": np, "A": host, "p": lambda *values: found.append(plain(values))}
    try:
        exec(program, names)
    except Exception as error:
        found.append(type(error))
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program: str) -> None:
    assert recorded(program, cp) == recorded(program, np)


def test_description(capsys: pytest.CaptureFixture[str]) -> None:
    it = cp.nditer(cp.zeros((2, 3), "f4"), flags=["multi_index"])
    it.iternext()
    it.debug_print()
    said = capsys.readouterr().out
    for part in ("shape (2, 3), flags: multi_index", "place 1 of [0, 6)", "float32", "(12, 4)"):
        assert part in said
    it.close()
    it.debug_print()
    assert "nil" in capsys.readouterr().out


def test_no_attribute_is_missing() -> None:
    host, ours = np.ones((2, 3)), cp.ones((2, 3))
    deletion = {"__delitem__"}  # raises in NumPy
    for make in (lambda xp, a: xp.nditer(a), lambda xp, a: a.flat, lambda xp, a: xp.broadcast(a)):
        assert set(dir(make(np, host))) - deletion <= set(dir(make(cp, ours)))
    lacks = set(dir(host.flags)) - set(dir(ours.flags)) - deletion
    assert lacks == {"_warn_on_write", "_writeable_no_warn"}


def test_no_element_can_be_deleted() -> None:
    for xp in (np, cp):
        for place in (1, slice(0, 2)):
            with pytest.raises(TypeError, match="Cannot delete iterator elements"):
                del xp.ones(3).flat[place]
