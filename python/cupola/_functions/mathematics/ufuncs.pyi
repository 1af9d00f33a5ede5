"""Universal functions. Written by scripts/generate_stubs.py; do not edit."""

from typing import Any

from cupola._cupola import ndarray, ufunc

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]

abs: ufunc[ndarray]
absolute: ufunc[ndarray]
acos: ufunc[ndarray]
acosh: ufunc[ndarray]
add: ufunc[ndarray]
arccos: ufunc[ndarray]
arccosh: ufunc[ndarray]
arcsin: ufunc[ndarray]
arcsinh: ufunc[ndarray]
arctan: ufunc[ndarray]
arctan2: ufunc[ndarray]
arctanh: ufunc[ndarray]
asin: ufunc[ndarray]
asinh: ufunc[ndarray]
atan: ufunc[ndarray]
atan2: ufunc[ndarray]
atanh: ufunc[ndarray]
bitwise_and: ufunc[ndarray]
bitwise_count: ufunc[ndarray]
bitwise_invert: ufunc[ndarray]
bitwise_left_shift: ufunc[ndarray]
bitwise_not: ufunc[ndarray]
bitwise_or: ufunc[ndarray]
bitwise_right_shift: ufunc[ndarray]
bitwise_xor: ufunc[ndarray]
cbrt: ufunc[ndarray]
ceil: ufunc[ndarray]
conj: ufunc[ndarray]
conjugate: ufunc[ndarray]
copysign: ufunc[ndarray]
cos: ufunc[ndarray]
cosh: ufunc[ndarray]
deg2rad: ufunc[ndarray]
degrees: ufunc[ndarray]
divide: ufunc[ndarray]
divmod: ufunc[tuple[ndarray, ndarray]]
equal: ufunc[ndarray]
exp: ufunc[ndarray]
exp2: ufunc[ndarray]
expm1: ufunc[ndarray]
fabs: ufunc[ndarray]
float_power: ufunc[ndarray]
floor: ufunc[ndarray]
floor_divide: ufunc[ndarray]
fmax: ufunc[ndarray]
fmin: ufunc[ndarray]
fmod: ufunc[ndarray]
frexp: ufunc[tuple[ndarray, ndarray]]
gcd: ufunc[ndarray]
greater: ufunc[ndarray]
greater_equal: ufunc[ndarray]
heaviside: ufunc[ndarray]
hypot: ufunc[ndarray]
invert: ufunc[ndarray]
isfinite: ufunc[ndarray]
isinf: ufunc[ndarray]
isnan: ufunc[ndarray]
lcm: ufunc[ndarray]
ldexp: ufunc[ndarray]
left_shift: ufunc[ndarray]
less: ufunc[ndarray]
less_equal: ufunc[ndarray]
log: ufunc[ndarray]
log10: ufunc[ndarray]
log1p: ufunc[ndarray]
log2: ufunc[ndarray]
logaddexp: ufunc[ndarray]
logaddexp2: ufunc[ndarray]
logical_and: ufunc[ndarray]
logical_not: ufunc[ndarray]
logical_or: ufunc[ndarray]
logical_xor: ufunc[ndarray]
maximum: ufunc[ndarray]
minimum: ufunc[ndarray]
mod: ufunc[ndarray]
modf: ufunc[tuple[ndarray, ndarray]]
multiply: ufunc[ndarray]
negative: ufunc[ndarray]
nextafter: ufunc[ndarray]
not_equal: ufunc[ndarray]
positive: ufunc[ndarray]
pow: ufunc[ndarray]
power: ufunc[ndarray]
rad2deg: ufunc[ndarray]
radians: ufunc[ndarray]
reciprocal: ufunc[ndarray]
remainder: ufunc[ndarray]
right_shift: ufunc[ndarray]
rint: ufunc[ndarray]
sign: ufunc[ndarray]
signbit: ufunc[ndarray]
sin: ufunc[ndarray]
sinh: ufunc[ndarray]
spacing: ufunc[ndarray]
sqrt: ufunc[ndarray]
square: ufunc[ndarray]
subtract: ufunc[ndarray]
tan: ufunc[ndarray]
tanh: ufunc[ndarray]
true_divide: ufunc[ndarray]
trunc: ufunc[ndarray]

def signature_of(function: ufunc) -> Any: ...
