"""Survey of the CPU platform's loops beside NumPy's: every ufunc, cast and reduction, by dtype.

    bench/loops.py [--only PATTERN] [--bytes BYTES] [--below RATIO] [--rounds N] [--figures]
                   [--threads N] [--cpu-time] [--avx2]

--figures: everyday functions on 10^6 elements instead (everyday.py), Fourier transforms beside
SciPy's where it is installed; prints all of them: the ratio, and both times in milliseconds.

Both run on one thread of one processor, or on N. --cpu-time: what the process computes is timed,
which other programs disturb least; for one thread only. --avx2: both without AVX-512, as on a
machine that has none.

Without --figures it prints, for every loop that falls below RATIO, worst first: the ratio of
NumPy's time to ours (the median of the least of each round; rounds measure both in turns), less
what a call takes on one element, which is no matter of loops; the ratio of the whole times; and
these in microseconds, ours with the launch and the wait for its end. Exits with 1 if any row falls
short. The call on one element is measured after a pass over as much memory as an array and a result
have, since that is how the call before leaves the caches: its instructions and records are no
longer in the first two, which doubles its time.

Arrays have BYTES, whatever their dtype, so that as much is to do for narrow elements; few enough
for the caches, since what memory and other programs take is no matter of loops either.
"""

import argparse
import operator
import os
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

# Before threads start.
THREADS = int(sys.argv[sys.argv.index("--threads") + 1]) if "--threads" in sys.argv else 1
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
if "--avx2" in sys.argv:  # before either package chooses its loops
    os.environ["CUPOLA_CPU_INSTRUCTIONS"] = "avx2"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"

import numpy as np  # noqa: E402

import cupola as cp  # noqa: E402
import everyday  # noqa: E402

DTYPES = "?bhilBHILefdFD"
ROUNDS = 7
AGAIN = 6  # times as many rounds, of rows that fall short: what else runs falls on both sides
clock = time.process_time if "--cpu-time" in sys.argv else time.perf_counter
FEW = 8_200  # elements of a byte that CPU devices launch: up to 8,192 are computed at the call
ROUND_SECONDS = 1e-3  # that a round takes at least, so that the clock's steps do not count


class Row(NamedTuple):
    """A call, of either module, on arrays of it."""

    name: str
    call: Callable[..., Any]
    operands: tuple[Any, ...]
    peer: Callable[..., Any] | None = None  # what NumPy's side calls instead


def elements(dtypes: str, size: int) -> int:
    """That fit into `size` bytes, of the widest of the dtypes."""
    return size // max(np.dtype(dtype).itemsize for dtype in dtypes)


def values(dtype: str, count: int, random: np.random.Generator) -> Any:
    """Positive, small enough for every function, none equal to the next."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.random(count) < 0.5
    if kind in "iu":
        return random.integers(1, 100, count).astype(dtype)
    real = random.uniform(0.1, 0.9, count)
    return (real + 1j * random.uniform(0.1, 0.9, count) if kind == "c" else real).astype(dtype)


def ufunc_rows(size: int, random: np.random.Generator) -> Iterator[Row]:
    for name in sorted(set(dir(np)) & set(dir(cp))):
        ufunc = getattr(np, name)
        if not isinstance(ufunc, np.ufunc) or ufunc.signature or ufunc.__name__ != name:
            continue
        for types in ufunc.types:
            inputs = types.partition("->")[0]
            if set(inputs) - set(DTYPES) or len(inputs) != ufunc.nin:
                continue
            count = elements(inputs, size)
            operands = [values(dtype, count, random) for dtype in inputs]
            if name in ("left_shift", "right_shift", "ldexp"):
                operands[1] = (operands[1] % 7).astype(inputs[1])
            if name == "arccosh":
                operands[0] = operands[0] + operands[0].dtype.type(1)

            def call(xp: Any, *arrays: Any, name: str = name) -> Any:
                return getattr(xp, name)(*arrays)

            yield Row(f"{name} {inputs}", call, tuple(operands))
            if ufunc.nin == 2 and inputs[0] == inputs[1] != "?":
                scalar = 3 if np.dtype(inputs[0]).kind in "iu" else 0.3

                def by_scalar(xp: Any, array: Any, name: str = name, by: Any = scalar) -> Any:
                    return getattr(xp, name)(array, by)

                yield Row(f"{name} {inputs[0]}, {scalar}", by_scalar, (operands[0],))


def cast_rows(size: int, random: np.random.Generator) -> Iterator[Row]:
    for before in DTYPES:
        array = values(before, elements(before, size), random)
        for after in DTYPES:
            if np.dtype(before).kind == "c" and np.dtype(after).kind != "c":
                continue

            def call(xp: Any, array: Any, after: str = after) -> Any:
                return array.astype(after)

            yield Row(f"cast {before} to {after}", call, (array,))


REDUCTIONS = (
    *("sum", "prod", "max", "min", "mean", "var", "std", "argmax", "argmin"),
    *("any", "all", "cumsum", "cumprod", "ptp", "fmax.reduce", "fmin.reduce"),
)


def reduction_rows(size: int, random: np.random.Generator) -> Iterator[Row]:
    for name in REDUCTIONS:
        for dtype in DTYPES:
            side = round(elements(dtype, size) ** 0.5)
            if (dtype in "FD" and name == "ptp") or (dtype == "?" and name in ("ptp", "cumprod")):
                continue
            array = values(dtype, side * side, random).reshape(side, side)
            for axis in (None, 0, 1):

                def call(xp: Any, array: Any, name: str = name, axis: Any = axis) -> Any:
                    return operator.attrgetter(name)(xp)(array, axis=axis)

                yield Row(f"{name} {dtype} axis {axis}", call, (array,))


def other_rows(size: int, random: np.random.Generator) -> Iterator[Row]:
    for dtype in DTYPES:
        count = elements(dtype, size)
        indices = random.integers(0, count, count)
        array = values(dtype, count, random)
        mask = random.random(count) < 0.5
        calls: dict[str, Callable[..., Any]] = {
            "repeat": lambda xp, a, m, i: xp.repeat(a, 3),
            "take": lambda xp, a, m, i: xp.take(a, i),
            "a[mask]": lambda xp, a, m, i: a[m],
            "where": lambda xp, a, m, i: xp.where(m, a, a),
            "concatenate": lambda xp, a, m, i: xp.concatenate([a, a]),
            "reverse": lambda xp, a, m, i: a[::-1].copy(),
            "every other": lambda xp, a, m, i: a[::2].copy(),
            "roll": lambda xp, a, m, i: xp.roll(a, 3),
            "clip": lambda xp, a, m, i: xp.clip(a, 2, 5),
            "nonzero": lambda xp, a, m, i: xp.nonzero(a),
            "a**2": lambda xp, a, m, i: a**2,
            "a**3": lambda xp, a, m, i: a**3,
            "full": lambda xp, a, m, i: xp.full(a.shape, 3, dtype=a.dtype),
            "arange": lambda xp, a, m, i: xp.arange(len(a), dtype=a.dtype),
            "transpose": lambda xp, a, m, i: a[: 100 * (len(a) // 100)].reshape(100, -1).T.copy(),
        }
        for name, call in calls.items():
            if dtype == "?" and name in ("clip", "arange", "a**2", "a**3"):
                continue
            if name == "arange" and dtype in "bBe":
                continue
            if name == "clip" and dtype in "FD":
                continue
            yield Row(f"{name} {dtype}", call, (array, mask, indices))


def seconds_of(
    xp: Any,
    call: Callable[..., Any],
    arrays: tuple[Any, ...],
    times: int,
    before: Callable[[], Any] = lambda: None,
) -> float:
    """The least that a call took, each after a call of `before`."""
    least = float("inf")
    for _ in range(times):
        before()
        start = clock()
        held = call(xp, *arrays)
        if xp is cp:
            cp.flush()
            cp.cuda.Stream.null.synchronize()
        least = min(least, clock() - start)
        del held
    return least


def seconds(row: Row, rounds: int) -> tuple[float, float]:
    """NumPy's time and ours: of the least of each round, the median."""
    ours = tuple(cp.asarray(operand) for operand in row.operands)
    seconds_of(cp, row.call, ours, 2)
    peer = row.peer or row.call
    first = seconds_of(np, peer, row.operands, 2)
    times = max(2, int(ROUND_SECONDS / first))
    theirs: list[float] = []
    own: list[float] = []
    for count in (rounds, AGAIN * rounds):
        for _ in range(count):
            theirs.append(seconds_of(np, peer, row.operands, times))
            own.append(seconds_of(cp, row.call, ours, times))
        if statistics.median(own) < statistics.median(theirs):
            break
    return statistics.median(theirs), statistics.median(own)


def call_seconds(size: int) -> tuple[float, float]:
    """The least that a call on FEW bytes takes in NumPy and here, after a copy of `size`."""
    array = np.ones(size, dtype=np.int8)
    target = np.empty_like(array)

    def copy() -> None:
        np.copyto(target, array)

    theirs, own = (
        seconds_of(xp, lambda xp, a: xp.negative(a), (xp.ones(FEW, np.int8),), 500, copy)
        for xp in (np, cp)
    )
    return theirs, own


def report(found: dict[str, tuple[float, float]], calls: tuple[float, float], below: float) -> int:
    """Prints what falls short; how many rows do."""
    ratios = {
        name: (theirs - calls[0]) / max(own - calls[1], 1e-9)
        for name, (theirs, own) in found.items()
    }
    short = sorted((value, name) for name, value in ratios.items() if value < below)
    for value, name in short:
        theirs, own = found[name]
        print(f"{value:6.2f} {theirs / own:6.2f} {1e6 * theirs:9.1f} {1e6 * own:9.1f}  {name}")
    whole = sum(theirs < below * own for theirs, own in found.values())
    print(f"{len(found)} rows: {len(short)} loops below {below:.2f} of NumPy, {whole} whole calls;")
    print(f"a call takes {1e6 * calls[0]:.1f} us in NumPy and {1e6 * calls[1]:.1f} us here")
    return len(short)


def figures(only: str, rounds: int) -> int:
    """Prints the rows of everyday.py as they are measured; how many fall short."""
    count = short = 0
    print(f"{'ratio':>6} {'NumPy ms':>9} {'ours ms':>9}")
    for parts in everyday.rows(np.random.default_rng(1)):
        row = Row(*parts)
        if not re.search(only, row.name):
            continue
        theirs, own = seconds(row, rounds)
        count += 1
        short += theirs < own
        mark = "  <" if theirs < own else ""
        print(
            f"{theirs / own:6.2f} {1e3 * theirs:9.2f} {1e3 * own:9.2f}  {row.name}{mark}",
            flush=True,
        )
    print(f"{count} rows: {short} below 1.00")
    return short


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name has a match of this")
    parser.add_argument("--bytes", type=int, default=2_000_000, help="of an array")
    parser.add_argument("--below", type=float, default=1.0, help="print what is below")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--figures", action="store_true", help="everyday functions, all printed")
    parser.add_argument("--threads", type=int, default=1, help="and processors, of both")
    parser.add_argument("--avx2", action="store_true", help="of both, no loops for AVX-512")
    parser.add_argument("--cpu-time", action="store_true", help="instead of the time that passes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    if options.avx2 and "X86_V4" in extensions.get("found", []):
        parser.error("this NumPy goes on with AVX-512: it names its loops otherwise")
    if options.figures:
        return 1 if figures(options.only, options.rounds) > 0 else 0
    random = np.random.default_rng(1)
    found: dict[str, tuple[float, float]] = {}
    calls = call_seconds(options.bytes)
    for rows in (ufunc_rows, cast_rows, reduction_rows, other_rows):
        for row in rows(options.bytes, random):
            if re.search(options.only, row.name):
                found[row.name] = seconds(row, options.rounds)
    return 1 if report(found, calls, options.below) > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
