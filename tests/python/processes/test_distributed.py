"""Groups of processes that communicate (`cupyx.distributed`), on the CPU platform."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp
from support.ports import free_port

if not IS_NUMPY:
    from cupola.cupyx.distributed import NCCLBackend, init_process_group

pytestmark = pytest.mark.cupola_only

RANKS = (1, 2, 3, 4)
OPERATIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


@pytest.fixture(autouse=True)
def own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUPYX_DISTRIBUTED_KEY", "tests")
    monkeypatch.setenv("CUPYX_DISTRIBUTED_TIMEOUT", "30")


@contextlib.contextmanager
def closing_group(n: int, rank: int, port: int) -> Iterator[Any]:
    comm = init_process_group(n, rank, port=port)
    try:
        yield comm
    finally:
        comm.stop()


def in_group(n: int, body: Callable[[Any, int], Any]) -> list[Any]:
    """What `body(comm, rank)` gives in each of n ranks, which are threads; exceptions too."""
    port = free_port()
    results: list[Any] = [None] * n

    def run(rank: int) -> None:
        try:
            with cp.Device("cpu:0"), closing_group(n, rank, port) as comm:
                results[rank] = body(comm, rank)
        except Exception as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return results


def values(rank: int, dtype: Any, shape: tuple[int, ...] = (7,)) -> np.ndarray:
    random = np.random.default_rng(rank)
    numbers = random.integers(1, 5, shape)
    if np.dtype(dtype).kind == "c":
        return (numbers + 1j * random.integers(1, 5, shape)).astype(dtype)
    return numbers.astype(dtype)


def collected(n: int, body: Callable[[Any, int], Any]) -> list[np.ndarray]:
    results = in_group(n, body)
    for each in results:
        if isinstance(each, Exception):
            raise each
    return [each.get() for each in results]


@pytest.mark.parametrize("n", RANKS)
@pytest.mark.parametrize("op", OPERATIONS)
def test_all_reduce(n: int, op: str) -> None:
    for dtype in ("int8", "uint32", "int64", "float16", "float32", "float64"):

        def body(comm: Any, rank: int, dtype: str = dtype) -> Any:
            out = cp.empty(7, dtype)
            comm.all_reduce(cp.asarray(values(rank, dtype)), out, op)
            return out

        expected = OPERATIONS[op].reduce(
            [values(rank, dtype) for rank in range(n)], axis=0, dtype=dtype
        )
        for result in collected(n, body):
            np.testing.assert_array_equal(result, expected)
            assert result.dtype == dtype


def test_all_ranks_get_the_same_bits() -> None:
    def body(comm: Any, rank: int) -> Any:
        array = cp.asarray(np.random.default_rng(rank).standard_normal((10, 11)))
        comm.all_reduce(array, array)
        return array

    first, *others = collected(4, body)
    for other in others:
        np.testing.assert_array_equal(other, first)
    expected = sum(np.random.default_rng(rank).standard_normal((10, 11)) for rank in range(4))
    np.testing.assert_allclose(first, expected, rtol=1e-12)


def test_complex_and_bfloat16_sums() -> None:
    def body(comm: Any, rank: int) -> Any:
        z = cp.asarray(values(rank, "complex64"))
        b = cp.full(3, rank + 1, dtype="bfloat16")
        comm.all_reduce(z, z)
        comm.all_reduce(b, b)
        with pytest.raises(ValueError, match="summed"):
            comm.all_reduce(z, z, "max")
        return z, b.astype("float32")

    expected = sum(values(rank, "complex64") for rank in range(3))
    for z, b in in_group(3, body):
        np.testing.assert_array_equal(z.get(), expected)
        np.testing.assert_array_equal(b.get(), [6, 6, 6])


@pytest.mark.parametrize("n", RANKS)
def test_reduce_to_each_root(n: int) -> None:
    def body(comm: Any, rank: int) -> Any:
        results = []
        for root in range(n):
            out = cp.full(7, -1.0)
            comm.reduce(cp.asarray(values(rank, "float64")), out, root, "prod")
            results.append(out)
        return cp.stack(results)

    product = np.multiply.reduce([values(rank, "float64") for rank in range(n)], axis=0)
    for rank, result in enumerate(collected(n, body)):
        for root in range(n):
            np.testing.assert_array_equal(result[root], product if rank == root else -1.0)


@pytest.mark.parametrize("n", RANKS)
def test_broadcast_from_each_root(n: int) -> None:
    def body(comm: Any, rank: int) -> Any:
        results = []
        for root in range(n):
            array = cp.asarray(values(rank, "int16", (2, 3)))
            comm.broadcast(array, root)
            results.append(array)
        return cp.stack(results)

    for result in collected(n, body):
        for root in range(n):
            np.testing.assert_array_equal(result[root], values(root, "int16", (2, 3)))


@pytest.mark.parametrize("n", RANKS)
def test_gather_and_all_gather(n: int) -> None:
    def body(comm: Any, rank: int) -> Any:
        own = cp.asarray(values(rank, bool, (3,)))
        every, at_root = cp.zeros(3 * n, bool), cp.zeros((n, 3), bool)
        comm.all_gather(own, every, 3)
        comm.gather(own, at_root, root=n - 1)
        return cp.stack([every, at_root.ravel()])

    expected = np.concatenate([values(rank, bool, (3,)) for rank in range(n)])
    for rank, (every, at_root) in enumerate(collected(n, body)):
        np.testing.assert_array_equal(every, expected)
        np.testing.assert_array_equal(at_root, expected if rank == n - 1 else False)


@pytest.mark.parametrize("n", RANKS)
def test_scatter_reduce_scatter_and_all_to_all(n: int) -> None:
    def body(comm: Any, rank: int) -> Any:
        whole = cp.asarray(values(rank, "float32", (n, 4)))
        scattered, reduced, swapped = cp.empty(4, "f"), cp.empty(4, "f"), cp.empty((n, 4), "f")
        comm.scatter(whole, scattered, root=0)
        comm.reduce_scatter(whole, reduced, 4)
        comm.all_to_all(whole, swapped)
        return cp.concatenate([scattered, reduced, swapped.ravel()])

    wholes = [values(rank, "float32", (n, 4)) for rank in range(n)]
    for rank, result in enumerate(collected(n, body)):
        np.testing.assert_array_equal(result[:4], wholes[0][rank])
        np.testing.assert_array_equal(result[4:8], sum(wholes)[rank])
        np.testing.assert_array_equal(result[8:].reshape(n, 4), [whole[rank] for whole in wholes])


def test_send_recv_of_more_than_the_connections_hold() -> None:
    size = 1 << 20

    def body(comm: Any, rank: int) -> Any:
        mine, theirs = cp.full(size, rank, dtype="int64"), cp.empty(size, "int64")
        comm.send_recv(mine, theirs, 1 - rank)
        if rank == 0:
            comm.send(theirs, 1)
        else:
            comm.recv(mine, 0)
        comm.barrier()
        return cp.stack([mine[:2], theirs[-2:]])

    results = collected(2, body)
    np.testing.assert_array_equal(results[0], [[0, 0], [1, 1]])
    np.testing.assert_array_equal(results[1], [[1, 1], [0, 0]])


def test_arrays_that_are_pending_and_fortran_order() -> None:
    def body(comm: Any, rank: int) -> Any:
        target = cp.zeros((3, 2), order="F")
        before = target + 1
        comm.all_reduce(cp.asarray(values(rank, "d", (3, 2)), order="F") * 2, target)
        return cp.stack([before, target])

    expected = 2 * sum(values(rank, "d", (3, 2)) for rank in range(2))
    for before, target in collected(2, body):
        np.testing.assert_array_equal(before, 1)
        np.testing.assert_array_equal(target, expected)


def test_empty_arrays_and_scalars() -> None:
    def body(comm: Any, rank: int) -> Any:
        nothing, one = cp.zeros((0, 3)), cp.asarray(rank + 1.0)
        comm.all_reduce(nothing, nothing)
        comm.broadcast(nothing)
        comm.all_reduce(one, one)
        return one

    assert [float(each) for each in collected(3, body)] == [6.0] * 3


def test_a_stream_is_taken() -> None:
    def body(comm: Any, rank: int) -> Any:
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            array = cp.full(4, rank + 1)
        comm.all_reduce(array, array, stream=stream)
        return array

    for result in collected(2, body):
        np.testing.assert_array_equal(result, [3] * 4)


def test_bad_arguments() -> None:
    with cp.Device("cpu:0"):
        comm = NCCLBackend(1, 0)
        a, b = cp.ones(4), cp.ones(4)
        with pytest.raises(TypeError, match="must be an array on a device, not list"):
            comm.all_reduce([1.0], a)
        with pytest.raises(RuntimeError, match="op must be one of"):
            comm.all_reduce(a, b, "mean")
        with pytest.raises(TypeError, match="arrays of bool cannot be reduced"):
            comm.all_reduce(a > 0, b > 0)
        with pytest.raises(TypeError, match="in_array is of float64 and out_array of float32"):
            comm.all_reduce(a, b.astype("f"))
        with pytest.raises(ValueError, match="in_array has 4 elements and out_array 2"):
            comm.all_reduce(a, b[:2])
        with pytest.raises(RuntimeError, match="contiguous"):
            comm.broadcast(a[::2])
        with pytest.raises(ValueError, match="root must be from 0 to 0, not 1"):
            comm.broadcast(a, 1)
        with pytest.raises(ValueError, match="cannot communicate with itself"):
            comm.send(a, 0)
        with pytest.raises(ValueError, match="out_array has 4 elements, and 5 are needed"):
            comm.all_gather(cp.ones(5), b, 5)
        with pytest.raises(RuntimeError, match="the first dimension of in_array must be 1"):
            comm.scatter(cp.ones((2, 2)), cp.ones(2))
        comm.stop()
        with pytest.raises(RuntimeError, match="the process group has ended: it was stopped"):
            comm.barrier()
        for arguments in ((0, 0), (2, 2), (2, -1)):
            with pytest.raises(ValueError, match="Invalid number"):
                NCCLBackend(*arguments)
        with pytest.raises(ValueError, match="port must be"):
            NCCLBackend(1, 0, port=0)
        with pytest.raises(ValueError, match="backend must be 'nccl'"):
            init_process_group(1, 0, backend="gloo")


def test_sizes_that_differ_end_the_group_for_all() -> None:
    def body(comm: Any, rank: int) -> Any:
        comm.broadcast(cp.ones(4 if rank == 0 else 5))
        comm.barrier()

    errors = in_group(3, body)
    assert "sends 32 bytes where 40 are expected" in str(errors[1])
    assert all(isinstance(error, RuntimeError) for error in errors[1:])


def test_a_rank_that_leaves_is_named() -> None:
    def body(comm: Any, rank: int) -> Any:
        if rank == 1:
            return None
        comm.barrier()

    errors = in_group(2, body)
    assert str(errors[0]).startswith("rank 1 has left the process group")


def join_all(*arguments: tuple[Any, ...]) -> list[str]:
    """The messages of processes that cannot come together."""
    port = free_port()
    messages = [""] * len(arguments)

    def run(i: int) -> None:
        with cp.Device("cpu:0"):
            try:
                init_process_group(*arguments[i], port=port).stop()
            except (RuntimeError, ValueError) as error:
                messages[i] = str(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(arguments))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return messages


def test_groups_that_do_not_fit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(join_all((2, 0), (3, 1))) == {"rank 1 joins a group of 3 processes, rank 0 one of 2"}
    monkeypatch.setenv("CUPYX_DISTRIBUTED_TIMEOUT", "1")
    messages = join_all((3, 0), (3, 1), (3, 1))
    assert "two processes have rank 1" in messages
    monkeypatch.setenv("CUPYX_DISTRIBUTED_TIMEOUT", "0.2")
    (message,) = join_all((3, 0))
    assert message.startswith("ranks have not joined within 0.2 s: 1, 2")
    (message,) = join_all((2, 1))
    assert message.startswith("rank 0 does not answer at 127.0.0.1:")


def test_processes_with_another_key_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from cupola.cupyx.distributed import _rendezvous, _sockets

    monkeypatch.setenv("CUPYX_DISTRIBUTED_TIMEOUT", "0.5")
    keys = iter((b"one", b"two"))
    monkeypatch.setattr(_sockets, "group_key", lambda: next(keys))
    messages = join_all((2, 0), (2, 1))
    assert sum("another key" in message for message in messages) == 2
    assert any(message.startswith("rank has not joined within 0.5 s: 1") for message in messages)
    assert _rendezvous.Deadline().seconds == 0.5
    monkeypatch.setenv("CUPYX_DISTRIBUTED_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="must be a positive number of seconds, not 'soon'"):
        _rendezvous.Deadline()


def test_no_rank_listens_before_rank_0_has_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else a rank's own port can be the group's.
    from cupola.cupyx.distributed import _mesh, _rendezvous

    ports: list[int] = []

    def recorded(host: str, port: int, backlog: int) -> socket.socket:
        ports.append(port)  # others may find it as soon as it listens
        return listener_at(host, port, backlog)

    listener_at = _rendezvous.listener_at
    for module in (_mesh, _rendezvous):
        monkeypatch.setattr(module, "listener_at", recorded)
    assert in_group(3, lambda comm, rank: rank) == [0, 1, 2]
    assert ports[0] > 0
    assert ports[1:] == [0, 0, 0]


def test_a_connection_that_met_itself_is_not_rank_0(monkeypatch: pytest.MonkeyPatch) -> None:
    from cupola.cupyx.distributed import _rendezvous

    itself = socket.socket()
    itself.bind(("127.0.0.1", 0))
    itself.connect(itself.getsockname())
    address, connect = itself.getsockname(), socket.create_connection
    with _rendezvous.listener_at("127.0.0.1", 0, 1) as listener:
        found = iter((itself, connect(listener.getsockname())))
        monkeypatch.setattr(socket, "create_connection", lambda *_, **__: next(found))
        with _rendezvous._connected(*address, _rendezvous.Deadline()) as connection:
            assert connection.getpeername() == listener.getsockname()
    assert itself.fileno() < 0


def test_a_host_that_does_not_exist() -> None:
    with cp.Device("cpu:0"), pytest.raises(RuntimeError, match="there is no way to the host"):
        init_process_group(2, 1, host="no.such.host.invalid")


def test_strangers_do_not_disturb_a_group() -> None:
    port = free_port()
    results: list[Any] = []

    def run(rank: int) -> None:
        with cp.Device("cpu:0"):
            comm = init_process_group(2, rank, port=port)
            comm.barrier()
            comm.stop()
            results.append(rank)

    first = threading.Thread(target=run, args=(0,))
    first.start()
    while True:
        try:
            stranger = socket.create_connection(("127.0.0.1", port))
            break
        except ConnectionRefusedError:
            continue
    with stranger:
        stranger.sendall(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nX: 0123456789\r\n\r\n"
        )
        second = threading.Thread(target=run, args=(1,))
        second.start()
        first.join(30)
        second.join(30)
    assert sorted(results) == [0, 1]


def test_another_key_is_refused() -> None:
    from cupola.cupyx.distributed._authentication import AuthenticationError, authenticate

    here, there = socket.socketpair()
    errors: list[Exception] = []

    def answer() -> None:
        try:
            authenticate(there, b"one", is_server=False)
        except AuthenticationError as error:
            errors.append(error)

    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(AuthenticationError, match="CUPYX_DISTRIBUTED_KEY"):
        authenticate(here, b"two", is_server=True)
    thread.join(10)
    here.close()
    there.close()
    assert len(errors) == 1


def test_the_key_file_belongs_to_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from cupola.cupyx.distributed._authentication import group_key

    monkeypatch.delenv("CUPYX_DISTRIBUTED_KEY")
    monkeypatch.setenv("CUPOLA_CACHE_DIR", str(tmp_path / "cache"))
    key = group_key()
    path = tmp_path / "cache" / "distributed.key"
    assert len(key) == 32
    assert group_key() == key == path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(RuntimeError, match="readable by nobody else"):
        group_key()


PROGRAM = """
import os, sys
import cupy as cp
from cupyx.distributed import init_process_group
rank = int(sys.argv[1])
comm = init_process_group(3, rank)
a = cp.full(5, rank + 1.0)
comm.all_reduce(a, a)
assert a.tolist() == [6.0] * 5
if rank == 2:
    os.kill(os.getpid(), 9)
try:
    comm.all_reduce(a, a)
except RuntimeError as error:
    print(error)
"""


def test_processes_hear_of_one_that_was_killed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {
        **os.environ,
        "CUPYX_DISTRIBUTED_PORT": str(free_port()),
        "CUPOLA_PLATFORM": "cpu",
        "CUPOLA_DEVICE": "cpu",
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "cupola.as_cupy", str(program), str(rank)],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for rank in range(3)
    ]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, -9]
    for output in outputs[:2]:
        assert "has left the process group" in output


def test_mpi_tells_the_ranks_where_the_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class World:
        def Get_size(self) -> int:  # noqa: N802
            return 1

        def Get_rank(self) -> int:  # noqa: N802
            return 0

        def allgather(self, words: bytes) -> list[bytes]:
            return [words]

    from types import ModuleType

    module = ModuleType("mpi4py")
    module.MPI = ModuleType("MPI")  # type: ignore[attr-defined]
    module.MPI.COMM_WORLD = World()  # type: ignore[attr-defined]
    with cp.Device("cpu:0"):
        monkeypatch.setitem(sys.modules, "mpi4py", None)
        with pytest.raises(RuntimeError, match="needs mpi4py"):
            init_process_group(1, 0, use_mpi=True)
        monkeypatch.setitem(sys.modules, "mpi4py", module)
        comm = init_process_group(1, 0, use_mpi=True)
        a = cp.ones(2)
        comm.all_reduce(a, a)
        comm.stop()
        assert a.tolist() == [1, 1]
        with pytest.raises(ValueError, match="MPI has started rank 0 of 1, not 1 of 2"):
            init_process_group(2, 1, use_mpi=True)
