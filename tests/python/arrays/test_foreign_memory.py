"""Memory of others is taken only where it can hold the elements that are said to be there."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cupola as cp

pytestmark = pytest.mark.cupola_only


class Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

MEMORY = np.arange(16.0)
NAME = b"dltensor"


class Producer:
    """Gives a capsule with what the test says, right or wrong."""

    def __init__(
        self, shape: Any = (4,), strides: Any = None, name: bytes | None = NAME, **fields: Any
    ) -> None:
        self.shape = None if shape is None else (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        tensor = Tensor(MEMORY.ctypes.data, 1, 0, len(shape or ()), 2, 64, 1)
        if self.shape is not None:
            tensor.shape = self.shape
        if self.strides is not None:
            tensor.strides = self.strides
        for field, value in fields.items():
            setattr(tensor, field, value)
        self.managed = Managed(tensor)
        self.name = name

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **_options: Any) -> Any:
        return new_capsule(ctypes.addressof(self.managed), self.name, None)


def test_what_is_right_is_taken() -> None:
    producer = Producer((2, 3), (1, 2), byte_offset=8)
    np.testing.assert_array_equal(
        cp.asnumpy(cp.from_dlpack(producer)), np.array([[1.0, 3, 5], [2, 4, 6]])
    )
    assert cp.from_dlpack(Producer((0, 3), data=None)).shape == (0, 3)
    assert cp.from_dlpack(Producer((), ())).shape == ()


WRONG: dict[str, Callable[[], Producer]] = {
    "a negative extent": lambda: Producer((-1,)),
    "two negative extents": lambda: Producer((-2, -2)),
    "more elements than 64 bits count": lambda: Producer((2**40, 2**40)),
    "more bytes than 64 bits count": lambda: Producer((2**61,)),
    "strides out of the address space": lambda: Producer((2, 2), (2**62, 2**62)),
    "strides below zero": lambda: Producer((2**40,), (-(2**20),)),
    "null data with elements": lambda: Producer((4,), data=None),
    "an offset from null": lambda: Producer((4,), data=None, byte_offset=4096),
    "a negative rank": lambda: Producer((4,), ndim=-1),
    "too many dimensions": lambda: Producer((1,) * 65),
    "no shape": lambda: Producer(None, ndim=2),
    "another name": lambda: Producer(name=b"something"),
    "no name": lambda: Producer(name=None),
    "a name that is used": lambda: Producer(name=b"used_dltensor"),
}


@pytest.mark.parametrize("case", WRONG)
def test_dlpack_that_is_wrong_is_refused(case: str) -> None:
    with pytest.raises((ValueError, BufferError)):
        cp.from_dlpack(WRONG[case]())


@pytest.mark.parametrize(
    ("shape", "strides"), [((-1,), None), ((4,), ()), ((4,), (8, 8)), ((2**61,), None)]
)
def test_pointers_that_are_wrong_are_refused(shape: Any, strides: Any) -> None:
    with pytest.raises(ValueError):
        cp._cupola.from_pointer(
            MEMORY.ctypes.data, shape, "f8", strides, cp.Device("cpu:0"), MEMORY, True
        )


class Short:
    """Memory as an allocator of the program returns it, of fewer bytes than it was asked for."""

    def __init__(self, size: int) -> None:
        self.mem = cp.cuda.Memory(size)
        self.ptr = self.mem.ptr


POOL = cp.cuda.MemoryPool()
ALLOCATORS: dict[str, Callable[[int], Any]] = {
    "a smaller block": lambda size: POOL.malloc(size // 2),
    "the end of a block": lambda size: POOL.malloc(size) + 64,
    "an object of the program's": lambda size: Short(size - 1),
}


@pytest.mark.parametrize("case", ALLOCATORS)
def test_blocks_that_are_too_small_are_refused(case: str) -> None:
    previous = cp.cuda.get_allocator()
    cp.cuda.set_allocator(ALLOCATORS[case])
    try:
        with pytest.raises(ValueError, match=r"memory of \d+ bytes where 4096 were asked for"):
            cp.zeros(512).sum()
    finally:
        cp.cuda.set_allocator(previous)
    assert float(cp.ones(512).sum()) == 512
