"""Random numbers under NumPy's names.

A number is a function of a seed, of the number of the call and of the position of its element:
the same on every device and for every split over devices, and not NumPy's for the seed.
`default_rng(seed)` makes a generator; the functions of this module belong to one that all threads
of the process share, and that a forked child has anew unless `seed` was called.
"""

from __future__ import annotations

import os

from cupola.random._generator import Generator as Generator
from cupola.random._generator import default_rng as default_rng
from cupola.random._random_state import RandomState as RandomState

_state = RandomState()

bytes = _state.bytes
choice = _state.choice
exponential = _state.exponential
geometric = _state.geometric
get_state = _state.get_state
gumbel = _state.gumbel
laplace = _state.laplace
logistic = _state.logistic
lognormal = _state.lognormal
normal = _state.normal
pareto = _state.pareto
permutation = _state.permutation
power = _state.power
rand = _state.rand
randint = _state.randint
randn = _state.randn
random = _state.random
random_integers = _state.random_integers
random_sample = _state.random_sample
ranf = _state.ranf
rayleigh = _state.rayleigh
sample = _state.sample
seed = _state.seed
set_state = _state.set_state
shuffle = _state.shuffle
standard_cauchy = _state.standard_cauchy
standard_exponential = _state.standard_exponential
standard_normal = _state.standard_normal
triangular = _state.triangular
uniform = _state.uniform
weibull = _state.weibull


def get_random_state() -> RandomState:
    """What the functions of this module belong to."""
    return _state


def _after_fork() -> None:
    if not _state._is_seeded:
        _state.seed()


os.register_at_fork(after_in_child=_after_fork)
