#!/usr/bin/env python3
"""Times every distribution beside NumPy's: nanoseconds per number and how many times faster.

Both take turns; a figure is the smallest of several samples, which other programs disturb least.
"""

import argparse
import fnmatch
import time
from typing import Any

import numpy as np

import cupola

# The method and its parameters.
CASES: list[tuple[str, tuple[Any, ...]]] = [
    ("random", ()),
    ("standard_normal", ()),
    ("standard_exponential", ()),
    ("uniform", (-1.0, 2.0)),
    ("normal", (1.0, 2.0)),
    ("exponential", (2.0,)),
    ("lognormal", (0.0, 0.5)),
    ("laplace", (0.0, 1.0)),
    ("logistic", (0.0, 1.0)),
    ("gumbel", (0.0, 1.0)),
    ("standard_cauchy", ()),
    ("rayleigh", (1.0,)),
    ("weibull", (1.5,)),
    ("pareto", (3.0,)),
    ("power", (3.0,)),
    ("triangular", (0.0, 1.0, 3.0)),
    ("integers", (0, 1000)),
    ("geometric", (0.3,)),
    ("geometric", (0.01,)),
    ("standard_gamma", (0.01,)),
    ("standard_gamma", (0.5,)),
    ("standard_gamma", (1.0,)),
    ("standard_gamma", (3.0,)),
    ("standard_gamma", (1e6,)),
    ("gamma", (2.0, 3.0)),
    ("beta", (0.1, 0.2)),
    ("beta", (2.0, 5.0)),
    ("chisquare", (3.0,)),
    ("noncentral_chisquare", (0.5, 3.0)),
    ("noncentral_chisquare", (3.0, 3.0)),
    ("f", (5.0, 12.0)),
    ("noncentral_f", (5.0, 12.0, 3.0)),
    ("standard_t", (4.0,)),
    ("wald", (2.0, 3.0)),
    ("vonmises", (0.0, 0.5)),
    ("vonmises", (1.0, 4.0)),
    ("vonmises", (0.0, 1e8)),
    ("poisson", (1e-3,)),
    ("poisson", (1.0,)),
    ("poisson", (9.0,)),
    ("poisson", (50.0,)),
    ("poisson", (1e9,)),
    ("binomial", (1, 0.3)),
    ("binomial", (10, 0.5)),
    ("binomial", (1000, 0.001)),
    ("binomial", (1000, 0.5)),
    ("binomial", (1000, 0.999)),
    ("binomial", (10**9, 0.5)),
    ("negative_binomial", (5, 0.3)),
    ("negative_binomial", (100, 0.01)),
    ("hypergeometric", (10, 20, 5)),
    ("hypergeometric", (100, 200, 150)),
    ("hypergeometric", (10**8, 10**8, 10**6)),
    ("zipf", (1.1,)),
    ("zipf", (3.0,)),
    ("logseries", (0.01,)),
    ("logseries", (0.9,)),
    ("dirichlet", ([0.1, 0.2, 0.3, 0.4],)),
    ("dirichlet", ([1.0, 2.0, 3.0, 4.0],)),
    ("multinomial", (20, [1 / 6] * 6)),
    ("multivariate_hypergeometric", ([16, 8, 4, 20], 12)),
    ("multivariate_normal", ([0.0, 1.0, 2.0], [[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]])),
]


def components(parameters: tuple[Any, ...]) -> int:
    """How many numbers a vector has."""
    return max((len(value) for value in parameters if isinstance(value, list)), default=1)


def nanoseconds(function: Any, numbers: int) -> float:
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) / numbers * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--numbers", type=int, default=10**6)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--only", default="*", help="distributions whose name matches")
    given = parser.parse_args()
    theirs, ours = np.random.default_rng(1), cupola.random.default_rng(1)
    print(f"{'distribution':58} {'NumPy ns':>9} {'Cupola ns':>9} {'faster':>7}")
    for method, parameters in CASES:
        if not fnmatch.fnmatch(method, given.only):
            continue
        width = components(parameters)
        size = given.numbers // width

        def by_numpy(method: str = method, args: Any = parameters, size: int = size) -> None:
            getattr(theirs, method)(*args, size=size)

        def by_cupola(method: str = method, args: Any = parameters, size: int = size) -> None:
            cupola.eval(getattr(ours, method)(*args, size=size))
            cupola.current_device().synchronize()

        by_cupola()
        samples = [
            (nanoseconds(by_numpy, size * width), nanoseconds(by_cupola, size * width))
            for _ in range(given.samples)
        ]
        numpy_time, cupola_time = (min(sample[i] for sample in samples) for i in range(2))
        label = f"{method}({', '.join(str(value) for value in parameters)})"[:58]
        print(
            f"{label:58} {numpy_time:9.1f} {cupola_time:9.1f} {numpy_time / cupola_time:7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
