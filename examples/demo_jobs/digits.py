"""Handwritten digits: principal components by power iteration, clusters by k-means."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits as load_sklearn_digits

COMPONENTS = 8
POWER_ITERATIONS = 250  # 0.92 ** 250: the ratio of neighbouring variances is 0.92 or less
CLUSTERS = 10
ROUNDS = 40  # k-means settles after 20
INK = 16.0  # the darkest pixel


class Components(NamedTuple):
    """Unit vectors (COMPONENTS, 64), their variances, and the samples in their coordinates."""

    axes: Any
    variances: Any
    coordinates: Any


class Clusters(NamedTuple):
    """Centres (CLUSTERS, 64) and the cluster of each sample."""

    centres: Any
    labels: Any


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """1,797 digits of 8 x 8 pixels, (1797, 64) float64 from 0 to 16, and what they show."""
    return load_sklearn_digits(return_X_y=True)


def unit(xp: Any, vector: Any) -> Any:
    return vector / xp.sqrt((vector * vector).sum())


def leading_axis(xp: Any, samples: Any, found: list[Any], done: Callable[[], object]) -> Any:
    """Direction of the largest variance at right angles to those found. Reads nothing back."""
    axis = unit(xp, xp.ones(samples.shape[1]))
    for _ in range(POWER_ITERATIONS):
        axis = samples.T @ (samples @ axis)
        for other in found:
            axis = axis - other * (other @ axis)
        axis = unit(xp, axis)
        done()
    return axis


def principal_components(xp: Any, samples: Any, done: Callable[[], object]) -> Components:
    """The first COMPONENTS principal components, by power iteration with deflation."""
    centred = samples - samples.mean(axis=0)
    axes: list[Any] = []
    for _ in range(COMPONENTS):
        axes.append(leading_axis(xp, centred, axes, done))
    coordinates = centred @ xp.stack(axes).T
    return Components(xp.stack(axes), coordinates.var(axis=0, ddof=1), coordinates)


def squared_distances(samples: Any, centres: Any) -> Any:
    """(samples, centres), but for a term that is the same for all centres."""
    return (centres * centres).sum(axis=1) - 2 * (samples @ centres.T)


def farthest_first(xp: Any, samples: Any) -> Any:
    """CLUSTERS samples: the first, then each time the one farthest from those taken."""
    chosen = [0]
    nearest = ((samples - samples[0]) ** 2).sum(axis=1)
    while len(chosen) < CLUSTERS:
        chosen.append(int(nearest.argmax()))
        nearest = xp.minimum(nearest, ((samples - samples[chosen[-1]]) ** 2).sum(axis=1))
    return samples[xp.asarray(chosen)]


def k_means(xp: Any, samples: Any, done: Callable[[], object]) -> Clusters:
    """Lloyd's iteration from `farthest_first`, ROUNDS times; an empty cluster keeps its centre."""
    centres = farthest_first(xp, samples)
    numbers = xp.arange(CLUSTERS)
    for _ in range(ROUNDS):
        labels = squared_distances(samples, centres).argmin(axis=1)
        member = (labels[:, None] == numbers).astype(samples.dtype)
        counts = member.sum(axis=0)[:, None]
        means = (member.T @ samples) / xp.maximum(counts, 1)
        centres = xp.where(counts > 0, means, centres)
        done()
    return Clusters(centres, squared_distances(samples, centres).argmin(axis=1))


def components_difference(found: Components, expected: Components) -> float:
    """Largest difference of axes (unit length), variances and coordinates (both relative)."""
    scales = (1.0, expected.variances.max(), np.ptp(expected.coordinates))
    pairs = zip(found, expected, scales, strict=True)
    return float(np.max([np.max(np.abs(f - e)) / scale for f, e, scale in pairs]))


def clusters_difference(found: Clusters, expected: Clusters) -> float:
    """Largest difference of the centres, relative to INK, or the share of samples moved."""
    moved = np.mean(found.labels != expected.labels)
    return float(np.max([np.max(np.abs(found.centres - expected.centres)) / INK, moved]))


def agreement(labels: np.ndarray, shown: np.ndarray) -> float:
    """Share of samples that show what most samples of their cluster show."""
    right = sum(np.bincount(shown[labels == cluster]).max() for cluster in np.unique(labels))
    return float(right) / len(shown)
