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

from cupola.cupyx.jit.thrust._algorithm import Algorithm, Policy, iterator
from cupola.cupyx.jit.thrust._table import OVERLOADED, ROWS

seq = Policy("seq", "The calling thread does all of it.")
device = Policy("device", "In a kernel as `seq`.")
host = Policy("host", "Refused in kernels.")

make_constant_iterator = iterator(
    "make_constant_iterator",
    "constant",
    """An iterator whose elements are all `x`.

Parameters
----------
x : number
i : None
    Has no translation: leave it out.

Returns
-------
iterator
    Without memory, to read only.

Raises
------
TypeError
    For what is no number.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def kernel(y):
...     ones = jit.thrust.make_constant_iterator(1)
...     jit.thrust.copy(jit.thrust.seq, ones, ones + 3, y.begin())
>>> y = cp.zeros(3, "int32")
>>> kernel[1, 1](y)
>>> y.tolist()
[1, 1, 1]
""",
)
make_counting_iterator = iterator(
    "make_counting_iterator",
    "counting",
    """An iterator whose elements are x, x + 1, x + 2 and so on.

Parameters
----------
x : int
i : None
    Has no translation: leave it out.

Returns
-------
iterator
    Without memory, to read only.

Raises
------
TypeError
    For what is no integer.

Examples
--------
>>> import cupola as cp
>>> from cupola.cupyx import jit
>>> @jit.rawkernel()
... def kernel(y):
...     first = jit.thrust.make_counting_iterator(5)
...     jit.thrust.copy(jit.thrust.seq, first, first + 3, y.begin())
>>> y = cp.zeros(3, "int32")
>>> kernel[1, 1](y)
>>> y.tolist()
[5, 6, 7]
""",
)

_ALGORITHMS = {rows[0].name: Algorithm(*rows) for rows in (*((row,) for row in ROWS), *OVERLOADED)}

adjacent_difference = _ALGORITHMS["adjacent_difference"]
binary_search = _ALGORITHMS["binary_search"]
copy = _ALGORITHMS["copy"]
count = _ALGORITHMS["count"]
equal = _ALGORITHMS["equal"]
equal_range = _ALGORITHMS["equal_range"]
exclusive_scan = _ALGORITHMS["exclusive_scan"]
exclusive_scan_by_key = _ALGORITHMS["exclusive_scan_by_key"]
fill = _ALGORITHMS["fill"]
find = _ALGORITHMS["find"]
gather = _ALGORITHMS["gather"]
inclusive_scan = _ALGORITHMS["inclusive_scan"]
inclusive_scan_by_key = _ALGORITHMS["inclusive_scan_by_key"]
inner_product = _ALGORITHMS["inner_product"]
is_sorted = _ALGORITHMS["is_sorted"]
is_sorted_until = _ALGORITHMS["is_sorted_until"]
lower_bound = _ALGORITHMS["lower_bound"]
mismatch = _ALGORITHMS["mismatch"]
reduce = _ALGORITHMS["reduce"]
reduce_by_key = _ALGORITHMS["reduce_by_key"]
remove = _ALGORITHMS["remove"]
remove_copy = _ALGORITHMS["remove_copy"]
replace = _ALGORITHMS["replace"]
replace_copy = _ALGORITHMS["replace_copy"]
reverse = _ALGORITHMS["reverse"]
reverse_copy = _ALGORITHMS["reverse_copy"]
scatter = _ALGORITHMS["scatter"]
sequence = _ALGORITHMS["sequence"]
set_difference = _ALGORITHMS["set_difference"]
set_difference_by_key = _ALGORITHMS["set_difference_by_key"]
set_intersection = _ALGORITHMS["set_intersection"]
set_intersection_by_key = _ALGORITHMS["set_intersection_by_key"]
set_symmetric_difference = _ALGORITHMS["set_symmetric_difference"]
set_symmetric_difference_by_key = _ALGORITHMS["set_symmetric_difference_by_key"]
set_union = _ALGORITHMS["set_union"]
set_union_by_key = _ALGORITHMS["set_union_by_key"]
sort = _ALGORITHMS["sort"]
sort_by_key = _ALGORITHMS["sort_by_key"]
stable_sort = _ALGORITHMS["stable_sort"]
stable_sort_by_key = _ALGORITHMS["stable_sort_by_key"]
swap_ranges = _ALGORITHMS["swap_ranges"]
unique = _ALGORITHMS["unique"]
unique_by_key = _ALGORITHMS["unique_by_key"]
upper_bound = _ALGORITHMS["upper_bound"]

__all__ = [
    "adjacent_difference",
    "binary_search",
    "copy",
    "count",
    "device",
    "equal",
    "equal_range",
    "exclusive_scan",
    "exclusive_scan_by_key",
    "fill",
    "find",
    "gather",
    "host",
    "inclusive_scan",
    "inclusive_scan_by_key",
    "inner_product",
    "is_sorted",
    "is_sorted_until",
    "lower_bound",
    "make_constant_iterator",
    "make_counting_iterator",
    "mismatch",
    "reduce",
    "reduce_by_key",
    "remove",
    "remove_copy",
    "replace",
    "replace_copy",
    "reverse",
    "reverse_copy",
    "scatter",
    "seq",
    "sequence",
    "set_difference",
    "set_difference_by_key",
    "set_intersection",
    "set_intersection_by_key",
    "set_symmetric_difference",
    "set_symmetric_difference_by_key",
    "set_union",
    "set_union_by_key",
    "sort",
    "sort_by_key",
    "stable_sort",
    "stable_sort_by_key",
    "swap_ranges",
    "unique",
    "unique_by_key",
    "upper_bound",
]
