"""The special cases of the array API standard: conditions and results as short texts."""

import math
from collections.abc import Iterator

INF, NAN = math.inf, math.nan
PARTS = {
    "pi": math.pi,
    "pi/2": math.pi / 2,
    "pi/4": math.pi / 4,
    "3pi/4": 3 * math.pi / 4,
    "inf": INF,
    "nan": NAN,
}
POSITIVE = [2.0**-20, 0.5, 1.0, 1.5, 2.0, 3.0, 1000.0]  # finite, exact in every type
NEGATIVE = [-x for x in POSITIVE]


def number(text: str) -> float:
    """`-pi/2`, `0`, `-0`, `inf`, `1`."""
    sign, text = (-1.0, text[1:]) if text.startswith("-") else (1.0, text.removeprefix("+"))
    return math.copysign(PARTS[text] if text in PARTS else float(text), sign)


SETS = {
    "+f": POSITIVE,
    "-f": NEGATIVE,
    "f!0": POSITIVE + NEGATIVE,
    "f": [*POSITIVE, *NEGATIVE, 0.0, -0.0],
    ">0": [*POSITIVE, INF],
    "<0": [*NEGATIVE, -INF],
    "!0": [*POSITIVE, *NEGATIVE, INF, -INF, NAN],
    "!nan": [*POSITIVE, *NEGATIVE, 0.0, -0.0, INF, -INF],
    "any": [*POSITIVE, *NEGATIVE, 0.0, -0.0, INF, -INF, NAN],
    ">1": [1.5, 2.0, 3.0, 1000.0, INF],
    "<-1": [-1.5, -2.0, -3.0, -1000.0, -INF],
    "<1": [0.5, 0.0, -0.0, *NEGATIVE, -INF],
    "+-0": [0.0, -0.0],
    "+-inf": [INF, -INF],
    "!1": [0.0, -0.0, 0.5, 1.5, 2.0, *NEGATIVE, INF, -INF, NAN],
    "|>1|": [1.5, 2.0, 1000.0, -1.5, -2.0, INF, -INF],
    "|1|": [1.0, -1.0],
    "|<1|": [0.5, 2.0**-20, -0.5, -(2.0**-20), 0.0, -0.0],
    "+odd": [1.0, 3.0, 5.0],
    "-odd": [-1.0, -3.0, -5.0],
    "+even": [2.0, 4.0, 0.5, 1.5, INF],
    "-even": [-2.0, -4.0, -0.5, -1.5, -INF],
    "fraction": [0.5, 1.5, -0.5, -2.5],
    "integer": [*map(float, range(-5, 6)), 1000.0],
}
"""`+even` and `-even` are what is no odd integer."""


def values(condition: str) -> list[float]:
    return SETS[condition] if condition in SETS else [number(condition)]


def unary_cases(text: str) -> Iterator[tuple[float, float]]:
    """`x -> result; ...`: arguments and results. The result `x` is the argument."""
    for case in text.split(";"):
        condition, result = case.split("->")
        for x in values(condition.strip()):
            yield x, (x if result.strip() == "x" else number(result.strip()))


def binary_cases(text: str) -> Iterator[tuple[float, float, float]]:
    """`x1, x2 -> result; ...`: the results `x1` and `x2` are the arguments."""
    for case in text.split(";"):
        conditions, result = case.split("->")
        first, second = conditions.split(",")
        for x1 in values(first.strip()):
            for x2 in values(second.strip()):
                known = {"x1": x1, "x2": x2, "|x1|": abs(x1), "|x2|": abs(x2), "-|x1|": -abs(x1)}
                name = result.strip()
                yield x1, x2, (known[name] if name in known else number(name))


def complex_cases(text: str) -> Iterator[tuple[complex, str, str]]:
    """`a, b -> real, imag; ...`: arguments and the texts of the parts of the results."""
    for case in text.split(";"):
        conditions, result = case.split("->")
        first, second = (part.strip() for part in conditions.split(","))
        real, imag = (part.strip() for part in result.split(","))
        for a in values(first):
            for b in values(second):
                yield complex(a, b), real, imag


def is_part(actual: float, expected: str, argument: complex, is_real: bool, digits: float) -> bool:
    """Whether a part of a result is what the text says.

    `?inf`: of any sign. `inf*cis`, `0*cis`, with `-1` behind it: times cos b or sin b.
    """
    if "*cis" in expected:
        factor, rest = expected.split("*cis")
        turned = (math.cos if is_real else math.sin)(argument.imag)
        value = number(factor) * turned
        if rest and is_real:
            value -= 1.0
    elif expected.startswith("?"):
        value = math.copysign(number(expected[1:]), actual)
    else:
        value = number(expected)
    if math.isnan(value):
        return math.isnan(actual)
    if math.copysign(1, actual) != math.copysign(1, value):
        return False
    return actual == value or abs(actual - value) <= digits * abs(value)
