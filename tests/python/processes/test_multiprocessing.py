"""Processes with devices of their own, and arrays that they share (promise P5.4)."""

import gc
import os
import pickle
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, is_alone, on_cuda
from support import process_bodies as bodies
from support.compare import assert_same
from support.devices import all_devices

if not IS_NUMPY:
    from cupola import _cupola as core
    from cupola import multiprocessing as mp
    from cupola.errors import DeviceError, ForkedProcessError
    from cupola.multiprocessing import _arrays, _placing, _process
    from cupola.multiprocessing._post import office

pytestmark = pytest.mark.cupola_only

# A block of memory of its own, of which a trace cannot be missed.
MANY = 8 << 20  # float64


@pytest.fixture(autouse=True)
def light_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """New processes import the main module, which is the test runner here; they need not."""
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))


@pytest.fixture
def worker() -> Iterator[Callable[..., Any]]:
    """Calls a function in another process: worker(function, *args)."""
    here, there = mp.Pipe()
    process = mp.Process(target=bodies.answer_calls, args=(there,))
    process.start()
    there.close()

    def call(function: Callable[..., Any], *args: Any) -> Any:
        here.send((function, args))
        assert here.poll(60), "the worker does not answer"
        return here.recv()

    yield call
    here.send(None)
    process.join(60)
    assert process.exitcode == 0


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Poll until something is so."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.002)


def bytes_in_use() -> int:
    """Bytes that this process (on CUDA: everybody) holds on the current device."""
    gc.collect()
    device = core.current_device()
    device.synchronize()
    cp.get_default_memory_pool().free_all_blocks()
    free, total = device.mem_info
    return int(total - free)


ALONE = is_alone()


def unclaimed() -> int:
    """Parcels that nobody has called for, but for those of Dask, which forgets them later."""
    dask = sys.modules.get("cupola.dask._shared")
    waiting = () if dask is None else tuple(dask._waiting._messages)
    kept = [parcel for message in waiting for parcel in message.parcels]
    return office().unclaimed() - sum(office().has_any([parcel]) for parcel in kept)


class NothingLeft:
    """No memory, no descriptor and no parcel more after the block than before."""

    def __enter__(self) -> None:
        mp.share(cp.ones(3))  # what is made once
        office().addresses()
        queue = mp.Queue()
        ended(started(time.sleep, 0))
        queue.close()
        queue.join_thread()
        del queue
        self.parcels = unclaimed()
        self.bytes = bytes_in_use()
        self.descriptors = len(os.listdir("/proc/self/fd"))
        self.names = set(os.listdir("/dev/shm"))

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            return
        tolerance = MANY * 4 if on_cuda() else 3 << 20  # less than one array of MANY
        wait_until(lambda: unclaimed() <= self.parcels, "parcels are left")
        if ALONE:
            wait_until(lambda: bytes_in_use() <= self.bytes + tolerance, "memory is left")
        wait_until(
            lambda: len(os.listdir("/proc/self/fd")) <= self.descriptors + 1,
            f"descriptors are left: {open_files()}",
        )
        new = {name for name in os.listdir("/dev/shm") if name not in self.names}
        assert not {name for name in new if "cupola" in name}


def open_files() -> list[str]:
    """What the descriptors of this process name."""
    names = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            names.append(os.readlink(entry))
        except OSError:
            continue
    return names


def started(target: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """A running process."""
    process = mp.Process(target=target, args=args, **options)
    process.start()
    return process


def devices_of_one_platform() -> list[Any]:
    """Those of the default platform."""
    devices = all_devices()
    return [device for device in devices if device.platform == devices[0].platform]


def ended(process: Any, status: int = 0) -> None:
    """Wait for the end of a process, which has this exit code."""
    process.join(60)
    assert process.exitcode == status
    process.close()


# ---- starting processes


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_processes_of_every_start_method_use_devices(method: str) -> None:
    cp.ones(3).sum().item()  # the parent has used a device
    context = mp.get_context(method)
    queue = context.Queue()
    process = context.Process(target=bodies.put_and_end, args=(queue, 5))
    process.start()
    assert_same(queue.get(timeout=60), np.arange(5.0))
    ended(process)


def test_the_default_is_a_fork_server_that_imports_no_main_module() -> None:
    assert mp.get_start_method() == "forkserver"
    assert mp.get_all_start_methods() == ["forkserver", "spawn", "fork"]
    ended(started(bodies.leave, 7), 7)
    server = sys.modules["multiprocessing.forkserver"]._forkserver  # type: ignore[attr-defined]
    assert server._preload_modules == ["cupola.multiprocessing"]


def test_a_fork_is_refused_once_cuda_is_initialised(monkeypatch: pytest.MonkeyPatch) -> None:
    if on_cuda():
        cp.ones(3).sum().item()
    else:
        assert not _process.cuda_is_initialized()
        monkeypatch.setattr(_process, "cuda_is_initialized", lambda: True)
    assert _process.cuda_is_initialized()
    with pytest.raises(ForkedProcessError, match="forkserver"):
        mp.get_context("fork").Process(target=bodies.echo, args=(1,)).start()


def test_unknown_start_methods_are_refused() -> None:
    with pytest.raises(ValueError, match="forkserver"):
        mp.get_context("threads")


def test_the_start_method_is_chosen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cupola.multiprocessing._context.default_context._chosen", None)
    mp.set_start_method("spawn")
    assert mp.get_start_method() == "spawn"
    with pytest.raises(RuntimeError):
        mp.set_start_method("forkserver")
    mp.set_start_method(None, force=True)


# ---- one device per worker


def test_a_process_begins_on_its_device() -> None:
    device = all_devices()[-1]
    here, there = mp.Pipe()
    process = started(bodies.answer_calls, there, device=device)
    here.send((bodies.current_devices, ()))
    assert here.recv()[1:] == (str(device),) * 3
    here.send(None)
    ended(process)


def test_each_worker_of_an_executor_has_a_device() -> None:
    devices = all_devices()
    with mp.ProcessPoolExecutor(devices=devices) as executor:
        assert executor._max_workers == len(devices)
        seen = list(executor.map(bodies.current_devices, range(40)))
    by_process = {process: rest for process, *rest in seen}
    assert all(len(set(names)) == 1 for names in by_process.values())
    used = [names[0] for names in by_process.values()]
    assert len(set(used)) == len(used)
    assert set(used) <= {str(device) for device in devices}


def test_a_worker_that_takes_anothers_place_gets_its_device() -> None:
    devices = all_devices()
    with mp.Pool(devices=devices, maxtasksperchild=1) as pool:
        seen = pool.map(bodies.current_devices, range(3 * len(devices)), chunksize=1)
    assert len({process for process, *_ in seen}) == 3 * len(devices)
    for _, main, thread, array in seen:
        assert main == thread == array

    class Worker:
        exitcode: int | None = None

        def __init__(self, device: Any, isolated: bool) -> None:
            self.device = device

    context = _placing.placing(types.SimpleNamespace(Process=Worker), devices * 2, False)
    workers = [context.Process() for _ in devices * 2]
    assert [worker.device for worker in workers] == devices * 2
    for worker in reversed(workers):
        worker.exitcode = 0
        workers.append(context.Process())
        assert workers[-1].device == worker.device


def test_devices_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ValueError, match="devices"):
        mp.ProcessPoolExecutor(devices=[])
    with pytest.raises(ValueError, match="cpu:0"):
        mp.Pool(devices="cpu:0")
    with pytest.raises(cp.errors.DeviceError, match="cpu:400: this machine does not have it"):
        mp.Pool(devices=["cpu:400"])


def test_isolated_workers_see_one_gpu() -> None:
    if not on_cuda():
        pytest.skip("needs a GPU")
    device = devices_of_one_platform()[-1]
    here, there = mp.Pipe()
    process = started(bodies.answer_calls, there, device=device, isolated=True)
    here.send((bodies.device_count, ("cuda",)))
    assert here.recv() == 1
    with device:
        a = cp.arange(5.0)
    here.send((bodies.describe, (a,)))
    assert here.recv()[3] == "cuda:0"  # the same one, by another number
    here.send(None)
    ended(process)


# ---- passing arrays


def samples() -> dict[str, Any]:
    """Arrays of many kinds."""
    a = cp.arange(120.0).reshape(2, 3, 4, 5)
    large = cp.arange(float(MANY // 8))
    result = {
        "view": a[1, ::2, 1:3],
        "transposed": a.transpose(3, 1, 0, 2),
        "negative strides": a[::-1, :, ::-2],
        "broadcast": cp.broadcast_to(cp.arange(3.0), (4, 3)),
        "Fortran": cp.asfortranarray(cp.arange(12.0).reshape(3, 4)),
        "no elements": cp.empty((3, 0, 2), dtype="int16"),
        "rank 0": cp.asarray(2.5),
        "one element": cp.ones((1, 1, 1)),
        "large": large,
        "part of a large one": large[5:-5:3],
        "shared view": mp.share(a)[:, 1, ::-1],
        "pending": (a + 1) * 2 - a.sum(axis=0),
    }
    names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64"
    for name in [*names.split(), "complex64", "complex128", "bfloat16"]:
        result[name] = cp.arange(7).astype(name)
    return result


def test_arrays_of_every_kind_arrive_as_they_are(worker: Callable[..., Any]) -> None:
    for name, a in samples().items():
        as_float = a.astype("float32") if a.dtype.name == "bfloat16" else a
        values, shape, dtype, device, writable, shared = worker(bodies.describe, a)
        np.testing.assert_array_equal(values, cp.asnumpy(as_float), err_msg=name)
        assert (shape, dtype, device) == (a.shape, a.dtype.name, str(a.device)), name
        assert writable, name
        assert shared, name


def test_arrays_of_every_device_arrive_there(worker: Callable[..., Any]) -> None:
    for device in all_devices():
        with device:
            a = cp.arange(6.0).reshape(2, 3)
        assert worker(bodies.describe, a)[3] == str(device)
        assert worker(bodies.echo, a).device == device


def test_messages_hold_no_elements() -> None:
    with NothingLeft():
        data = bytes(ForkingPickler.dumps(cp.arange(float(MANY))))
        assert len(data) < 1000
        assert_same(pickle.loads(data)[-3:], np.arange(MANY - 3.0, MANY))


def test_the_values_are_those_of_the_call() -> None:
    queue = mp.Queue()
    for i in range(20):
        a = cp.full(1000 * (i + 1), float(i))
        queue.put(a)
        a += 1
    for i in range(20):
        assert_same(queue.get(timeout=60), np.full(1000 * (i + 1), float(i)))


def test_processes_see_what_others_write_to_shared_memory(worker: Callable[..., Any]) -> None:
    a = mp.share(cp.zeros(1000))
    process, block = worker(bodies.increment, a[::2])
    assert process != os.getpid()
    assert block == core.shared_place(a)[0]  # one block of memory in both
    assert_same(a, np.where(np.arange(1000) % 2 == 0, 1.0, 0.0))
    a += 1
    assert worker(bodies.total, a) == 1500.0


def test_what_is_shared_is_sent_on_without_a_copy(worker: Callable[..., Any]) -> None:
    a = mp.empty_shared((MANY // 8,))
    assert mp.is_shared(a)
    assert mp.share(a) is a
    a.fill(3)
    returned = worker(bodies.echo, a)
    assert core.shared_place(returned)[0] == core.shared_place(a)[0]
    returned[7] = 9
    assert float(a[7]) == 9
    # What the worker made is shared here at once, and there by its own array.
    received = worker(bodies.echo, cp.ones(MANY // 8))
    assert core.shared_place(worker(bodies.echo, received))[0] == core.shared_place(received)[0]


def test_an_array_that_is_not_shared_stays_apart(worker: Callable[..., Any]) -> None:
    a = cp.zeros(10)
    worker(bodies.increment, a)
    assert_same(a, np.zeros(10))
    assert not mp.is_shared(a)


def test_a_read_only_shared_array_stays_read_only(worker: Callable[..., Any]) -> None:
    a = cp.broadcast_to(mp.share(cp.ones(3)), (2, 3))
    assert not a.flags.writeable
    assert worker(bodies.describe, a)[4] is False


def test_pending_work_is_done_before_an_array_is_read(worker: Callable[..., Any]) -> None:
    a = mp.empty_shared((1 << 20,))
    for i in range(5):
        a.fill(i)
        a *= 3
        a += a
        assert worker(bodies.total, a) == 6.0 * i * (1 << 20)


def test_arguments_of_a_process_are_shared() -> None:
    here, there = mp.Pipe()
    with NothingLeft():
        many = [cp.full(10, float(i)) for i in range(300)]  # more than there are descriptors
        large = cp.ones(MANY)
        process = started(bodies.sum_argument, there, large, *many)
        sums = here.recv()
        assert sums == [float(MANY)] + [10.0 * i for i in range(300)]
        assert not hasattr(process._popen, "cupola_inheritances")  # kept to start it only
        ended(process)
        del large, many, process


def test_pools_and_executors_pass_arrays() -> None:
    arrays = [cp.arange(10.0) + i for i in range(10)]
    with NothingLeft():
        with mp.Pool(2) as pool:
            for a, b in zip(arrays, pool.map(bodies.echo, arrays), strict=True):
                assert_same(b, cp.asnumpy(a))
            pool.close()
            pool.join()
        with mp.ProcessPoolExecutor(2) as executor:
            results = list(executor.map(bodies.echo, arrays, chunksize=3))
        # The workers have ended; what they made lives on.
        for a, b in zip(arrays, results, strict=True):
            assert_same(b, cp.asnumpy(a))
        del results, a, b, executor, pool


def test_a_device_that_the_receiver_does_not_see_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    devices = devices_of_one_platform()
    if len(devices) < 2:
        pytest.skip("needs two devices")
    variable = "CUDA_VISIBLE_DEVICES" if on_cuda() else "CUPOLA_CPU_DEVICES"
    here, there = mp.Pipe()
    context = mp.get_context("spawn")
    process = context.Process(target=bodies.answer_calls, args=(there,))
    with monkeypatch.context() as patch:
        patch.setenv(variable, "0" if on_cuda() else "1")
        process.start()
    with devices[1]:
        here.send((bodies.echo, (cp.ones(3),)))
    kind, message = here.recv()
    assert kind == DeviceError.__name__
    assert str(devices[1]) in message
    with devices[0]:
        here.send((bodies.total, (cp.ones(3),)))  # it goes on
    assert here.recv() == 3.0
    here.send(None)
    ended(process)


def test_devices_are_known_by_more_than_their_number() -> None:
    first, *_, last = devices_of_one_platform() * 2
    origin = _arrays.Origin(str(last), first.uuid, 1)
    assert _arrays._find_device(origin) == first


def test_what_cannot_be_pickled_is_an_error_at_the_call() -> None:
    with NothingLeft():
        queue = mp.Queue()
        with pytest.raises((AttributeError, pickle.PicklingError)):
            queue.put((cp.ones(MANY // 8), lambda: None))
        with mp.ProcessPoolExecutor(1) as executor:
            future = executor.submit(lambda: None)
            with pytest.raises((AttributeError, pickle.PicklingError)):
                future.result(60)
        queue.close()
        queue.join_thread()
        del queue, executor, future


# ---- processes that end


def test_a_killed_reader_leaves_nothing() -> None:
    with NothingLeft():
        queue = mp.Queue()
        here, there = mp.Pipe()
        process = started(bodies.hold, queue, there)
        queue.put(cp.full(MANY, 2.0))
        assert here.recv() == 2.0  # it holds the array
        os.kill(process.pid, signal.SIGKILL)
        ended(process, -signal.SIGKILL)
        queue.close()
        queue.join_thread()
        here.close()
        there.close()
        del queue, process


def test_a_reader_killed_before_it_reads_leaves_nothing() -> None:
    with NothingLeft():
        here, there = mp.Pipe()
        reader, writer = mp.Pipe(duplex=False)
        process = started(bodies.wait_for_signal, there, reader)
        here.recv()
        reader.close()
        writer.send(cp.ones(MANY))
        assert unclaimed() == 1
        os.kill(process.pid, signal.SIGKILL)
        ended(process, -signal.SIGKILL)
        # The writing end is open still: it is the last reader's end that counts.
        wait_until(lambda: unclaimed() == 0, "a parcel that nobody can call for is kept")
        for connection in (here, there, writer):
            connection.close()
        del process


def test_a_queue_that_is_dropped_leaves_nothing() -> None:
    with NothingLeft():
        queue = mp.SimpleQueue()
        queue.put(cp.ones(MANY))
        assert unclaimed() == 1
        del queue


def test_cancelled_calls_leave_nothing(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with NothingLeft():
        executor = mp.ProcessPoolExecutor(1)
        running = executor.submit(bodies.read_file, gate)
        futures = [executor.submit(bodies.echo, cp.ones(MANY // 8)) for _ in range(10)]
        executor.shutdown(wait=False, cancel_futures=True)
        gate.write_text("open")
        assert running.result(60) == "open"
        executor.shutdown()
        assert futures[-1].cancelled()
        del executor, futures, running


def test_a_killed_worker_leaves_nothing(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with NothingLeft():
        executor = mp.ProcessPoolExecutor(1)
        arrays = [cp.ones(MANY // 8) for _ in range(4)]
        futures = [executor.submit(bodies.be_killed_after, gate, a) for a in arrays]
        gate.write_text("now")
        for future in futures:
            with pytest.raises(BrokenProcessPool):
                future.result(60)
        executor.shutdown()
        del executor, futures, future, arrays


def test_arrays_of_a_killed_process_live_on() -> None:
    with NothingLeft():
        here, there = mp.Pipe()
        process = started(bodies.send_and_stay, there, MANY)
        a = here.recv()
        os.kill(process.pid, signal.SIGKILL)
        ended(process, -signal.SIGKILL)
        assert_same(a[-3:], np.arange(MANY - 3.0, MANY))
        a += 1
        assert float(a[0]) == 1.0
        here.close()
        there.close()
        del a, process


def test_an_array_that_was_lost_with_its_sender_is_an_error() -> None:
    with NothingLeft():
        here, there = mp.Pipe()
        process = started(bodies.put_and_be_killed, there, 10)
        pid = process.pid
        ended(process, -signal.SIGKILL)
        with pytest.raises(ConnectionResetError, match=f"process {pid}"):
            here.recv()
        here.close()
        there.close()
        del process


def test_what_a_process_sent_before_it_ended_is_received() -> None:
    with NothingLeft():
        queue = mp.Queue()
        ended(started(bodies.put_and_end, queue, MANY))
        assert unclaimed() == 1  # handed over
        a = queue.get(timeout=60)
        assert_same(a[-3:], np.arange(MANY - 3.0, MANY))
        queue.close()
        queue.join_thread()
        del a, queue


def test_a_forked_child_and_its_parent_share_different_memory() -> None:
    if on_cuda():
        pytest.skip("CUDA does not work in a forked child")
    mp.share(cp.zeros(4))  # the block for small arrays is there
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        a = mp.share(cp.full(4, 1.0))
        os.write(writer, core.shared_place(a)[0])
        os._exit(0)
    a = mp.share(cp.full(4, 2.0))
    block = os.read(reader, 16)
    assert os.waitpid(child, 0)[1] == 0
    os.close(reader)
    os.close(writer)
    assert block != core.shared_place(a)[0]
    assert_same(a, np.full(4, 2.0))
    assert_same(pickle.loads(ForkingPickler.dumps(a)), np.full(4, 2.0))  # the office is open


def test_shared_memory_that_is_asked_for_beyond_the_budget_is_an_error() -> None:
    free, _ = core.current_device().mem_info
    with pytest.raises(cp.errors.OutOfMemoryError):
        mp.empty_shared((free * 4,))
    with pytest.raises(ValueError, match="negative"):
        mp.empty_shared((-1,))
