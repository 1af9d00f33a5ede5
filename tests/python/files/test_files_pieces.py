"""Files of arrays of several devices, and how much of an array is in host memory at a time."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

pytestmark = pytest.mark.cupola_only


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Pieces of a few elements."""
    module = pytest.importorskip("cupola._files.pieces")
    monkeypatch.setattr(module, "PIECE_BYTES", 64)
    return module


@pytest.mark.parametrize("dtype", ["u1", "f4", ">f8", "c16"])
def test_every_piece_comes_to_its_place(pieces: Any, dtype: str, tmp_path: Path) -> None:
    host = np.arange(7 * 5 * 3).reshape(7, 5, 3).astype(dtype)
    native = host.astype(host.dtype.newbyteorder("="))
    for view in (host, host.T, host[::2], host[:, 1:, ::-1]):
        np.save(tmp_path / "a.npy", view)
        found = cp.load(tmp_path / "a.npy")
        assert_same(found, view.astype(native.dtype))
        with open(tmp_path / "a.npy", "rb") as file:
            assert_same(cp.load(file), view.astype(native.dtype))
    array = cp.asarray(native)
    for view, part in ((array, native), (array.T, native.T), (array[:, ::2], native[:, ::2])):
        cp.save(tmp_path / "b.npy", view)
        assert_same(np.load(tmp_path / "b.npy"), part)
        view.tofile(tmp_path / "raw")
        assert (tmp_path / "raw").read_bytes() == part.tobytes()


@pytest.mark.parametrize("order", ["C", "F", "K"])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", ">i8", ">c16", "?"])
def test_mapped_files(pieces: Any, dtype: str, order: Any, tmp_path: Path) -> None:
    host = np.arange(60).reshape(4, 3, 5).astype(dtype)
    for view in (host, host.T):
        np.save(tmp_path / "a.npy", view)
        mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
        for wanted in (None, "f8", "i2"):
            if dtype == ">c16" and wanted:
                continue
            found = cp.asarray(mapped, wanted, order)
            expected = np.array(view, wanted or host.dtype.newbyteorder("="), order=order)
            assert_same(found, expected)
            assert found.flags.c_contiguous == expected.flags.c_contiguous
        part = mapped[1:, ::2]
        assert_same(cp.asarray(part), part.astype(host.dtype.newbyteorder("=")))
    assert cp.asarray(mapped[:0]).shape == (0, *mapped.shape[1:])


SET = """
import os, sys, threading
import numpy as np, cupola as cp
from cupola._files import elements, pieces
pieces.PIECE_BYTES = 256
together = threading.Barrier(3, timeout=60)
met = set()
write_all, read_at = elements._write_all, elements._read_at
def meeting(function):
    def call(*args):
        thread = threading.get_ident()
        if thread not in met:
            met.add(thread)
            together.wait()  # all members at once, or an error
        return function(*args)
    return call
elements._write_all, elements._read_at = meeting(write_all), meeting(read_at)
path = sys.argv[1]
host = np.arange(3000.0).reshape(30, 100)
with cp.Device("cpu:0-2"):
    array = cp.asarray(host)
    assert len(array.placement) == 3
    cp.save(path, array)
    assert len(met) == 3 and np.array_equal(np.load(path), host)
    met.clear()
    found = cp.load(path)
    assert len(met) == 3
    elements._write_all, elements._read_at = write_all, read_at
    assert found.device == array.device and np.array_equal(cp.asnumpy(found), host)
    cp.save(path, array.T)
    assert np.array_equal(np.load(path), host.T)
    assert np.array_equal(cp.asnumpy(cp.load(path)), host.T)
    cp.savez(path + ".npz", array)
    with cp.load(path + ".npz") as archive:
        assert np.array_equal(cp.asnumpy(archive["arr_0"]), host)
    with open(path, "ab") as file:
        array.tofile(file)
    assert np.array_equal(np.fromfile(path)[-3000:], host.ravel())
    with open(path, "r+b") as file:
        os.ftruncate(file.fileno(), 5000)
    try:
        cp.load(path)
    except ValueError as error:
        assert "expected 24000 bytes" in str(error), error
    else:
        raise AssertionError
print("done")
"""


def run(code: str, *arguments: str, **environment: str) -> str:
    import os

    settings = {"CUPOLA_PLATFORM": "cpu", **environment}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **settings},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_all_members_of_a_set_write_and_read(tmp_path: Path) -> None:
    striped = {
        "CUPOLA_CPU_DEVICES": "4",
        "CUPOLA_CPU_DEVICE_MEMORY": "1G,1500M,3G",
        "CUPOLA_CPU_MAP_TILE": "64",
        "CUPOLA_CPU_STRIPE_BYTES": "16",
        "CUPOLA_STRIPE_THRESHOLD": "1",
    }
    assert run(SET, str(tmp_path / "a.npy"), **striped) == "done"


MEMORY = """
import sys, numpy as np, cupola as cp
def own():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))
path, nbytes = sys.argv[1], 192 << 20
mapped = np.lib.format.open_memmap(path, "w+", sys.argv[2], (nbytes // 8,))
del mapped
cp.arange(10).tolist()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = own()
array = cp.load(path)
cp.eval(array)
cp.save(path + ".npy", array)
print((own() - before) / nbytes)
"""


ONE = {
    "CUPOLA_CPU_DEVICES": "1",
    "CUPOLA_CPU_DEVICE_MEMORY": "1G",
    "CUPOLA_DEVICE": "cpu:0",
    "CUPOLA_ADVERSARY": "",  # a hostile device keeps more in host memory
}


@pytest.mark.parametrize("dtype", ["<f8", ">f8"])
def test_the_host_holds_pieces_only(dtype: str, tmp_path: Path) -> None:
    """On a CPU device the array itself is in host memory, once."""
    assert float(run(MEMORY, str(tmp_path / "a.npy"), dtype, **ONE)) < 1.4
