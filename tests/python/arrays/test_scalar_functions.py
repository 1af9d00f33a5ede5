"""CUDA's scalar functions in the bodies of kernels: that they exist, and those of integers."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda, to_numpy
from support.compilers import skip_without_compiler
from support.scalar_functions import DIRECTIONS, values_of

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Everything here compiles something."""
    skip_without_compiler()


# ---- all names, by signature: the types of arguments, an arrow, that of the result. A star is a
# direction of rounding; in braces stand alternatives. Other arguments are those of the expression.

REAL = """
    acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc
    erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10 log1p log2 logb
    nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc
    y0 y1
"""
REAL2 = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot"
PACKED2 = """
    __vadd{2,4} __vadd{ss,us}{2,4} __vsub{2,4} __vsub{ss,us}{2,4} __vavg{s,u}{2,4} __vhaddu{2,4}
    __vmax{s,u}{2,4} __vmin{s,u}{2,4} __vabsdiff{s,u}{2,4} __vsad{s,u}{2,4}
    __v{cmp,set}{eq,ne,ges,geu,gts,gtu,les,leu,lts,ltu}{2,4}
"""
NAMES = {
    "float64 -> float64": REAL + "__drcp_* __dsqrt_*",
    "float32 -> float32": REAL
    + " ".join(f"{name}f" for name in REAL.split())
    + " __saturatef __expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __tanhf"
    + " __frcp_* __fsqrt_* __frsqrt_rn",
    "float64 float64 -> float64": REAL2 + " fdivide __dadd_* __dsub_* __dmul_* __ddiv_*",
    "float32 float32 -> float32": REAL2.replace("rhypot", "")
    + " ".join(f" {name}f" for name in REAL2.split())
    + " fdividef __fdividef __powf __fadd_* __fsub_* __fmul_* __fdiv_*",
    "float64 float64 float64 -> float64": "fma norm3d rnorm3d __fma_*",
    "float32 float32 float32 -> float32": "fma fmaf norm3df rnorm3df __fmaf_* __fmaf_ieee_*",
    "float64 -> int64": "ilogb isfinite isinf isnan signbit llrint llround lrint lround "
    "__double2{int,uint,ll,ull}_* __double_as_longlong __double2hiint __double2loint",
    "float32 -> int64": "ilogb ilogbf isfinite isinf isnan signbit llrintf llroundf lrintf lroundf "
    "__float2{int,uint,ll,ull}_* __float_as_int __float_as_uint",
    "float64 -> float32": "__double2float_*",
    "int32 -> float32": "__int2float_* __int_as_float",
    "uint32 -> float32": "__uint2float_* __uint_as_float",
    "int64 -> float32": "__ll2float_*",
    "uint64 -> float32": "__ull2float_*",
    "int32 -> float64": "__int2double_rn",
    "uint32 -> float64": "__uint2double_rn",
    "int64 -> float64": "__ll2double_* __longlong_as_double",
    "uint64 -> float64": "__ull2double_*",
    "int32 int32 -> float64": "__hiloint2double",
    "int32 float64 -> float64": "jn yn",
    "int32 float32 -> float32": "jn yn jnf ynf",
    "float64 int32 -> float64": "ldexp scalbn scalbln",
    "float32 int32 -> float32": "ldexp ldexpf scalbn scalbnf scalblnf",
    "int32 -> int32": "abs __clz __ffs",
    "int64 -> int32": "__clzll __ffsll",
    "int64 -> int64": "labs llabs",
    "uint32 -> uint32": "__brev __popc __nv_bswap32 "
    "__vabs{2,4} __vabsss{2,4} __vneg{2,4} __vnegss{2,4}",
    "uint64 -> uint64": "__brevll __popcll __nv_bswap64",
    "uint16 -> uint16": "__nv_bswap16",
    "int32 int32 -> int32": "min max __hadd __rhadd __mul24 __mulhi "
    "__vimax_s32_relu __vimin_s32_relu",
    "uint32 uint32 -> uint32": "min max umin umax __uhadd __urhadd __umul24 __umulhi "
    "__vimax_s16x2_relu __vimin_s16x2_relu " + PACKED2,
    "int64 int64 -> int64": "min max llmin llmax __mul64hi",
    "uint64 uint64 -> uint64": "min max ullmin ullmax __umul64hi",
    "int32 int32 uint32 -> uint32": "__sad",
    "uint32 uint32 uint32 -> uint32": "__usad __byte_perm __funnelshift_{l,lc,r,rc} "
    "__dp4a __dp2a_lo __dp2a_hi __vi{max,min}3_{u32,u16x2,s16x2,s16x2_relu} "
    "__viadd{max,min}_{u32,u16x2,s16x2,s16x2_relu}",
    "int32 int32 int32 -> int32": "__dp4a __dp2a_lo __dp2a_hi "
    "__vi{max,min}3_{s32,s32_relu} __viadd{max,min}_{s32,s32_relu}",
    "uint32 uint32 int32 -> uint32": "__fns",
}
EXPRESSIONS = {
    "float64 -> float64": """
        (sincos(a, &s, &t), s + t) (sincospi(a, &s, &t), s + t) (modf(a, &s) + s) frexp(a, &k)
        remquo(a, 3.0, &k) nan("") norm(2, v) rnorm(2, v) norm4d(a, a, a, a) rnorm4d(a, a, a, a)
    """,
    "float32 -> float32": """
        (sincosf(a, &s, &t), s + t) (sincos(a, &s, &t), s + t) (sincospif(a, &s, &t), s + t)
        (sincospi(a, &s, &t), s + t) (__sincosf(a, &s, &t), s + t) (modff(a, &s) + s) frexpf(a, &k)
        remquof(a, 3.0f, &k) nanf("") normf(2, v) rnormf(2, v) norm4df(a, a, a, a)
        rnorm4df(a, a, a, a) make_float2(a, a).y make_float4(a, a, a, a).w
    """,
    "uint32 -> uint32": """
        __vibmax_u32(a, 3, &p) __vibmin_u32(a, 3, &p) __vibmax_s32(int(a), 3, &p)
        __vibmin_s32(int(a), 3, &p) __vibmax_s16x2(a, 3, &p, &q) __vibmin_s16x2(a, 3, &p, &q)
        __vibmax_u16x2(a, 3, &p, &q) __vibmin_u16x2(a, 3, &p, &q) dim3(a, 2).z
        make_char4(1, 2, 3, 4).w make_ushort3(1, 2, 3).z make_longlong2(1, 2).x make_uint1(a).x
        (__threadfence(), __threadfence_block(), __threadfence_system(), a)
    """,
}


def spelled_out(name: str) -> Iterator[str]:
    """The names that a pattern stands for."""
    head, brace, rest = name.partition("{")
    if brace:
        alternatives, _, tail = rest.partition("}")
        for each in alternatives.split(","):
            yield from spelled_out(head + each + tail)
    elif "*" in name:
        yield from (name.replace("*", direction) for direction in DIRECTIONS)
    else:
        yield name


def expressions(text: str) -> Iterator[str]:
    """Those between spaces, but for spaces in parentheses."""
    words = ""
    for word in text.split():
        words = f"{words} {word}".strip()
        if words.count("(") == words.count(")"):
            yield words
            words = ""


@pytest.mark.parametrize("signature", NAMES)
def test_names_exist(signature: str) -> None:
    types, result = signature.split(" -> ")
    letters = "abc"[: len(types.split())]
    names = [each for name in NAMES[signature].split() for each in spelled_out(name)]
    calls = [f"{name}({', '.join(letters)})" for name in names]
    arguments = {
        letter: np.full(2, 1, dtype) for letter, dtype in zip(letters, types.split(), strict=True)
    }
    values = values_of(calls, arguments, result)
    assert not np.isnan(values).any()


@pytest.mark.parametrize("signature", EXPRESSIONS)
def test_functions_with_places_exist(signature: str) -> None:
    dtype, result = signature.split(" -> ")
    ctype = {"float64": "double", "float32": "float", "uint32": "unsigned int"}[dtype]
    calls = [
        f"([=] {{ {ctype} s, t, v[2] = {{a, a}}; int k; bool p, q; return {each}; }})()"
        for each in expressions(EXPRESSIONS[signature])
    ]
    values_of(calls, {"a": np.full(2, 1, dtype)}, result)


@pytest.mark.parametrize("store", ["wb", "cg", "cs", "wt"])
def test_loads_and_stores_with_hints(store: str) -> None:
    """Of memory of the device: they take no other."""
    loads = "ldg", "ldca", "ldcg", "ldcs", "ldcv", "ldlu"
    total = " + ".join(f"__{load}(&v[i])" for load in loads)
    kernel = cp.ElementwiseKernel(
        "float64 a", "raw float64 v, float64 y", f"y = {total}; __st{store}(&v[i], a)", f"st{store}"
    )
    kept = cp.asarray(np.array([3.0, 4.0]))
    sums = kernel(cp.asarray(np.array([1.0, 2.0])), kept, cp.empty(2))[1]
    assert to_numpy(sums).tolist() == [18, 24]
    assert to_numpy(kept).tolist() == [1, 2]


# ---- integers, against Python's


def wrapped(value: int, bits: int, signed: bool) -> int:
    """The low bits of a number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def samples(dtype: str, seed: int, count: int = 400) -> list[int]:
    """Random numbers of all sizes, and the extreme ones."""
    bits, signed = int(dtype.lstrip("uint")), dtype[0] == "i"
    source = random.Random(seed)
    edges = [0, 1, 2, -1, -2, 1 << (bits - 1), (1 << (bits - 1)) - 1, 0x80808080, 0x7FFF8000]
    numbers = [source.choice(edges) for _ in range(count // 2)]
    numbers += [source.getrandbits(source.randint(1, bits)) for _ in range(count - len(numbers))]
    source.shuffle(numbers)
    return [wrapped(each, bits, signed) for each in numbers]


def lanes(word: int, bits: int, signed: bool) -> list[int]:
    return [wrapped(word >> at, bits, signed) for at in range(0, 32, bits)]


def pairs_of(*words: int, bits: int, signed: bool) -> Iterator[tuple[int, ...]]:
    """The values in the same place of each word."""
    return zip(*(lanes(word, bits, signed) for word in words), strict=True)


def joined(values: list[int], bits: int) -> int:
    return sum(wrapped(value, bits, False) << (bits * k) for k, value in enumerate(values))


def saturated(value: int, bits: int, signed: bool) -> int:
    low = -(1 << (bits - 1)) if signed else 0
    return max(low, min(value, low + (1 << bits) - 1))


def permuted(a: int, b: int, selector: int) -> int:
    source = (b << 32 | a).to_bytes(8, "little")
    return int.from_bytes(bytes(source[selector >> 4 * k & 7] for k in range(4)), "little")


def place_of_bit(mask: int, base: int, offset: int) -> int:
    step = -1 if offset < 0 else 1
    places = range(base, -1 if step < 0 else 32, step) if offset else [base]
    found = [at for at in places if mask >> at & 1]
    number = max(abs(offset), 1)
    return found[number - 1] if len(found) >= number else 0xFFFFFFFF


def dot(a: int, b: int, c: int, signed: bool, words: tuple[int, ...] | None) -> int:
    """__dp4a, or __dp2a with the numbers of the second argument's bytes."""
    if words is None:
        first, second = lanes(a, 8, signed), lanes(b, 8, signed)
    else:
        first, second = lanes(a, 16, signed), [lanes(b, 8, signed)[k] for k in words]
    return c + sum(x * y for x, y in zip(first, second, strict=True))


SCALAR: dict[str, tuple[str, Callable[..., int]]] = {
    "__popc": ("uint32 -> int32", lambda a: a.bit_count()),
    "__popcll": ("uint64 -> int32", lambda a: a.bit_count()),
    "__clz": ("int32 -> int32", lambda a: 32 - (a & 0xFFFFFFFF).bit_length()),
    "__clzll": ("int64 -> int32", lambda a: 64 - (a & (2**64 - 1)).bit_length()),
    "__ffs": ("int32 -> int32", lambda a: (a & -a).bit_length()),
    "__ffsll": ("int64 -> int32", lambda a: (a & -a).bit_length()),
    "__brev": ("uint32 -> uint32", lambda a: int(f"{a:032b}"[::-1], 2)),
    "__brevll": ("uint64 -> uint64", lambda a: int(f"{a:064b}"[::-1], 2)),
    "__nv_bswap32": ("uint32 -> uint32", lambda a: int.from_bytes(a.to_bytes(4, "big"), "little")),
    "__byte_perm": ("uint32 uint32 uint32 -> uint32", permuted),
    "__fns": ("uint32 uint32 int32 -> uint32", place_of_bit),
    "__funnelshift_l": (
        "uint32 uint32 uint32 -> uint32",
        lambda a, b, c: (b << 32 | a) << (c % 32) >> 32,
    ),
    "__funnelshift_lc": (
        "uint32 uint32 uint32 -> uint32",
        lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32,
    ),
    "__funnelshift_r": (
        "uint32 uint32 uint32 -> uint32",
        lambda a, b, c: (b << 32 | a) >> (c % 32),
    ),
    "__funnelshift_rc": (
        "uint32 uint32 uint32 -> uint32",
        lambda a, b, c: (b << 32 | a) >> min(c, 32),
    ),
    "__mulhi": ("int32 int32 -> int32", lambda a, b: a * b >> 32),
    "__umulhi": ("uint32 uint32 -> uint32", lambda a, b: a * b >> 32),
    "__mul64hi": ("int64 int64 -> int64", lambda a, b: a * b >> 64),
    "__umul64hi": ("uint64 uint64 -> uint64", lambda a, b: a * b >> 64),
    "__mul24": (
        "int32 int32 -> int32",
        lambda a, b: wrapped(a, 24, True) * wrapped(b, 24, True),
    ),
    "__umul24": ("uint32 uint32 -> uint32", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "__hadd": ("int32 int32 -> int32", lambda a, b: (a + b) >> 1),
    "__rhadd": ("int32 int32 -> int32", lambda a, b: (a + b + 1) >> 1),
    "__uhadd": ("uint32 uint32 -> uint32", lambda a, b: (a + b) >> 1),
    "__urhadd": ("uint32 uint32 -> uint32", lambda a, b: (a + b + 1) >> 1),
    "__sad": ("int32 int32 uint32 -> uint32", lambda a, b, c: abs(a - b) + c),
    "__usad": ("uint32 uint32 uint32 -> uint32", lambda a, b, c: abs(a - b) + c),
    "umin": ("uint32 uint32 -> uint32", min),
    "llmax": ("int64 int64 -> int64", max),
    "ullmin": ("uint64 uint64 -> uint64", min),
    "__vimax3_s32_relu": ("int32 int32 int32 -> int32", lambda *each: max(*each, 0)),
    "__vimin3_s32": ("int32 int32 int32 -> int32", min),
    "__viaddmax_s32": (
        "int32 int32 int32 -> int32",
        lambda a, b, c: max(wrapped(a + b, 32, True), c),
    ),
    "__viaddmin_u32": ("uint32 uint32 uint32 -> uint32", lambda a, b, c: min((a + b) % 2**32, c)),
}
for _signed in (True, False):
    _type = "int32" if _signed else "uint32"
    for _name, _words in {"__dp4a": None, "__dp2a_lo": (0, 1), "__dp2a_hi": (2, 3)}.items():
        SCALAR[f"{_name}:{_type}"] = (
            f"{_type} {_type} {_type} -> {_type}",
            lambda a, b, c, signed=_signed, words=_words: dot(a, b, c, signed, words),
        )


@pytest.mark.parametrize("signature", sorted({signature for signature, _ in SCALAR.values()}))
def test_functions_of_integers(signature: str) -> None:
    functions = {name: each for name, (of, each) in SCALAR.items() if of == signature}
    types, result = signature.split(" -> ")
    arguments = {
        letter: np.array(samples(dtype, seed), dtype)
        for seed, (letter, dtype) in enumerate(zip("abc", types.split(), strict=False))
    }
    if "__fns" in functions:  # a place in the word, and a small number
        arguments["b"] %= 32
        arguments["c"] = (arguments["c"].astype("i8") % 11 - 5).astype("i4")
    calls = [f"{name.split(':')[0]}({', '.join(arguments)})" for name in functions]
    rows = list(zip(*(array.tolist() for array in arguments.values()), strict=True))
    bits, signed = int(result.lstrip("uint")), result[0] == "i"
    for call, expected, values in zip(
        calls, functions.values(), values_of(calls, arguments, result), strict=True
    ):
        assert values.tolist() == [wrapped(expected(*row), bits, signed) for row in rows], call


LANE: dict[str, Callable[..., int]] = {
    "__vadd#": lambda x, y, *_: x + y,
    "__vsub#": lambda x, y, *_: x - y,
    "__vaddss#": lambda x, y, *form: saturated(x + y, *form),
    "__vaddus#": lambda x, y, *form: saturated(x + y, *form),
    "__vsubss#": lambda x, y, *form: saturated(x - y, *form),
    "__vsubus#": lambda x, y, *form: saturated(x - y, *form),
    "__vavgs#": lambda x, y, *_: (x + y + (x + y >= 0)) >> 1,  # halves go away from zero
    "__vavgu#": lambda x, y, *_: (x + y + 1) >> 1,
    "__vhaddu#": lambda x, y, *_: (x + y) >> 1,
    "__vabs#s": lambda x, y, *_: abs(x),
    "__vabsss#": lambda x, y, *form: saturated(abs(x), *form),
    "__vneg#s": lambda x, y, *_: -x,
    "__vnegss#": lambda x, y, *form: saturated(-x, *form),
    "__vmaxs#": lambda x, y, *_: max(x, y),
    "__vmaxu#": lambda x, y, *_: max(x, y),
    "__vmins#": lambda x, y, *_: min(x, y),
    "__vminu#": lambda x, y, *_: min(x, y),
    "__vabsdiffs#": lambda x, y, *_: abs(x - y),
    "__vabsdiffu#": lambda x, y, *_: abs(x - y),
    "__vcmpeq#": lambda x, y, *_: -(x == y),
    "__vcmpne#": lambda x, y, *_: -(x != y),
    "__vseteq#": lambda x, y, *_: x == y,
    "__vsetne#": lambda x, y, *_: x != y,
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "ge": lambda x, y: x >= y,
    "gt": lambda x, y: x > y,
    "le": lambda x, y: x <= y,
    "lt": lambda x, y: x < y,
}
for _name, _compare in COMPARISONS.items():
    for _sign in "su":
        LANE[f"__vcmp{_name}{_sign}#"] = lambda x, y, *_, compare=_compare: -compare(x, y)
        LANE[f"__vset{_name}{_sign}#"] = lambda x, y, *_, compare=_compare: compare(x, y)


def is_signed(pattern: str) -> bool:
    """Whether the places of a word are signed, by the name's end."""
    end = pattern.replace("#", "")
    return not end.endswith(("us", "u", "eq", "ne")) and end not in ("__vadd", "__vsub")


@pytest.mark.parametrize("bits", [8, 16])
def test_functions_of_packed_integers(bits: int) -> None:
    a, b = samples("uint32", 1), samples("uint32", 2)
    pairs = {"a": np.array(a, "u4"), "b": np.array(b, "u4")}
    names = [pattern.rstrip("s").replace("#", str(32 // bits)) for pattern in LANE]
    one = {name for name in names if name.startswith(("__vabs", "__vneg")) and "diff" not in name}
    calls = [f"{name}(a)" if name in one else f"{name}(a, b)" for name in names]
    values = values_of(calls, pairs, "uint32")
    for pattern, call, row in zip(LANE, calls, values, strict=True):
        signed = is_signed(pattern)
        expected = [
            joined(
                [
                    LANE[pattern](*each, bits, signed)
                    for each in pairs_of(*row, bits=bits, signed=signed)
                ],
                bits,
            )
            for row in zip(a, b, strict=True)
        ]
        assert row.tolist() == expected, call


def test_sums_of_differences_and_extremes() -> None:
    words = [samples("uint32", seed) for seed in range(3)]
    arguments = {name: np.array(each, "u4") for name, each in zip("abc", words, strict=True)}

    def packed(function: Callable[..., int], signed: bool) -> list[int]:
        return [
            joined([function(*each) for each in pairs_of(*row, bits=16, signed=signed)], 16)
            for row in zip(*words, strict=True)
        ]

    def sums(bits: int, signed: bool) -> list[int]:
        return [
            sum(abs(x - y) for x, y in pairs_of(a, b, bits=bits, signed=signed))
            for a, b in zip(words[0], words[1], strict=True)
        ]

    expected = {
        "__vsads2(a, b)": sums(16, True),
        "__vsadu2(a, b)": sums(16, False),
        "__vsads4(a, b)": sums(8, True),
        "__vsadu4(a, b)": sums(8, False),
        "__vimax3_s16x2(a, b, c)": packed(max, True),
        "__vimin3_u16x2(a, b, c)": packed(min, False),
        "__vimin3_s16x2_relu(a, b, c)": packed(lambda *each: max(min(each), 0), True),
        "__viaddmax_u16x2(a, b, c)": packed(lambda x, y, z: max((x + y) % 2**16, z), False),
        "__viaddmin_s16x2_relu(a, b, c)": packed(
            lambda x, y, z: max(min(wrapped(x + y, 16, True), z), 0), True
        ),
        "__vimax_s16x2_relu(a, b)": packed(lambda x, y, z: max(x, y, 0), True),
    }
    values = values_of(list(expected), arguments, "uint32")
    for row, (call, numbers) in zip(values, expected.items(), strict=True):
        assert row.tolist() == numbers, call


def test_extremes_tell_which_they_are() -> None:
    a, b = samples("int32", 1), samples("int32", 2)
    call = "([=] {{ bool p; {0}(a, b, &p); return p; }})()"
    values = values_of(
        [call.format("__vibmax_s32"), call.format("__vibmin_s32")],
        {"a": np.array(a, "i4"), "b": np.array(b, "i4")},
        "int32",
    )
    assert values[0].tolist() == [x >= y for x, y in zip(a, b, strict=True)]
    assert values[1].tolist() == [x <= y for x, y in zip(a, b, strict=True)]


def test_bits_of_numbers() -> None:
    a = np.array([1.5, -0.0, np.inf, 3e-310, -7e200])
    high, low, back = values_of(
        [
            "__double2hiint(a)",
            "__double2loint(a)",
            "__double_as_longlong(__hiloint2double(__double2hiint(a), __double2loint(a)))",
        ],
        {"a": a},
        "int64",
    )
    assert back.tolist() == a.view("i8").tolist()
    assert high.tolist() == (a.view("i8") >> 32).tolist()
    assert low.tolist() == (a.view("i8") & 0xFFFFFFFF).astype("u4").view("i4").tolist()


# ---- words of the language, and names of the user's own


@pytest.mark.parametrize(
    "preamble",
    [
        "typedef long long int64_t;",
        "typedef unsigned long long uint64_t; typedef char int8_t;",
        "typedef unsigned long long int\n  uint64_t;  // as in many programs",
        "using int64_t = long long;",
        "typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned int uint32_t;",
        "typedef unsigned long long uintptr_t; typedef unsigned long long ulong;",
        "typedef float double_t; typedef long long *places, int64_t;",
    ],
)
def test_fixed_width_names_may_be_the_users_own(preamble: str) -> None:
    last = preamble.split("//")[0].replace("using ", "").split("=")[0].split(";")[-2:]
    name = next(each.split()[-1] for each in last if each.strip())
    body = f"y = sizeof({name}) + x - ({name})(x)"
    kernel: Any = cp.ElementwiseKernel("int32 x", "int64 y", body, "own_names", preamble=preamble)
    size = {"uint32_t": 4, "int8_t": 1}.get(name, 8)
    assert to_numpy(kernel(cp.arange(3, dtype="int32"))).tolist() == [size] * 3


def test_fixed_width_names_in_a_reduction() -> None:
    kernel: Any = cp.ReductionKernel(
        "T x",
        "int64 y",
        "(int64_t)x",
        "a + b",
        "y = a",
        "0",
        "own_sum",
        preamble="typedef long long int64_t;",
    )
    assert int(kernel(cp.arange(10.0))) == 45


@pytest.mark.skipif(on_cuda(), reason="NVRTC has no such names of its own")
def test_fixed_width_names_of_the_host_remain() -> None:
    kernel: Any = cp.ElementwiseKernel("int32 x", "int64 y", "y = (int64_t)x << 40", "host_names")
    assert int(kernel(cp.arange(3, dtype="int32"))[2]) == 2 << 40


def test_words_of_the_language() -> None:
    preamble = """
    __device__ __noinline__ int twice(int a) { return 2 * a; }
    struct __align__(16) Pair { float a, b; };
    """
    body = "y = twice(x) + (int)sizeof(Pair) + (int)alignof(float4) + (int)sizeof(double3)"
    kernel: Any = cp.ElementwiseKernel("int32 x", "int32 y", body, "words", preamble=preamble)
    assert to_numpy(kernel(cp.arange(3, dtype="int32"))).tolist() == [56, 58, 60]


def test_atomic_functions_of_scopes() -> None:
    kernel: Any = cp.ElementwiseKernel(
        "int32 x", "raw int32 y", "atomicAdd_block(&y[0], x); atomicMax_system(&y[1], x)", "scopes"
    )
    y = cp.zeros(2, "int32")
    kernel(cp.arange(1000, dtype="int32"), y)
    if not on_cuda():  # other blocks add at the same time there
        assert to_numpy(y).tolist() == [499500, 999]
