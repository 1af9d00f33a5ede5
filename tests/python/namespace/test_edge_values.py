"""Values, dtypes and layouts at the edges of what functions are for, beside NumPy's."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import NUMPY, Tolerance, agree

NAN = float("nan")
Case = Callable[[Any], Any]

VIEWS: dict[str, Case] = {
    "row": lambda xp: xp.broadcast_to(xp.arange(3), (2, 3)),
    "column": lambda xp: xp.broadcast_to(xp.arange(2)[:, None], (2, 3)),
    "tables": lambda xp: xp.broadcast_to(xp.arange(6).reshape(2, 3), (2, 2, 3)),
    "transposes": lambda xp: xp.broadcast_to(xp.arange(6).reshape(2, 3).T, (2, 3, 2)),
    "transposes inside": lambda xp: xp.broadcast_to(
        xp.arange(6).reshape(2, 3).T[:, None], (3, 2, 2)
    ),
    "transpose": lambda xp: xp.arange(6).reshape(2, 3).T,
    "flipped": lambda xp: xp.arange(6).reshape(2, 3)[:, ::-1],
    "turned": lambda xp: xp.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    "stepped": lambda xp: xp.arange(24).reshape(2, 3, 4).transpose(1, 0, 2)[::2],
    "turned and flipped": lambda xp: xp.arange(24).reshape(2, 3, 4).transpose(1, 2, 0)[::-1],
    "empty": lambda xp: xp.zeros((2, 0, 3)).T,
    "0-d": lambda xp: xp.asarray(5),
}


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("view", VIEWS)
def test_flat_orders(view: str, order: str) -> None:
    def run(xp: Any) -> list[Any]:
        a = VIEWS[view](xp)
        return [a.ravel(order), a.flatten(order), xp.ravel(a, order)]

    agree(run)


@pytest.mark.cupola_only
def test_flatten_copies() -> None:
    for order in "CFAK":
        for a in (cp.arange(6).reshape(2, 3), cp.arange(6).reshape(2, 3) + 0):
            a.flatten(order)[...] = 9
            a.T.flatten(order)[...] = 9
            assert a.tolist() == [[0, 1, 2], [3, 4, 5]]


SLICES = [np.s_[::2], np.s_[1::4], np.s_[::3], np.s_[1::2], np.s_[:4], np.s_[5:], np.s_[4:4]]


@pytest.mark.parametrize("second", SLICES, ids=str)
@pytest.mark.parametrize("first", SLICES, ids=str)
def test_shared_memory(first: slice, second: slice) -> None:
    def run(xp: Any) -> list[Any]:
        x = xp.arange(16)
        a, b = x[first], x[second]
        return [xp.shares_memory(a, b), xp.may_share_memory(a, b)]

    agree(run)


def test_shared_memory_of_parts_and_columns() -> None:
    def run(xp: Any) -> list[Any]:
        z, t = xp.zeros(4, "c8"), xp.arange(16).reshape(4, 4)
        return [
            xp.shares_memory(z.real, z.imag),
            xp.shares_memory(z, z.imag),
            xp.shares_memory(t[:, 0], t[:, 1]),
            xp.shares_memory(t[:, :2], t[:, 1]),
            xp.shares_memory(t, t + 0),
            xp.shares_memory(1, t),
            xp.may_share_memory(t[:, 0], t[:, 1], max_work=100),
        ]

    agree(run)


def test_shared_memory_of_host_arrays() -> None:
    x, ragged = np.arange(8), [[1], [2, 3]]
    for a, b in ((x, x[2:]), (x[::2], x[1::2]), (x[:3], x[5:]), ([1, 2], [1, 2]), (x, ragged)):
        agree(lambda xp, a=a, b=b: xp.shares_memory(a, b))
        agree(lambda xp, a=a, b=b: xp.may_share_memory(a, b))
    agree(lambda xp: xp.shares_memory(xp.arange(3), ragged))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_searches_among_complex_nan(dtype: str, side: str) -> None:
    parts = [0.0, -1.0, 2.0, np.inf, -np.inf, NAN]
    values = np.sort(np.array([complex(re, im) for re in parts for im in parts], dtype))
    agree(lambda xp, a: xp.searchsorted(a, a, side), values)
    agree(lambda xp, a, b: xp.searchsorted(a, b, side), values, np.array(parts))
    agree(lambda xp, a, b: xp.searchsorted(a, b, side), np.sort(parts), values)


BINS = [[1, 2, NAN], [NAN, 2, 1], [NAN, NAN], [NAN], [3, 2, 1], [2, 2], [], [1, 3, 2]]


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", BINS, ids=str)
def test_bins_with_nan(bins: list[float], right: bool) -> None:
    values = np.array([0.5, 1, 1.5, 2, 3, 9, NAN])
    agree(lambda xp, x, b: xp.digitize(x, b, right), values, np.array(bins, "f8"))


EXACT: dict[str, Case] = {
    "byteswap of a transpose": lambda xp: xp.asarray([[1, 2], [3, 4]]).T.byteswap(True),
    "byteswap of a flip": lambda xp: xp.asarray([[1, 2], [3, 4]])[:, ::-1].byteswap(True),
    "byteswap": lambda xp: xp.asarray([1j, 2], dtype="c8").byteswap(),
    "angle of bool": lambda xp: xp.angle(xp.asarray([True, False])),
    "angle of int8": lambda xp: xp.angle(xp.asarray([1, -1], dtype="i1")),
    "angle in degrees": lambda xp: xp.angle(xp.asarray([1, -1], dtype="f2"), True),
    "angle of float16": lambda xp: xp.angle(xp.asarray([1, -1], dtype="f2")),
    "pinv of nothing": lambda xp: xp.linalg.pinv(xp.zeros((0, 3), "i8")),
    "pinv of columns": lambda xp: xp.linalg.pinv(xp.zeros((2, 3, 0), "f4")),
    "rank": lambda xp: xp.linalg.lstsq(xp.asarray([[1.0, 2], [3, 4], [5, 6]]), xp.ones(3))[2],
    "trim_zeros": lambda xp: xp.trim_zeros(xp.asarray([[0, 0, 0], [0, 1, 0], [0, 0, 2]])),
    "trim_zeros front": lambda xp: xp.trim_zeros(xp.asarray([[0, 0], [0, 1], [0, 0]]), "f"),
    "trim_zeros axis": lambda xp: xp.trim_zeros(xp.asarray([[0, 0], [0, 1], [0, 0]]), axis=0),
    "trim_zeros axes": lambda xp: xp.trim_zeros(
        xp.asarray([[0, 0], [0, 1], [0, 0]]), "b", axis=(-1, 0)
    ),
    "trim_zeros of zeros": lambda xp: xp.trim_zeros(xp.zeros((2, 3)), "f"),
    "trim_zeros of zeros, axis": lambda xp: xp.trim_zeros(xp.zeros((2, 3)), axis=0),
    "ix_ of int32": lambda xp: xp.ix_(xp.zeros(0, "i4")),
    "ix_ of uint8": lambda xp: xp.ix_(xp.zeros(0, "u1"), xp.asarray([1])),
    "ix_ of a list": lambda xp: xp.ix_([], [1]),
    "ix_ of bool": lambda xp: xp.ix_(xp.zeros(0, "?")),
    "vector_norm of no rows": lambda xp: xp.linalg.vector_norm(xp.zeros((0, 3)), axis=0),
    "vector_norm of nothing": lambda xp: xp.linalg.vector_norm(xp.zeros((0, 3))),
    "vector_norm of no planes": lambda xp: xp.linalg.vector_norm(xp.zeros((2, 0, 3)), axis=(0, 1)),
    "vector_norm inf": lambda xp: xp.linalg.vector_norm(xp.zeros((0, 3)), axis=0, ord=np.inf),
    "vector_norm without axes": lambda xp: xp.linalg.vector_norm(xp.zeros((2, 0)), axis=()),
    "view of an empty transpose": lambda xp: xp.zeros((0, 3), "i4").T.view("i8"),
    "view of an empty flip": lambda xp: xp.zeros((4, 2), "i4")[:0, ::-1].view("i8"),
    "view of no columns": lambda xp: xp.zeros((3, 0), "i4").T.view("i8"),
    "smaller view of an empty transpose": lambda xp: xp.zeros((3, 0), "i8").T.view("i4"),
    "linspace of arrays": lambda xp: xp.linspace(xp.asarray([0, 1j]), 2, 3),
    "linspace of complex": lambda xp: xp.linspace(1 + 2j, 3, 3),
    "linspace to complex": lambda xp: xp.linspace(0, 1j, 3, retstep=True),
    "linspace of a real and complex": lambda xp: xp.linspace(xp.asarray([0.0, 1]), 2j, 3),
}


@pytest.mark.parametrize("case", EXACT)
def test_as_numpy(case: str) -> None:
    agree(EXACT[case])


SPACES: dict[str, Case] = {
    "imaginary": lambda xp: xp.geomspace(1j, 1000j, 4),
    "spiral": lambda xp: xp.geomspace(1 + 1j, -1, 4),
    "other sign": lambda xp: xp.geomspace(1, -1, 4),
    "zero": lambda xp: xp.geomspace(0, 1, 4),
    "arrays": lambda xp: xp.geomspace(xp.asarray([1, 2]), xp.asarray([10.0, 20]), 3),
    "rows": lambda xp: xp.geomspace(xp.asarray([1, 2]), 10, 3, axis=-1),
    "open": lambda xp: xp.geomspace(xp.asarray([1.0, -2], dtype="f4"), -10, 3, endpoint=False),
    "to integers": lambda xp: xp.geomspace(xp.asarray([1, 2]), 100, 3, dtype="i8"),
    "bases": lambda xp: xp.logspace(0, 2, 3, base=xp.asarray([2, 3])),
    "bases in rows": lambda xp: xp.logspace(
        xp.asarray([0, 1]), 2, 3, base=xp.asarray([2, 3]), axis=-1
    ),
    "no number": lambda xp: xp.geomspace(float("nan"), 6, 4),
    "no number and zero": lambda xp: xp.geomspace(np.float16("nan"), 0, 4),
    "from a narrow number": lambda xp: xp.geomspace(np.float16(7.25), 4, 5),
    "beyond the type of the first": lambda xp: xp.geomspace(np.int8(1), 2**31, 4),
    "below the type of the last": lambda xp: xp.logspace(-2, np.uint64(6), 4),
    "between flags": lambda xp: xp.logspace(True, np.bool_(False), 4),
    "to an integer out of range": lambda xp: list(xp.linspace(np.int8(-1), 2**31, 5, retstep=True)),
    "to a half": lambda xp: xp.linspace(-(2**31), xp.asarray(np.float16(1)), 4),
    "distances that vanish": lambda xp: xp.linspace(
        xp.asarray([-0.7, 3, 1], dtype="f4"), xp.asarray([-2.5, 3, 7.25], dtype="f4"), 50
    ),
    "complex powers": lambda xp: xp.logspace(0, 1j, 3),
}


@pytest.mark.parametrize("case", SPACES)
def test_spaces(case: str) -> None:
    agree(SPACES[case], tolerance=Tolerance(8, 1e-12))


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f2", "f4", "f8", "c8"])
def test_sinc(dtype: str) -> None:
    values = np.array([0, 1, -1, 0.5, 3], "c8" if dtype == "c8" else "f8").astype(dtype)
    agree(lambda xp, x: xp.sinc(x), values, tolerance=Tolerance(2, 1e-3 if dtype == "f2" else 1e-7))


@pytest.mark.skipif(NUMPY >= (2, 5), reason="NumPy 2.5 refuses vectors of two numbers")
@pytest.mark.parametrize("axis", [-1, 0])
@pytest.mark.parametrize("dtype", ["i8", "f4", "c16"])
@pytest.mark.parametrize("b", [(2,), (3,), (2, 2), (2, 3), (3, 2), (4,), ()])
@pytest.mark.parametrize("a", [(2,), (3,), (2, 2), (2, 3), (3, 3)])
def test_cross(a: Any, b: Any, dtype: str, axis: int) -> None:
    x = np.arange(1, 1 + np.prod(a)).reshape(a)
    y = (np.arange(5, 5 + np.prod(b)) ** 2).reshape(b).astype(dtype)
    agree(lambda xp, x, y: xp.cross(x, y), x, y)
    agree(lambda xp, x, y: xp.cross(x, y, axisb=axis, axisc=0), x, y)


OUTPUTS = ["?", "i1", "i4", "i8", "f4", "f8", "c16"]


@pytest.mark.parametrize("out", OUTPUTS)
@pytest.mark.parametrize("own", ["?", "i8", "f8", "c16"])
@pytest.mark.parametrize("places", [0, 1, -1])
def test_round_into(own: str, out: str, places: int) -> None:
    agree(
        lambda xp, x: xp.round(x, places, out=xp.zeros(3, out)), np.array([1, 15, 27]).astype(own)
    )


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1), (2,), (4,)])
def test_round_into_other_shapes(shape: Any) -> None:
    agree(lambda xp: xp.round(xp.asarray([1.5, 2.5, 3.5]), out=xp.zeros(shape)))


@pytest.mark.parametrize("out", OUTPUTS)
@pytest.mark.parametrize("own", ["?", "i8", "f8"])
@pytest.mark.parametrize("function", ["std", "var", "mean", "nanstd", "nanvar", "nanmean"])
def test_moments_into(function: str, own: str, out: str) -> None:
    def run(xp: Any, x: Any) -> Any:
        return getattr(xp, function)(x, out=xp.zeros((), out))

    agree(run, np.array([1, 4, 5, 7]).astype(own), tolerance=Tolerance(2))


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("own", ["i8", "f8"])
@pytest.mark.parametrize("function", ["nanstd", "nanvar", "nanmean"])
def test_moments_without_nan_in(function: str, own: str, dtype: str) -> None:
    agree(
        lambda xp, x: getattr(xp, function)(x, dtype=dtype),
        np.array([1, 5, 5, 1]).astype(own),
        tolerance=Tolerance(2),
    )


@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "u8", "f8"])
@pytest.mark.parametrize("shape", [(2,), (2, 2), (1, 2), ()])
@pytest.mark.parametrize("own", ["i8", "f8"])
@pytest.mark.parametrize("function", ["nanargmin", "nanargmax"])
def test_positions_into(function: str, own: str, shape: Any, dtype: str) -> None:
    table = np.array([[1, 2], [3, 0]]).astype(own)
    agree(lambda xp, x: getattr(xp, function)(x, axis=0, out=xp.zeros(shape, dtype)), table)


INITIAL: list[Any] = [1j, 1.5, 300, -1, True, None]


@pytest.mark.parametrize("initial", INITIAL, ids=repr)
@pytest.mark.parametrize("dtype", ["i1", "i8", "f8", "c16"])
@pytest.mark.parametrize("function", ["sum", "prod", "max", "min"])
def test_initial(function: str, dtype: str, initial: Any) -> None:
    for size in (2, 0):
        x = np.arange(1, 1 + size).astype(dtype)
        agree(lambda xp, x: getattr(xp, function)(x, initial=initial), x)


@pytest.mark.parametrize("operation", ["/= 2", "+= 1.5", "-= 2.5", "*= 1j", "**= 0.5", "+= 1"])
@pytest.mark.parametrize("dtype", ["i4", "u1", "f4"])
def test_numbers_in_place(dtype: str, operation: str) -> None:
    """Elements and sums are numbers in NumPy: their names get results of other dtypes."""

    def run(xp: Any, a: Any) -> list[Any]:
        scope = {"x": a[1], "y": a.sum(), "z": (a + 0)[2], "w": (a + 1).max()}
        for name in scope:
            exec(f"{name} {operation}", {}, scope)
        return list(scope.values())

    agree(run, np.array([3, 9, 4], dtype), tolerance=Tolerance(2))


def test_elements_in_place() -> None:
    def run(xp: Any, a: Any) -> Any:
        a[1] /= 2
        a[0] += 1.5
        return a

    agree(run, np.array([3, 9, 4]))


@pytest.mark.cupola_only
def test_arrays_in_place_keep_their_dtype() -> None:
    a = cp.arange(3)
    with pytest.raises(TypeError, match="cast"):
        a /= 2
    assert a.dtype == np.int64


# Not arctan2, of which NumPy leaves elements out on some processors.
REDUCED = ["subtract", "divide", "fmod", "remainder", "nextafter", "hypot", "minimum"]


@pytest.mark.parametrize("name", [*REDUCED, "floor_divide", "copysign", "ldexp"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_reductions_of_some_elements(name: str, axis: int) -> None:
    """Also of ufuncs without an element that changes nothing, which start from `initial`."""
    table = np.array([[7.0, 4, 3], [2, 5, 8]])
    mask = np.array([[True, False, True], [False, True, True]])

    def run(xp: Any, x: Any, where: Any) -> list[Any]:
        reduce = getattr(xp, name).reduce
        return [
            reduce(x, axis=axis, initial=100, where=where),
            reduce(x, axis=axis, initial=3, where=where[:1], keepdims=True),
            reduce(x, axis=axis, initial=3, where=where[:, 1:2]),
        ]

    agree(run, table, mask, tolerance=Tolerance(4))


@pytest.mark.parametrize("where", [[False, True], [True, False], [False, False], [[True], [False]]])
@pytest.mark.parametrize("exponents", [[-1, 1], [1, -2], [3, 2], -1])
def test_negative_powers_left_out(exponents: Any, where: Any) -> None:
    def run(xp: Any, base: Any, mask: Any) -> Any:
        out = xp.full(xp.broadcast_shapes(mask.shape, (2,)), 7)
        other = exponents if isinstance(exponents, int) else xp.asarray(exponents)
        return xp.power(base, other, where=mask, out=out)

    agree(run, np.array([2, 3]), np.array(where))


@pytest.mark.parametrize("exponents", [[2**63, 1], [2**64 - 1, 1], [2, 1]])
def test_powers_in_a_narrower_dtype(exponents: list[int]) -> None:
    def run(xp: Any, a: Any, b: Any) -> list[Any]:
        return xp.power(a, b, dtype="i8", casting="unsafe")

    agree(run, np.array([2, 3], "u8"), np.array(exponents, "u8"))


@pytest.mark.cupola_only
def test_buffers_keep_the_shape() -> None:
    """Or there is none: a row of bytes would lose it."""
    if str(cp.empty(0).device).startswith("cuda"):
        pytest.skip("memory of the device has no buffer")
    table = cp.arange(12, dtype="i4").reshape(3, 4)
    assert memoryview(table).shape == (3, 4)
    with pytest.raises(BufferError, match="shape"):
        hashlib.sha256(table)
    assert bytes(cp.arange(2, dtype="u1")) == b"\x00\x01"
