"""Bit generators, seeds and states, and the names that NumPy has."""

import copy
import pickle

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

pytestmark = pytest.mark.cupola_only

NAMES = ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "XORWOW", "MRG32k3a"]

# The loader's module names and NumPy's own test runner.
LEFT_OUT = {"bit_generator", "mtrand", "test"}


def test_all_names_of_numpy_are_there() -> None:
    def public(owner: object) -> set[str]:
        return {name for name in dir(owner) if not name.startswith("_")}

    assert public(np.random.Generator) <= public(cp.random.Generator)
    assert public(np.random.RandomState) <= public(cp.random.RandomState)
    missing = {name for name in public(np.random) if not hasattr(cp.random, name)}
    assert missing <= LEFT_OUT
    with pytest.raises(AttributeError, match="misspelt"):
        _ = cp.random.misspelt


@pytest.mark.parametrize("name", NAMES)
def test_every_bit_generator_gives_the_numbers_of_its_seed(name: str) -> None:
    kind = getattr(cp.random, name)
    assert issubclass(kind, cp.random.BitGenerator)
    generator = cp.random.Generator(kind(5))
    assert type(generator.bit_generator) is kind
    expected = to_numpy(cp.random.default_rng(5).random(10))
    assert np.array_equal(to_numpy(generator.random(10)), expected)
    assert generator.bit_generator.state["bit_generator"] == name
    assert name in repr(generator.bit_generator)
    assert np.array_equal(to_numpy(cp.random.RandomState(kind(5)).random_sample(10)), expected)
    children = [to_numpy(child.random_raw(3)).tolist() for child in kind(5).spawn(2)]
    assert children[0] != children[1]


def test_a_bit_generator_is_shared() -> None:
    bits = cp.random.Philox(3)
    first, second = cp.random.Generator(bits), cp.random.Generator(bits)
    numbers = [first.random(4), second.random(4), first.random(4)]
    again = cp.random.default_rng(3)
    for drawn in numbers:
        assert np.array_equal(to_numpy(drawn), to_numpy(again.random(4)))
    state = cp.random.RandomState(4)
    shared = cp.random.default_rng(state)
    expected = cp.random.RandomState(4)
    expected.rand(2)
    state.rand(2)
    assert np.array_equal(to_numpy(shared.random(2)), to_numpy(expected.rand(2)))
    assert cp.random.default_rng(bits).bit_generator is bits


def test_states_go_back_and_forth() -> None:
    generator = cp.random.default_rng(11)
    generator.random(2)
    before = generator.bit_generator.state
    numbers = to_numpy(generator.poisson(5.0, 50))
    generator.bit_generator.state = before
    assert np.array_equal(to_numpy(generator.poisson(5.0, 50)), numbers)
    other = cp.random.Generator(cp.random.Philox(99))
    other.bit_generator.state = before
    for copied in (other, pickle.loads(pickle.dumps(other)), copy.deepcopy(other)):
        assert np.array_equal(to_numpy(copied.poisson(5.0, 50)), numbers)
    with pytest.raises(ValueError, match="Philox"):
        generator.bit_generator.state = cp.random.SFC64(1).state
    with pytest.raises(TypeError):
        generator.bit_generator.state = 5
    with pytest.raises(ValueError, match="64 bits"):
        generator.bit_generator.state = {
            "bit_generator": "Philox",
            "state": {"key": -1, "draw": 0},
        }


def test_jumps_and_advances() -> None:
    bits = cp.random.PCG64(6)
    jumped = bits.jumped(2)
    assert jumped.state["state"]["draw"] == 2 * 2**40
    assert bits.state["state"]["draw"] == 0
    assert bits.advance(1).advance(np.int8(2)) is bits
    with pytest.raises(TypeError):
        bits.advance(2.0)
    skipped = cp.random.default_rng(6)
    for _ in range(3):
        skipped.random()
    assert np.array_equal(
        to_numpy(cp.random.Generator(bits).random(5)), to_numpy(skipped.random(5))
    )


def test_raw_bits() -> None:
    bits = cp.random.MT19937(8)
    assert isinstance(bits.random_raw(), int)
    assert bits.random_raw((2, 3)).dtype == np.uint64
    assert bits.random_raw(5, output=False) is None
    with bits.lock:
        assert bits.lock.locked()


def test_seed_sequences() -> None:
    assert cp.random.SeedSequence is np.random.SeedSequence
    sequence = cp.random.SeedSequence(12)
    generator = cp.random.default_rng(sequence)
    assert generator.bit_generator.seed_seq is sequence
    assert [type(child) for child in generator.spawn(2)] == [cp.random.Generator] * 2
    for bad in (-1, "a", 1.5):
        with pytest.raises((TypeError, ValueError)):
            cp.random.Philox(bad)


def test_the_module_s_bit_generator() -> None:
    before = cp.random.get_bit_generator()
    try:
        bits = cp.random.Philox(21)
        cp.random.set_bit_generator(bits)
        assert cp.random.get_bit_generator() is bits
        drawn = to_numpy(cp.random.gamma(2.0, size=5))
        assert np.array_equal(drawn, to_numpy(cp.random.default_rng(21).gamma(2.0, size=5)))
        with pytest.raises(TypeError):
            cp.random.set_bit_generator(5)
    finally:
        cp.random.set_bit_generator(before)


def test_legacy_functions_have_every_distribution() -> None:
    cp.random.seed(3)
    first = to_numpy(cp.random.binomial(10, 0.3, 20))
    state = cp.random.get_state()
    second = to_numpy(cp.random.standard_t(5.0, 20))
    cp.random.set_state(state)
    assert np.array_equal(to_numpy(cp.random.standard_t(5.0, 20)), second)
    cp.random.seed(3)
    assert np.array_equal(to_numpy(cp.random.binomial(10, 0.3, 20)), first)


@pytest.mark.parametrize("state", [(), 3, None, "MT19937"])
def test_a_state_is_a_dictionary(state: object) -> None:
    with pytest.raises(TypeError, match="state must be a dict"):
        cp.random.RandomState(1).set_state(state)
    with pytest.raises(TypeError, match="state must be a dict"):
        cp.random.MT19937(1).state = state
