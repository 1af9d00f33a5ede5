"""Clusters of Dask: a worker for each device, arrays larger than these, and workers that die."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cupola as cp
from cupola.errors import DeviceError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

from cupola.dask import DevicePlugin, LocalCluster  # noqa: E402
from cupola.dask._devices import parse_limit  # noqa: E402

MEMORY = 16 << 20  # of each emulated device
N = 4608  # a matrix of float64 of that size has ten times as much
CHUNK = 576

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("CUPOLA_PLATFORM") == "cuda", reason="the devices' memory is emulated"
    ),
    pytest.mark.long,
]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of four workers on four devices."""
    env = {
        "CUPOLA_CPU_DEVICES": "4",
        "CUPOLA_CPU_DEVICE_MEMORY": str(MEMORY),
        "CUPOLA_EAGER": "0",  # each operation by itself would need more memory than there is
    }
    with (
        LocalCluster(
            [f"cpu:{i}" for i in range(4)],
            device_memory_limit=MEMORY * 3 // 4,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            env=env,
        ) as cluster,
        cluster.get_client() as client,
    ):
        yield client


@pytest.fixture
def large(client: Any) -> Any:
    """An array of ten times the memory of a device, as whole numbers: sums are exact."""

    def block(block_info: Any = None) -> Any:
        (first, end), (left, right) = block_info[None]["array-location"]
        rows, columns = cp.arange(first, end)[:, None], cp.arange(left, right)
        return ((rows * 31 + columns * 17) % 101).astype(float)

    return da.map_blocks(
        block, chunks=((CHUNK,) * (N // CHUNK),) * 2, dtype=float, meta=cp.empty((0, 0))
    )


def whole() -> np.ndarray:
    """The same on one machine."""
    rows, columns = np.arange(N)[:, None], np.arange(N)
    return ((rows * 31 + columns * 17) % 101).astype(float)


def metrics(client: Any, named: str = "device") -> list[dict[str, Any]]:
    """Of each worker, once it has told the scheduler of the one that is named."""
    deadline = time.monotonic() + 60
    while True:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        told = [worker["metrics"] for worker in workers]
        if all(named in each for each in told) or time.monotonic() > deadline:
            return told
        client.run(lambda: None)


def devices(client: Any) -> list[str]:
    """Where the workers' arrays are."""
    return sorted(client.run(lambda: str(cp.ones(3).device)).values())


def test_each_worker_has_a_device(client: Any) -> None:
    assert devices(client) == [f"cpu:{i}" for i in range(4)]
    for i in range(4):
        where = client.submit(
            lambda i: str(cp.full(3, i).device), i, resources={f"cpu:{i}": 1}, pure=False
        )
        assert where.result() == f"cpu:{i}"


def test_an_array_larger_than_the_devices(client: Any, large: Any) -> None:
    x = large.persist()
    distributed.wait(x)
    assert x.nbytes > 10 * MEMORY
    wanted = whole()
    mean = ((x + x.T).mean()).compute()
    assert float(mean) == (wanted + wanted.T).mean()
    np.testing.assert_array_equal(cp.asnumpy(x.mean(axis=0).compute()), wanted.mean(axis=0))
    deadline = time.monotonic() + 20
    while sum(each["spills"] for each in metrics(client)) == 0:
        assert time.monotonic() < deadline, metrics(client)
        time.sleep(0.2)
    for each in metrics(client):
        assert 0 < each["device memory limit"] < MEMORY
        assert each["device memory"] <= each["device memory limit"]
    columns = x.rechunk((N, 64), block_size_limit=MEMORY // 8)
    np.testing.assert_array_equal(cp.asnumpy(columns[:, 2500].compute()), wanted[:, 2500])
    transformed = da.fft.fft(columns[:, :512], axis=0)
    expected = np.fft.fft(wanted[:, :512], axis=0)
    found = cp.asnumpy(transformed[::97].compute())
    np.testing.assert_allclose(found, expected[::97], rtol=1e-9, atol=1e-6)


def test_singular_values_of_a_large_array(client: Any, large: Any) -> None:
    # A task needs several blocks at the same time.
    x = large.rechunk((CHUNK // 2, N // 4))[:, : N // 4]
    with dask.config.set({"array.backend": "cupola"}):
        _, values, _ = da.linalg.svd_compressed(x, 3, n_power_iter=2, seed=da.random.default_rng(5))
        found = cp.asnumpy(values.compute())
    part = whole()[:, : N // 4]
    expected = np.sqrt(np.linalg.eigvalsh(part.T @ part)[::-1][:3])
    np.testing.assert_allclose(found, expected, rtol=1e-2)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9)


def test_elementwise_work_has_the_same_bits(client: Any) -> None:
    host = np.random.default_rng(3).random((600, 500))
    x = da.from_array(cp.asarray(host), chunks=(100, 250), asarray=False)
    found = (da.sin(x) * 3 + da.exp(-x) / (x + 1)).compute()
    a = cp.asarray(host)
    expected = cp.asnumpy(cp.sin(a) * 3 + cp.exp(-a) / (a + 1))
    assert cp.asnumpy(found).tobytes() == expected.tobytes()


def test_a_worker_that_is_killed_loses_only_its_tasks(client: Any, large: Any) -> None:
    pids = client.run(os.getpid)
    x = large.persist()
    distributed.wait(x)
    total = client.compute((x * 2 + x.T).sum(axis=1))
    time.sleep(0.5)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    wanted = whole()
    np.testing.assert_array_equal(
        cp.asnumpy(total.result(timeout=120)), (wanted * 2 + wanted.T).sum(axis=1)
    )
    deadline = time.monotonic() + 60
    while devices(client) != [f"cpu:{i}" for i in range(4)]:
        assert time.monotonic() < deadline, devices(client)
        time.sleep(0.5)


def test_the_dashboard_shows_device_memory(client: Any) -> None:
    address = client.dashboard_link.removesuffix("/status")
    with urllib.request.urlopen(f"{address}/cupola.json") as answer:
        rows = json.load(answer)["devices"]
    assert sorted(row["device"] for row in rows) == [f"cpu:{i}" for i in range(4)]
    with urllib.request.urlopen(f"{address}/cupola") as answer:
        page = answer.read().decode()
    assert all(f"cpu:{i}" in page for i in range(4))


def test_an_array_over_several_devices_is_a_chunk() -> None:
    env = {"CUPOLA_CPU_DEVICES": "4", "CUPOLA_STRIPE_THRESHOLD": "4096"}
    with (
        LocalCluster(["cpu:0-1", "cpu:2-3"], dashboard_address=None, env=env) as cluster,
        cluster.get_client() as client,
    ):
        host = np.random.default_rng(3).random((1200, 1000))
        x = da.from_array(host, chunks=600).map_blocks(cp.asarray)
        parts = client.submit(lambda: len(cp.ones((600, 600)).placement), resources={"cpu:2-3": 1})
        assert parts.result() == 2
        np.testing.assert_array_equal(cp.asnumpy((x * 2).compute()), host * 2)
        np.testing.assert_allclose(cp.asnumpy((x.T @ x).compute()), host.T @ host)


@pytest.mark.parametrize("devices", ["cpu:99", ["cpu:0", "cpu:99"], "gpu"])
def test_a_device_that_does_not_exist(devices: Any) -> None:
    with pytest.raises(DeviceError, match="no worker can use the device"):
        LocalCluster(devices, dashboard_address=None)


def test_workers_of_another_version() -> None:
    plugin = DevicePlugin()
    plugin.version = "0.0.1"
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(Exception, match=r"pip install cupola==0\.0\.1"),
    ):
        client.register_plugin(plugin)


def test_a_plugin_for_the_workers_of_others() -> None:
    """As those of dask-cuda, which choose the device by the environment."""
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.register_plugin(DevicePlugin(device_memory_limit="100 MiB"))

        def fill() -> int:
            arrays = [cp.ones(5 << 20) for _ in range(5)]
            cp.eval(*arrays)
            return cp.cuda.get_allocator().__self__.spilled_bytes()

        assert client.submit(fill).result() >= 100 << 20
        assert metrics(client, "device memory limit")[0]["device memory limit"] == 100 << 20


def test_the_command() -> None:
    """A scheduler that others started gets a worker for each device."""
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        command = [sys.executable, "-m", "cupola", "dask", "worker", cluster.scheduler_address]
        options = ["--device", "cpu:1", "--device", "cpu:2", "--name", "w", "--death-timeout", "60"]
        env = {**os.environ, "CUPOLA_CPU_DEVICES": "4"}
        with subprocess.Popen([*command, *options], env=env, stderr=subprocess.PIPE) as process:
            client.wait_for_workers(2, timeout=120)
            workers = client.scheduler_info(n_workers=-1)["workers"].values()
            assert sorted(worker["name"] for worker in workers) == ["w-cpu:1", "w-cpu:2"]
            found = client.run(lambda: str(cp.ones(3).device)).values()
            assert sorted(found) == ["cpu:1", "cpu:2"]
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        assert process.returncode == 0


def test_the_command_names_what_is_wrong() -> None:
    command = [sys.executable, "-m", "cupola", "dask", "worker", "tcp://127.0.0.1:1"]
    done = subprocess.run([*command, "--device", "cpu:99"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "cpu:99" in done.stderr
    assert "CUPOLA_CPU_DEVICES" in done.stderr


def test_limits() -> None:
    device = cp.Device("cpu:0")
    total = device.mem_info[1]
    assert parse_limit("1 MiB", device) == 1 << 20
    assert parse_limit(1 << 20, device) == 1 << 20
    assert parse_limit(0.5, device) == total // 2
    assert parse_limit("auto", device) == int(total * 0.8)
    assert parse_limit(None, device) == parse_limit(0, device) == 0
    with pytest.raises(ValueError, match=re.escape("much")):
        parse_limit("much", device)
    with pytest.raises(ValueError, match="less than nothing"):
        parse_limit(-1, device)
