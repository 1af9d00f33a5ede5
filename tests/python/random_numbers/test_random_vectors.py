"""Random vectors: Dirichlet, multinomial, multivariate normal and hypergeometric numbers."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy
from scipy import stats

pytestmark = pytest.mark.cupola_only

COUNT = 20_000


@pytest.mark.parametrize(
    "alpha",
    [
        [1.0, 2.0, 3.0],
        [0.05, 0.02, 0.1],
        [30.0] * 7,
        [5.0],
        [0.06, 0.1],
        [1e-4, 2e-4],
        [0.0, 1.0, 1.0],
    ],
)
def test_dirichlet(alpha: list[float]) -> None:
    for given in (alpha, cp.asarray(alpha)):
        shares = to_numpy(cp.random.default_rng(3).dirichlet(given, COUNT))
        assert shares.shape == (COUNT, len(alpha))
        assert np.abs(shares.sum(axis=1) - 1).max() < 1e-12
        total = sum(alpha)
        for i, shape in enumerate(alpha):
            if 0 < shape < total and shape > 1e-3:
                marginal = stats.beta(shape, total - shape)
                grid = marginal.ppf(np.linspace(0.001, 0.999, 1000))
                grid = grid[grid < 1 - 1e-9]  # further up shares are rounded to 1
                found = np.searchsorted(np.sort(shares[:, i]), grid, side="right") / COUNT
                assert np.abs(found - marginal.cdf(grid)).max() * math.sqrt(COUNT) < 1.95
            assert abs(shares[:, i].mean() - shape / total) < 4.5 * 0.5 / math.sqrt(COUNT)


def test_dirichlet_shapes() -> None:
    generator = cp.random.default_rng(4)
    assert generator.dirichlet([1.0, 2.0]).shape == (2,)
    assert generator.dirichlet([1.0, 2.0], (3, 4)).shape == (3, 4, 2)
    assert generator.dirichlet([1.0, 2.0], 3, "float32").dtype == np.float32
    assert generator.dirichlet([]).shape == (0,)
    assert to_numpy(generator.dirichlet([0.0, 0.0])).tolist() == [0.0, 0.0]
    assert np.isnan(to_numpy(generator.dirichlet([math.nan, 1.0]))).all()
    with pytest.raises(ValueError, match="alpha <= 0"):  # as NumPy's older interface
        cp.random.dirichlet([0.0, 1.0])


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 8, 13])
def test_multinomial(count: int) -> None:
    shares = np.arange(1.0, count + 1)
    shares[count // 2] = 0.0 if count > 1 else 1.0
    shares /= shares.sum()
    for n in (0, 20, 10**6):
        numbers = to_numpy(cp.random.default_rng(5).multinomial(n, shares, COUNT))
        assert numbers.shape == (COUNT, count)
        assert numbers.dtype == np.int64
        assert np.all(numbers.sum(axis=1) == n)
        assert np.all(numbers[:, shares == 0] == 0)
        if n == 20:
            for i in range(count):
                assert_counts(numbers[:, i], stats.binom(n, shares[i]))
            if count > 2:
                pair = np.cov(numbers[:, 0], numbers[:, -1])[0, 1]
                expected = -n * shares[0] * shares[-1]
                assert abs(pair - expected) < 5 * n / math.sqrt(COUNT)


def assert_counts(numbers: np.ndarray, distribution: Any) -> None:
    values, counts = np.unique(numbers, return_counts=True)
    expected = distribution.pmf(values) * numbers.size
    usual = expected > 8
    statistic = float(((counts - expected)[usual] ** 2 / expected[usual]).sum())
    assert stats.chi2.sf(statistic, int(usual.sum())) > 1e-4


def test_multinomial_broadcasts() -> None:
    generator = cp.random.default_rng(6)
    pairs = [[0.5, 0.5], [0.1, 0.9]]
    for made in (np.array, cp.asarray):
        numbers = to_numpy(generator.multinomial(made([5, 60]), made(pairs), (1000, 2)))
        assert numbers.shape == (1000, 2, 2)
        assert np.all(numbers.sum(axis=-1) == [5, 60])
        assert abs(numbers[:, 1, 1].mean() - 54) < 0.5
    assert generator.multinomial([[3], [4]], pairs).shape == (2, 2, 2)
    assert generator.multinomial(3, pairs[0]).shape == (2,)
    assert generator.multinomial(3, pairs[0], (0, 4)).shape == (0, 4, 2)
    # What is missing to 1 is the last outcome's.
    assert to_numpy(generator.multinomial(5, [0.0, 0.1])).tolist() == [0, 5]


@pytest.mark.parametrize("method", ["marginals", "count"])
def test_multivariate_hypergeometric(method: str) -> None:
    colors = [16, 0, 8, 4, 20]
    for given in (colors, cp.asarray(colors)):
        generator = cp.random.default_rng(7)
        numbers = to_numpy(generator.multivariate_hypergeometric(given, 21, COUNT, method))
        assert np.all(numbers.sum(axis=1) == 21)
        assert np.all(numbers <= colors)
        for i, color in enumerate(colors):
            assert_counts(numbers[:, i], stats.hypergeom(48, color, 21))
    assert to_numpy(generator.multivariate_hypergeometric(colors, 48)).tolist() == colors
    assert generator.multivariate_hypergeometric([], 0, 3).shape == (3, 0)
    large = to_numpy(generator.multivariate_hypergeometric([10**9, 10**9], 10**6, 9, "count"))
    assert np.abs(large - 500_000).max() < 5000


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method: str) -> None:
    mean = np.array([1.0, -2.0, 0.5])
    cov = np.array([[2.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 0.5]])
    for made in (np.array, cp.asarray):
        generator = cp.random.default_rng(8)
        drawn = generator.multivariate_normal(made(mean), made(cov), (COUNT, 2), method=method)
        assert drawn.shape == (COUNT, 2, 3)
        rows = to_numpy(drawn).reshape(-1, 3)
        assert np.abs(rows.mean(axis=0) - mean).max() < 4.5 * math.sqrt(2 / COUNT)
        assert np.abs(np.cov(rows.T) - cov).max() < 0.05
        white = np.linalg.solve(np.linalg.cholesky(cov), (rows - mean).T)
        for line in white:
            assert stats.kstest(line, stats.norm.cdf).statistic * math.sqrt(line.size) < 1.95
    assert cp.random.multivariate_normal(mean, cov).shape == (3,)


def test_multivariate_normal_says_what_is_no_covariance() -> None:
    generator = cp.random.default_rng(9)
    for cov in ([[1.0, 0.0], [0.0, -1.0]], [[1.0, 3.0], [3.0, 1.0]]):
        for method in ("svd", "eigh"):
            with pytest.warns(RuntimeWarning, match="semidefinite"):
                generator.multivariate_normal([0.0, 0.0], cov, method=method)
            with pytest.raises(ValueError, match="semidefinite"):
                generator.multivariate_normal([0, 0], cov, check_valid="raise", method=method)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                generator.multivariate_normal([0, 0], cov, check_valid="ignore", method=method)


ERRORS = """
g.dirichlet([-1, 1])|g.dirichlet(3)|g.dirichlet([[1, 2]])|g.dirichlet([1, 2], -1)
g.multinomial(5, [.5, .6, .1])|g.multinomial(5, [])|g.multinomial(-1, [.5, .5])
g.multinomial(5, [-.5, 1.5])|g.multinomial(5, .5)|g.multinomial([5, 6], [.5, .5], 3)
g.multinomial(5, [nan, .5])|g.multinomial([1, 2, 3], [[.5, .5], [.1, .9]])
g.multivariate_hypergeometric([3, 4], 8)|g.multivariate_hypergeometric([-3, 4], 1)
g.multivariate_hypergeometric([3, 4], -1)|g.multivariate_hypergeometric([3., 4], 1)
g.multivariate_hypergeometric([10**9, 4], 1)|g.multivariate_hypergeometric([], 1)
g.multivariate_hypergeometric([3, 4], 5, method='x')|g.multivariate_hypergeometric([[3, 4]], 5)
g.multivariate_hypergeometric([3, 4], 1.5)|g.multivariate_hypergeometric([3, 4], "1")
g.multivariate_hypergeometric([3, 4], None)|g.multivariate_hypergeometric([True, False], 1)
g.multinomial('2', [.5, .5])|g.multinomial(1j, [.5, .5])
g.multivariate_normal([0, 0], [[1, 0], [0, 1]], check_valid='x')
g.multivariate_normal([0, 0], [[1, 0], [0, 1]], method='x')|g.multivariate_normal([[0]], [[1]])
g.multivariate_normal([0, 0], [1, 0])|g.multivariate_normal([0], [[1, 0], [0, 1]])
g.multivariate_normal([0, 0], [[1, 0], [0, 1j]])
g.multivariate_normal([0, 0], [[1, 0], [0, -1]], method='cholesky')
"""


@pytest.mark.parametrize("call", ERRORS.strip().replace("\n", "|").split("|"))
def test_errors_are_those_of_numpy(call: str) -> None:
    names = {"nan": math.nan}
    with pytest.raises(Exception) as expected:
        eval(call, names | {"g": np.random.default_rng(0)})
    with pytest.raises(type(expected.value)):
        eval(call, names | {"g": cp.random.default_rng(0)})
