"""Ranks of the pages of a web, by sums that are scattered along its links."""

import cupy as cp
import cupyx
import numpy as np

pages, links = 50, 400
rng = np.random.default_rng(8)
source, target = rng.integers(0, pages, (2, links))


def ranks(xp, add, source, target):
    out = xp.bincount(source, minlength=pages)
    rank = xp.full(pages, 1 / pages)
    for _ in range(20):
        given = xp.where(out > 0, rank / xp.maximum(out, 1), 0)
        arrived = xp.zeros(pages)
        add(arrived, target, given[source])
        lost = xp.where(out == 0, rank, 0).sum()
        rank = 0.15 / pages + 0.85 * (arrived + lost / pages)
    return rank


ours = ranks(cp, cupyx.scatter_add, cp.asarray(source), cp.asarray(target))
np.testing.assert_allclose(ours.get(), ranks(np, np.add.at, source, target), rtol=1e-12)
assert abs(float(ours.sum()) - 1) < 1e-12
most = cp.zeros(pages, dtype=cp.float32)
cupyx.scatter_max(most, cp.asarray(target), cp.asarray(source).astype(cp.float32))
host = np.zeros(pages, np.float32)
np.maximum.at(host, target, source.astype(np.float32))
cp.testing.assert_array_equal(most, host)
print("ok")
