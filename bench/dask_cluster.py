#!/usr/bin/env python3
"""Dask with a worker for each of four emulated devices, beside Dask with NumPy on the same cores.

Writes bench/results/dask.json: seconds of each program (the least of the rounds, which alternate
between the two), and those of pickling 100 MB from one process to another. The last part is an
array of ten times the memory of a device, with a worker killed in the middle.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pickle
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")

import dask
import dask.array as da
import distributed
import numpy as np
from tqdm import tqdm

import cupola as cp
from cupola.dask import LocalCluster

RESULTS = Path(__file__).resolve().parent / "results/dask.json"
WORKERS = 4
MIB = 1 << 20


def programs(x: da.Array) -> dict[str, Callable[[], Any]]:
    size = x.shape[0]
    return {
        "(x + x.T).mean()": lambda: (x + x.T).mean(),
        "matmul": lambda: (x @ x).sum(),
        "rechunk": lambda: x.rechunk((size, x.chunksize[1] // 4)).sum(axis=0),
    }


@contextmanager
def cluster_of(kind: str) -> Iterator[Any]:
    """Four workers of one thread each."""
    if kind == "cupola":
        cluster = LocalCluster([f"cpu:{i}" for i in range(WORKERS)], dashboard_address=None)
    else:
        cluster = distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=None
        )
    with cluster, distributed.Client(cluster) as client:
        yield client


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure_round(kind: str, size: int, chunk: int, repeats: int) -> dict[str, float]:
    """The least seconds of each program in one cluster."""
    # By tasks: the other way goes by files, and measures the disk.
    options = {"array.backend": kind, "array.rechunk.method": "tasks"}
    with cluster_of(kind), dask.config.set(options):
        x = da.random.default_rng(1).random(size=(size, size), chunks=(chunk, chunk)).persist()
        distributed.wait(x)
        found = {}
        for name, program in programs(x).items():
            collection = program()
            collection.compute()
            found[name] = min(seconds_of(collection.compute) for _ in range(repeats))
        return found


def measure_programs(size: int, chunk: int, rounds: int, repeats: int) -> dict[str, Any]:
    found: dict[str, dict[str, float]] = {"numpy": {}, "cupola": {}}
    for _ in tqdm(range(rounds), desc="rounds"):
        for kind, least in found.items():
            for name, seconds in measure_round(kind, size, chunk, repeats).items():
                least[name] = min(seconds, least.get(name, seconds))
    return {
        name: {
            "numpy_s": round(found["numpy"][name], 4),
            "cupola_s": round(seconds, 4),
            "speedup": round(found["numpy"][name] / seconds, 3),
        }
        for name, seconds in found["cupola"].items()
    }


def send_pickles(array: Any, count: int, connection: Any) -> None:
    """Pickle by protocol 5; the buffers go through the connection as they are."""
    for _ in range(count):
        connection.recv_bytes()
        buffers: list[pickle.PickleBuffer] = []
        connection.send_bytes(pickle.dumps(array, 5, buffer_callback=buffers.append))
        for buffer in buffers:
            connection.send_bytes(buffer.raw())


def receive_pickle(connection: Any) -> Any:
    connection.send_bytes(b"next")
    data = connection.recv_bytes()
    return pickle.loads(data, buffers=[connection.recv_bytes()])


def measure_pickles(nbytes: int, count: int) -> dict[str, float]:
    """Seconds from one process to another, the least of `count`, in turns."""
    context = multiprocessing.get_context("fork")
    host = np.ones(nbytes // 8)
    readers = {}
    for name, array in {"numpy": host, "cupola": cp.asarray(host)}.items():
        reader, writer = context.Pipe()
        process = context.Process(target=send_pickles, args=(array, count, writer), daemon=True)
        process.start()
        readers[name] = reader
    seconds: dict[str, list[float]] = {name: [] for name in readers}
    for _ in range(count):
        for name, reader in readers.items():
            seconds[name].append(seconds_of(lambda r=reader: receive_pickle(r)))
    least = {name: min(each) for name, each in seconds.items()}
    return {
        "bytes": nbytes,
        "numpy_s": round(least["numpy"], 4),
        "cupola_s": round(least["cupola"], 4),
        "ratio": round(least["cupola"] / least["numpy"], 3),
    }


def block(block_info: Any = None) -> Any:
    """Whole numbers, so that sums are exact in any order."""
    (first, end), (left, right) = block_info[None]["array-location"]
    rows, columns = cp.arange(first, end)[:, None], cp.arange(left, right)
    return ((rows * 31 + columns * 17) % 101).astype(float)


def measure_large(memory: int, size: int, chunk: int) -> dict[str, Any]:
    """An array of ten times a device's memory, while a worker is killed."""
    env = {"CUPOLA_CPU_DEVICES": str(WORKERS), "CUPOLA_CPU_DEVICE_MEMORY": str(memory)}
    options = {"device_memory_limit": memory * 3 // 4, "memory_limit": 0, "env": env}
    devices = [f"cpu:{i}" for i in range(WORKERS)]
    with (
        LocalCluster(devices, dashboard_address=None, **options) as cluster,
        cluster.get_client() as client,
        dask.config.set({"array.rechunk.method": "tasks"}),
    ):
        shape = ((chunk,) * (size // chunk),) * 2
        x = da.map_blocks(block, chunks=shape, dtype=float, meta=cp.empty((0, 0))).persist()
        distributed.wait(x)
        tasks = {
            "mean": lambda: (x + x.T).mean(),
            # Pieces of more than 1 MiB, which the pool can move.
            "rechunk and FFT": lambda: da.fft.rfft(
                x.rechunk((size, 128), block_size_limit=memory // 6), axis=0
            ).real.sum(),
        }
        found = {name: round(seconds_of(task().compute), 3) for name, task in tasks.items()}
        with dask.config.set({"array.backend": "cupola"}):
            narrow = x.rechunk((chunk, size // 4))[:, : size // 4]
            values = da.linalg.svd_compressed(narrow, 3, seed=da.random.default_rng(5))[1]
            found["svd_compressed"] = round(seconds_of(values.compute), 3)
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        spills = sum(worker["metrics"]["spills"] for worker in workers)
        victim = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
        killer.start()
        start = time.perf_counter()
        sums = cp.asnumpy((x * 2 + x.T).sum(axis=1).compute())
        found["sum, a worker killed"] = round(time.perf_counter() - start, 3)
        killer.join()
    rows, columns = np.arange(size)[:, None], np.arange(size)
    host = ((rows * 31 + columns * 17) % 101).astype(float)
    return {
        "device_memory_bytes": memory,
        "array_bytes": size * size * 8,
        "spills_before_the_kill": spills,
        "seconds": found,
        "equal_after_the_kill": bool(np.array_equal(sums, (host * 2 + host.T).sum(axis=1))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=6000, help="rows of the matrix")
    parser.add_argument("--chunk", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    record: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "machine": platform.machine()},
        "versions": {module.__name__: module.__version__ for module in (cp, np, dask, distributed)},
        "load_before": round(os.getloadavg()[0], 1),
        "workers": WORKERS,
        "matrix": {"size": options.size, "chunk": options.chunk},
    }
    parts: dict[str, Callable[[], Any]] = {
        "pickle_protocol_5": lambda: measure_pickles(100_000_000, 10),
        "programs": lambda: measure_programs(
            options.size, options.chunk, options.rounds, options.repeats
        ),
        "ten_times_a_device": lambda: measure_large(64 * MIB, 9216, 1152),
    }
    for name, measure in parts.items():
        record[name] = measure()
        print(name, json.dumps(record[name], indent=2), flush=True)
        options.output.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
