"""`ndarray(shape, dtype, buffer=...)`: arrays in memory of the host, beside NumPy's."""

import array
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import agree

pytestmark = pytest.mark.cupola_only

BUFFERS: dict[str, Callable[[], Any]] = {
    "bytearray": lambda: bytearray(range(64)),
    "bytes": lambda: bytes(range(64)),
    "memoryview": lambda: memoryview(bytearray(range(64))),
    "part": lambda: memoryview(bytearray(range(72)))[8:],
    "array": lambda: array.array("i", range(16)),
    "numpy": lambda: np.arange(8.0),
    "read-only": lambda: np.frombuffer(bytes(64)),
    "gaps": lambda: np.arange(16.0)[::2],
    "number": lambda: 5,
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "rows": {"shape": (2, 3), "dtype": "i4"},
    "columns": {"shape": (2, 3), "dtype": "i4", "order": "F"},
    "default dtype": {"shape": 3},
    "complex": {"shape": 2, "dtype": "c16"},
    "offset": {"shape": (2, 3), "dtype": "i2", "offset": 4},
    "odd offset": {"shape": 4, "dtype": "i4", "offset": 3},
    "far offset": {"shape": 1, "dtype": "i4", "offset": 61},
    "too large": {"shape": (4, 30), "dtype": "i4"},
    "strides": {"shape": (2, 3), "dtype": "i4", "strides": (4, 8)},
    "backwards": {"shape": 3, "dtype": "i4", "strides": (-4,), "offset": 8},
    "before": {"shape": 3, "dtype": "i4", "strides": (-4,)},
    "behind": {"shape": (2, 3), "dtype": "i4", "strides": (4, 80)},
    "strides of another rank": {"shape": (2, 3), "dtype": "i4", "strides": (4,)},
    "empty": {"shape": (0, 3), "dtype": "f8"},
    "no dimensions": {"shape": (), "dtype": "f8", "offset": 8},
    "negative": {"shape": (2, -3), "dtype": "i4"},
    "no offset": {"shape": 2, "dtype": "i4", "offset": None},
}


@pytest.fixture(autouse=True)
def on_a_cpu_device() -> Any:
    with cp.Device("cpu:0"):
        yield


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("buffer", BUFFERS)
def test_arrays_lie_in_buffers(buffer: str, arguments: str) -> None:
    memory = BUFFERS[buffer]()

    def run(xp: Any) -> list[Any]:
        a = xp.ndarray(**ARGUMENTS[arguments], buffer=memory)
        return [a, a.strides, bool(a.flags.writeable), a.base is memory]

    agree(run)


def test_memory_is_shared() -> None:
    memory = bytearray(16)
    a = cp.ndarray(4, "i4", buffer=memory)
    a[1] = 7
    assert memory[4] == 7
    memory[0] = 9
    assert a.tolist() == [9, 7, 0, 0]
    half = cp.ndarray(2, cp.bfloat16, buffer=memory)
    assert half.dtype == cp.bfloat16


def test_memory_is_kept() -> None:
    host = np.arange(3.0)
    seen = weakref.ref(host)
    a = cp.ndarray(3, buffer=host)[1:]
    del host
    gc.collect()
    assert seen() is not None
    assert a.tolist() == [1, 2]


def test_read_only_buffers() -> None:
    a = cp.ndarray(2, "i4", buffer=bytes(8))
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        a.flags.writeable = True


def test_what_buffers_are_not() -> None:
    with pytest.raises(TypeError, match="buffer="):
        cp.ndarray(2, "i4", bytearray(8))
    with pytest.raises(TypeError, match="not in both"):
        cp.ndarray(2, "i4", cp.zeros(4).data, buffer=bytearray(8))


@pytest.mark.skipif(cp._cupola.device_count("cpu") < 2, reason="needs several devices")
def test_sets_of_devices_have_no_memory_of_the_host() -> None:
    with pytest.raises(TypeError, match="frombuffer"):
        cp.ndarray(2, "i4", buffer=bytearray(8), device="cpu:0,1")
