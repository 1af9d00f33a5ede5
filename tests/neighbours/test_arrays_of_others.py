"""Arrays to and from other libraries: by DLPack, buffers, Arrow and NumPy's protocols."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cupola as cp

HOST = np.arange(12.0).reshape(3, 4)


def same(found: Any, expected: Any) -> None:
    assert type(found) is cp.ndarray
    np.testing.assert_array_equal(cp.asnumpy(found), expected)


def test_jax() -> None:
    jax = pytest.importorskip("jax")
    a = cp.asarray(HOST.astype("f4"))
    there = jax.dlpack.from_dlpack(a)
    same(cp.from_dlpack(jax.jit(lambda x: x * 2)(there)), HOST.astype("f4") * 2)
    same(cp.asarray(jax.numpy.arange(3.0)), [0, 1, 2])


def test_torch() -> None:
    torch = pytest.importorskip("torch")
    a = cp.asarray(HOST)
    there = torch.from_dlpack(a)
    there += 1
    same(a, HOST + 1)
    same(cp.from_dlpack(there * 2), (HOST + 1) * 2)
    same(cp.asarray(torch.arange(3)), [0, 1, 2])
    same(cp.from_dlpack(torch.ones(3, dtype=torch.bfloat16)).astype("f4"), [1, 1, 1])
    assert torch.from_dlpack(a[:, ::2].T).stride() == (2, 4)
    same(cp.asarray(torch.arange(6).reshape(2, 3).T), [[0, 3], [1, 4], [2, 5]])
    assert torch.from_dlpack(cp.zeros((0, 3))).shape == (0, 3)
    assert torch.from_dlpack(cp.asarray([1 + 2j])).tolist() == [1 + 2j]
    with pytest.raises(BufferError, match="gradient"):
        cp.asarray(torch.ones(3, requires_grad=True))
    with pytest.raises(RuntimeError, match="buffer"):  # it would lose the shape
        torch.asarray(a)


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(cp.asarray(HOST), columns=list("abcd"))
    same(cp.asarray(frame), HOST)
    same(cp.asarray(pandas.Series(cp.asarray(HOST[0]))), HOST[0])


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    series = polars.Series("x", cp.asarray(HOST[0]))
    assert series.to_list() == HOST[0].tolist()
    same(cp.asarray(series), HOST[0])
    same(cp.asarray(polars.DataFrame({"a": HOST[0], "b": HOST[1]})), HOST[:2].T)


def test_pyarrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    array = pyarrow.array(cp.asarray([1, 2, 3], dtype="i4"))
    assert array.type == pyarrow.int32()
    same(cp.asarray(array), [1, 2, 3])
    same(cp.from_dlpack(array), [1, 2, 3])
    table = pyarrow.table({"a": cp.asarray(HOST[0])})
    assert table["a"].to_pylist() == HOST[0].tolist()
    with pytest.raises(ValueError, match="one dimension"):
        pyarrow.array(cp.asarray(HOST))


def test_pillow() -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(1).integers(0, 256, (5, 6, 3)).astype("u1")
    picture = image.fromarray(cp.asarray(pixels))
    assert picture.size == (6, 5)
    same(cp.asarray(picture), pixels)
    same(cp.asarray(image.fromarray(cp.asarray(pixels)[::2, :, 0])), pixels[::2, :, 0])


def test_h5py() -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File("memory.h5", "w", driver="core", backing_store=False) as file:
        file["a"] = cp.asarray(HOST)
        file.create_dataset("b", data=cp.asarray(HOST), chunks=(2, 2))
        file["b"][1:] = cp.asarray(HOST[:2])
        same(cp.asarray(file["a"]), HOST)
        same(cp.asarray(file["b"][()]), HOST[[0, 0, 1]])


def test_zarr() -> None:
    zarr = pytest.importorskip("zarr")
    from cupola.interop.zarr import enable

    with enable():
        store = zarr.storage.MemoryStore()
        array = zarr.create_array(store, shape=(6, 4), chunks=(2, 3), dtype="f8", fill_value=7)
        array[1:4] = cp.asarray(HOST)
        found = array[...]
        expected = np.full((6, 4), 7.0)
        expected[1:4] = HOST
        same(found, expected)
    np.testing.assert_array_equal(zarr.open_array(store)[...], expected)


def test_mpi4py() -> None:
    pytest.importorskip("mpi4py")
    try:
        from mpi4py import MPI
    except RuntimeError as error:
        pytest.skip(f"no MPI library: {error}")
    sums = cp.zeros_like(cp.asarray(HOST))
    MPI.COMM_WORLD.Allreduce(cp.asarray(HOST), sums)
    same(sums, HOST * MPI.COMM_WORLD.Get_size())


RANKS = """
import cupola as cp
from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
with cp.Device(f"cpu:{rank}"):
    mine = cp.arange(1000.0) * (rank + 1)
    sums, theirs = cp.zeros_like(mine), cp.zeros_like(mine)
    world.Allreduce(mine, sums)
    assert (sums == cp.arange(1000.0) * 3).all()
    world.Sendrecv(mine + 1, 1 - rank, recvbuf=theirs, source=1 - rank)
    assert (theirs == cp.arange(1000.0) * (2 - rank) + 1).all()
assert world.Get_size() == 2
"""


def test_mpi4py_between_processes() -> None:
    start = Path(sys.executable).parent / "mpiexec"
    if not start.exists():
        pytest.skip("no mpiexec beside the interpreter")
    command = [start, "-n", "2", sys.executable, "-c", RANKS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_numpy() -> None:
    a = cp.asarray(HOST)
    same(np.sin(a), np.sin(HOST))
    same(np.concatenate([a, a]), np.concatenate([HOST, HOST]))
    same(np.linalg.norm(a, axis=0), np.linalg.norm(HOST, axis=0))
    np.testing.assert_array_equal(np.from_dlpack(a), HOST)
    np.testing.assert_array_equal(np.asarray(a), HOST)
