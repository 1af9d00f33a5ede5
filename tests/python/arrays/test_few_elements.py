"""Operations on few elements, which the calling thread computes: as launches do, and in order."""

import os
import threading
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import Tolerance, agree
from support.samples import ordinary_values, special_values
from support.subprocesses import output_of
from support.ufuncs import UFUNC_NAMES, loops

pytestmark = pytest.mark.cupola_only

LOOPS = [(name, dtypes) for name in UFUNC_NAMES for dtypes in loops(name)]
IDS = [f"{name}-{'-'.join(t.name for t in dtypes)}" for name, dtypes in LOOPS]
KEYS: list[Any] = [
    slice(None),
    slice(2, None),
    slice(None, -3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(-2, 1, -2),
    slice(5, 2),
    slice(None, None, 7),
    slice(4, 2, -3),
    slice(2**70, None, -3),
    slice(-(2**70), 2**70, 3),
    slice(np.int64(1), np.uint8(4)),
    slice(True, 3),
    1,
    -6,
    (slice(1, 5), slice(None, None, -1)),
    (2, slice(1, None)),
    (slice(3), -1),
    (slice(2, 2), slice(1)),
]


@pytest.fixture(autouse=True, params=["as set", "all wait"])
def _waits(request: pytest.FixtureRequest) -> None:
    """What is computed at the call is computed later as well."""
    if request.param == "all wait":
        request.getfixturevalue("deferred")


def launched(function: Any, *operands: Any) -> Any:
    """The same by a launch: while somebody looks on, no thread computes by itself."""
    with cp.profile():
        result = function(*operands)
        cp.eval(*(result if isinstance(result, tuple) else (result,)))
    return result


@pytest.mark.parametrize(("name", "dtypes"), LOOPS, ids=IDS)
def test_bits_are_those_of_launches(name: str, dtypes: tuple[np.dtype, ...]) -> None:
    function = getattr(cp, name)
    values = [np.concatenate([special_values(t), ordinary_values(t, (40,), 3)]) for t in dtypes]
    count = min(len(each) for each in values)
    with np.errstate(all="ignore"):
        arrays = [cp.asarray(each[:count]) for each in values]
        if name == "power" and dtypes[1].kind in "iu":
            arrays = [each & 3 for each in arrays]
        ones = [arrays[0], *(each[3:4] for each in arrays[1:])]
        numbers = [arrays[0], *(each[3] for each in arrays[1:])]
        strided = [each[::-2] for each in arrays]
        tables = [each[: count // 40 * 40].reshape(-1, 2, 20) for each in arrays]
        rows = [each[..., 1:] for each in tables]
        columns = [rows[0], *(each[..., 3:4] for each in rows[1:])]
        bands = [rows[0][..., :1], *(each[:, :1] for each in rows[1:])]
        apart = [each[:, 1:, ::-1][..., 2:] for each in tables]
        for operands in (
            *(arrays, ones, ones[::-1], numbers, numbers[::-1], strided),
            *(rows, columns, columns[::-1], bands, bands[::-1], apart),
        ):
            if [each.dtype for each in operands] != [each.dtype for each in arrays]:
                continue
            found, expected = function(*operands), launched(function, *operands)
            if not isinstance(found, tuple):
                found, expected = (found,), (expected,)
            for mine, theirs in zip(found, expected, strict=True):
                assert cp.asnumpy(mine).tobytes() == cp.asnumpy(theirs).tobytes()


REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "mean")


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_have_the_bits_of_launches(name: str, dtype: str) -> None:
    function = getattr(cp, name)
    for size in (1, 2, 63, 65, 1000, 1024, 1025, 2048, 3000, 8191):
        values = ordinary_values(np.dtype(dtype), (size + 1,), size)
        with np.errstate(all="ignore"):
            a, table = (cp.asarray(np.resize(values, shape)) for shape in (size + 1, (60, 41)))
            operands = [a[1:], a[:0:-1], cp.broadcast_to(a[:1], (9, 5)), cp.asarray([-0.0] * size)]
            operands += [table[: size // 40, :40], table.T[:, : size // 41], table[:, :1] + table]
            for each in operands:
                if not each.size:
                    continue
                for result in (lambda x: function(x), lambda x: function(x * x) + x[(0,) * x.ndim]):
                    found, expected = result(each), launched(result, each)
                    assert cp.asnumpy(found).tobytes() == cp.asnumpy(expected).tobytes(), size


@pytest.mark.parametrize("name", ["sum", "prod", "max", "mean", "var", "any", "argmax", "argmin"])
def test_reductions_along_axes_have_the_bits_of_launches(name: str) -> None:
    function = getattr(cp, name)
    shapes = [(33, 17), (1, 5), (70, 3), (3, 200), (4, 1, 9), (2, 3, 5, 7), (17, 8, 1), (2, 2000)]
    for number, shape in enumerate(shapes):
        values = ordinary_values(np.dtype("f4" if number % 2 else "i8"), shape, number)
        a = cp.asarray(values)
        pairs = [(d, d + 1) for d in range(a.ndim - 1)] if "arg" not in name else []
        for each in (a, a[..., ::2], a.T, a[:, :1] * a, cp.asfortranarray(a)):
            for axis in (*range(a.ndim), *pairs, None):
                for keep in (False, True):

                    def along(x: Any, axis: Any = axis, keep: bool = keep) -> Any:
                        return function(x, axis=axis, keepdims=keep)

                    found, expected = along(each), launched(along, each)
                    assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
                    assert cp.asnumpy(found).tobytes() == cp.asnumpy(expected).tobytes(), axis


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logaddexp", "subtract"])
def test_scans_have_the_bits_of_launches(name: str, dtype: str) -> None:
    if (name, dtype) in {("subtract", "?")} or (name == "logaddexp" and dtype in {"c8", "c16"}):
        pytest.skip("no such loop")
    accumulate = getattr(cp, name).accumulate
    line = cp.asarray(ordinary_values(np.dtype(dtype), (8192,), 5))
    table = cp.asarray(ordinary_values(np.dtype(dtype), (30, 70), 7))
    wanted = ["f4", "i2"] if dtype not in {"c8", "c16"} and name != "logaddexp" else []
    with np.errstate(all="ignore"):
        for each in (line[:1], line, line[::-3], table, table[:, 3:9], table.T, table[:, :1]):
            for result in (None, *wanted):
                for axis in range(each.ndim):

                    def along(x: Any, axis: int = axis, result: str | None = result) -> Any:
                        return accumulate(x, axis, result)

                    found, expected = along(each), launched(along, each)
                    assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
                    assert cp.asnumpy(found).tobytes() == cp.asnumpy(expected).tobytes()


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 8), (8, 3), (2, 3, 4, 5), (3, 0), (0, 3)])
def test_triangles(shape: tuple[int, ...]) -> None:
    for dtype in ("?", "i2", "f4", "c16"):
        values = ordinary_values(np.dtype(dtype), shape, 9)
        for k in (*range(-9, 10), 2**70, -(2**70)):
            near = max(-100, min(100, k))
            for name in ("tril", "triu"):
                for lay in (np.array, np.asfortranarray):
                    theirs = getattr(np, name)(lay(values), near)
                    mine = getattr(cp, name)(cp.asarray(lay(values)), k)
                    assert (mine.dtype, mine.strides) == (theirs.dtype, theirs.strides)
                    np.testing.assert_array_equal(cp.asnumpy(mine), theirs)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4"])
def test_products_have_the_bits_of_launches(dtype: str) -> None:
    def laid_out(shape: tuple[int, int], seed: int) -> list[Any]:
        a = cp.asarray(ordinary_values(np.dtype(dtype), shape, seed))
        return [a, cp.asfortranarray(a), cp.repeat(a, 2, 1)[:, ::2], a[::-1], a[0], a[:, 0]]

    for m, k, n in ((1, 5, 1), (3, 1, 4), (17, 30, 5), (40, 40, 40), (1, 200, 8), (8, 200, 1)):
        for a in laid_out((m, k), m):
            pairs = [(a, b) for b in laid_out((k, n), n + 1)] + [(a, a.T)]
            for first, second in pairs:
                if first.shape[-1] != second.shape[0]:
                    continue
                found = first @ second
                expected = launched(lambda x, y: x @ y, first, second)
                assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
                assert cp.asnumpy(found).tobytes() == cp.asnumpy(expected).tobytes()


def test_reductions_of_what_waits() -> None:
    def computed(xp: Any) -> list[Any]:
        a = xp.arange(1.0, 301)
        squares, total = a * a, xp.zeros(())
        for _ in range(3):
            total = total + (squares - squares.mean()).max() / a.sum()
            squares = squares / total
        wide = xp.arange(80.0).reshape(4, 20)
        wide -= wide.mean()
        wide[1:, 1:-1] *= wide.max() + wide[:1, 1:-1].min()
        return [total, squares, wide, squares.sum(dtype=xp.float32), (a > 3).sum(), a.var()]

    agree(computed, tolerance=Tolerance(4))


@pytest.mark.skipif(
    not os.environ.keys().isdisjoint({"CUPOLA_EAGER", "CUPOLA_ADVERSARY"}),
    reason="the environment says what waits",
)
def test_what_is_computed_at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = cp.Device("cpu:0")
    many, few, other = (cp.arange(float(n), device=cpu) for n in (10000, 1024, 1024))
    numbers = cp.arange(32, dtype="i2", device=cpu)
    table = few.reshape(32, 32)
    cp.eval(many, few, other, numbers)

    def of_other_layouts() -> list[Any]:
        row, column = table[3], table[:, :1]
        gaps, turned = few[::3], few[::-1]
        results = [gaps + 1, -turned, turned - few, table * row, column - row, gaps[:7] > gaps[1:8]]
        results += [numbers / 2, numbers * table, numbers + few[:1], 2.5 - numbers, few**2]
        results += [few * few[3], numbers / (few[5] - few[2]), numbers[1] - turned]
        results += [few.cumsum(), numbers.cumprod(), gaps.cumsum(dtype="f4"), table.cumsum(1)]
        results += [few.astype("f4"), turned.astype("i4"), (few > 9).astype("u1")]
        results += [cp.where(few > 9, few, 0), cp.where(table > row, column, numbers)]
        return [*results, cp.where(few[:5] > 2, 1, 2**40), cp.where(gaps > 3, numbers[:1], 7.5)]

    def computed(eager: bool | None) -> list[Any]:
        monkeypatch.setattr(cp.config, "eager", eager)
        simple = [few + other, few * 2, 3 - few, few > other, -few, cp.exp(few)]
        simple += [few.sum(), table.sum(0), table.max(1), few.argmax(), table.argmin(0)]
        simple += [numbers.mean(keepdims=True), table.mean(1), cp.roll(table, (3, -5), (0, 1))]
        return simple + of_other_layouts()

    is_pending = cp._cupola.is_pending
    results = computed(False)
    assert all(is_pending(each) for each in results)
    at_call = computed(None)
    assert not any(is_pending(each) for each in at_call)
    waiting = [many + many, many * 2, (many + 1)[:9] + 1, many[::-1] + 1, table.T + 1]
    waiting += [few[:, None] + few[:9], many.astype("f4"), cp.where(many > 3, 1, 2)]
    assert all(is_pending(each) for each in waiting)
    assert is_pending(many.sum() + few)
    for mine, expected in zip(at_call, results, strict=True):
        assert (mine.dtype, mine.strides) == (expected.dtype, expected.strides)
        assert cp.asnumpy(mine).tobytes() == cp.asnumpy(expected).tobytes()


@pytest.mark.parametrize(
    ("setting", "eager"), [(None, "None"), ("", "None"), ("0", "False"), ("1", "True")]
)
def test_what_the_environment_says_of_waiting(
    monkeypatch: pytest.MonkeyPatch, setting: str | None, eager: str
) -> None:
    monkeypatch.delenv("CUPOLA_EAGER", raising=False)
    environment = {} if setting is None else {"CUPOLA_EAGER": setting}
    assert output_of("import cupola; print(cupola.config.eager)", **environment) == eager


SEARCHED = ["?", "i1", "u2", "i8", "u8", "f2", "f4", "f8", "c16"]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", SEARCHED)
def test_searches(dtype: str, side: str) -> None:
    def found(xp: Any, count: int, step: int) -> list[Any]:
        values = np.sort(np.resize(ordinary_values(np.dtype(dtype), (60,), 1), count))
        wanted = np.resize(ordinary_values(np.dtype(dtype), (60,), 2), 70)
        if np.dtype(dtype).kind in "fc":
            values[-1], wanted[:3] = np.nan, [np.nan, -0.0, np.inf]
        line, sought = xp.asarray(values[::step])[::step], xp.asarray(wanted)
        table = sought.reshape(7, 10)
        results = [line.searchsorted(each, side) for each in (sought, table.T, sought[::-3])]
        if np.dtype(dtype).kind in "iu":
            results.append(xp.searchsorted(line, sought * 1.5, side))
            results.append(xp.searchsorted(line, 3, side))
        return results

    for count in (1, 2, 63, 5000):
        for step in (1, -1):
            agree(lambda xp, n=count, s=step: found(xp, n, s))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u4", "i8"])
def test_counts(dtype: str) -> None:
    def counted(xp: Any, least: int) -> list[Any]:
        numbers = xp.asarray((np.arange(300) * 7 % 90).astype(dtype))
        return [
            xp.bincount(each, minlength=least) for each in (numbers, numbers[::-2], numbers[:1])
        ]

    for least in (0, 5, 8192, 8193):
        agree(lambda xp, n=least: counted(xp, n))
    agree(lambda xp: xp.bincount(xp.asarray([8191, 0, 8191, 1]) + 0))
    agree(lambda xp: xp.bincount(xp.asarray([70000, 0])))
    agree(lambda xp: xp.bincount(xp.asarray([3, -1])))


def test_numbers_and_lists_become_arrays() -> None:
    nested: list[Any] = [1, 2]
    values = [3, -1.5, True, 2**63, [1.5, 2], [[True], [False]], (1, (2)), [], [np.float32(3)]]
    for value in values:
        for dtype in (None, "f4"):
            agree(lambda xp, v=value, d=dtype: xp.asarray(v, d))
    assert cp.asarray([cp.asarray(2.0), 3, [4.0][0]]).tolist() == [2, 3, 4]
    assert cp.asarray([[cp.asarray(2.0)], (3,)]).shape == (2, 1)
    nested.append(nested)
    for make in (cp.asarray, cp.array):
        with pytest.raises(RecursionError):
            make(nested)
        with pytest.raises(TypeError, match="elements must be"):
            make(2**70)
        with pytest.raises(ValueError, match="source must be"):
            make(3.0, source="other")


def test_items() -> None:
    def items(xp: Any, shape: tuple[int, ...]) -> list[Any]:
        a = xp.arange(24.0).reshape(shape)
        return [a.item(i) for i in range(-24, 24)] + [a[..., ::-1].item(5)]

    for shape in ((24,), (2, 12), (2, 3, 4), (24, 1)):
        agree(lambda xp, s=shape: items(xp, s))
        for place in (24, -25):
            agree(lambda xp, s=shape, i=place: xp.arange(24).reshape(s).item(i))


@pytest.mark.usefixtures("deferred")
def test_loops_that_read_nothing_are_computed_in_few_launches() -> None:
    def swung(xp: Any) -> list[Any]:
        place, speed = xp.linspace(0, 1, 200), xp.zeros(200)
        for _ in range(300):
            force = -place * 2.0 - speed * 0.1
            speed = speed + force * 0.01
            place = place + speed * 0.01
        return [place, speed]

    before = cp._cupola.counters()["launches"]
    pending = swung(cp)
    assert 3 < cp._cupola.counters()["launches"] - before < 300 // 8
    agree(lambda xp: pending if xp is cp else swung(xp))


def test_masks() -> None:
    def computed(xp: Any, dtype: str) -> list[Any]:
        a = xp.arange(24).reshape(4, 6).astype(dtype)
        waits = a + 1  # reads what is overwritten
        inside = a > 5
        a[inside] = 3
        a[~inside] = a[~inside] + 1
        a[inside] += xp.ones(18, dtype)
        a[xp.zeros((4, 6), bool)] = xp.zeros(0, dtype)
        a[inside] = xp.full(1, 7, dtype)
        a[inside.T.copy().T] = 2.0
        a[:, ::2][inside[:, ::2]] = 1
        flags = xp.arange(6) > 2
        flags[flags] = False
        return [a, waits, inside, flags, a[inside], a[a == 2]]

    for dtype in ("?", "i1", "i8", "f4", "c16"):
        agree(lambda xp, d=dtype: computed(xp, d))


@pytest.mark.parametrize("values", [[1.0, 2.0], [[1.0]], [1.0] * 25], ids=repr)
def test_masks_that_do_not_fit(values: list[Any]) -> None:
    def written(xp: Any) -> Any:
        a = xp.arange(24.0)
        a[a > 5] = xp.asarray(values)
        return a

    agree(written)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_parts(key: Any) -> None:
    def parts(xp: Any) -> list[Any]:
        a = xp.arange(48.0).reshape(6, 8)
        part = a[key]
        strides = part.strides
        a[key] = 7
        a[key] += a[key] * 2
        a[key] = a[key][...] + 1
        a[key] = a[key]
        return [part + 0, xp.asarray(strides), a]

    agree(parts)


@pytest.mark.parametrize("key", ["x", 1.5, (1, 2, 3), slice(None, None, 0), slice(1.5), 2**70, [9]])
def test_parts_that_are_none(key: Any) -> None:
    def read(xp: Any) -> Any:
        return xp.arange(48.0).reshape(6, 8)[key]

    def written(xp: Any) -> Any:
        a = xp.arange(48.0).reshape(6, 8)
        a[key] = 3
        return a

    agree(read)
    agree(written)


def test_updates_in_place_read_what_was_there() -> None:
    def updated(xp: Any) -> list[Any]:
        a = xp.arange(20.0)
        doubled = a * 2  # waits, and reads what is overwritten
        a += a
        a[1:] += a[:-1]
        a[::-1] -= a
        a[5:15] = a[:10] + a[10:]
        a *= 0.5
        held = a + 1
        both = held * held
        a -= both
        grid = xp.ones((4, 5))
        grid *= xp.arange(5.0)
        grid.T[...] = grid.T + xp.arange(4.0)
        grid[:, 1] = grid[1, 0]
        grid[:, 2] = grid[3, :4]
        grid[1:] = grid[:-1]
        grid[::-1, 1:] = grid[:, :-1]
        grid[1] = grid[:, 1].sum()
        return [doubled, a, held, both, grid]

    agree(updated)


@pytest.mark.parametrize("width", [15, 16, 17, 40])
def test_rows(width: int) -> None:
    """Rows of one distance, of several, of one element each, backwards; read and written."""

    def computed(xp: Any) -> list[Any]:
        a = xp.arange(3.0 * 4 * (width + 2)).reshape(3, 4, width + 2)
        b, column, row = a[..., 1:-1], a[..., :1], a[0, 0, 1:-1]
        found = [b + column, column - row, b * row, xp.where(b > row, b, column), -b[::-1, 1:3]]
        found += [b[:, ::2] + b[:, 1::2], b[..., ::-1] + row, (b + column) * (row - column)]
        found += [b.transpose(1, 0, 2) + b[:1, :1], (row + 1) * b.T[:3].T[..., :1], column + column]
        a[:, 1:3, 1:-1] = b[:, :2] * 2 + row
        a[..., 1:-1] += column
        a[:, ::2, 1:-1] -= a[:, 1::2, 2:] * 0.5
        a[1:, 1:, 2:] = a[:-1, :-1, :-2] + column[:1, :1]
        a[:2, :, 1:-1] = xp.where(b[1:] > 20, row, column[:2])
        a.T[1:-1] *= 3
        n = xp.zeros((3, width), xp.int64)
        n[1], n[2] = xp.arange(width), xp.arange(width)[::-1]
        n[:, 1:] = xp.indices((3, width - 1))[1] * 2
        found += [n, xp.arange(width) * row, xp.arange(3)[:, None] + xp.arange(width)]
        return [*found, a]

    agree(computed)


def test_updates_of_other_types() -> None:
    def updated(xp: Any, dtype: str, operand: Any) -> Any:
        a = xp.arange(6).astype(dtype)
        operand = xp.asarray(operand) if isinstance(operand, np.ndarray) else operand
        a += operand
        a //= operand
        return a

    for dtype in ("?", "i1", "u8", "f2", "f4", "c16"):
        for operand in (3, 300, 2.5, True, np.float32(2), np.arange(6)):
            with np.errstate(all="ignore"):
                agree(lambda xp, d=dtype, o=operand: updated(xp, d, o))


def test_operators_of_derived_classes_and_others() -> None:
    class Other:
        __array_ufunc__ = None

        def __rmul__(self, other: Any) -> str:
            return "mine"

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None

    class Derived(cp.ndarray):
        def __radd__(self, other: Any) -> str:
            return "derived"

        def __getitem__(self, key: Any) -> str:
            return "item"

    a = cp.arange(3.0)
    assert a * Other() == "mine"
    assert (a == Other()) is True
    assert a.__mul__(Other()) is NotImplemented
    derived = Derived((3,))
    assert derived[1:] == "item"
    assert 3 + derived == "derived"
    assert cp.asnumpy(a * (1 + 2j)).tolist() == [0, 1 + 2j, 2 + 4j]
    assert cp.asnumpy(1j * a).tolist() == [0, 1j, 2j]
    with pytest.raises(TypeError, match="unsupported operand"):
        a + "x"
    with pytest.raises(TypeError, match="unsupported operand"):
        None - a
    with pytest.raises(ValueError, match="delete"):
        del a[1:]


def test_long_chains_are_no_recursion() -> None:
    a = cp.zeros(3)
    for _ in range(20_000):
        a = a + 1
    held = [cp.zeros(3)]
    for _ in range(20_000):
        held.append(held[-1] + 1)
    assert float(a[0]) == float(held[-1][2]) == 20_000
    assert float(held[7][0]) == 7


def test_threads_update_arrays_of_their_own() -> None:
    shared = cp.arange(64.0)
    results: list[Any] = [None] * 8

    def work(number: int) -> None:
        own = cp.zeros(64)
        for turn in range(200):
            own += shared * number
            own[turn % 64 :] -= shared[: 64 - turn % 64]
            own[::2] = own[::-2] * 0.5
        results[number] = own

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    host = np.arange(64.0)
    for number, found in enumerate(results):
        own = np.zeros(64)
        for turn in range(200):
            own += host * number
            own[turn % 64 :] -= host[: 64 - turn % 64]
            own[::2] = own[::-2] * 0.5
        np.testing.assert_array_equal(cp.asnumpy(found), own)
