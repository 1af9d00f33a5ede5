"""Running out of host memory fails one operation, and is no fault of a device."""

import pytest

import cupola as cp

pytestmark = pytest.mark.cupola_only

needs_cpu = pytest.mark.skipif(
    not str(cp.empty(0).device).startswith("cpu"), reason="about CPU devices"
)


@needs_cpu
@pytest.mark.usefixtures("deferred")
@pytest.mark.parametrize("function", ["sum", "max", "argmax", "mean"])
def test_a_reduction_without_memory_fails_and_the_next_one_works(function: str) -> None:
    huge = cp.broadcast_to(cp.ones(1), (2**62,))
    for _ in range(2):
        with pytest.raises(MemoryError):
            float(getattr(huge, function)())
    pending = cp.sum(huge)
    for _ in range(2):  # it has no value, and never gets one
        with pytest.raises(MemoryError):
            float(pending)
    assert cp.Device().fault is None
    assert float(cp.ones(1_000_000).sum()) == 1_000_000
