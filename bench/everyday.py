"""Everyday functions on 10^6 elements, which loops.py times with --figures."""

import functools
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

try:
    import scipy.fft as transforms
except ModuleNotFoundError:
    import numpy.fft as transforms  # type: ignore[no-redef]

import distributions

COUNT = 10**6
SHAPES = ((1000, 1000), (1024, 1024), (100, 10_000), (4096, 256), (100, 100, 100))

# A name, the call of either module on arrays of it, the arrays, what NumPy's side calls instead.
Parts = tuple[str, Callable[..., Any], tuple[Any, ...], Callable[..., Any] | None]


def named(function: str, *more: Any, **keywords: Any) -> Callable[..., Any]:
    """A call of the module's function of this name, with more arguments behind the arrays."""

    def call(xp: Any, *arrays: Any) -> Any:
        return getattr(xp, function)(*arrays, *more, **keywords)

    return call


def sequence_rows(random: np.random.Generator) -> Iterator[Parts]:
    for dtype in "fdl":
        a = (random.standard_normal(COUNT) * 100).astype(dtype)
        for name in ("diff", "gradient", "cumsum", "cumprod", "sort", "unique", "median"):
            yield f"{name} {dtype}", named(name), (a,), None
        yield f"median of sorted {dtype}", named("median"), (np.sort(a),), None
        yield f"percentile {dtype}", named("percentile", [10, 50, 99]), (a,), None
        yield f"partition {dtype}", named("partition", COUNT // 2), (a,), None
        for length in (16, 64, 200, 512, 1000, 4096):
            rows = a[: COUNT // length * length].reshape(-1, length)
            call = named("partition", length // 2)
            yield f"partition, rows of {length} {dtype}", call, (rows,), None
        for weights in (3, 5, 8, 16, 24, 100):
            w = random.standard_normal(weights).astype(dtype)
            yield f"convolve with {weights} {dtype}", named("convolve"), (a, w), None
    for dtype in "FD":
        z = (random.standard_normal(COUNT) + 1j * random.standard_normal(COUNT)).astype(dtype)
        yield f"sort {dtype}", named("sort"), (z,), None
        yield f"partition {dtype}", named("partition", COUNT // 2), (z,), None
        yield f"partition, rows of 64 {dtype}", named("partition", 32), (z.reshape(-1, 64),), None
    a, large = random.standard_normal((2, COUNT // 10))
    yield "convolve, 10^5 with 10^5 d", named("convolve"), (a, large), None


def counting_rows(random: np.random.Generator) -> Iterator[Parts]:
    a, numbers = random.standard_normal(COUNT), random.integers(0, 1000, COUNT)
    yield "bincount", named("bincount"), (numbers,), None
    yield "histogram", named("histogram", 100), (a,), None
    for what, factor in (("narrow", 1), ("wide", 1_000_003)):
        operands = numbers * factor, np.arange(0, 1000, 7) * factor
        yield f"isin {what}", named("isin"), operands, None
    for variables in (2, 10, 100):
        table = a.reshape(variables, -1)
        yield f"cov {variables} x {table.shape[1]}", named("cov"), (table,), None
        yield f"corrcoef {variables} x {table.shape[1]}", named("corrcoef"), (table,), None
    for points in (10, 1000, COUNT):
        x = np.linspace(-3, 3, points)
        for what, at in (("", a), (" sorted", np.sort(a)), (" even", np.linspace(-3, 3, COUNT))):
            yield f"interp of {points} points{what}", named("interp"), (at, x, np.sin(x)), None


def transform_rows(random: np.random.Generator) -> Iterator[Parts]:
    def row(name: str, array: np.ndarray, **keywords: Any) -> Parts:
        def ours(xp: Any, a: Any) -> Any:
            return getattr(xp.fft, name)(a, **keywords)

        def theirs(_: Any, a: Any) -> Any:
            return getattr(transforms, name)(a, **keywords)

        told = "".join(f" {key} {value}" for key, value in keywords.items())
        return f"{name}{told} {array.dtype.char} {array.shape}", ours, (array,), theirs

    for shape in SHAPES:
        values = random.standard_normal(shape) + 1j * random.standard_normal(shape)
        for dtype in "FD":
            z = values.astype(dtype)
            real = z.real.copy()
            for axis in range(z.ndim):
                yield row("fft", z, axis=axis)
                yield row("rfft", real, axis=axis)
            yield row("ifft", z, axis=0)
            yield row("fft2", z)
            yield row("rfft2", real)
            yield row("irfft2", z[..., : shape[-1] // 2 + 1].copy())


def random_rows() -> Iterator[Parts]:
    cases = [("random", (), {"dtype": "float32"}), ("standard_normal", (), {"dtype": "float32"})]
    cases += [(method, parameters, {}) for method, parameters in distributions.CASES]
    for method, parameters, keywords in cases:
        size = COUNT // distributions.components(parameters)
        call = functools.partial(drawn, {}, method, parameters, {"size": size, **keywords})
        told = ", ".join(str(value) for value in (*parameters, *keywords.values()))
        yield f"random.{method}({told})", call, (), None


def drawn(generators: dict[str, Any], method: str, args: Any, keywords: Any, xp: Any) -> Any:
    """By a generator for each module."""
    if xp.__name__ not in generators:
        generators[xp.__name__] = xp.random.default_rng(1)
    return getattr(generators[xp.__name__], method)(*args, **keywords)


def file_rows(random: np.random.Generator) -> Iterator[Parts]:
    def save(xp: Any, a: Any) -> None:
        file.seek(0)
        xp.save(file, a)

    file = io.BytesIO(bytes(8 * COUNT + 1000))  # of the size that it takes
    yield "save d", save, (random.standard_normal(COUNT),), None


def rows(random: np.random.Generator) -> Iterator[Parts]:
    yield from sequence_rows(random)
    yield from counting_rows(random)
    yield from transform_rows(random)
    yield from random_rows()
    yield from file_rows(random)
