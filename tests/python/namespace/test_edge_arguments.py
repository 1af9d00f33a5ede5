"""Arguments at the edges of what NumPy takes: both take them, or both refuse them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import NUMPY, agree

NAN = float("nan")
Case = Callable[[Any], Any]


def stored(dtype: str, key: Any, value: Any) -> Case:
    """a[key] = value."""

    def run(xp: Any) -> Any:
        a = xp.zeros(4, dtype)
        a[key] = value
        return a

    return run


def changed(call: Callable[..., Any], start: Any, dtype: str) -> Case:
    """The array that call(xp, a) changes."""

    def run(xp: Any) -> Any:
        a = xp.asarray(np.array(start, dtype))
        call(xp, a)
        return a

    return run


ITEMS = {
    f"{dtype} {key!r} {value!r}": stored(dtype, key, value)
    for dtype in ("i1", "u1", "i8", "u8", "f4")
    for key in (0, slice(None), [0, 1])
    for value in (300.7, -1.5, 1e30, 1.9, np.float64(300.7), np.float32(-2), np.int64(300))
}

LISTS: list[Any] = [[300.7, 1], [1.7, 1], [300, 1], (1j, 1), [NAN, 1], [-1.5, 1], [2**63, 1]]


@pytest.mark.parametrize("key", [slice(None), [0, 1], [True, True]], ids=str)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "u8", "f4", "c8"])
def test_stored_lists(dtype: str, key: Any) -> None:
    """Each number of a list is stored as it would be alone."""
    for values in [*LISTS, [2**64, 1], [True, 2.5], [1, 2, 3]]:

        def store(xp: Any, a: Any, values: Any = values) -> None:
            a[key] = values

        agree(changed(store, [0, 0], dtype), what=f"{values} to {dtype}")
        agree(changed(lambda xp, a, v=values: a.put([0, 1], v), [0, 0], dtype), what=f"{values}")
        agree(changed(lambda xp, a, v=values: setattr(a, "flat", v), [0, 0], dtype))
        fill = changed(lambda xp, a, v=values: xp.fill_diagonal(a, v), [[0, 0], [0, 0]], dtype)
        agree(fill, what=f"{values} to the diagonal of {dtype}")


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "f4", "c8"])
def test_numbers_of_diagonals(dtype: str) -> None:
    for value in (300, 300.7, 1e30, NAN, -1.5, 1j, np.float64(2.5), np.int64(300), 2**63):
        fill = changed(lambda xp, a, v=value: xp.fill_diagonal(a, v), [[0, 0], [0, 0]], dtype)
        agree(fill, what=f"{value!r} to the diagonal of {dtype}")


NUMBERS = [True, 1, -1, 1.5, 1j, 1e300, np.float64(1.5), np.int64(300), [1.5, 2.0]]


@pytest.mark.parametrize("case", ITEMS)
def test_stored_numbers(case: str) -> None:
    agree(ITEMS[case])


@pytest.mark.parametrize("casting", ["no", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "c8"])
def test_copied_numbers(dtype: str, casting: str) -> None:
    for value in NUMBERS:
        agree(
            changed(
                lambda xp, a, value=value: xp.copyto(a, value, casting),
                [0, 1],
                dtype,
            ),
            what=f"{value!r} to {dtype}",
        )


COPYTO = {
    "leading ones": changed(lambda xp, a: xp.copyto(a, xp.ones((1, 1, 3))), [0, 0, 0], "f8"),
    "leading twos": changed(lambda xp, a: xp.copyto(a, xp.ones((2, 1, 3))), [0, 0, 0], "f8"),
    "where 0": changed(lambda xp, a: xp.copyto(a, xp.ones(3), where=0), [0, 0, 0], "f8"),
    "where 1": changed(lambda xp, a: xp.copyto(a, xp.ones(3), where=1), [0, 0, 0], "f8"),
    "where list": changed(lambda xp, a: xp.copyto(a, 5, where=[1, 0, 2.5]), [0, 0, 0], "f8"),
    "where rank": changed(
        lambda xp, a: xp.copyto(a, 5, where=xp.ones((1, 3), "?")), [0, 0, 0], "f8"
    ),
    "ufunc where 0": lambda xp: xp.add(1, xp.asarray([1, 2]), where=0, out=xp.asarray([5, 5])),
    "ufunc where list": lambda xp: xp.add(
        1, xp.asarray([1, 2]), where=[1, 0], out=xp.asarray([5, 5])
    ),
}

FILLERS: dict[str, Case] = {
    "number": lambda xp: 1.5,
    "list": lambda xp: [1.5],
    "long list": lambda xp: [7, 8, 9, 10],
    "nothing": lambda xp: [],
    "large number": lambda xp: [300],
    "floats": lambda xp: xp.asarray([1.5, 2]),
    "integers": lambda xp: xp.asarray([1, 2], dtype="i8"),
    "bools": lambda xp: xp.asarray([True]),
}
FILLED = [[True, False, True], [True, False], [True, False, True, True], [False] * 3]


@pytest.mark.parametrize("case", COPYTO)
def test_copyto(case: str) -> None:
    agree(COPYTO[case])


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize("dtype", ["i1", "i8", "f4"])
@pytest.mark.parametrize("name", ["putmask", "place"])
def test_masks_and_values(name: str, dtype: str, filler: str) -> None:
    if name == "place" and filler == "number":
        return  # NumPy takes a sequence
    for mask in FILLED:
        agree(
            changed(
                lambda xp, a, mask=mask: getattr(xp, name)(a, mask, FILLERS[filler](xp)),
                [0, 0, 0],
                dtype,
            )
        )


@pytest.mark.skipif(NUMPY >= (2, 5), reason="NumPy 2.5 casts what it takes by another rule")
@pytest.mark.parametrize("out", ["?", "i4", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("own", ["i4", "i8", "f8"])
def test_take_into_another_dtype(own: str, out: str) -> None:
    def run(xp: Any, a: Any) -> Any:
        return xp.take(a, xp.asarray([0, 1]), out=xp.zeros(2, out))

    agree(run, np.array([1, 2, 3], own))


COUNTS: list[Any] = [2, True, 2.5, "2", [2], [2.0, 1.0], [], [1, 2, 3], -1, [True, False]]


@pytest.mark.parametrize("counts", COUNTS, ids=repr)
def test_repeat_counts(counts: Any) -> None:
    agree(lambda xp, a: xp.repeat(a, counts), np.array([1, 2]))


@pytest.mark.parametrize("dtype", ["?", "i4", "u1", "u8", "f8"])
@pytest.mark.parametrize("shape", [(), (2,), (1, 2), (2, 1)])
def test_repeat_count_arrays(shape: Any, dtype: str) -> None:
    agree(lambda xp, a, counts: xp.repeat(a, counts), np.array([1, 2]), np.ones(shape, dtype))


CASES: dict[str, Case] = {
    "put complex": changed(lambda xp, a: xp.put(a, [0], 1j), [0, 0], "i8"),
    "repeat 0-d": lambda xp: xp.repeat(xp.asarray(5), 3, axis=0),
    "repeat 0-d axis 1": lambda xp: xp.repeat(xp.asarray(5), 3, axis=1),
    "flat None": lambda xp: xp.asarray([1, 2]).flat[None],
    "delete mask": lambda xp: xp.delete(xp.asarray([1, 2, 3]), xp.zeros(0, "?")),
    "delete mask of 2": lambda xp: xp.delete(xp.asarray([1, 2, 3]), xp.asarray([True, False])),
    "delete by mask": lambda xp: xp.delete(xp.asarray([1, 2]), xp.asarray([True, False])),
    "delete nothing": lambda xp: xp.delete(xp.asarray([1, 2, 3]), []),
    "delete floats": lambda xp: xp.delete(xp.asarray([1, 2, 3]), xp.zeros(0)),
    "insert by empty mask": lambda xp: xp.insert(xp.asarray([1, 2, 3]), xp.zeros(0, "?"), 5),
    "insert by floats": lambda xp: xp.insert(xp.asarray([1, 2, 3]), xp.zeros(0), 5),
    "int": lambda xp: int(xp.asarray([5])),
    "float": lambda xp: float(xp.asarray([5])),
    "complex": lambda xp: complex(xp.asarray([[5]])),
    "bool": lambda xp: bool(xp.asarray([5])),
    "squeeze 0": lambda xp: xp.squeeze(xp.asarray(5), axis=0),
    "squeeze -1": lambda xp: xp.asarray(5).squeeze(-1),
    "squeeze 1": lambda xp: xp.squeeze(xp.asarray(5), axis=1),
    "squeeze (0,)": lambda xp: xp.squeeze(xp.asarray(5), axis=(0,)),
    "cumulative_sum 0-d": lambda xp: xp.cumulative_sum(xp.asarray(5)),
    "cumulative_prod 0-d": lambda xp: xp.cumulative_prod(xp.asarray(5), axis=-1),
    "cumulative_sum of bool": lambda xp: xp.cumulative_sum(
        xp.asarray([True, True]), out=xp.zeros(2, "i8")
    ),
    "cumulative_sum of bool with 0": lambda xp: xp.cumulative_sum(
        xp.asarray([True, True]), out=xp.zeros(3, "i8"), include_initial=True
    ),
    "trim_zeros 0-d": lambda xp: xp.trim_zeros(xp.asarray(0)),
    "trim_zeros letter": lambda xp: xp.trim_zeros(xp.asarray([0, 1]), "x"),
    "mgrid by arrays": lambda xp: xp.mgrid[0 : xp.asarray(5.0) : 10j, xp.asarray(0) : 2],
    "ogrid by arrays": lambda xp: xp.ogrid[0 : xp.asarray(5.0) : 10j, xp.asarray(0) : 2],
    "mask of no elements": lambda xp: xp.ones((3, 2))[xp.zeros(0, "?")],
    "mask (3, 0)": lambda xp: xp.ones((3, 2))[xp.zeros((3, 0), "?")],
    "mask (0, 2)": lambda xp: xp.ones((3, 2))[xp.zeros((0, 2), "?")],
    "mask (0, 3)": lambda xp: xp.ones((0, 2))[xp.zeros((0, 3), "?")],
    "mask of 5": lambda xp: xp.ones(0)[xp.zeros(5, "?")],
    "set by mask of none": changed(
        lambda xp, a: a.__setitem__(xp.zeros(0, "?"), 5), [[1, 2], [3, 4]], "i8"
    ),
    "power of nothing": lambda xp: xp.arange(0) ** -1,
    "power of nothing by array": lambda xp: xp.zeros(0, "i8") ** xp.asarray([-1]),
    "cond of no matrices": lambda xp: xp.linalg.cond(xp.zeros((0, 2, 2))),
    "cond of no matrices by 1": lambda xp: xp.linalg.cond(xp.zeros((0, 2, 2)), 1),
    "cond of empty matrices": lambda xp: xp.linalg.cond(xp.zeros((2, 0, 0))),
    "shape": changed(lambda xp, a: setattr(a, "shape", (4,)), [1, 2, 3], "i8"),
    "shape text": changed(lambda xp, a: setattr(a, "shape", "x"), [1, 2, 3], "i8"),
    "shape None": changed(lambda xp, a: setattr(a, "shape", None), [1, 2, 3], "i8"),
    "shape float": changed(lambda xp, a: setattr(a, "shape", (3.0,)), [1, 2, 3], "i8"),
    "shape of a transpose": changed(lambda xp, a: setattr(a.T, "shape", 4), [[1, 2], [3, 4]], "i8"),
    "roll axis text": lambda xp: xp.roll(xp.arange(3), 1, axis="0"),
    "roll axis float": lambda xp: xp.roll(xp.arange(3), 1, axis=0.0),
    "roll float": lambda xp: xp.roll(xp.arange(3), 1.5, axis=0),
    "roll text": lambda xp: xp.roll(xp.arange(3), "1"),
    "roll list": lambda xp: xp.roll(xp.arange(3), [1, 1]),
    "roll tuples": lambda xp: xp.roll(xp.arange(3), (1, 2), axis=(0,)),
    "arange negative": lambda xp: xp.arange(-15, 1.5, dtype="uint8"),
    "arange wraps": lambda xp: xp.arange(0.5, 300.5, 100, dtype="int8"),
    "arange beyond": lambda xp: xp.arange(300.0, 303.0, dtype="int8"),
    "linspace to integers": lambda xp: xp.linspace(0, 1j, 3, dtype="i8"),
    "arange beyond an extent": lambda xp: xp.arange(3) / 2**64,
    "int power": lambda xp: xp.ones(3) ** 2**64,
    "large over": lambda xp: 2**64 / xp.ones(3),
    "int beyond times": lambda xp: xp.arange(3) * 2**64,
    "arctan2 of large": lambda xp: xp.arctan2(xp.arange(3), 2**64),
    "sign": lambda xp: xp.sign(2**64 - 1),
    "negative": lambda xp: xp.negative(2**63),
}


@pytest.mark.parametrize("case", CASES)
def test_as_numpy(case: str) -> None:
    agree(CASES[case])


def orders(xp: Any) -> list[Case]:
    table = xp.asarray([[1, 2], [3, 4]]).T
    return [
        lambda order: xp.ravel(table, order=order),
        lambda order: table.flatten(order=order),
        lambda order: table.copy(order=order).strides,
        lambda order: xp.copy(table, order=order).strides,
        lambda order: xp.array(table, order=order).strides,
        lambda order: table.astype("f4", order=order).strides,
        lambda order: xp.reshape(table, 4, order=order),
        lambda order: xp.zeros((2, 3), order=order).strides,
        lambda order: xp.empty((2, 3), order=order).strides,
        lambda order: xp.ones((2, 3), order=order).strides,
        lambda order: xp.full((2, 3), 1, order=order).strides,
        lambda order: xp.eye(3, order=order).strides,
        lambda order: np.frombuffer(table.tobytes(order=order), "i8"),
    ]


@pytest.mark.parametrize("order", [None, "C", "F", "A", "K", "Q"])
@pytest.mark.parametrize("number", range(13))
def test_orders(number: int, order: Any) -> None:
    agree(lambda xp: orders(xp)[number](order))


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 6), (4,), (2, 3)])
def test_orders_of_like_arrays(shape: Any, order: str) -> None:
    def run(xp: Any) -> list[Any]:
        tables = [
            xp.zeros((2, 3)),
            xp.zeros((2, 3)).T,
            xp.zeros((2, 3, 4)).transpose(1, 0, 2),
            xp.zeros((4, 6))[::2, ::3],
        ]
        return [
            function(table, order=order, shape=shape).strides
            for table in tables
            for function in (xp.empty_like, xp.zeros_like, xp.ones_like)
        ]

    agree(run)


@pytest.mark.parametrize("lengths", [(1, None), (None, None), (2, None), (None, 3), (1, -1)])
def test_transforms_of_whole_axes(lengths: Any) -> None:
    def run(xp: Any, a: Any) -> list[Any]:
        return [
            getattr(xp.fft, name)(a, s=lengths, axes=(0, 1)).shape
            for name in ("fftn", "rfftn", "ifftn")
        ]

    agree(run, np.ones((3, 4)))
    if -1 not in lengths:
        agree(lambda xp, a: xp.fft.irfftn(a, s=lengths, axes=(0, 1)).shape, np.ones((3, 4)))


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", ["sum", "cumsum", "angle", "sin", "median", "sort", "transpose"])
def test_host_arrays_are_refused(name: str) -> None:
    """Nothing is copied from the host unasked, by whichever function; numbers are."""
    with pytest.raises(TypeError, match=r"cupola\.asarray"):
        getattr(cp, name)(np.ones(3))
    getattr(cp, name)(np.ones((1,))[0] if name != "sort" else [1.0])


def stored_at(shape: Any, key: Any, value: Any) -> Case:
    """a[key] = an array of that value."""

    def run(xp: Any) -> Any:
        a = xp.zeros(shape)
        a[key] = xp.asarray(value)
        return a

    return run


KEYS: list[Any] = [0, (0,), np.int64(0), -1, ..., (0, ...), (), slice(None), [0], None]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("value", [5, [5], [[5]], [], [1, 2]], ids=str)
def test_arrays_stored_in_elements(key: Any, value: Any) -> None:
    """An element takes an array without dimensions only."""
    for shape in ((3,), (1,), ()):
        agree(stored_at(shape, key, value), what=f"{shape}[{key}] = {value}")
    agree(stored_at((2, 3), (0, 1), value))
    agree(stored_at((2, 3), (0, np.int8(1)), value))
    agree(stored_at((2, 3), (0, slice(1)), value))


@pytest.mark.parametrize("exponent", [2, 3, 2.0, 0, 1, True, np.int64(2), 2j, -1])
def test_powers_of_booleans(exponent: Any) -> None:
    agree(lambda xp, a: a**exponent, np.array([True, False]))
    agree(changed(lambda xp, a: a.__ipow__(exponent), [True, False], "?"))


REPETITIONS: list[Any] = [-1, 0, (2, -1), (-1, 2), (-1, -1), (-2, 1), (), (1, 0)]


@pytest.mark.parametrize("repetitions", REPETITIONS, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (0,), (3, 0), (0, 3), (2, 3)])
def test_tile_of_nothing(shape: Any, repetitions: Any) -> None:
    agree(lambda xp: xp.tile(xp.ones(shape), repetitions))


INSERTED: list[Any] = [[2, 1, 2], [-1, -3, 2], [0, 0, 3], [1], [-1], 2, -3, [], [3, 0, 1]]
INSERTED += [5, [5], [5, 0, 1], 1.0, -0.0, [1.0], [0.0, 1, 2], slice(0, 3), slice(1, 2), 3]


@pytest.mark.parametrize("positions", INSERTED, ids=str)
def test_insert_at_positions(positions: Any) -> None:
    """Each value stands before its own position, in whichever order these are."""
    for values in (9, [7, 8, 9], [], [9]):
        agree(lambda xp, v=values: xp.insert(xp.arange(3), positions, v), what=f"{values}")
        agree(lambda xp, v=values: xp.insert(xp.arange(3), positions, xp.asarray(v, "i8")))
    agree(lambda xp: xp.insert(xp.arange(6).reshape(2, 3), positions, [[7], [8]], axis=1))
    agree(lambda xp: xp.insert(xp.arange(9).reshape(3, 3), positions, [7, 8, 9], axis=0))
    agree(lambda xp: xp.insert(xp.arange(9).reshape(3, 3), positions, [7, 8, 9], axis=1))


MORE: dict[str, Case] = {
    "put uint64": changed(lambda xp, a: a.put(xp.asarray(np.array([0], "u8")), 1), [0, 0], "f8"),
    "put no uint64": changed(lambda xp, a: a.put(xp.asarray(np.array([], "u8")), 1), [0], "f8"),
    "put uint32": changed(lambda xp, a: a.put(xp.asarray(np.array([0], "u4")), 1), [0], "f8"),
    "put unfit nowhere": changed(lambda xp, a: a.put([], -1), [0, 0], "u1"),
    "put nothing": changed(lambda xp, a: a.put([5], []), [0, 0], "u1"),
    "put in nothing": changed(lambda xp, a: a.put([0], 1), [], "u1"),
    "put unfit in nothing": changed(lambda xp, a: a.put([], -1), [], "u1"),
    "flat unfit": changed(lambda xp, a: setattr(a, "flat", -1), [], "u1"),
    "flat complex": changed(lambda xp, a: setattr(a, "flat", [1j]), [], "f8"),
    "flat of nothing": changed(lambda xp, a: setattr(a, "flat", []), [1, 2], "f8"),
    "vander -1": lambda xp: xp.vander(xp.arange(2), -1),
    "vander 0": lambda xp: xp.vander(xp.arange(2), 0),
    "unravel -1": lambda xp: xp.unravel_index(xp.asarray([], "i8"), (-1,)),
    "unravel list": lambda xp: xp.unravel_index([], (1, -1)),
    "arange 1j": lambda xp: xp.arange(1j, dtype="i8"),
    "arange 0j": lambda xp: xp.arange(0j, dtype="?"),
    "arange step 1j": lambda xp: xp.arange(3, 5, 1j, dtype="f8"),
    "arange stop 3j": lambda xp: xp.arange(0, 3 + 0j, dtype="f4"),
    "arange to complex": lambda xp: xp.arange(1, 3, dtype="c8"),
    "nan 1j": lambda xp: xp.nan_to_num(xp.asarray([1.0, NAN]), nan=1j),
    "nan 1j of integers": lambda xp: xp.nan_to_num(xp.asarray([1, 2]), nan=1j),
    "nan 1j of complex": lambda xp: xp.nan_to_num(xp.asarray([1j]), nan=1j),
    "nan array": lambda xp: xp.nan_to_num(xp.asarray([1.0, NAN]), nan=xp.asarray([1, 2])),
    "posinf large": lambda xp: xp.nan_to_num(xp.asarray([NAN], "f4"), posinf=1e300),
    "posinf 1j": lambda xp: xp.nan_to_num(xp.asarray([1.0]), posinf=1j),
    "neginf float64": lambda xp: xp.nan_to_num(xp.asarray([1.0], "f4"), neginf=np.float64(1)),
    "pinv of 2 limits": lambda xp: xp.linalg.pinv(xp.eye(3), xp.asarray([1, 0])),
    "pinv of 1 limit": lambda xp: xp.linalg.pinv(xp.eye(3), xp.asarray([1])),
    "pinv limits": lambda xp: xp.linalg.pinv(xp.ones((2, 3, 3)), xp.asarray([1, 0.5])).round(9),
    "pinv (1, 2)": lambda xp: xp.linalg.pinv(xp.ones((2, 3, 3)), xp.asarray([[1, 0]])),
    "pinv empty": lambda xp: xp.linalg.pinv(xp.ones((2, 0, 3)), xp.asarray([1, 0, 3])),
    "pinv []": lambda xp: xp.linalg.pinv(xp.asarray([])),
    "choose nothing": lambda xp: xp.choose(xp.asarray(-3), [xp.zeros((0, 2)), xp.zeros((0, 2))]),
    "choose of nothing": lambda xp: xp.choose(xp.asarray([5]), [xp.zeros((0, 1)), xp.zeros(1)]),
    "choose beyond": lambda xp: xp.choose(xp.asarray([5]), [xp.zeros((2, 1)), xp.zeros(1)]),
}


@pytest.mark.parametrize("case", MORE)
def test_as_numpy_where_little_is_done(case: str) -> None:
    agree(MORE[case])


CLIPPED: list[Any] = [None, 0, 1, True, 1.5, 1j, np.int8(1), np.float64(1.5), np.complex64(1)]


@pytest.mark.parametrize("casting", ["safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("to", [None, "?", "i1", "i8", "f4", "c16"])
@pytest.mark.parametrize("own", ["?", "u1", "i8", "f8", "c8"])
def test_clip_in_a_dtype(own: str, to: Any, casting: str) -> None:
    """Elements and bounds are cast to it by the rule."""
    for low in CLIPPED:
        for high in CLIPPED:
            agree(
                lambda xp, a, low=low, high=high: xp.clip(a, low, high, dtype=to, casting=casting),
                np.array([0, 1, 2, 3], own),
                what=f"clip({own}, {low!r}, {high!r}, dtype={to}, casting={casting})",
            )


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
@pytest.mark.parametrize("value", [[5], [[1]], [], [1, 2], [[5, 6]], 7])
def test_arrays_stored_in_elements_of_a_dtype(dtype: str, value: Any) -> None:
    agree(
        changed(lambda xp, a: a.__setitem__(0, xp.asarray(np.array(value, dtype))), [0, 1], dtype)
    )


SEQUENCES: dict[str, Case] = {
    "range": lambda xp: xp.arange(5)[range(3)],
    "range backwards": lambda xp: xp.arange(5)[range(3, 0, -2)],
    "range of nothing": lambda xp: xp.arange(5)[range(0)],
    "text": lambda xp: xp.arange(5)["0"],
    "bytes": lambda xp: xp.arange(5)[b"0"],
    "set": lambda xp: xp.arange(5)[{1}],
    "at range": changed(lambda xp, a: xp.add.at(a, range(2), 1), [1, 2, 3], "i8"),
    "negative at range": changed(lambda xp, a: xp.negative.at(a, range(2)), [1, 2, 3], "i8"),
    "set by range": changed(lambda xp, a: a.__setitem__(range(2), 7), [1, 2, 3], "i8"),
    "take mode None": lambda xp: xp.take(xp.arange(3), xp.asarray([1]), mode=None),
    "take mode None beyond": lambda xp: xp.take(xp.arange(3), xp.asarray([5]), mode=None),
    "put mode None": changed(lambda xp, a: xp.put(a, [1], 7, mode=None), [1, 2], "i8"),
    "choose mode None": lambda xp: xp.choose(xp.asarray([0]), [xp.arange(1)], mode=None),
    "choose mode None beyond": lambda xp: xp.choose(xp.asarray([4]), [xp.arange(1)], mode=None),
    "pad by uint64": lambda xp: xp.pad(xp.arange(3), np.array([1, 0], "u8")),
    "pad by array": lambda xp: xp.pad(xp.arange(3), xp.asarray([1, 0])),
    "pad by unsigned array": lambda xp: xp.pad(xp.arange(3), xp.asarray(np.array([1, 0], "u8"))),
    "pad by floats": lambda xp: xp.pad(xp.arange(3), (1.0, 2.0)),
    "full of None": lambda xp: xp.full(3, None, "f4"),
    "full of None in integers": lambda xp: xp.full(3, None, "i4"),
    "full_like of None in integers": lambda xp: xp.full_like(xp.arange(3), None),
}


@pytest.mark.parametrize("case", SEQUENCES)
def test_other_sequences_and_none(case: str) -> None:
    agree(SEQUENCES[case])
