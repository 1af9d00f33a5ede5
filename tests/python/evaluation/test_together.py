"""Many small results that are asked for together, and the streams of many threads."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

pytestmark = [pytest.mark.cupola_only, pytest.mark.usefixtures("deferred")]

ON_ONE_GPU = str(cp.empty(0).device) == "cuda:0"
MANY = 40
IMAGE = 256 * 1024  # elements of 4 bytes: a copy of its own, by one slot of pinned memory


def counted(name: str) -> int:
    return int(cp._cupola.counters()[name])


def hosts(count: int = MANY, shortest: int = 1000) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.random(shortest + 7 * i, dtype=np.float32) for i in range(count)]


@pytest.fixture
def pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    return [(x, x[::-1].copy()) for x in hosts()]


def flush(_results: list[Any]) -> None:
    cp.cuda.get_current_stream().synchronize()


def evaluate(results: list[Any]) -> None:
    cp.eval(*results)


@pytest.mark.parametrize("ask", [evaluate, flush])
@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: a + b,
        lambda a, b: (a * np.float32(2) + b) * a,
        lambda a, b: a[::2] - b[::2],
        lambda a, b: a > b,
    ],
)
def test_each_result_is_that_of_its_own_operands(
    make: Callable[[Any, Any], Any],
    ask: Callable[[list[Any]], None],
    pairs: list[tuple[np.ndarray, np.ndarray]],
) -> None:
    there = [(cp.asarray(a), cp.asarray(b)) for a, b in pairs]
    for _ in range(3):
        results = [make(a, b) for a, b in there]
        ask(results)
        assert not any(cp._cupola.is_pending(result) for result in results)
    for result, (a, b) in zip(results, pairs, strict=True):
        assert_same(cp.asnumpy(result), make(a, b))


def test_sums_that_are_asked_for_together() -> None:
    there = [cp.asarray(np.full(900, i, np.int64)) for i in range(MANY)]
    for _ in range(3):
        sums = [x.sum() for x in there]
        cp.eval(*sums)
    assert [int(x) for x in sums] == [900 * i for i in range(MANY)]


def test_results_of_several_kernels_and_of_each_other() -> None:
    there = [cp.asarray(x) for x in hosts()]
    for _ in range(4):
        halves = [x * np.float32(0.5) for x in there]
        results = [*(x + np.float32(1) for x in there), *halves, *(x - x for x in halves)]
        cp.cuda.get_current_stream().synchronize()
    expected = [x + np.float32(1) for x in hosts()]
    expected += [x * np.float32(0.5) for x in hosts()] + [np.zeros_like(x) for x in hosts()]
    for result, wanted in zip(results, expected, strict=True):
        assert_same(cp.asnumpy(result), wanted)


def test_readers_are_computed_before_their_operand_changes() -> None:
    shared = cp.asarray(np.arange(1000, dtype=np.float32))
    for round_ in range(4):
        before = cp.asnumpy(shared)
        results = [shared * np.float32(i) for i in range(MANY)]
        shared[...] = np.float32(round_)
        for i, result in enumerate(results):
            assert_same(cp.asnumpy(result), before * np.float32(i))


def test_what_nobody_holds_is_not_computed_with_the_others(
    pairs: list[tuple[np.ndarray, np.ndarray]],
) -> None:
    there = [(cp.asarray(a), cp.asarray(b)) for a, b in pairs[:16]]

    def products() -> list[Any]:
        results = []
        for a, b in there:
            total = a + b
            results.append(total * a)
            del total
        return results

    cp.eval(*products())
    before = counted("launches")
    results = products()
    cp.cuda.get_current_stream().synchronize()
    assert counted("launches") - before <= len(results)
    for result, (a, b) in zip(results, pairs, strict=False):
        assert_same(cp.asnumpy(result), (a + b) * a)


@pytest.mark.skipif(not ON_ONE_GPU, reason="about one GPU")
def test_results_that_are_asked_for_together_are_one_launch() -> None:
    there = [cp.asarray(x) for x in hosts(32)]
    # The kernel of several launches is compiled once enough have gone alone, however long it takes;
    # a stream that is far behind takes no more of them at once.
    stream = cp.cuda.get_current_stream()
    end = time.monotonic() + 60
    launches = 0
    while launches != 2 and time.monotonic() < end:
        stream.synchronize()
        before = counted("launches")
        cp.eval(*[x + x for x in there])
        launches = counted("launches") - before
    stream.synchronize()
    before = counted("launches")
    results = [x + x for x in there]
    cp.eval(*results)
    assert counted("launches") - before == 2
    for result, x in zip(results, hosts(32), strict=True):
        assert_same(cp.asnumpy(result), x + x)


def upload_in_turn(rounds: int, streams: list[Any], computes: bool) -> None:
    rng = np.random.default_rng(5)
    factor = np.float32(3)
    for _ in range(rounds):
        sources = [rng.random(IMAGE - 3 * i, dtype=np.float32) for i in range(len(streams))]
        there = []
        for stream, source in zip(streams, sources, strict=True):
            with stream:
                uploaded = cp.asarray(source)
                result = uploaded * factor if computes else uploaded
                cp.eval(result)
            there.append((uploaded, result, source.copy()))
            source[...] = 0  # it has been read
        for uploaded, result, source in there:
            assert_same(cp.asnumpy(uploaded), source)
            assert_same(cp.asnumpy(result), source * factor if computes else source)


def test_copies_and_kernels_of_many_streams() -> None:
    upload_in_turn(12, [cp.cuda.Stream(non_blocking=True) for _ in range(6)], computes=True)


@pytest.mark.skipif(not ON_ONE_GPU, reason="about one GPU")
def test_kernels_copy_for_streams_that_copy_and_compute_in_turn() -> None:
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(6)]
    upload_in_turn(20, streams[:1], computes=True)  # whatever there was before is forgotten
    before = counted("kernel_copies")
    upload_in_turn(12, streams[:1], computes=True)
    assert counted("kernel_copies") == before, "the engine serves one stream better"
    upload_in_turn(12, streams, computes=False)
    assert counted("kernel_copies") == before, "the engine works beside what others compute"
    upload_in_turn(12, streams, computes=True)
    assert counted("kernel_copies") > before + 30
