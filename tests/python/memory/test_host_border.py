"""Copies between host and devices that the program did not ask for, and what messages say."""

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola._array.habits import OF_ARRAYS, OF_PACKAGE
from cupola.errors import ImplicitHostCopyError, OutOfMemoryError, PerformanceWarning

HOST = np.arange(12.0).reshape(3, 4)
READS: dict[str, Callable[[Any], Any]] = {
    "asarray": np.asarray,
    "array": np.array,
    "buffer": memoryview,
    "frombuffer": lambda a: np.frombuffer(a[0]),
    "interface": lambda a: a.__array_interface__,
}
OPERANDS: dict[str, Callable[[Any], Any]] = {
    "operator": lambda a: a + HOST,
    "reflected": lambda a: HOST + a,
    "ufunc": lambda a: np.add(HOST, a),
    "function": lambda a: np.concatenate([a, HOST]),
    "own function": lambda a: cp.maximum(a, HOST),
}
on_cpu = pytest.mark.skipif(
    cp.ones(1).device.platform != "cpu", reason="what CPU devices do by default"
)


@pytest.fixture
def array() -> Iterator[Any]:
    before = cp.config.host_copy
    yield cp.asarray(HOST)
    cp.config.host_copy = before


@pytest.mark.parametrize("name", READS)
def test_errors(array: Any, name: str) -> None:
    """What a GPU would refuse is refused on CPU devices."""
    cp.config.host_copy = "error"
    with pytest.raises((ImplicitHostCopyError, BufferError, AttributeError), match="asnumpy"):
        READS[name](array)


def test_what_the_program_asks_for_is_no_error(array: Any) -> None:
    cp.config.host_copy = "error"
    for host in (array.get(), cp.asnumpy(array), np.array(array.tolist())):
        np.testing.assert_array_equal(host, HOST)
    found = pickle.loads(pickle.dumps(array, protocol=5))
    assert (found == array).all()
    assert "11." in str(array)
    assert array.tobytes() == HOST.tobytes()
    assert float(array[1, 1]) == 5
    assert type(np.sin(array)) is cp.ndarray


@on_cpu
@pytest.mark.parametrize("name", READS)
def test_warnings_and_leave(array: Any, name: str) -> None:
    cp.config.host_copy = "warn"
    with pytest.warns(PerformanceWarning, match="implicit copy"):
        READS[name](array)
    for mode in ("allow", "default"):
        cp.config.host_copy = mode
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            READS[name](array)


@pytest.mark.parametrize("name", OPERANDS)
def test_operands_of_numpy(array: Any, name: str) -> None:
    for mode in ("default", "error"):
        cp.config.host_copy = mode
        with pytest.raises(TypeError, match=r"cupola\.asarray"):
            OPERANDS[name](array)
    wanted = OPERANDS[name](HOST) if name != "own function" else HOST
    cp.config.host_copy = "allow"
    found = OPERANDS[name](array)
    assert type(found) is cp.ndarray
    np.testing.assert_array_equal(cp.asnumpy(found), wanted)
    cp.config.host_copy = "warn"
    assert type(OPERANDS[name](array)) is cp.ndarray


def test_values_of_the_setting(array: Any) -> None:
    with pytest.raises(ValueError, match="'error', 'warn', 'allow' or 'default', not 'never'"):
        cp.config.host_copy = "never"
    code = "import numpy as np, cupola as cp; print(cp.config.host_copy); np.asarray(cp.ones(3))"
    for value, found in (("error", "ImplicitHostCopyError"), ("some", "CUPOLA_HOST_COPY is")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "CUPOLA_HOST_COPY": value},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert found in done.stderr


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_attributes_of_torch(name: str) -> None:
    a = cp.ones(3)
    assert not hasattr(a, name)
    assert name not in dir(a)
    with pytest.raises(AttributeError, match="PyTorch") as caught:
        getattr(a, name)
    assert OF_ARRAYS[name] in str(caught.value)
    assert caught.value.name == name


@pytest.mark.parametrize("name", OF_PACKAGE)
def test_functions_of_torch(name: str) -> None:
    assert not hasattr(cp, name)
    with pytest.raises(AttributeError) as caught:
        getattr(cp, name)
    assert OF_PACKAGE[name] in str(caught.value)


def test_a_misspelt_name_is_told_the_nearest() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import cupola as cp; cp.concatnate"], capture_output=True, text=True
    )
    assert "Did you mean: 'concatenate'?" in done.stderr


def test_out_of_memory_names_who_holds_it() -> None:
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.get_limit()
    cp.record_memory_history()
    try:
        pool.set_limit(pool.used_bytes() + (48 << 20))
        large = [cp.ones(2 << 20), cp.ones(2 << 20)]  # hold most
        cp.eval(*large)
        with pytest.raises(OutOfMemoryError) as caught:
            cp.empty((5000, 2000))
    finally:
        pool.set_limit(before)
        cp.record_memory_history(False)
    text = str(caught.value)
    assert "80000000 bytes asked for (76.3 MiB)" in text
    assert "for an array of shape (5000, 2000) and dtype float64" in text
    with open(__file__, encoding="utf-8") as file:
        line = next(i for i, text in enumerate(file, 1) if "# hold most" in text)
    assert f"most is held by 32.0 MiB in 2 arrays made at {__file__}:{line} " in str(caught.value)
    del large


def test_out_of_memory_says_how_to_learn_the_lines() -> None:
    code = """
import cupola as cp
a = cp.ones(1 << 20)
cp.eval(a)
cp.empty(1 << 50, dtype="u1")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "most is held by 8.0 MiB in 1 array (cupola.record_memory_history()" in done.stderr
