"""Processes that use devices, and arrays that several of them share.

The names of the standard library's `multiprocessing`, so that a program changes one import:

- Processes start in a way that works with CUDA: from a fork server that has imported this package
  and used nothing ("forkserver"), or from nothing ("spawn") where there is none. A fork of the
  process itself ("fork") is refused once CUDA is initialised in it.
- `Process(device=...)`, `Pool(devices=...)` and `ProcessPoolExecutor(devices=...)` give each worker
  a device, and touch no other.
- Arrays in messages, arguments and results are not pickled element by element. Their memory is
  shared: what is not in shared memory yet is copied there once, on its device; what another
  process sent, or `share` or `empty_shared` made, is not copied at all.

An array that was copied has the value of the call, and the sender's own array is apart from it.
Where the memory is shared on both sides, all processes see every write. A message comes after the
work that was on its arrays when it was sent; nothing else orders the work of two processes.

The memory lives for as long as any process uses it and no longer, however processes end.
"""

from __future__ import annotations

from multiprocessing import (
    AuthenticationError,
    BufferTooShort,
    ProcessError,
    TimeoutError,
    active_children,
    cpu_count,
    current_process,
    freeze_support,
    parent_process,
)

from cupola.multiprocessing._arrays import empty_shared, is_shared, register, share
from cupola.multiprocessing._channels import Connection, Pipe
from cupola.multiprocessing._context import Context, default_context, start_methods
from cupola.multiprocessing._executor import ProcessPoolExecutor
from cupola.multiprocessing._pool import Pool
from cupola.multiprocessing._process import Process

__all__ = [
    "Array",
    "AuthenticationError",
    "Barrier",
    "BoundedSemaphore",
    "BufferTooShort",
    "Condition",
    "Connection",
    "Context",
    "Event",
    "JoinableQueue",
    "Lock",
    "Manager",
    "Pipe",
    "Pool",
    "Process",
    "ProcessError",
    "ProcessPoolExecutor",
    "Queue",
    "RLock",
    "RawArray",
    "RawValue",
    "Semaphore",
    "SimpleQueue",
    "TimeoutError",
    "Value",
    "active_children",
    "cpu_count",
    "current_process",
    "empty_shared",
    "freeze_support",
    "get_all_start_methods",
    "get_context",
    "get_start_method",
    "is_shared",
    "parent_process",
    "set_start_method",
    "share",
]

Queue = default_context.Queue
JoinableQueue = default_context.JoinableQueue
SimpleQueue = default_context.SimpleQueue
Manager = default_context.Manager
Lock = default_context.Lock
RLock = default_context.RLock
Condition = default_context.Condition
Semaphore = default_context.Semaphore
BoundedSemaphore = default_context.BoundedSemaphore
Event = default_context.Event
Barrier = default_context.Barrier
Value = default_context.Value
Array = default_context.Array
RawValue = default_context.RawValue
RawArray = default_context.RawArray
get_context = default_context.get_context
get_start_method = default_context.get_start_method
set_start_method = default_context.set_start_method
get_all_start_methods = start_methods

register()
