"""
PageRank by scattered additions
===============================

Which pages are important? Those that important pages link to. Links are two arrays of page numbers;
each round adds up, for each page, what its linking pages give.
"""

# %%
# A web of pages: new pages link mostly to pages that have many links already.

import matplotlib.pyplot as plt
import numpy as np

import cupola as cp

PAGES, LINKS, DAMPING = 20_000, 8, 0.85
rng = np.random.default_rng(5)
source = np.repeat(np.arange(1, PAGES), LINKS)
target = (source * rng.random(source.size) ** 3).astype("int64")

# %%
# One round: a page divides its rank among its links. ``cp.bincount`` with weights adds up what
# arrives.

source_on_device, target_on_device = cp.asarray(source), cp.asarray(target)
degree = cp.bincount(source_on_device, minlength=PAGES)
has_links = degree > 0
share = cp.where(has_links, 1 / cp.maximum(degree, 1), 0)


def one_round(rank):
    """The ranks after one more click of everybody."""
    arriving = cp.bincount(
        target_on_device, weights=(rank * share)[source_on_device], minlength=PAGES
    )
    lost = cp.where(has_links, 0, rank).sum()
    return DAMPING * (arriving + lost / PAGES) + (1 - DAMPING) / PAGES


# %%
# Rounds until nothing changes: the change is read by the host once a round.

rank = cp.full(PAGES, 1 / PAGES)
changes = []
while not changes or changes[-1] > 1e-10:
    following = one_round(rank)
    changes.append(float(cp.abs(following - rank).sum()))
    rank = following
print(f"{len(changes)} rounds; most important: {cp.asnumpy(cp.argsort(rank)[::-1][:5])}")

# %%
# Ranks by the order of the pages, and how fast the rounds converge.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.loglog(np.sort(cp.asnumpy(rank))[::-1])
left.set(xlabel="page, by its rank", ylabel="rank")
right.semilogy(changes, "o-")
right.set(xlabel="round", ylabel="change")
plt.show()

# %%
# Ranks are probabilities, and one more round changes nothing.

assert abs(float(rank.sum()) - 1) < 1e-9
assert float(cp.abs(one_round(rank) - rank).max()) < 1e-10
assert len(changes) < 100
