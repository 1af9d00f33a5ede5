"""What `help` shows of universal functions: sections as of other functions, from their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupola import _cupola as _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from cupola._cupola import ufunc

_EXAMPLES = """
absolute: [-1, 2] -> [1, 2]
add: [1, 2], 10 -> [11, 12]
arccos: [1.0] -> [0.0]
arccosh: [1.0] -> [0.0]
arcsin: [0.0] -> [0.0]
arcsinh: [0.0] -> [0.0]
arctan: [0.0] -> [0.0]
arctan2: [0.0], [1.0] -> [0.0]
arctanh: [0.0] -> [0.0]
bitwise_and: [6, 3], 5 -> [4, 1]
bitwise_count: [7, 8] -> [3, 1]
bitwise_or: [6, 3], 5 -> [7, 7]
bitwise_xor: [6, 3], 5 -> [3, 6]
cbrt: [8.0] -> [2.0]
ceil: [-1.5, 1.5] -> [-1.0, 2.0]
conjugate: [1 + 2j] -> [(1-2j)]
copysign: [1.0, 2.0], [-1.0, 1.0] -> [-1.0, 2.0]
cos: [0.0] -> [1.0]
cosh: [0.0] -> [1.0]
deg2rad: [0, 180] -> [0.0, 3.141592653589793]
degrees: [0.0, 3.141592653589793] -> [0.0, 180.0]
divide: [1, 3], 2 -> [0.5, 1.5]
divmod: [7, -7], 3 -> [[2, -3], [1, 2]]
equal: [1, 2], 2 -> [False, True]
exp: [0.0] -> [1.0]
exp2: [0, 3] -> [1.0, 8.0]
expm1: [0.0] -> [0.0]
fabs: [-1, 2] -> [1.0, 2.0]
float_power: [1, 2, 3], 2 -> [1.0, 4.0, 9.0]
floor: [-1.5, 1.5] -> [-2.0, 1.0]
floor_divide: [7, -7], 2 -> [3, -4]
fmax: [float('nan'), 5], 3 -> [3.0, 5.0]
fmin: [float('nan'), 5], 3 -> [3.0, 3.0]
fmod: [7, -7], 3 -> [1, -1]
frexp: [8.0] -> [[0.5], [4]]
gcd: [12, 18], 8 -> [4, 2]
greater: [1, 2], 1 -> [False, True]
greater_equal: [0, 1], 1 -> [False, True]
heaviside: [-1, 0, 1], 0.5 -> [0.0, 0.5, 1.0]
hypot: [3.0], 4.0 -> [5.0]
invert: [0, 7] -> [-1, -8]
isfinite: [1.0, float('inf')] -> [True, False]
isinf: [1.0, float('inf')] -> [False, True]
isnan: [1.0, float('nan')] -> [False, True]
lcm: [12, 18], 8 -> [24, 72]
ldexp: [0.5, 3.0], 2 -> [2.0, 12.0]
left_shift: [1, 2], 3 -> [8, 16]
less: [1, 2], 2 -> [True, False]
less_equal: [1, 2], 2 -> [True, True]
log: [1.0] -> [0.0]
log10: [1, 10] -> [0.0, 1.0]
log1p: [0.0] -> [0.0]
log2: [1, 2] -> [0.0, 1.0]
logaddexp: [-float('inf')], 0.0 -> [0.0]
logaddexp2: [1.0], 1.0 -> [2.0]
logical_and: [True, False], True -> [True, False]
logical_not: [True, False] -> [False, True]
logical_or: [True, False], False -> [True, False]
logical_xor: [True, False], True -> [False, True]
maximum: [1, 5], 3 -> [3, 5]
minimum: [1, 5], 3 -> [1, 3]
modf: [1.5, -2.25] -> [[0.5, -0.25], [1.0, -2.0]]
multiply: [[1], [2]], [10, 20] -> [[10, 20], [20, 40]]
negative: [1, -2] -> [-1, 2]
nextafter: [1.0], 2.0 -> [1.0000000000000002]
not_equal: [1, 2], 2 -> [True, False]
positive: [1, -2] -> [1, -2]
power: [1, 2, 3], 2 -> [1, 4, 9]
rad2deg: [0.0, 3.141592653589793] -> [0.0, 180.0]
radians: [0, 180] -> [0.0, 3.141592653589793]
reciprocal: [0.5, 4.0] -> [2.0, 0.25]
remainder: [7, -7], 3 -> [1, 2]
right_shift: [8, 20], 2 -> [2, 5]
rint: [0.5, 1.5, 2.6] -> [0.0, 2.0, 3.0]
sign: [-3.0, 0.0, 2.0] -> [-1.0, 0.0, 1.0]
signbit: [-0.0, 1.0] -> [True, False]
sin: [0.0] -> [0.0]
sinh: [0.0] -> [0.0]
spacing: [1.0] -> [2.220446049250313e-16]
sqrt: [4, 9] -> [2.0, 3.0]
square: [1, -3] -> [1, 9]
subtract: [1, 2], 10 -> [-9, -8]
tan: [0.0] -> [0.0]
tanh: [0.0] -> [0.0]
trunc: [-1.5, 1.5] -> [-1.0, 1.0]
"""
"""Name, arguments and result of an example of each."""

_PARAMETERS = """
out : array or tuple of arrays, optional
    Where results go; they have the shape of the broadcast inputs.
where : array of bool, optional
    Elements where it is false keep the value of `out`.
casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
    Which conversions of inputs and results are allowed.
order : {'K', 'A', 'C', 'F'}, optional
    Of the result's memory.
dtype, signature : optional
    The types that it is computed in, in place of those that promotion gives.

Returns
-------
{results}
    Of the broadcast shape of the inputs, on their device.

Raises
------
ValueError
    For shapes that do not broadcast.
TypeError
    For dtypes that it does not take, and conversions that `casting` does not allow.
cupola.errors.DeviceError
    For inputs on different devices.

Examples
--------
>>> import cupola as cp
"""


def _example(function: ufunc) -> str:
    name = function.__name__
    rows = (row.partition(": ") for row in _EXAMPLES.strip().splitlines())
    call, _, result = next(text for key, _, text in rows if key == name).partition(" -> ")
    if function.nout == 1:
        return f">>> cp.{name}({call}).tolist()\n{result}"
    return f">>> [part.tolist() for part in cp.{name}({call})]\n{result}"


def _documentation(summary: Callable[[ufunc], str], function: ufunc) -> str:
    """The sections of `function`; `summary` gives its signature and what it computes."""
    inputs = "x" if function.nin == 1 else "x1, x2"
    results = "ndarray" if function.nout == 1 else "tuple of two ndarrays"
    said = "Numbers or arrays." if function.nin == 1 else "Numbers or arrays that broadcast."
    return (
        f"{summary(function)}\n\nParameters\n----------\n{inputs} : array_like\n    {said}"
        f"{_PARAMETERS.replace('{results}', results)}{_example(function)}\n"
    )


_OF_CLASS = """A function that works element by element and broadcasts: what `cupola.add` is.

Programs make none; `cupola.vectorize` makes functions like it of Python functions.

Attributes
----------
nin, nout, nargs : int
    Number of inputs, of outputs, and of both.
ntypes : int
    Number of type combinations.
types : list of str
    Type combinations as codes, inputs->outputs.
identity : number or None
    Where a reduction starts.

Examples
--------
>>> import cupola as cp
>>> isinstance(cp.add, cp.ufunc)
True
>>> cp.add.nin, cp.add.nout, cp.add.identity
(2, 1, 0)
"""


class _Documentation:
    """`__doc__` of the class, and of each function."""

    def __init__(self, summary: Callable[[ufunc], str]) -> None:
        self._summary = summary

    def __get__(self, function: ufunc | None, owner: type) -> str:
        return _OF_CLASS if function is None else _documentation(self._summary, function)


def install() -> None:
    """Called once, at import of the package."""
    summary = vars(_core.ufunc)["__doc__"].__get__
    _core.set_class_attribute(_core.ufunc, "__doc__", _Documentation(summary))
