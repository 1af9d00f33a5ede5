"""What functions of kernels say of themselves, where several have the same arguments."""

from __future__ import annotations

_ATOMIC = """{doc}

Parameters
----------
array : array
    Of dtype {dtypes}.
index : int or tuple of int
    Of the element.
{values} : number
    Converted to the array's dtype.

Returns
-------
number
    The element's value before.

Raises
------
TypeError
    When the kernel is launched, for another dtype or a value that cannot be converted.
ValueError
    When the kernel is launched, for an array that is read-only.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def kernel(x):
...     jit.{name}(x, 0, {given})
>>> x = cp.full(1, 5, "uint32")
>>> kernel[1, 3](x)  # a block of three threads
>>> x
array([{result}], dtype=uint32)
"""


def of_atomic(
    name: str, doc: str, dtypes: str, given: str, result: int, values: str = "value"
) -> str:
    """Of an atomic function; `result` is what three threads make of 5."""
    listed = dtypes.replace(" ", ", ")
    return _ATOMIC.format(
        name=name, doc=doc, dtypes=listed, values=values, given=given, result=result
    )


_SHUFFLE = """The value of `var` in another lane of the warp, by __{name}.

Parameters
----------
mask : int
    A bit for each lane that takes part.
var : number
    The value of this lane.
val_id : int
    The {lane}. Lanes are numbered within groups of `width`.
width : int, optional
    A power of 2 up to 32.

Returns
-------
number
    Of the type of `var`.

Raises
------
TypeError
    When the kernel is launched, for what is no number.
ValueError
    When the kernel is launched, for another `width` or a `mask` of more than 32 bits.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def kernel(x):
...     lane = jit.laneid()
...     x[lane] = jit.{name}(0xFFFFFFFF, lane, {given})
>>> x = cp.zeros(32, "int32")
>>> kernel[1, 32](x)
>>> x[:6]
array({result}, dtype=int32)
"""


_LANES = {
    "shfl_sync": "lane, modulo `width`",
    "shfl_up_sync": "distance to a lower lane; without one the result is `var`",
    "shfl_down_sync": "distance to a higher lane; without one the result is `var`",
    "shfl_xor_sync": "mask that turns the number of this lane into that of the other",
}


def of_shuffle(name: str, given: int, result: list[int]) -> str:
    """Of a shuffle; `result` is what the first lanes get."""
    return _SHUFFLE.format(name=name, lane=_LANES[name], given=given, result=result)


_OPERATION = """{doc}

Returns
-------
operation
    What the method Reduce of a WarpReduce or BlockReduce takes.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> Reduction = jit.cub.WarpReduce[cp.int32]
>>> @jit.rawkernel()
... def kernel(x, y):
...     memory = jit.shared_memory(Reduction.TempStorage, 1)
...     value = Reduction(memory[0]).Reduce(x[jit.laneid()], jit.cub.{name}())
...     if jit.laneid() == 0:
...         y[0] = value
>>> y = cp.zeros(1, "int32")
>>> kernel[1, 32](cp.arange(1, 33, dtype="int32"), y)
>>> y
array([{result}], dtype=int32)
"""


def of_operation(name: str, doc: str, result: int) -> str:
    """Of an operation of reductions; `result` is that of 1 to 32."""
    return _OPERATION.format(name=name, doc=doc, result=result)


_REDUCTION = """{doc}

It is chosen by its types and made of an element of shared memory of its `TempStorage`. The methods
`Sum(value)` and `Reduce(value, operation)` give the result to the first thread.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> Reduction = jit.cub.{types}
>>> @jit.rawkernel()
... def kernel(x, y):
...     memory = jit.shared_memory(Reduction.TempStorage, 1)
...     value = Reduction(memory[0]).Sum(x[jit.threadIdx.x])
...     if jit.threadIdx.x == 0:
...         y[0] = value
>>> y = cp.zeros(1, "int32")
>>> kernel[1, {threads}](cp.arange({threads}, dtype="int32"), y)
>>> y
array([{result}], dtype=int32)
"""


def of_reduction(doc: str, types: str, threads: int) -> str:
    """Of a class of reductions, with the sum of 0 to `threads` - 1."""
    result = threads * (threads - 1) // 2
    return _REDUCTION.format(doc=doc, types=types, threads=threads, result=result)


_GROUP = """{doc}

Returns
-------
group
    With methods as `sync()`, `thread_rank()` and `size()`.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def kernel(x):
...     group = jit.cg.{name}()
...     x[group.thread_rank()] = group.size()
>>> x = cp.zeros({size}, "int32")
>>> kernel[2, 3](x)
>>> int(x[0])
{size}
"""


def of_group(name: str, doc: str, size: int) -> str:
    """Of a function that gives a group; `size` is that of two blocks of three threads."""
    return _GROUP.format(name=name, doc=doc, size=size)


_COPIED = """
Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def kernel(x, y):
...     group, shared = jit.cg.this_thread_block(), jit.shared_memory(cp.int32, 4)
...     jit.cg.memcpy_async(group, shared, 0, x, 0, 4 * 4)  # 4 elements of 4 bytes
...     {call}
...     y[jit.threadIdx.x] = shared[3 - jit.threadIdx.x]
>>> y = cp.zeros(4, "int32")
>>> kernel[1, 4](cp.arange(4, dtype="int32"), y)
>>> y
array([3, 2, 1, 0], dtype=int32)
"""

COPIES = {
    "wait": """Wait until the group's copies are complete.

Parameters
----------
group : group
    What `this_thread_block` or `this_grid` gave.

Raises
------
TypeError
    When the kernel is launched, for what is no group.
"""
    + _COPIED.format(call="jit.cg.wait(group)"),
    "wait_prior": """Wait until all copies of the group but some are complete: here, all are.

Parameters
----------
group : group
    What `this_thread_block` or `this_grid` gave.
step : int
    How many of the last ones may be under way, a constant.

Raises
------
TypeError
    When the kernel is launched, for what is no group, or another `step`.
"""
    + _COPIED.format(call="jit.cg.wait_prior(group, 0)"),
    "memcpy_async": """Copy bytes by the threads of a group; they are there after wait().

Parameters
----------
group : group
    What `this_thread_block` or `this_grid` gave.
dst : array
    Where they go.
dst_idx : int or tuple of int
    The first element.
src : array
    Where they are.
src_idx : int or tuple of int
    The first element.
size : int
    Bytes.
aligned_size : int, optional
    Has no meaning.

Raises
------
TypeError
    When the kernel is launched, for what is no group.
ValueError
    When the kernel is launched, for a read-only `dst`.
"""
    + _COPIED.format(call="jit.cg.wait(group)"),
    "sync": """Wait until all threads of a group are here.

Parameters
----------
group : group
    What `this_thread_block` or `this_grid` gave; a kernel that waits for the grid is launched as
    cooperative.

Raises
------
TypeError
    When the kernel is launched, for what is no group.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def kernel(x, y):
...     group, i = jit.cg.this_thread_block(), jit.threadIdx.x
...     x[i] = i
...     jit.cg.sync(group)
...     y[i] = x[3 - i]
>>> x, y = cp.zeros((2, 4), "int32")
>>> kernel[1, 4](x, y)
>>> y
array([3, 2, 1, 0], dtype=int32)
""",
}
"""What waits for groups and copies says."""
