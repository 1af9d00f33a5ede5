"""Algorithms over iterators, by the names of Thrust: each runs in the thread that calls it.

An iterator is ``array.begin()`` or ``array.end()`` of an argument or of a row of one, shared
memory, one of these and a number, or what `make_constant_iterator` and `make_counting_iterator`
return. The first argument is `seq` or `device`, which are the same in a kernel. Sorts are stable
and work in place. Orders and sums are those of the dtypes.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def sort_rows(x):
...     row = x[jit.grid(1)]
...     jit.thrust.sort(jit.thrust.seq, row.begin(), row.end())
>>> sort_rows
<kernel sort_rows of jit.rawkernel>

``sort_rows[1, 32](x)`` sorts each of 32 rows by a thread of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupola.cupyx.jit.thrust._algorithm import Algorithm, Policy, iterator
from cupola.cupyx.jit.thrust._table import OVERLOADED, ROWS

seq = Policy("seq", "The calling thread does all of it.")
device = Policy("device", "In a kernel as `seq`.")
host = Policy("host", "Refused in kernels.")

make_constant_iterator = iterator(
    "make_constant_iterator", "constant", "An iterator whose elements are all `x`."
)
make_counting_iterator = iterator(
    "make_counting_iterator",
    "counting",
    "An iterator whose elements are x, x + 1, x + 2 and so on.",
)

_ALGORITHMS = {rows[0].name: Algorithm(*rows) for rows in (*((row,) for row in ROWS), *OVERLOADED)}
globals().update(_ALGORITHMS)

_OTHERS = ("device", "host", "make_constant_iterator", "make_counting_iterator", "seq")
__all__ = sorted((*_ALGORITHMS, *_OTHERS))

if TYPE_CHECKING:

    def __getattr__(name: str) -> Algorithm: ...
