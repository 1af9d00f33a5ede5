"""P4.8: beyond one machine Dask takes over, with these arrays as its chunks."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cupola as cp

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
sizeof = pytest.importorskip("dask.sizeof").sizeof
distributed = pytest.importorskip("distributed")

HOST = np.random.default_rng(7).random((60, 40))
CHUNKS = (20, 15)


def collection() -> Any:
    return da.from_array(cp.asarray(HOST), chunks=CHUNKS, asarray=False)


def check(found: Any, expected: Any) -> None:
    """An array of ours with these elements."""
    assert type(found) is cp.ndarray
    assert found.shape == np.shape(expected)
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-12, atol=1e-12)


def assigned(x: Any) -> Any:
    result = x.copy()
    result[2:5] = 0
    result[result > 0.9] = 1
    return result


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "elementwise": lambda x: da.sin(x) * 2 + x**2 - da.exp(x) / 3,
    "comparisons": lambda x: (x > 0.5) & ~(x < 0.7),
    "where": lambda x: da.where(x > 0.5, x, 0),
    "astype": lambda x: (x * 9).astype("i4"),
    "map_blocks": lambda x: x.map_blocks(lambda block: block * 2 + 1),
    "map_overlap": lambda x: x.map_overlap(lambda b: b + 1, depth=1, boundary="reflect"),
    "slices": lambda x: x[3:50:2, ::-1],
    "one row": lambda x: x[5],
    "positions": lambda x: x[[3, 40, 2, 2]],
    "a mask": lambda x: x[x > 0.5],
    "assignment": assigned,
    "concatenate": lambda x: da.concatenate([x, x + 1], axis=1),
    "stack": lambda x: da.stack([x, x - 1]),
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.reshape(-1),
    "rechunk": lambda x: x.rechunk((7, 40)),
    "tensordot": lambda x: da.tensordot(x, x, axes=((0,), (0,))),
    "matmul": lambda x: x @ x.T,
    "einsum": lambda x: da.einsum("ij,kj->ik", x, x),
    "cumsum": lambda x: da.cumsum(x, axis=0),
    "diff": lambda x: da.diff(x, axis=1),
    "topk": lambda x: da.topk(x, 3, axis=0),
    "pad": lambda x: da.pad(x, 2, mode="constant"),
    "fft": lambda x: da.fft.fft(x.rechunk((60, 10)), axis=0),
    "singular values": lambda x: da.linalg.svd(x.rechunk((30, 40)))[1],
    "covariance": da.cov,
    "histogram": lambda x: da.histogram(x, bins=[0, 0.5, 1])[0],
    "median": lambda x: da.median(x, axis=0),
    "percentile": lambda x: da.percentile(x.reshape(-1), [25, 50], method="nearest"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_numpy_chunks(name: str) -> None:
    found = PROGRAMS[name](collection())
    check(found.compute(), PROGRAMS[name](da.from_array(HOST, chunks=CHUNKS)).compute())


def test_collections_know_what_their_chunks_are() -> None:
    for name in ("itself", "elementwise", "map_blocks", "slices", "stack", "tensordot", "matmul"):
        assert type(PROGRAMS[name](collection())._meta) is cp.ndarray
    assert type(collection().mean(axis=0)._meta) is cp.ndarray


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}])
@pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "min", "max", "prod", "any", "all"])
def test_reductions(name: str, options: dict) -> None:
    """Also those that count elements for themselves."""
    check(getattr(collection(), name)(**options).compute(), getattr(HOST, name)(**options))


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_positions_of_extremes(name: str) -> None:
    check(getattr(collection(), name)(axis=1).compute(), getattr(HOST, name)(axis=1))


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanstd", "nanmax"])
def test_reductions_without_nan(name: str) -> None:
    holes = np.where(HOST < 0.3, np.nan, HOST)
    x = da.from_array(cp.asarray(holes), chunks=CHUNKS, asarray=False)
    check(getattr(da, name)(x, axis=0).compute(), getattr(np, name)(holes, axis=0))


def test_chunks_made_where_they_are_computed() -> None:
    x = da.from_array(HOST, chunks=CHUNKS).map_blocks(cp.asarray)
    assert type(x._meta) is cp.ndarray
    check((x @ x.T).mean(axis=0).compute(), (HOST @ HOST.T).mean(axis=0))


def test_the_backend() -> None:
    with dask.config.set({"array.backend": "cupola"}):
        check(da.ones((4, 5), chunks=2).compute(), np.ones((4, 5)))
        check(da.zeros((4, 5), chunks=2).compute(), np.zeros((4, 5)))
        check(da.full((4, 5), 7, chunks=2).compute(), np.full((4, 5), 7))
        check(da.arange(10, chunks=3).compute(), np.arange(10))
        assert type(da.empty(3, chunks=2).compute()) is cp.ndarray
        drawn = da.random.RandomState(3).normal(size=(40, 40), chunks=20).compute()
    assert type(drawn) is cp.ndarray
    assert 0.8 < float(drawn.std()) < 1.2
    host = da.from_array(HOST, chunks=CHUNKS)
    check(host.to_backend("cupola").sum(axis=0).compute(), HOST.sum(axis=0))
    assert collection().to_backend("cupola")._meta.dtype == HOST.dtype
    back = collection().to_backend("numpy").compute()
    assert type(back) is np.ndarray
    np.testing.assert_array_equal(back, HOST)


def test_threads() -> None:
    """Each thread has a stream of its own."""
    x = collection()
    wanted = np.sin(HOST) @ HOST.T - HOST.mean(axis=1)
    with dask.config.set(scheduler="threads", num_workers=8):
        for _ in range(5):
            check((da.sin(x) @ x.T - x.mean(axis=1)).compute(), wanted)


def test_a_cluster_of_processes() -> None:
    """Chunks travel by pickling, and workers find what reductions need by themselves."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        x = collection()
        check((x @ x.T).std(axis=1).compute(), (HOST @ HOST.T).std(axis=1))
        made = da.from_array(HOST, chunks=CHUNKS).map_blocks(cp.asarray)
        check(made.persist().mean(axis=0).compute(), HOST.mean(axis=0))
        check(client.scatter(cp.asarray(HOST)).result(), HOST)


def test_equal_arrays_have_equal_names() -> None:
    """So that Dask computes once what is asked for twice."""
    tokens = {dask.base.tokenize(a) for a in (cp.asarray(HOST), cp.asarray(HOST) + 0)}
    assert len(tokens) == 1
    assert dask.base.tokenize(cp.asarray(HOST + 1)) not in tokens


def test_sizes_count_the_elements() -> None:
    """By them Dask decides what a worker has room for."""
    a = cp.asarray(HOST)
    assert HOST.nbytes <= sizeof(a) < HOST.nbytes + 1000
    assert HOST[:30].nbytes <= sizeof(a[:30]) < HOST[:30].nbytes + 1000
    assert sizeof(cp.broadcast_to(a[:1], (10**9, 40))) < 40 * 8 + 1000


def test_host_arrays_are_not_mixed_in() -> None:
    with pytest.raises(TypeError, match=r"cupola\.asarray"):
        (collection() + da.from_array(HOST, chunks=CHUNKS)).compute()


@pytest.mark.parametrize("first", ["cupola", "dask.array"])
def test_neither_imports_the_other(first: str) -> None:
    """And whichever comes second, reductions work."""
    code = f"""
import sys, {first}
assert ("dask" if {first!r} == "cupola" else "cupola") not in sys.modules
import cupola as cp, dask.array as da
print(float(da.from_array(cp.ones((6, 4)), chunks=2, asarray=False).mean(axis=0).sum()))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(os.environ), capture_output=True, text=True
    )
    assert done.stdout == "4.0\n", done.stderr
