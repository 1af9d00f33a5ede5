"""A failure at evaluation names the operation and the line that asked for it."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

import cupola as cp

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """Less than an array of 4096 x 4096 takes."""
    before = cp.config.eager
    cp.config.eager = False
    pool = cp.get_default_memory_pool()
    limit = pool.get_limit()
    gc.collect()
    pool.free_all_blocks()
    pool.set_limit(size=32 << 20)
    yield
    pool.set_limit(size=limit)
    cp.config.eager = before


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if line.endswith(f"# {text}"))
    return number


def test_out_of_memory_names_the_operation_and_its_line() -> None:
    row = cp.ones(4096, dtype=cp.float32)
    cp.eval(row)
    huge = row[:, None] + row[None, :]  # the huge sum
    with pytest.raises(cp.errors.OutOfMemoryError) as caught:
        cp.eval(huge)
    text = str(caught.value)
    assert "while computing add: float32 of shape (4096, 4096)" in text
    assert f"asked for at {__file__}:{line_of('the huge sum')} (test_out_of_memory" in text
    assert text.count("while computing") == 1
    cp.get_default_memory_pool().set_limit(size=0)
    assert float(huge[5, 5]) == 2  # another try


def test_lines_inside_of_the_library_are_not_named() -> None:
    row = cp.ones(4096, dtype=cp.float32)
    cp.eval(row)
    huge = cp.hypot(row[:, None], row[None, :])
    turned = cp.sinc(huge)  # by a function of the library
    with pytest.raises(cp.errors.OutOfMemoryError, match="while computing") as caught:
        cp.eval(turned)
    assert f"{__file__}:{line_of('by a function of the library')} " in str(caught.value)


def test_a_reduction_below_is_named_itself() -> None:
    row = cp.ones(4096, dtype=cp.float32)
    cp.eval(row)
    huge = cp.cumsum(row[:, None] * row[None, :], 1)  # what is stored
    total = huge.sum()
    with pytest.raises(cp.errors.OutOfMemoryError) as caught:
        float(total)
    assert "while computing cumsum" in str(caught.value)
    assert f":{line_of('what is stored')} " in str(caught.value)
