"""`cupola.cuda.nccl`, and groups over NCCL with a library that stands for it: one rank, whose
device memory is the host's."""

import ctypes
import pickle
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp

if not IS_NUMPY:
    from cupola.cuda import _nccl_communicator, nccl
    from cupola.cuda import _nccl_library as library

pytestmark = pytest.mark.cupola_only


def move(target: int, source: int, count: int) -> None:
    """As a device does, when it comes to it: after the work that is on the stream."""
    cp.cuda.get_current_stream().synchronize()
    ctypes.memmove(target, source, count)


BYTES = {0: 1, 1: 1, 2: 4, 3: 4, 4: 8, 5: 8, 6: 2, 7: 4, 8: 8, 9: 2}


class OneRank:
    """NCCL for a group of one device."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, int]] = []
        self.received: list[tuple[int, int]] = []
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("nccl"):
            raise AttributeError(name)

        def function(*arguments: Any) -> int:
            self.calls.append(name)
            return getattr(self, f"_{name[4:]}", lambda *_: 0)(*arguments)

        return function

    def _GetVersion(self, version: Any) -> int:
        version._obj.value = 22809
        return 0

    def _GetUniqueId(self, identity: Any) -> int:
        ctypes.memmove(ctypes.addressof(identity._obj), bytes(range(100, 228)), 128)
        return 0

    def _CommInitRank(self, handle: Any, n: int, identity: Any, rank: int) -> int:
        assert (n, rank) == (1, 0)
        assert bytes(identity) == bytes(range(100, 228))
        handle._obj.value = 1234
        return 0

    def _AllReduce(
        self, source: int, target: int, count: int, code: int, op: int, comm: Any, stream: int
    ) -> int:
        assert comm.value == 1234
        move(target, source, count * BYTES[code])
        return 0

    def _Reduce(self, source: int, target: int, count: int, code: int, *rest: Any) -> int:
        move(target, source, count * BYTES[code])
        return 0

    _ReduceScatter = _AllGather = _Broadcast = _Reduce

    def _Send(self, source: int, count: int, code: int, peer: int, *rest: Any) -> int:
        self.sent.append((source, count * BYTES[code]))
        return 0

    def _Recv(self, target: int, count: int, code: int, peer: int, *rest: Any) -> int:
        self.received.append((target, count * BYTES[code]))
        return 0

    def _GroupEnd(self) -> int:
        for (source, size), (target, room) in zip(self.sent, self.received, strict=True):
            assert size == room
            move(target, source, size)
        self.sent.clear()
        self.received.clear()
        return 0

    def _CommGetAsyncError(self, comm: Any, status: Any) -> int:
        status._obj.value = 0
        return 0


class NoContext:
    """Stands for `primary_context`."""

    def __init__(self, device: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


@pytest.fixture
def one_rank(monkeypatch: pytest.MonkeyPatch) -> Any:
    fake = OneRank()
    monkeypatch.setattr(library, "_loaded", [fake])
    monkeypatch.setattr(_nccl_communicator, "primary_context", NoContext)
    monkeypatch.setattr(_nccl_communicator, "_current_cuda_device", cp.Device)
    return fake


def group() -> Any:
    from cupola.cupyx.distributed._backend import NCCLBackend
    from cupola.cupyx.distributed._nccl import NcclGroup

    comm = NCCLBackend.__new__(NCCLBackend)
    comm.rank, comm._n_devices = 0, 1
    comm._communicator = NcclGroup(1, 0, "127.0.0.1", 13333, False)
    return comm


def test_a_group_of_one_device(one_rank: OneRank) -> None:
    with cp.Device("cpu:0"):
        comm = group()
        for dtype in ("int8", "uint64", "float16", "float32", "complex128"):
            a = cp.arange(6).astype(dtype)
            b = cp.zeros(6, dtype)
            before = b + 1
            for call in (
                lambda a, b: comm.all_reduce(a, b, "sum"),
                lambda a, b: comm.reduce(a, b),
                lambda a, b: comm.reduce_scatter(a, b, 6),
                lambda a, b: comm.all_gather(a, b, 6),
                lambda a, b: comm.scatter(a[None], b),
                lambda a, b: comm.gather(a, b[None]),
                lambda a, b: comm.all_to_all(a[None], b[None]),
            ):
                b[...] = 0
                call(a, b)
                np.testing.assert_array_equal(b.get(), a.get())
            np.testing.assert_array_equal(before.get(), np.ones(6))
        comm.broadcast(a)
        comm.barrier()
        comm.stop()
    assert one_rank.calls[-1] == "ncclCommDestroy"
    assert one_rank.calls.count("ncclGroupStart") == one_rank.calls.count("ncclGroupEnd") == 15


def test_names_of_the_library(one_rank: OneRank) -> None:
    assert nccl.available is True
    assert nccl.get_version() == nccl.get_build_version() == 22809
    identity = nccl.get_unique_id()
    assert identity[:2] == (100, 101)
    assert identity[-1] == -29
    assert len(identity) == 128
    comm = nccl.NcclCommunicator(1, identity, 0)
    assert comm.comm == 1234
    comm.check_async_error()
    comm.destroy()
    assert comm.comm == 0


def test_an_error_has_the_name_of_its_code(
    one_rank: OneRank, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_rank._GroupStart = lambda: 5  # type: ignore[attr-defined]
    one_rank._GetErrorString = lambda status: b"invalid usage"  # type: ignore[attr-defined]
    one_rank._GetLastError = lambda comm: b"what was wrong\n"  # type: ignore[attr-defined]
    with pytest.raises(nccl.NcclError, match="NCCL_ERROR_INVALID_USAGE: invalid usage") as caught:
        nccl.groupStart()
    assert caught.value.status == 5
    assert "(what was wrong)" in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).status == 5


def test_without_nccl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_loaded", [None])
    assert nccl.available is False
    with pytest.raises(RuntimeError, match="is not installed"):
        nccl.get_version()


def test_nccl_is_for_cuda_devices() -> None:
    with cp.Device("cpu:0"), pytest.raises(RuntimeError, match="the current device is cpu:0"):
        nccl.NcclCommunicator(1, (0,) * 128, 0)


def test_the_installed_library_is_found() -> None:
    """Its version needs no device."""
    assert nccl.available == (library.load() is not None)
    if nccl.available:
        assert nccl.get_version() >= 20000
        assert len(nccl.get_unique_id()) == 128
