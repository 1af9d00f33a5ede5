"""Arguments by the names of parameters: mostly legal ones, some that no function should take."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import arrays
from arrays import Shape
from targets import Parameter, Target

HOSTILE = (
    "None", "nan", "inf", "-1", "7", "2**31", "-2**31", "2**62", "2**63", "-2**63", "2**64",
    "10**30", "-10**30", "1.5", "1e300", "'x'", "''", "'\\udc80'", "'a\\0b'", "b'x'", "()", "[]",
    "{}", "(0, 0)", "(None,)", "((1, 2), 3)", "[[1, 2], [3]]", "[1, 'a']", "True", "False", "1j",
    "object()", "slice(None)", "Ellipsis", "range(3)", "'0'", "np.int8(-1)", "np.float64(2)",
    "np.float16(nan)", "np.uint64(2**64 - 1)", "np.bool_(True)", "lambda *a: 0", "float", "set()",
    "np.array(3)", "xp.asarray(2)", "xp.asarray([True, False])", "xp.asarray([])",
    "xp.asarray(np.array([1, 0], 'u8'))", "xp.asarray([0.5, nan])", "'f4'", "-0.0", "[None]",
)  # fmt: skip
# How many arguments of a call may be hostile, and how likely each is then.
HOSTILE_ARGUMENTS = (0, 0, 0, 0, 0, 0, 1, 1, 1, 5)
HOSTILE_RATE = 0.35
OPTION_RATE = 0.22

DTYPE_TEXTS = ("float", "int", "bool", "complex", "np.float64", "xp.int8", "'uint16'", "'f'")
ODD_DTYPES = (
    "object", "'U3'", "'S2'", "'M8[s]'", "'>i4'", "'V8'", "'nonsense'", "np.longdouble", "'i4,f8'",
    "'\\udc80'", "None", "5", "''", "str", "list", "np.number", "('f4', (2,))",
)  # fmt: skip

# Words that options know, and some that they do not.
WORDS: dict[str, tuple[str, ...]] = {
    "casting": ("no", "equiv", "safe", "same_kind", "unsafe"),
    "order": ("C", "F", "A", "K"),
    "mode": ("raise", "wrap", "clip"),
    "side": ("left", "right"),
    "kind": ("quicksort", "stable", "mergesort", "heapsort"),
    "UPLO": ("L", "U", "l"),
    "indexing": ("ij", "xy"),
    "norm": ("ortho", "forward", "backward"),
    "trim": ("fb", "f", "b"),
    "method": (
        "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "weibull", "hazen",
        "averaged_inverted_cdf", "closest_observation", "median_unbiased", "normal_unbiased",
        "interpolated_inverted_cdf",
    ),
}  # fmt: skip
WORDS_OF = {
    ("pad", "mode"): (
        "constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect",
        "symmetric", "wrap", "empty",
    ),
    ("convolve", "mode"): ("full", "same", "valid"),
    ("correlate", "mode"): ("full", "same", "valid"),
    ("qr", "mode"): ("reduced", "complete", "r", "raw"),
    ("partition", "kind"): ("introselect",),
    ("argpartition", "kind"): ("introselect",),
    ("isdtype", "kind"): (
        "bool", "signed integer", "unsigned integer", "integral", "real floating",
        "complex floating", "numeric",
    ),
}  # fmt: skip
SUBSCRIPTS = {
    1: (
        "i->",
        "i",
        "ij->ji",
        "ii",
        "ii->i",
        "ij->j",
        "...->...",
        "...i->...",
        "ijk->kji",
        "i...->...",
    ),
    2: (
        "i,i",
        "ij,jk",
        "ij,jk->ik",
        "i,j->ij",
        "ij,ij->i",
        "...,...",
        "ij,j",
        "...ij,...jk->...ik",
    ),
    3: ("i,i,i", "ij,jk,kl->il", "i,j,k->ijk", "...,...,...->..."),
}


class Context:
    """One call in the making: what its arguments have in common."""

    def __init__(self, random: Random, target: Target) -> None:
        self.random = random
        self.target = target
        self.allowed = random.choice(HOSTILE_ARGUMENTS)  # mistakes, still
        self.mistakes = 0  # so far, or what may be one
        self.linear = target.name.startswith("linalg.")
        self.shape = self.first_shape()
        self.dtype = random.choice(arrays.DTYPES)
        if self.linear or (target.name.startswith("fft.") and random.random() < 0.8):
            self.dtype = random.choice(("f4", "f8", "f8", "c8", "c16"))
        self.special = random.random() < 0.25
        self.bindings: list[tuple[str, str]] = []
        self.names: list[tuple[str, Shape]] = []

    def first_shape(self) -> Shape:
        random = self.random
        if self.linear and random.random() < 0.75:
            side = random.choice((1, 2, 3, 3, 4))
            return (*arrays.shape(random, random.choice((0, 0, 1))), side, side)
        return arrays.shape(random)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def mistake(self, probability: float) -> bool:
        """Whether to do something that a function may refuse."""
        if self.allowed == 0 or not self.chance(probability):
            return False
        self.allowed -= 1
        self.mistakes += 1
        return True

    def pick(self, choices: Any) -> Any:
        return self.random.choice(choices)

    def bind(self, text: str, extents: Shape) -> str:
        name = f"a{len(self.bindings)}"
        self.bindings.append((name, text))
        self.names.append((name, extents))
        return name

    def array(self, extents: Shape | None = None, dtype: str | None = None) -> str:
        """The name of a new array, or of a view of one, or of one that is there."""
        if extents is None:
            if self.names and self.chance(0.12):
                return self.pick(self.names)[0]
            if self.mistake(0.2):
                extents = arrays.shape(self.random)
            elif self.chance(0.65):
                extents = self.shape
            else:
                extents = arrays.broadcastable(self.random, self.shape)
                self.mistakes += extents != self.shape
        dtype = dtype or (self.dtype if self.chance(0.6) else self.pick(arrays.DTYPES))
        if self.chance(0.65):
            return self.bind(arrays.base(self.random, dtype, extents, self.special), extents)
        text, stored = arrays.view(self.random, f"a{len(self.bindings)}", extents)
        self.bind(arrays.base(self.random, dtype, stored, self.special), stored)
        return self.bind(text, extents)

    def integer(self) -> str:
        return str(self.pick((0, 1, 2, 3, -1, -2, 4, 5)))


def any_array(c: Context) -> str:
    if c.chance(0.12):
        c.mistakes += 1  # it has few dimensions, or none
        return c.pick((c.integer(), number(c), sequence(c)))
    return c.array()


def number(c: Context) -> str:
    text = arrays.number(c.random, c.pick(("?", "i8", "i8", "f8", "f8", "c16")), c.special)
    if c.chance(0.2):
        dtype = c.pick(arrays.DTYPES)
        plain = arrays.number(c.random, dtype, False)
        return f"np.dtype({dtype!r}).type({plain})"
    return text


def sequence(c: Context) -> str:
    dtype = c.pick(("?", "i8", "f8"))
    numbers = [arrays.number(c.random, dtype, False) for _ in range(c.pick((0, 1, 2, 3)))]
    return f"[{', '.join(numbers)}]"


def one_axis(c: Context, extra: int = 0) -> str:
    rank = len(c.shape) + extra
    return str(c.random.randrange(-rank, rank)) if rank else c.pick(("0", "-1"))


def axis(c: Context) -> str:
    if c.chance(0.15):
        return "None"
    if c.chance(0.2):
        c.mistakes += 1  # some functions take one only
        return axes(c)
    return one_axis(c)


def axes(c: Context) -> str:
    rank = len(c.shape)
    chosen = c.random.sample(range(rank), c.random.randint(0, rank)) if rank else []
    return str(tuple(a - rank if c.chance(0.3) else a for a in chosen))


def permutation(c: Context) -> str:
    return str(tuple(c.random.sample(range(len(c.shape)), len(c.shape))))


def dtype(c: Context) -> str:
    if c.mistake(0.3):
        return c.pick(ODD_DTYPES)
    return c.pick(DTYPE_TEXTS) if c.chance(0.3) else repr(c.pick(arrays.DTYPES))


def flag(c: Context) -> str:
    return c.pick(("True", "False"))


def mask(c: Context) -> str:
    if c.chance(0.15):
        return flag(c)
    return c.array(arrays.broadcastable(c.random, c.shape), None if c.mistake(0.2) else "?")


def extents(c: Context) -> str:
    if c.chance(0.2):
        return c.integer()
    if c.chance(0.3):
        return str(arrays.shape(c.random))
    count = arrays.size(c.shape)
    choices: list[Any] = [(-1,), (count,), c.shape[::-1], (*c.shape, 1), c.shape, (1, *c.shape)]
    choices += [(n, -1) for n in (1, 2, 3) if count and count % n == 0]
    return str(c.pick(choices))


def indices(c: Context) -> str:
    limit = c.pick([*c.shape, arrays.size(c.shape)]) or 1
    values = [c.random.randrange(-limit, limit) for _ in range(c.pick((0, 1, 2, 3, 6)))]
    if c.chance(0.3):
        return str(values) if c.chance(0.5) else c.integer()
    kind = c.pick(("i8", "i8", "i4", "u1", "i2"))
    if kind == "u1":
        values = [abs(value) % 256 for value in values]
    return c.bind(f"xp.asarray(np.array({values}, {kind!r}))", (len(values),))


def key(c: Context) -> str:
    """What stands in brackets."""
    parts = []
    for extent in c.shape:
        kinds = ["':'", "int", "slice", "None", "array", "list", "mask"]
        kind = c.pick(kinds)
        if kind == "int":
            parts.append(str(c.random.randint(-extent - c.chance(0.05), max(extent - 1, 0))))
        elif kind == "slice":
            ends = [str(c.random.randint(-extent - 1, extent + 1)) for _ in range(2)]
            step = c.pick(("None", "2", "-1", "-2", "1"))
            parts.append(f"slice({c.pick((ends[0], 'None'))}, {c.pick((ends[1], 'None'))}, {step})")
        elif kind == "None":
            parts.append("None")
        elif kind == "array":
            parts.append(indices(c))
        elif kind == "mask" and c.chance(0.4):
            parts.append(c.array((extent,), "?"))
        else:
            parts.append("slice(None)")
        if c.chance(0.25):
            break
    if c.chance(0.2):
        parts.insert(c.random.randint(0, len(parts)), "Ellipsis")
    if c.chance(0.1):
        return c.array(c.shape, "?")
    return (
        parts[0] if len(parts) == 1 and c.chance(0.7) else f"({''.join(p + ', ' for p in parts)})"
    )


def several_arrays(c: Context) -> str:
    members = [any_array(c) for _ in range(c.pick((1, 2, 2, 3)))]
    return f"[{', '.join(members)}]" if c.chance(0.9) else c.array()


def several_masks(c: Context) -> str:
    return f"[{', '.join(c.array(c.shape, '?') for _ in range(c.pick((1, 2, 2))))}]"


def bins(c: Context) -> str:
    if c.chance(0.3):
        return str(c.pick((1, 3, 10)))
    return c.pick(("[0, 1, 2, 5]", "[-1.5, 0.5, 3.0]", "xp.asarray([0.0, 1.0, 4.0])", "[3, 2, 1]"))


def fraction(c: Context) -> str:
    scale = 100 if c.target.short == "percentile" else 1
    values = [f"{c.pick((0, 0.1, 0.25, 0.5, 0.75, 1)) * scale}" for _ in range(c.pick((1, 2, 3)))]
    return values[0] if c.chance(0.5) else f"[{', '.join(values)}]"


def widths(c: Context) -> str:
    rank = len(c.shape)
    if c.chance(0.5):
        return str(c.pick((0, 1, 2, (1, 2), ((1, 0),))))
    return str(tuple((c.random.randrange(3), c.random.randrange(3)) for _ in range(rank)))


def sections(c: Context) -> str:
    return str(c.pick((1, 2, 3, [1], [1, 2], [0, 3], [-1], [])))


def scalar_dtype(c: Context) -> str:
    return c.pick((dtype(c), any_array(c), number(c)))


def width_of_output(c: Context) -> str:
    return str(c.pick((1, 2, 3, 4, 5, 8, 16)))


def lengths(c: Context) -> str:
    return str(tuple(c.pick((1, 2, 3, 5, -1)) for _ in c.shape))


def pair(c: Context) -> str:
    return str(c.pick(((0, 1), (-3.0, 3.0), (2, 2), (0, 5), (1, 0))))


def optimize(c: Context) -> str:
    return c.pick(("True", "False", "'greedy'", "'optimal'"))


def anything(c: Context) -> str:
    return c.pick((any_array, any_array, any_array, number, sequence, axis, flag, dtype, extents))(
        c
    )


def small(c: Context) -> str:
    return c.integer()


def matrix_norm(c: Context) -> str:
    return c.pick(("None", "1", "2", "-1", "-2", "inf", "-inf", "'fro'", "'nuc'", "0", "3", "1.5"))


def some_function(c: Context) -> str:
    return c.pick(("lambda *i: i[0]", "lambda *i: sum(i)", "lambda *i: 1.5"))


def sample_points(c: Context) -> str:
    return c.pick(("[0, 1, 3]", "xp.asarray([-2.5, 0.5, 4.0])", "[1, 2, 2]", "[3, 1, 2]"))


def sample_values(c: Context) -> str:
    return c.pick(("[5, -1, 2]", "xp.asarray([1.5, nan, inf])", "[1j, 2, 3 - 1j]", "[1, 2]"))


KINDS: dict[str, Callable[[Context], str]] = {
    **dict.fromkeys(
        [
            "self",
            "a",
            "x",
            "x1",
            "x2",
            "arr",
            "array",
            "ary",
            "b",
            "m",
            "v",
            "val",
            "vals",
            "values",
            "y",
            "z",
            "a1",
            "a2",
            "A",
            "B",
            "object",
            "dst",
            "src",
        ],
        any_array,
    ),
    **dict.fromkeys(
        ["prototype", "p", "filt", "to_begin", "to_end", "append", "prepend", "weights", "mean"],
        any_array,
    ),
    **dict.fromkeys(["args", "arys", "arrays", "xi", "operands", "arrays_and_dtypes"], any_array),
    **dict.fromkeys(["axis", "axisa", "axisb", "axisc"], axis),
    **dict.fromkeys(["axis1", "axis2", "source", "destination", "start"], one_axis),
    "axes": axes,
    **dict.fromkeys(["dtype", "from_", "to", "type1", "type2", "arg1", "arg2", "type"], dtype),
    **dict.fromkeys(["where", "mask", "condition"], mask),
    **dict.fromkeys(["shape", "size", "dims", "dimensions", "new_shape", "reps"], extents),
    **dict.fromkeys(
        ["indices", "ind", "obj", "sorter", "kth", "multi_index", "repeats", "shift", "keys"],
        indices,
    ),
    "key": key,
    **dict.fromkeys(["arrays_", "tup", "choices", "choicelist", "arrays", "keys"], several_arrays),
    "condlist": several_masks,
    "bins": bins,
    "q": fraction,
    "pad_width": widths,
    "indices_or_sections": sections,
    **dict.fromkeys(
        [
            "n",
            "N",
            "M",
            "num",
            "k",
            "decimals",
            "offset",
            "ddof",
            "ndmin",
            "ndim",
            "minlength",
            "count",
        ],
        small,
    ),
    **dict.fromkeys(
        [
            "initial",
            "fill_value",
            "value",
            "default",
            "stop",
            "step",
            "base",
            "d",
            "tol",
            "rtol",
            "atol",
        ],
        number,
    ),
    **dict.fromkeys(
        ["a_min", "a_max", "min", "max", "nan", "posinf", "neginf", "rcond", "correction"], number
    ),
    **dict.fromkeys(
        ["low", "high", "loc", "scale", "sigma", "left", "mode", "right", "length"], number
    ),
    "s": lengths,
    "range": pair,
    "ord": matrix_norm,
    "optimize": optimize,
    "function": some_function,
    "iter": sequence,
    "element": anything,
}
# Where a name means something else.
KINDS_OF: dict[tuple[str, str], Callable[[Context], str]] = {
    ("transpose", "axes"): permutation,
    ("interp", "xp"): sample_points,
    ("interp", "fp"): sample_values,
    ("gradient", "varargs"): number,
    ("permute_dims", "axes"): permutation,
    ("broadcast_shapes", "args"): extents,
    ("result_type", "arrays_and_dtypes"): scalar_dtype,
    ("can_cast", "from_"): scalar_dtype,
    ("min_scalar_type", "a"): number,
    ("isdtype", "dtype"): lambda c: f"np.dtype({c.pick(arrays.DTYPES)!r})",
    ("ix_", "args"): indices,
    ("insert", "values"): any_array,
    ("item", "args"): small,
    ("count_nonzero", "axis"): axis,
    ("__getitem__", "b"): key,
    ("__setitem__", "b"): key,
    ("__delitem__", "b"): key,
    ("__contains__", "b"): number,
    ("__setitem__", "c"): any_array,
    ("linspace", "start"): any_array,
    ("logspace", "start"): any_array,
    ("geomspace", "start"): any_array,
    ("linspace", "stop"): any_array,
    ("geomspace", "stop"): any_array,
    ("arange", "start"): number,
    ("take_along_axis", "indices"): lambda c: c.array(c.shape, "i8"),
    ("put_along_axis", "indices"): lambda c: c.array(c.shape, "i8"),
    ("shape", "set"): extents,
    ("cond", "p"): matrix_norm,
    ("tril_indices", "m"): small,
    ("triu_indices", "m"): small,
    ("at", "a"): lambda c: c.array(),
    ("size", "axis"): axis,
}


def kind_of(target: Target, parameter: Parameter) -> Callable[[Context], str]:
    """What makes an argument for this parameter."""
    words = WORDS_OF.get((target.short, parameter.name))
    own = KINDS_OF.get((target.short, parameter.name))
    if own is not None:
        return own
    if words is None and target.group != "random":
        words = WORDS.get(parameter.name)
    if words is not None:
        known = words
        return lambda c: c.pick(("None", "'q'", "'R'")) if c.mistake(0.3) else repr(c.pick(known))
    if parameter.name in KINDS:
        return KINDS[parameter.name]
    if isinstance(parameter.default, bool):
        return flag
    if isinstance(parameter.default, int):
        return small
    if isinstance(parameter.default, float):
        return number
    return anything


def argument(c: Context, parameter: Parameter) -> str:
    """Its text."""
    if c.mistake(HOSTILE_RATE):
        return c.pick(HOSTILE)
    return kind_of(c.target, parameter)(c)
