"""A random call: what it is of its seed, as lines of Python, and what it gives in a library."""

from __future__ import annotations

import copy
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, nan
from random import Random
from typing import Any

import numpy as np
from parameters import OPTION_RATE, SUBSCRIPTS, Context, argument
from targets import Parameter, Target

# How often a group is called; the others share what is left by their numbers.
SHARES = {"function": 50, "method": 17, "operator": 13, "attribute": 4, "ufunc method": 10}
SHARES |= {"random": 6}
MOST_REPEATED = 3  # arguments for *args

# A result of NumPy's without out=, for the shape and the dtype of one: None where there is none.
Rehearsal = Callable[["Call"], Any]


@dataclass
class Call:
    """`lines` bind the arrays, `expression` is the call."""

    seed: int
    target: Target
    lines: list[tuple[str, str]]
    expression: str
    options: dict[str, str] = field(default_factory=dict)  # that are given, and as what
    mistakes: int = 0  # that it may have
    receiver: str = ""  # the array whose method or attribute it is

    def text(self) -> str:
        """One line that makes the call; it needs xp, np, operator, copy, inf and nan."""
        bound = "".join(f"{name} = {value}; " for name, value in self.lines)
        return f"{bound}result = {self.expression}"

    def program(self) -> str:
        """One line of Python that makes the call by itself."""
        modules = "import copy, operator, numpy as np, cupola as xp; from math import inf, nan; "
        return f"{modules}{self.text()}; print(repr(result))"

    def run(self, xp: Any) -> dict[str, Any]:
        """Make the call with a library: the result and all that is bound."""
        names = {"xp": xp, "np": np, "operator": operator, "copy": copy, "inf": inf, "nan": nan}
        code = compile(self.text(), f"<call {self.seed}>", "exec")
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, names)
        return {name: names[name] for name in ("result", *dict(self.lines))}


def choose(random: Random, seed: int, groups: dict[str, list[Target]]) -> Target:
    """What is new in the namespace takes some seeds; all others go on to make their calls."""
    known = sorted(groups)
    group = random.choices(known, [SHARES[name] for name in known])[0]
    return max(groups[group], key=lambda target: hash((seed, target.number)))


def out_argument(c: Context, call: Call, rehearse: Rehearsal) -> str:
    """Arrays that fit the results, some of which overlap operands, or any array."""
    fresh = rehearse(call)
    results = fresh if isinstance(fresh, tuple) else (fresh,)
    texts: list[str] = []
    for each in results:
        if not isinstance(each, np.ndarray | np.generic) or each.dtype.kind not in "biufc":
            return c.array()
        if c.chance(0.15):
            return c.array()
        same = [name for name, extents in c.names if extents == each.shape and name not in texts]
        if same and c.chance(0.3):
            turned = "[::-1]" if each.ndim and c.chance(0.3) else ""
            texts.append(c.pick(same) + turned)
        else:
            dtype = "?" if each.dtype.kind == "b" else each.dtype.str[1:]
            texts.append(c.array(each.shape, dtype if c.chance(0.8) else None))
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def repeated(c: Context, parameter: Parameter) -> list[str]:
    if c.target.short == "einsum":
        count = c.pick((1, 2, 2, 3))
        subscripts = c.pick(("i$", "", "ij,,") if c.mistake(0.3) else SUBSCRIPTS[count])
        return [repr(subscripts), *(argument(c, parameter) for _ in range(count))]
    if c.target.short in ("reshape", "resize", "transpose") and c.chance(0.7):
        return [argument(c, Parameter("axes" if c.target.short == "transpose" else "shape"))]
    return [argument(c, parameter) for _ in range(c.random.randint(0, MOST_REPEATED))]


class Arguments:
    """The arguments of a call, as they are made."""

    def __init__(self, c: Context, call: Call) -> None:
        self.c = c
        self.call = call
        self.texts: list[str] = []
        self.wants_out = False
        # Options go by position until one of them is left out.
        self.in_order = True

    def add(self, parameter: Parameter) -> None:
        if parameter.repeated:
            self.texts += repeated(self.c, parameter)
            self.in_order = False
        elif parameter.name == "self" and "{self}" in self.call.target.template:
            self.call.receiver = self.c.array()
        elif parameter.required and not parameter.keyword:
            self.texts.append(argument(self.c, parameter))
        elif not self.c.chance(OPTION_RATE):
            self.in_order = False
        elif parameter.name == "out":
            self.wants_out = True
            self.in_order = False
        else:
            self.add_option(parameter)

    def add_option(self, parameter: Parameter) -> None:
        by_position = self.in_order and not parameter.keyword
        if parameter.positional and not by_position:
            return
        text = argument(self.c, parameter)
        self.call.options[parameter.name] = text
        if by_position and (parameter.positional or self.c.chance(0.4)):
            self.texts.append(text)
        else:
            self.in_order = False
            self.texts.append(f"{parameter.name}={text}")

    def expression(self) -> str:
        text = self.call.target.template.replace("{self}", self.call.receiver)
        return text.replace("{}", ", ".join(self.texts))


def generate(seed: int, groups: dict[str, list[Target]], rehearse: Rehearsal) -> Call:
    """The call of that seed."""
    random = Random(seed)
    target = choose(random, seed, groups)
    c = Context(random, target)
    call = Call(seed, target, c.bindings, "")
    arguments = Arguments(c, call)
    for parameter in target.parameters:
        arguments.add(parameter)
    call.expression = arguments.expression()
    is_masked = "where" in call.options and {"out", "casting"} <= {
        p.name for p in target.parameters
    }
    if arguments.wants_out or is_masked:  # without out=, what is masked out has no value
        text = call.options["out"] = out_argument(c, call, rehearse)
        arguments.texts.append(f"out={text}")
        call.expression = arguments.expression()
    call.mistakes = c.mistakes + doubts(call, c)
    return call


def doubts(call: Call, c: Context) -> int:
    """Things beside hostile arguments for which a function may refuse a call."""
    name, _, method = call.target.name.rpartition(".")
    ufunc = getattr(np, name, None) if call.target.group == "ufunc method" else None
    return (
        len({"dtype", "casting", "signature", "out"} & call.options.keys())
        + (ufunc is not None and ufunc.nin != 2)
        + (method == "at" and ("b" in call.options) != (ufunc is not None and ufunc.nin == 2))
        + (c.linear and c.shape[-1:] != c.shape[-2:-1])
        + (len(c.shape) == 0 or 0 in c.shape)
    )
