"""k-means and a histogram by scattered sums; linear algebra and transforms."""

import cupy as cp
import cupyx
import numpy as np


def fit(xp, points, centres, rounds):
    for _ in range(rounds):
        distances = ((points[:, None, :] - centres[None]) ** 2).sum(-1)
        labels = distances.argmin(1)
        sums = xp.zeros_like(centres)
        counts = xp.zeros(len(centres))
        if xp is cp:
            cupyx.scatter_add(sums, labels, points)
            cupyx.scatter_add(counts, labels, 1)
        else:
            np.add.at(sums, labels, points)
            np.add.at(counts, labels, 1)
        centres = sums / xp.maximum(counts, 1)[:, None]
    return centres, labels


rng = np.random.default_rng(5)
points = np.concatenate([rng.normal(mean, 0.3, (60, 2)) for mean in (-2, 0, 3)])
start = points[[0, 70, 150]]
centres, labels = fit(cp, cp.asarray(points), cp.asarray(start), 8)
wanted, wanted_labels = fit(np, points, start, 8)
np.testing.assert_allclose(centres.get(), wanted, rtol=1e-9)
np.testing.assert_array_equal(labels.get(), wanted_labels)
covariance = cp.cov(cp.asarray(points), rowvar=False)
values, _ = cp.linalg.eigh(covariance)
np.testing.assert_allclose(
    values.get(), np.linalg.eigvalsh(np.cov(points, rowvar=False)), rtol=1e-9
)
spectrum = cp.fft.rfft(cp.asarray(points[:, 0]))
np.testing.assert_allclose(spectrum.get(), np.fft.rfft(points[:, 0]), rtol=1e-9, atol=1e-9)
print("ok")
