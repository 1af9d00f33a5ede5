"""The algorithms: what each takes, the universal functions that it is given, what it returns.

Parameters, behind the policy:

- ``first:a`` begins a range whose elements have the dtype ``a``; ``*``: elements are written;
- ``last=first`` ends the range that ``first`` begins;
- ``value~`` is a number of any dtype, ``value>a`` one that becomes ``a``;
- ``init~0`` and ``init>a0`` may be left out, and are that number of the dtype ``a`` then;
- ``comp-`` is accepted as None only.

A function ``less(a,value)>a`` is of dtypes of parameters; without ``>`` it gives its own dtype.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """An algorithm; `callee` is its name in C++."""

    name: str
    parameters: str
    functions: str
    result: str
    summary: str
    callee: str = ""


_SEARCH = "first:a last=first value~ comp-"
_SEARCHES = "first:a last=first value_first:a value_last=value_first result:r* comp-"
_SETS = "first1:a last1=first1 first2:a last2=first2 result:a* comp-"
_KEYED_SETS = (
    "keys_first1:a keys_last1=keys_first1 keys_first2:a keys_last2=keys_first2 "
    "values_first1:v values_first2:v keys_result:a* values_result:v* comp-"
)
_KEYED_SET = _KEYED_SETS.replace("values_first2:v ", "")
_SORT = "first:a* last=first comp-"
_SORT_BY_KEY = "keys_first:a* keys_last=keys_first values_first:v* comp-"
_KEYS_RESULT = "keys_result values_result"
_LESS = "less(a,a)"
_EQUAL = "equal(a,a)"
_EQUAL_VALUE = "equal(a,value)"
_ADD = "add(a,a)>a"


def _set(name: str, flags: str, summary: str) -> tuple[Row, Row]:
    by_key = _KEYED_SET if name == "set_intersection" else _KEYED_SETS
    return (
        Row(name, _SETS, _LESS, "result", summary, f"thrust_set<{flags}>"),
        Row(
            f"{name}_by_key",
            by_key,
            _LESS,
            _KEYS_RESULT,
            f"{summary} Each key brings its value.",
            f"thrust_set_by_key<{flags}>",
        ),
    )


ROWS = (
    Row(
        "adjacent_difference",
        "first:a last=first result:a* binary_op-",
        "subtract(a,a)>a",
        "result",
        "Each element less the one before it; the first is copied.",
    ),
    Row("copy", "first:a last=first result:a*", "", "result", "Copy a range, first to last."),
    Row(
        "count",
        "first:a last=first value~",
        _EQUAL_VALUE,
        "int32",
        "The number of elements that equal a value.",
    ),
    Row(
        "equal",
        "first1:a last1=first1 first2:a binary_pred-",
        _EQUAL,
        "bool",
        "Whether two ranges have the same elements.",
    ),
    Row(
        "equal_range",
        _SEARCH,
        "less(a,value) less(value,a)",
        "first first",
        "Where the elements of a sorted range that equal a value begin and end.",
    ),
    Row(
        "exclusive_scan",
        "first:a last=first result:a* init>a0 binary_op-",
        _ADD,
        "result",
        "For each element the sum of those before it, and of `init`.",
    ),
    Row(
        "exclusive_scan_by_key",
        "first1:k last1=first1 first2:a result:a* init>a0 binary_pred- binary_op-",
        f"equal(k,k) {_ADD}",
        "result",
        "An exclusive scan of each group of equal keys that stand side by side.",
    ),
    Row("fill", "first:a* last=first value>a", "", "void", "Set all elements to a value."),
    Row(
        "find",
        "first:a last=first value~",
        _EQUAL_VALUE,
        "first",
        "The first element that equals a value; the end if there is none.",
    ),
    Row(
        "gather",
        "map_first:m map_last=map_first input_first:a result:a*",
        "",
        "result",
        "Copy the elements at the places of a map.",
    ),
    Row(
        "inclusive_scan",
        "first:a last=first result:a* binary_op-",
        _ADD,
        "result",
        "For each element the sum up to it.",
    ),
    Row(
        "inclusive_scan_by_key",
        "first1:k last1=first1 first2:a result:a* binary_pred- binary_op-",
        f"equal(k,k) {_ADD}",
        "result",
        "An inclusive scan of each group of equal keys that stand side by side.",
    ),
    Row(
        "inner_product",
        "first1:a last1=first1 first2:a init~ binary_op1- binary_op2-",
        "add(init,a)>init multiply(a,a)>a",
        "init",
        "The sum of `init` and of the products of two ranges, in the dtype of `init`.",
    ),
    Row("is_sorted", "first:a last=first comp-", _LESS, "bool", "Whether a range is ascending."),
    Row(
        "is_sorted_until",
        "first:a last=first comp-",
        _LESS,
        "first",
        "The first element that is smaller than the one before it; the end if there is none.",
    ),
    Row(
        "mismatch",
        "first1:a last1=first1 first2:a pred-",
        _EQUAL,
        "first1 first2",
        "Where two ranges differ first.",
    ),
    Row(
        "reduce",
        "first:a last=first init~a0 binary_op-",
        "add(init,a)>init",
        "init",
        "The sum of `init` and of all elements, in the dtype of `init`.",
    ),
    Row(
        "reduce_by_key",
        "keys_first:k keys_last=keys_first values_first:a keys_output:k* values_output:a* "
        "binary_pred- binary_op-",
        f"equal(k,k) {_ADD}",
        "keys_output values_output",
        "The key and the sum of each group of equal keys that stand side by side.",
    ),
    Row(
        "remove",
        "first:a* last=first value~",
        _EQUAL_VALUE,
        "first",
        "Move the elements that do not equal a value to the front, in their order.",
    ),
    Row(
        "remove_copy",
        "first:a last=first result:a* value~",
        _EQUAL_VALUE,
        "result",
        "Copy the elements that do not equal a value.",
    ),
    Row(
        "replace",
        "first:a* last=first old_value~ new_value>a",
        "equal(a,old_value)",
        "void",
        "Set the elements that equal a value to another.",
    ),
    Row(
        "replace_copy",
        "first:a last=first result:a* old_value~ new_value>a",
        "equal(a,old_value)",
        "result",
        "Copy a range, with another value for the elements that equal one.",
    ),
    Row("reverse", "first:a* last=first", "", "void", "Reverse the order of a range."),
    Row(
        "reverse_copy", "first:a last=first result:a*", "", "result", "Copy a range, last to first."
    ),
    Row(
        "scatter",
        "first:a last=first map:m result:a*",
        "",
        "void",
        "Copy the elements to the places of a map.",
    ),
    Row(
        "sequence",
        "first:a* last=first init>a0 step>a1",
        "add(a,a)>a multiply(a,a)>a",
        "void",
        "Set the elements to `init`, `init + step`, `init + 2 * step` and so on.",
    ),
    Row("sort", _SORT, _LESS, "void", "Sort a range, ascending; stably, and in place."),
    Row("sort_by_key", _SORT_BY_KEY, _LESS, "void", "Sort keys stably, and values with them."),
    Row("stable_sort", _SORT, _LESS, "void", "Sort a range, ascending.", "thrust_sort"),
    Row(
        "stable_sort_by_key",
        _SORT_BY_KEY,
        _LESS,
        "void",
        "Sort keys, and values with them; equal keys keep their order.",
        "thrust_sort_by_key",
    ),
    Row(
        "swap_ranges",
        "first1:a* last1=first1 first2:a*",
        "",
        "first2",
        "Exchange the elements of two ranges.",
    ),
    Row(
        "unique",
        "first:a* last=first binary_pred-",
        _EQUAL,
        "first",
        "Move the first of each group of equal elements that stand side by side to the front.",
    ),
    Row(
        "unique_by_key",
        "keys_first:a* keys_last=keys_first values_first:v* binary_pred-",
        _EQUAL,
        "keys_first values_first",
        "As unique() of keys, which bring their values.",
    ),
    *_set("set_union", "true, true, true", "What is in one of two sorted ranges, sorted."),
    *_set("set_intersection", "false, false, true", "What is in both of two sorted ranges."),
    *_set(
        "set_difference", "true, false, false", "What is in the first of two sorted ranges only."
    ),
    *_set(
        "set_symmetric_difference",
        "true, true, false",
        "What is in exactly one of two sorted ranges.",
    ),
)

OVERLOADED = (
    (
        Row(
            "binary_search",
            _SEARCH,
            "less(a,value) less(value,a)",
            "bool",
            "Whether a sorted range has a value; for a range of values, whether it has each.",
        ),
        Row("binary_search", _SEARCHES, _LESS, "result", "", "thrust_binary_searches"),
    ),
    (
        Row(
            "lower_bound",
            _SEARCH,
            "less(a,value)",
            "first",
            "The first element of a sorted range that is not less than a value; for a range of "
            "values, the index of each.",
        ),
        Row("lower_bound", _SEARCHES, _LESS, "result", "", "thrust_lower_bounds"),
    ),
    (
        Row(
            "upper_bound",
            _SEARCH,
            "less(value,a)",
            "first",
            "The first element of a sorted range that is greater than a value; for a range of "
            "values, the index of each.",
        ),
        Row("upper_bound", _SEARCHES, _LESS, "result", "", "thrust_upper_bounds"),
    ),
)
"""Of one value, and of a range of values."""
