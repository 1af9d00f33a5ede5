"""Distributions by rejection: Kolmogorov and Smirnov's distance, chi-square and moments."""

import math
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy
from scipy import stats

pytestmark = pytest.mark.cupola_only

COUNT = 50_000


def kolmogorov(numbers: np.ndarray, distribution: Any) -> float:
    """1.95 is exceeded once in a thousand seeds, 2.2 once in ten thousand."""
    return float(stats.kstest(numbers, distribution.cdf).statistic) * math.sqrt(numbers.size)


def distance_below_one(numbers: np.ndarray, distribution: Any) -> float:
    """The same distance up to where numbers are rounded to 1."""
    grid = distribution.ppf(np.linspace(0.001, 0.999, 4000))
    grid = grid[grid < 1 - 1e-9]
    shares = np.searchsorted(np.sort(numbers), grid, side="right") / numbers.size
    return float(np.abs(shares - distribution.cdf(grid)).max()) * math.sqrt(numbers.size)


def assert_moments(numbers: np.ndarray, distribution: Any) -> None:
    with np.errstate(all="ignore"):  # of those without a kurtosis
        mean, variance, kurtosis = (float(m) for m in distribution.stats(moments="mvk"))
    deviation = math.sqrt(variance / numbers.size)
    assert abs(np.mean(numbers - mean)) <= 4.5 * deviation + 1e-12 * abs(mean)
    if np.isfinite(kurtosis) and kurtosis < 100 and variance > 0:
        bound = 5 * math.sqrt((kurtosis + 2) / numbers.size)
        assert abs(np.mean((numbers - mean) ** 2) / variance - 1) <= bound


CONTINUOUS = {
    **{f"gamma {a}": ("standard_gamma", (a,), stats.gamma(a)) for a in (0.01, 0.3, 0.999)},
    **{f"gamma {a}": ("standard_gamma", (a,), stats.gamma(a)) for a in (1.0, 1.5, 20.0, 1e6)},
    "gamma scaled": ("gamma", (2.5, 3.0), stats.gamma(2.5, scale=3.0)),
    "beta": ("beta", (2.0, 5.0), stats.beta(2.0, 5.0)),
    "beta tiny": ("beta", (0.02, 0.05), stats.beta(0.02, 0.05)),
    "beta mixed": ("beta", (0.3, 7.0), stats.beta(0.3, 7.0)),
    "beta large": ("beta", (1e5, 2e5), stats.beta(1e5, 2e5)),
    "chisquare": ("chisquare", (3.5,), stats.chi2(3.5)),
    "noncentral_chisquare": ("noncentral_chisquare", (3.0, 5.0), stats.ncx2(3.0, 5.0)),
    "noncentral_chisquare low": ("noncentral_chisquare", (0.5, 5.0), stats.ncx2(0.5, 5.0)),
    "noncentral_chisquare zero": ("noncentral_chisquare", (2.0, 0.0), stats.chi2(2.0)),
    "f": ("f", (5.0, 12.0), stats.f(5.0, 12.0)),
    "noncentral_f": ("noncentral_f", (5.0, 12.0, 3.0), stats.ncf(5.0, 12.0, 3.0)),
    "standard_t": ("standard_t", (4.5,), stats.t(4.5)),
    "standard_t one": ("standard_t", (1.0,), stats.t(1.0)),
    "standard_t many": ("standard_t", (1e6,), stats.t(1e6)),
    "wald": ("wald", (2.0, 3.0), stats.invgauss(2.0 / 3.0, scale=3.0)),
    "wald wide": ("wald", (50.0, 0.01), stats.invgauss(5000.0, scale=0.01)),
    "wald narrow": ("wald", (1.0, 1e6), stats.invgauss(1e-6, scale=1e6)),
    **{f"vonmises {k}": ("vonmises", (0.0, k), stats.vonmises(k)) for k in (1e-3, 0.7, 4.0, 1e4)},
    "vonmises circle": ("vonmises", (0.0, 0.0), stats.uniform(-math.pi, 2 * math.pi)),
    "vonmises line": ("vonmises", (0.0, 1e8), stats.norm(0.0, 1e-4)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str) -> None:
    method, parameters, distribution = CONTINUOUS[name]
    drawn = getattr(cp.random.default_rng(7), method)(*parameters, COUNT)
    assert drawn.dtype == np.float64
    numbers = to_numpy(drawn)
    distance = distance_below_one if name == "beta tiny" else kolmogorov
    assert distance(numbers, distribution) < 1.95
    if name not in ("standard_t one", "vonmises circle", "wald wide"):
        assert_moments(numbers, distribution)


@pytest.mark.parametrize("name", ["gamma 0.3", "beta", "f", "standard_t", "wald", "vonmises 4.0"])
def test_arrays_of_parameters_give_each_its_distribution(name: str) -> None:
    """Parameters on the host and on the device; other elements have others."""
    method, parameters, distribution = CONTINUOUS[name]
    others = [2.0 * value + 1.5 for value in parameters]
    pairs = [[value, other] for value, other in zip(parameters, others, strict=True)]
    for arrays in (pairs, [cp.asarray(pair) for pair in pairs]):
        numbers = to_numpy(getattr(cp.random.default_rng(9), method)(*arrays, (COUNT // 2, 2)))
        assert kolmogorov(numbers[:, 0], distribution) < 1.95
        assert kolmogorov(numbers[:, 1], distribution) > 2.5


def assert_chi_square(numbers: np.ndarray, distribution: Any) -> None:
    values, counts = np.unique(numbers, return_counts=True)
    expected = distribution.pmf(values) * numbers.size
    is_usual = expected >= 8
    observed = np.append(counts[is_usual], counts[~is_usual].sum())
    expected = np.append(expected[is_usual], numbers.size - expected[is_usual].sum())
    if expected[-1] < 8:
        assert abs(observed[-1] - expected[-1]) < 40
        observed, expected = observed[:-1], expected[:-1]
    statistic = float(((observed - expected) ** 2 / expected).sum())
    assert stats.chi2.sf(statistic, max(observed.size - 1, 1)) > 1e-4


MEANS = (0.0, 1e-3, 0.7, 5.0, 9.99, 10.0, 11.5, 80.0, 3e4, 1e9)
TRIALS = [
    *((0, 0.5), (5, 0.0), (5, 1.0), (1, 0.3), (10, 0.5), (20, 0.5), (21, 0.48)),
    *((1000, 0.004), (1000, 0.996), (1000, 0.3), (10**6, 1e-6), (10**6, 0.5), (10**6, 0.9999)),
    *((10**9, 1e-8), (10**9, 0.5), (10**9, 1 - 1e-8), (10**15, 0.5)),
]
FAILURES = [(1, 0.5), (0.3, 0.01), (20.5, 0.3), (5, 1.0), (1000, 0.001)]
URNS = [
    *((10, 10, 5), (20, 30, 25), (100, 15, 100), (3, 1000, 500), (0, 5, 3), (5, 0, 3)),
    *((3, 4, 0), (3, 4, 7), (500, 100, 580), (10**6, 10**6, 1000)),
    *((999_999_999, 999_999_999, 10**9), (10**8, 12, 10**7)),
]
COUNTS = {
    **{f"poisson {m}": ("poisson", (m,), stats.poisson(m)) for m in MEANS},
    **{f"binomial {n} {p}": ("binomial", (n, p), stats.binom(n, p)) for n, p in TRIALS},
    **{
        f"negative_binomial {n} {p}": ("negative_binomial", (n, p), stats.nbinom(n, p))
        for n, p in FAILURES
    },
    **{
        f"hypergeometric {g} {b} {s}": ("hypergeometric", (g, b, s), stats.hypergeom(g + b, g, s))
        for g, b, s in URNS
    },
    **{f"zipf {a}": ("zipf", (a,), stats.zipf(a)) for a in (1.5, 2.0, 3.7, 30.0, 5000.0)},
    **{f"logseries {p}": ("logseries", (p,), stats.logser(p)) for p in (1e-9, 0.3, 0.95, 0.9999)},
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    method, parameters, distribution = COUNTS[name]
    drawn = getattr(cp.random.default_rng(8), method)(*parameters, COUNT)
    assert drawn.dtype == np.int64
    numbers = to_numpy(drawn)
    mean, variance = (float(m) for m in distribution.stats(moments="mv"))
    if method in ("zipf", "logseries"):
        assert_chi_square(numbers, distribution)
    elif variance < 1e6:
        assert_chi_square(numbers, distribution)
        assert_moments(numbers, distribution)
    else:
        # Spread over the unit intervals, whose widths are far below the deviation.
        spread = numbers - mean + np.random.default_rng(0).random(COUNT) - 0.5
        if variance > 1e12 or method != "negative_binomial":
            normal = stats.norm(0.0, math.sqrt(variance))
            assert kolmogorov(spread, normal) < 1.95
        assert_moments(numbers - mean, stats.norm(0.0, math.sqrt(variance)))


def test_large_means_keep_their_spread() -> None:
    """Where logarithms of factorials would have lost all places."""
    generator = cp.random.default_rng(3)
    for numbers, mean, variance in (
        (generator.poisson(1e18, COUNT), 1e18, 1e18),
        (generator.binomial(10**18, 0.25, COUNT), 2.5e17, 1.875e17),
    ):
        scaled = (to_numpy(numbers) - np.int64(mean)).astype(np.float64) / math.sqrt(variance)
        assert kolmogorov(scaled, stats.norm) < 1.95
    assert int(to_numpy(generator.zipf(1.0001, 10_000)).min()) >= 1


def test_counts_by_arrays_of_parameters() -> None:
    means = [0.0, 0.5, 9.0, 10.0, 1e3]
    trials, chances = [0, 7, 10**6, 10**6], [0.5, 0.2, 1e-6, 0.7]
    urns = ([10, 0, 300, 10**6], [5, 7, 200, 10**6], [7, 3, 250, 1000])
    for made in (list, cp.asarray):
        generator = cp.random.default_rng(5)
        poisson = to_numpy(generator.poisson(made(means), (20_000, 5)))
        for i, mean in enumerate(means):
            assert_chi_square(poisson[:, i], stats.poisson(mean))
        binomial = to_numpy(generator.binomial(made(trials), made(chances), (20_000, 4)))
        for i in range(4):
            assert_chi_square(binomial[:, i], stats.binom(trials[i], chances[i]))
        drawn = to_numpy(generator.hypergeometric(*(made(u) for u in urns), (20_000, 4)))
        for i, (good, bad, sample) in enumerate(zip(*urns, strict=True)):
            assert_chi_square(drawn[:, i], stats.hypergeom(good + bad, good, sample))


def test_one_parameter_for_all_gives_the_numbers_of_many_alike() -> None:
    """Blocks whose parameters are alike are prepared once, those of arrays for each element."""
    for method, parameters in (
        ("standard_gamma", (0.4,)),
        ("standard_gamma", (3.0,)),
        ("vonmises", (0.0, 2.0)),
        ("poisson", (3.0,)),
        ("poisson", (300.0,)),
        ("binomial", (30, 0.1)),
        ("binomial", (3000, 0.6)),
        ("hypergeometric", (9, 90, 30)),
        ("hypergeometric", (900, 90, 300)),
        ("zipf", (2.5,)),
        ("logseries", (0.8,)),
    ):
        one = to_numpy(getattr(cp.random.default_rng(2), method)(*parameters, 3000))
        mixed = [[value, 2 * value] * 1500 for value in parameters]
        if method in ("binomial", "logseries"):
            mixed[-1] = [parameters[-1], parameters[-1] / 2] * 1500
        many = to_numpy(getattr(cp.random.default_rng(2), method)(*mixed))
        assert np.array_equal(one[::2], many[::2]), method
        assert not np.array_equal(one[1::2], many[1::2]), method


def test_a_call_is_one_kernel(deferred: None) -> None:
    generator = cp.random.default_rng(0)
    for value in (
        generator.gamma(0.5, 2.0, 5000),
        generator.beta(2.0, 3.0, 5000) * 2,
        generator.f(2.0, 3.0, 5000),
        generator.standard_t(3.0, 5000),
        generator.wald(1.0, 2.0, 5000),
        generator.noncentral_chisquare(0.5, 3.0, 5000),
        generator.negative_binomial(3.0, 0.2, 5000),
        generator.poisson(50.0, 5000) + generator.binomial(9, 0.2, 5000),
        generator.hypergeometric(90, 80, 70, 5000),
    ):
        (kernel,) = cp.explain(value).kernels
        assert kernel.inputs == []


def test_special_values_of_parameters() -> None:
    generator = cp.random.default_rng(1)
    for drawn in (
        generator.gamma(math.nan),
        generator.gamma(1.0, math.nan),
        generator.beta(math.nan, 1.0),
        generator.beta(0.1, math.nan),
        generator.chisquare(math.nan),
        generator.noncentral_chisquare(1.0, math.nan),
        generator.noncentral_chisquare(3.0, math.nan),
        generator.standard_t(math.nan),
        generator.vonmises(0.0, math.nan),
        generator.vonmises(math.nan, 1.0),
    ):
        assert math.isnan(float(drawn))
    assert float(generator.gamma(0.0)) == 0.0
    assert float(generator.gamma(math.inf)) == math.inf
    assert float(generator.gamma(1e-300)) == 0.0
    assert float(generator.gamma(2.0, 0.0)) == 0.0
    angles = to_numpy(generator.vonmises(3.0, 2.0, 10_000))
    assert np.abs(angles).max() <= math.pi
    assert abs(np.angle(np.mean(np.exp(1j * angles))) - 3.0) < 0.05
    # Of shapes so small that gamma numbers are zero, beta numbers are zero or one.
    tiny = to_numpy(generator.beta(1e-5, 1e-5, 10_000))
    assert not np.isnan(tiny).any()
    assert abs(tiny.mean() - 0.5) < 0.02


def test_dtypes_and_out() -> None:
    generator, again = cp.random.default_rng(4), cp.random.default_rng(4)
    single = generator.standard_gamma(2.0, 100, "float32")
    assert single.dtype == np.float32
    assert np.array_equal(to_numpy(single), to_numpy(again.standard_gamma(2.0, 100)).astype("f4"))
    for dtype in ("float32", "float64"):
        out = cp.zeros((20, 5), dtype)[::2]
        assert generator.standard_gamma([1.0, 2.0, 3.0, 4.0, 5.0], dtype=dtype, out=out) is out
        expected = again.standard_gamma([1.0, 2.0, 3.0, 4.0, 5.0], (10, 5), dtype)
        assert np.array_equal(to_numpy(out), to_numpy(expected))
    assert generator.poisson(3.0, 5, "int32").dtype == np.int32
    assert generator.beta(1.0, 2.0, dtype="float32").dtype == np.float32
    assert generator.poisson().shape == ()
    assert generator.poisson(3.0, ()).shape == ()
    assert generator.binomial(5, [[0.1], [0.2]], (3, 2, 1)).shape == (3, 2, 1)
    assert generator.gamma(cp.ones((2, 1)), cp.ones(3)).shape == (2, 3)
    assert generator.gamma(1.0, 1.0, (0, 3)).shape == (0, 3)


ERRORS = """
g.gamma(-1)|g.gamma(1, -1)|g.gamma(-0.0)|g.standard_gamma(-1)|g.standard_gamma(1, 3, int)
g.standard_gamma(1, 3, out=m.zeros(4))|g.standard_gamma(1, out=m.zeros(3, 'f4'))|g.beta(0, 1)
g.standard_gamma([1, 2], out=m.zeros(3))
g.beta(1, 0)|g.chisquare(0)|g.noncentral_chisquare(0, 1)|g.noncentral_chisquare(1, -1)|g.f(0, 1)
g.f(1, 0)|g.noncentral_f(0, 1, 1)|g.noncentral_f(1, 0, 1)|g.noncentral_f(1, 1, -1)|g.standard_t(0)
g.vonmises(0, -1)|g.wald(0, 1)|g.wald(1, 0)|g.poisson(-1)|g.poisson(float('nan'))|g.poisson(1e19)
g.binomial(-1, .5)|g.binomial(1, 1.5)|g.binomial(1, -.5)|g.binomial(1, float('nan'))
g.negative_binomial(0, .5)|g.negative_binomial(1, 0)|g.negative_binomial(1, 1.5)
g.negative_binomial(float('nan'), .5)|g.negative_binomial(1e18, 1e-9)|g.hypergeometric(-1, 1, 1)
g.hypergeometric(1, -1, 0)|g.hypergeometric(1, 1, -1)|g.hypergeometric(1, 1, 3)
g.hypergeometric(10**9, 1, 1)|g.zipf(1)|g.zipf(float('nan'))|g.logseries(1)|g.logseries(-.1)
g.logseries(float('nan'))|g.poisson([1, 2], 3)|g.poisson('a')|g.gamma(1j)|g.poisson(1, -1)
g.gamma([1, 2], [1, 2, 3])|g.poisson(1, 2.5)|g.binomial('a', .5)|g.binomial(float('nan'), .5)
"""
ON_ARRAYS = """
g.gamma(a([1., -1.]))|g.beta(a([1., 0.]), 2.)|g.poisson(a([1., -2.]))|g.poisson(a([1., nan]))
g.binomial(a([1, -1]), .5)|g.binomial(5, a([.5, 1.5]))|g.negative_binomial(2, a([.5, 0.]))
g.hypergeometric(a([5, 5]), 5, a([3, 11]))|g.zipf(a([2., 1.]))|g.logseries(a([.5, 1.]))
g.normal(0, a([1., -1.]))|g.uniform(a([0., 2.]), 1.)|g.exponential(a([1., -1.]))
g.geometric(a([.5, 0.]))|g.triangular(a([0., 2.]), 1., 3.)|g.weibull(a([1., -1.]))
g.vonmises(0., a([1., -1.]))|g.wald(a([0., 1.]), 1.)|g.f(a([0., 1.]), 1.)|g.pareto(a([0., 1.]))
g.integers(a([1, 5]), 4)|g.integers(a([1, 5]), a([2, 5]))|g.integers(a([1, 500]), dtype='int8')
g.integers(a([-1, 5]), 9, dtype='uint8')|g.integers(a([5]), 4, endpoint=True)
g.choice(2, p=a([.5, .6]))|g.choice(2, p=a([-.5, 1.5]))|g.choice(2, p=a([nan, 1.]))
g.dirichlet(a([1., -1.]))|g.multinomial(5, a([.5, .6, .1]))|g.multinomial(a([-5]), a([.5, .5]))
g.standard_t(a([0., 1.]))|g.chisquare(a([0., 1.]))|g.lognormal(0., a([-1.]))
"""


def calls(text: str) -> list[str]:
    return text.strip().replace("\n", "|").split("|")


@pytest.mark.parametrize("call", calls(ERRORS) + calls(ON_ARRAYS))
def test_errors_are_those_of_numpy(call: str) -> None:
    names = {"nan": math.nan}
    with pytest.raises(Exception) as expected:
        eval(call, names | {"g": np.random.default_rng(0), "m": np, "a": np.array})
    with pytest.raises(type(expected.value)):
        eval(call, names | {"g": cp.random.default_rng(0), "m": cp, "a": cp.asarray})


def test_arrays_of_the_host_are_not_copied_unasked() -> None:
    with pytest.raises(TypeError, match="asarray"):
        cp.random.default_rng(0).poisson(np.ones(3))
    with pytest.raises(TypeError, match="asarray"):
        cp.random.default_rng(0).binomial(np.ones(3, int), 0.5)


def test_beta_reaches_the_smallest_numbers() -> None:
    """Of small shapes P(X < x) is x ** a / 2: below half of the smallest number X is 0."""
    a = 0.0025
    found = to_numpy(cp.random.default_rng(5).beta(a, a, 100_000))
    assert abs(np.mean(found == 0) - 2.0 ** (-1075 * a) / 2) < 0.004
    assert np.any((found > 0) & (found < np.finfo(float).tiny / 2**20))
