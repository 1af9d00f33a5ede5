"""Operands of `nditer` beside NumPy's: axes, outputs that are allocated, copies and masks."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy
from support.compare import agree

pytestmark = pytest.mark.cupola_only

READ, WRITE = ["readonly"], ["readwrite"]
NEW, NEW_SUM = ["writeonly", "allocate"], ["readwrite", "allocate"]
REFUSED = (TypeError, ValueError)


def numbers(xp: Any, *shape: int, dtype: str = "i4") -> Any:
    return xp.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def told(xp: Any, *args: Any, **kwargs: Any) -> Any:
    """What an iterator says about its operands, or the class of its error."""
    try:
        it = xp.nditer(*args, **kwargs)
    except REFUSED as error:
        return TypeError if isinstance(error, TypeError) else ValueError
    laid_out = [(a.shape, a.strides, a.dtype) for a in it.operands]
    return laid_out, list(it.dtypes), it.itersize


def alike(*args: Any, operands: Any, **kwargs: Any) -> Any:
    expected = told(np, operands(np), *args, **kwargs)
    assert told(cp, operands(cp), *args, **kwargs) == expected
    return expected


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
@pytest.mark.parametrize("flags", [[], ["reduce_ok"]], ids=str)
@pytest.mark.parametrize("access", [NEW, NEW_SUM], ids=str)
@pytest.mark.parametrize(
    "axes",
    [[1, 2, 0], [2, 0, 1], [0, None, 1], [None] * 3, [0, None, 2], [0, 3, 1], [0, 1, 1], [0, 1]],
    ids=str,
)
def test_axes_of_outputs(axes: Any, access: Any, flags: Any, order: str) -> None:
    for turn in (lambda a: a, lambda a: a.T, lambda a: a[::-1]):
        alike(
            flags,
            [READ, access],
            ["i4", "f4"],
            order,
            op_axes=[None, axes],
            operands=lambda xp, turn=turn: [turn(numbers(xp, 2, 3, 4)), None],
        )


@pytest.mark.parametrize(
    ("axes", "extents"),
    [
        ([[0, 1, None], None], (-1, -1, 4)),
        ([[0, 1, None], None], (-1, 1, 4)),
        ([[0, 1], None], (2, 3, 4)),
        ([[0], [0, 1]], None),
        ([[0, 2], None], None),
        ([[0, 0], None], None),
        ([[1, 0]], None),
        ([None, None], None),
        (None, (2, 3)),
        (None, (2, -1)),
        (None, (4, 2, 3)),
        (None, (3,)),
        (None, (2, 4)),
    ],
    ids=str,
)
def test_shape_of_the_iterator(axes: Any, extents: Any) -> None:
    alike(
        [],
        [READ, NEW],
        op_axes=axes,
        itershape=extents,
        operands=lambda xp: [numbers(xp, 2, 3), None],
    )


@pytest.mark.parametrize("order", ["K", "C", "F"])
@pytest.mark.parametrize("extents", [None, (2, 3, 4), (2, -1)], ids=str)
def test_outputs_alone(extents: Any, order: str) -> None:
    alike(op_dtypes=["i8"], itershape=extents, order=order, operands=lambda _: [None])
    alike(op_dtypes=[None, "f4"], itershape=extents, operands=lambda _: [None, None])


def test_axes_that_are_left_out() -> None:
    def products(xp: Any, first: Any, second: Any, axes: Any) -> list[int]:
        pair = [numbers(xp, *first), numbers(xp, *second)]
        return [int(x * y) for x, y in xp.nditer(pair, ["multi_index"], op_axes=axes)]

    for case in (
        ((2, 3, 4), (5, 2, 4), [[0, 1, -1, -1], [-1, -1, 0, 1]]),
        ((3, 4), (4, 5), [[0, -1], [-1, 1]]),
        ((3,), (4, 5), [[], []]),
    ):
        assert products(cp, *case) == products(np, *case)


@pytest.mark.parametrize("axes", [[-1, -1, -1], [0, -1, 1], [-1, 0, -1]], ids=str)
def test_sums_in_outputs_that_are_allocated(axes: Any) -> None:
    def total(xp: Any) -> Any:
        pair, flags = [numbers(xp, 2, 3, 4), None], [READ, NEW_SUM]
        with xp.nditer(pair, ["reduce_ok"], flags, op_axes=[None, axes]) as it:
            it.operands[1][...] = 0
            for x, y in it:
                y[...] = y + x
            return it.operands[1]

    np.testing.assert_array_equal(to_numpy(total(cp)), total(np))


@pytest.mark.parametrize("flags", [[], ["common_dtype"]], ids=str)
@pytest.mark.parametrize("access", [["readonly", "copy"], ["writeonly"], WRITE], ids=str)
def test_dtype_of_outputs(access: Any, flags: Any) -> None:
    for first in (["readonly", "copy"], ["writeonly"]):
        alike(
            flags,
            [first, NEW, access],
            casting="unsafe",
            operands=lambda xp: [xp.arange(1, dtype="i4"), None, xp.zeros(1, complex)],
        )


def test_flags_that_do_not_fit() -> None:
    def refused(*args: Any, **kwargs: Any) -> None:
        for xp in (np, cp):
            with pytest.raises(ValueError):
                xp.nditer([numbers(xp, 2, 3), None], *args, **kwargs)

    refused([], [READ, ["readonly", "allocate"]])
    refused(["buffered"], [READ, NEW_SUM])
    refused([], [["readwrite", "copy"], NEW])
    refused(casting="any")
    for xp in (np, cp):
        assert xp.nditer(numbers(xp, 3), ["growinner"]).itersize == 3
        pair = [numbers(xp, 2, 3), numbers(xp, 3)]
        with pytest.raises(ValueError, match="write"):
            xp.nditer(pair, ["reduce_ok"], [READ, ["writeonly"]])


def test_numbers_are_cast_without_a_flag() -> None:
    for operand in (lambda xp: 3, lambda xp: xp.asarray(3), lambda xp: xp.asarray(2.5)):
        assert alike([], [READ], ["f8"], operands=operand) != TypeError
    alike([], [WRITE], ["f8"], operands=lambda xp: xp.asarray(3))
    alike([], [READ], ["i8"], operands=lambda xp: xp.asarray(2.5))


@pytest.mark.parametrize("flags", [[], ["buffered"]], ids=str)
@pytest.mark.parametrize("access", [["readwrite", "updateifcopy"], ["readonly", "copy"]], ids=str)
def test_copies_stand_for_their_operands(access: list[str], flags: list[str]) -> None:
    def run(xp: Any) -> Any:
        a = numbers(xp, 2, 3, dtype="f8").T
        with xp.nditer(a, flags, [access], "f4", casting="same_kind") as it:
            copy = it.operands[0]
            copy[...] = 14
        return copy.dtype, copy.shape, copy is a, a.tolist()

    assert run(cp) == run(np)


@pytest.mark.parametrize(
    "accesses", [[READ, WRITE], [WRITE, WRITE], [READ, ["writeonly"]]], ids=str
)
@pytest.mark.parametrize(
    "pair",
    [
        lambda x: [x[:-1], x[1:]],
        lambda x: [x[1:], x[:-1]],
        lambda x: [x, x],
        lambda x: [x[::2], x[1::2]],
        lambda x: [x[:4], x.copy()[:4]],
        lambda x: [x.reshape(2, 4), x.reshape(4, 2).T],
    ],
)
def test_copies_where_operands_overlap(pair: Any, accesses: Any) -> None:
    def run(xp: Any, extra: list[str]) -> Any:
        operands = pair(xp.arange(8))
        flags = [[*access, *extra] for access in accesses]
        with xp.nditer(operands, ["copy_if_overlap"], flags) as it:
            is_same = [a is b for a, b in zip(it.operands, operands, strict=True)]
            for x, y in it:
                y[...] = x + 10
        return is_same, [a.tolist() for a in operands]

    for extra in ([], ["overlap_assume_elementwise"]):
        assert run(cp, extra) == run(np, extra)


@pytest.mark.parametrize("mask", [[True, False, True], [[True], [False]], True], ids=str)
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "f4"])
def test_masks_of_what_is_written_back(dtype: str, mask: Any) -> None:
    def run(xp: Any, flags: list[str], wanted: Any) -> Any:
        a, where = xp.zeros((2, 3)), xp.asarray(mask).astype(dtype)
        access = [["readwrite", "writemasked"], ["readonly", "arraymask"]]
        try:
            it = xp.nditer([a, where], flags, access, [wanted, None], casting="unsafe")
        except TypeError:
            return TypeError
        with it:
            for x, _ in it:
                x[...] = 3
        return a.tolist()

    assert run(cp, ["buffered"], "f4") == run(np, ["buffered"], "f4")
    assert run(cp, [], None) == run(np, [], None)


@pytest.mark.parametrize(
    "accesses",
    [
        [["readwrite", "writemasked"], READ, READ],
        [["readonly", "writemasked"], READ, ["readonly", "arraymask"]],
        [READ, READ, ["readwrite", "arraymask", "writemasked"]],
        [["readwrite", "writemasked"], ["readonly", "arraymask"], ["readonly", "arraymask"]],
        [WRITE, READ, ["readonly", "arraymask"]],
        [READ, ["readwrite", "writemasked"], ["readonly", "arraymask"]],
        [["readwrite", "writemasked"], READ, ["readonly", "arraymask"]],
        [["readwrite", "writemasked"], ["readwrite", "arraymask"], READ],
    ],
    ids=str,
)
def test_masks_that_do_not_fit(accesses: Any) -> None:
    for shapes in (((2, 3), (3,), (2, 3)), ((2, 3), (3,), (3,)), ((2, 3), (2, 1), (3,))):
        alike(
            ["reduce_ok"],
            accesses,
            operands=lambda xp, shapes=shapes: [xp.zeros(shape, bool) for shape in shapes],
        )


def test_the_end_of_an_iterator() -> None:
    for xp in (np, cp):
        it = xp.nditer(numbers(xp, 2, 3))
        for place in (0, slice(0, 1)):
            with pytest.raises(TypeError, match="Cannot delete iterator elements"):
                del it[place]
        assert it.shape == (6,)
        for _ in it:
            pass
        assert it.ndim == 1
        with pytest.raises(ValueError, match="past the end"):
            _ = it.shape


def test_numbers_and_lists_are_not_written() -> None:
    for xp in (np, cp):
        for operand in (1.5, [[1, 2], [3, 4]]):
            for access in (["writeonly"], WRITE):
                with pytest.raises(TypeError, match="writ"):
                    xp.nditer(operand, [], [access] * (2 if isinstance(operand, list) else 1))


@pytest.mark.parametrize("flags", [[], ["growinner"]], ids=str)
@pytest.mark.parametrize("dtype", [None, "f8"])
def test_lines_grow_where_nothing_is_buffered(dtype: Any, flags: list[str]) -> None:
    def sizes(xp: Any) -> list[int]:
        flags_of_lines = ["buffered", "external_loop", *flags]
        it = xp.nditer(numbers(xp, 5, 6), flags_of_lines, [READ], [dtype], buffersize=7)
        return [line.size for line in it]

    assert sizes(cp) == sizes(np)


@pytest.mark.parametrize("axes", [None, [[-1, 0], None], [[0, 1], None], [[0, -1], None]], ids=str)
@pytest.mark.parametrize("access", [WRITE, ["writeonly"], ["readonly", "no_broadcast"]], ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 3), (2, 3), (2, 1)], ids=str)
def test_shapes_that_are_broadcast(shape: Any, access: Any, axes: Any) -> None:
    for other in ((1, 3), (2, 3)):
        alike(
            [],
            [access, READ],
            op_axes=axes,
            operands=lambda xp, other=other: [numbers(xp, *shape), numbers(xp, *other)],
        )


@pytest.mark.parametrize("dtypes", [["f4", "i4"], [None, "f4"], ["f4", None], None], ids=str)
def test_common_dtype_is_that_of_what_is_asked_for(dtypes: Any) -> None:
    for access in ([READ, READ], [READ, WRITE], [READ, ["writeonly"]]):
        alike(
            ["common_dtype", "buffered"],
            access,
            dtypes,
            casting="unsafe",
            operands=lambda xp: [numbers(xp, 3), numbers(xp, 3, dtype="i2")],
        )
    alike(operands=lambda xp: numbers(xp, 3), flags=[], op_flags=[["writeonly"]])
    alike([], [READ, ["allocate"]], operands=lambda xp: [numbers(xp, 3), None])


@pytest.mark.parametrize("order", ["K", "C", "F"])
def test_copies_are_gone_over_as_their_operands_lie(order: str) -> None:
    def values(xp: Any) -> list[int]:
        a = numbers(xp, 2, 3, 4).transpose(1, 2, 0)[::-1, :, ::-1]
        it = xp.nditer(a, ["buffered"], [READ], ["f8"], order)
        return [int(x) for x in it]

    assert values(cp) == values(np)


@pytest.mark.parametrize("part", [np.s_[:], np.s_[::-1], np.s_[::2], np.s_[:0], np.s_[:1]], ids=str)
def test_contiguous_operands_without_buffers(part: Any) -> None:
    for flags in ([], ["buffered"], ["zerosize_ok"], ["external_loop", "zerosize_ok"]):
        for order in "KC":

            def gone_over(xp: Any, x: Any, flags: Any = flags, order: Any = order) -> Any:
                with xp.nditer(x[part], flags, [["readonly", "contig"]], order=order) as found:
                    return [xp.copy(each) for each in found]

            agree(gone_over, np.arange(6))


def test_shapes_are_checked_before_dtypes() -> None:
    def made(xp: Any, x: Any, flags: Any) -> Any:
        operands = [["readonly"], ["readwrite"]]
        return xp.nditer([x, x[:1]], flags, operands, op_dtypes=["f8", "i1"]).itersize

    for a in (np.arange(6), np.arange(0), np.arange(1)):
        for flags in ([], ["zerosize_ok"], ["buffered"]):
            agree(lambda xp, x, flags=flags: made(xp, x, flags), a)
