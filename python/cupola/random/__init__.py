"""Random numbers under NumPy's names.

A number is a function of a seed, of the number of the call and of the position of its element:
the same on every device and for every split over devices, and not NumPy's for the seed.
`default_rng(seed)` makes a generator; the functions of this module belong to one that all threads
of the process share, and that a forked child has anew unless `seed` was called.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cupola.random._bit_generators import MT19937 as MT19937
from cupola.random._bit_generators import PCG64 as PCG64
from cupola.random._bit_generators import PCG64DXSM as PCG64DXSM
from cupola.random._bit_generators import SFC64 as SFC64
from cupola.random._bit_generators import XORWOW as XORWOW
from cupola.random._bit_generators import BitGenerator as BitGenerator
from cupola.random._bit_generators import MRG32k3a as MRG32k3a
from cupola.random._bit_generators import Philox as Philox
from cupola.random._generator import Generator as Generator
from cupola.random._generator import default_rng as default_rng
from cupola.random._random_state import RandomState as RandomState

Philox4x3210 = Philox

_state = RandomState()

beta = _state.beta
binomial = _state.binomial
bytes = _state.bytes
chisquare = _state.chisquare
choice = _state.choice
dirichlet = _state.dirichlet
exponential = _state.exponential
f = _state.f
gamma = _state.gamma
geometric = _state.geometric
get_state = _state.get_state
gumbel = _state.gumbel
hypergeometric = _state.hypergeometric
laplace = _state.laplace
logistic = _state.logistic
lognormal = _state.lognormal
logseries = _state.logseries
multinomial = _state.multinomial
multivariate_normal = _state.multivariate_normal
negative_binomial = _state.negative_binomial
noncentral_chisquare = _state.noncentral_chisquare
noncentral_f = _state.noncentral_f
normal = _state.normal
pareto = _state.pareto
permutation = _state.permutation
poisson = _state.poisson
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
standard_gamma = _state.standard_gamma
standard_normal = _state.standard_normal
standard_t = _state.standard_t
triangular = _state.triangular
uniform = _state.uniform
vonmises = _state.vonmises
wald = _state.wald
weibull = _state.weibull
zipf = _state.zipf


_chosen: RandomState | None = None


def get_random_state() -> RandomState:
    """What the functions of this module belong to, or share the numbers of.

    Returns
    -------
    RandomState

    Examples
    --------
    >>> import cupola as cp
    >>> isinstance(cp.random.get_random_state(), cp.random.RandomState)
    True
    """
    return _state if _chosen is None else _chosen


def set_random_state(rs: RandomState) -> None:
    """Let this module's functions share the numbers of a RandomState.

    Parameters
    ----------
    rs : RandomState

    Returns
    -------
    None

    Raises
    ------
    TypeError
        For what is no RandomState.

    Examples
    --------
    >>> cp.random.set_random_state(cp.random.RandomState(3))
    >>> a = cp.random.rand(2)
    >>> bool((a == cp.random.RandomState(3).rand(2)).all())
    True
    >>> cp.random.reset_states()
    """
    global _chosen
    if not isinstance(rs, RandomState):
        raise TypeError(f"a RandomState of cupola is expected, not {type(rs).__name__}")
    _state._use(rs._bit_generator, True)
    _chosen = rs


def reset_states() -> None:
    """Let this module's functions start anew, with a seed that the operating system gives.

    Returns
    -------
    None

    Examples
    --------
    >>> cp.random.reset_states()
    """
    global _chosen
    _chosen = None
    _state.seed()


def get_bit_generator() -> BitGenerator:
    """What the numbers of this module's functions come from.

    Returns
    -------
    BitGenerator

    Examples
    --------
    >>> import cupola as cp
    >>> isinstance(cp.random.get_bit_generator(), cp.random.BitGenerator)
    True
    """
    return _state._bit_generator


def set_bit_generator(bitgen: BitGenerator) -> None:
    """Let this module's functions share the numbers of a bit generator.

    Parameters
    ----------
    bitgen : BitGenerator

    Returns
    -------
    None

    Raises
    ------
    TypeError
        For something else.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.set_bit_generator(cp.random.get_bit_generator())
    """
    if not isinstance(bitgen, BitGenerator):
        raise TypeError(f"a BitGenerator of cupola is expected, not {type(bitgen).__name__}")
    _state._use(bitgen, True)


if TYPE_CHECKING:
    from numpy.random import SeedSequence as SeedSequence
else:  # type checkers would take every name for one of the module

    def __getattr__(name: str) -> Any:
        if name == "SeedSequence":  # NumPy's own; its module is loaded when it is needed
            from numpy.random import SeedSequence

            return SeedSequence
        raise AttributeError(f"module 'cupola.random' has no attribute {name!r}")


def _after_fork() -> None:
    if not _state._is_seeded:
        _state.seed()


os.register_at_fork(after_in_child=_after_fork)
