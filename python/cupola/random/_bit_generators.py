"""NumPy's names of bit generators. All of them give the numbers of Philox4x32-10."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola.random._draws import Draws
from cupola.random._parameters import shape_of

if TYPE_CHECKING:
    from cupola._cupola import ndarray
    from cupola._typing import DeviceLike

# So many draws there are between one jump and the next.
_JUMP = 2**40


class BitGenerator:
    """Random bits by a seed: what a `Generator` takes its numbers from.

    Bits are a function of the seed, of the number of the call and of the position of an element
    (Philox4x32-10), for all of the names under which NumPy has bit generators: `MT19937`, `PCG64`,
    `PCG64DXSM`, `Philox`, `SFC64`, and `XORWOW` and `MRG32k3a`, which are those of GPU libraries.
    The names differ in what `state` says; the bits for a seed are the same for all of them, and
    NumPy's for none. The sequential methods of most of them could not be entered at the position
    of an element, which would make numbers depend on how work is divided among devices.

    Parameters
    ----------
    seed : None, int, sequence of ints or numpy.random.SeedSequence
        None: what the operating system gives.
    size : int
        Of CuPy's generators, which keep a state for each thread of the GPU; there is none here.

    Raises
    ------
    ValueError
        For a negative seed.
    TypeError
        For a seed that is none of these.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.PCG64(5).random_raw() == cp.random.PCG64(5).random_raw()
    True
    """

    def __init__(self, seed: Any = None, *, size: int = -1) -> None:
        self._draws = Draws(seed)

    @classmethod
    def _of(cls, draws: Draws) -> BitGenerator:
        """That shares the draws of a generator."""
        made = cls.__new__(cls)
        made._draws = draws
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}(Philox4x32) at 0x{id(self):X}"

    @property
    def seed_seq(self) -> Any:
        """The `SeedSequence` of the seed."""
        return self._draws.seed_sequence

    _seed_seq = seed_seq  # NumPy's older name, by which Dask asks

    @property
    def lock(self) -> Any:
        """What a thread holds while it takes the number of a call."""
        return self._draws.lock

    @property
    def state(self) -> dict[str, Any]:
        """The key and the number of the next call, which may be assigned."""
        key, number = self._draws.place()
        return {"bit_generator": type(self).__name__, "state": {"key": key, "draw": number}}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        name = type(self).__name__
        if value.get("bit_generator") != name:
            raise ValueError(f"state must be for a {name} PRNG")
        place = value["state"]
        self._draws.move(int(place["key"]), int(place["draw"]))

    def random_raw(
        self, size: Any = None, output: bool = True, *, device: DeviceLike = None
    ) -> int | ndarray | None:
        """Integers of 64 random bits.

        Parameters
        ----------
        size : int or tuple of ints, optional
            The shape of the result; default: one int.
        output : bool, optional
            Whether there is a result; else only the number of the call goes on.
        device : optional
            Default: the current device.

        Returns
        -------
        int, ndarray of uint64, or None

        Examples
        --------
        >>> import cupola as cp
        >>> bits = cp.random.Philox(5).random_raw((2, 3))
        >>> bits.shape, str(bits.dtype)
        ((2, 3), 'uint64')
        """
        shape = () if size is None else shape_of(size)
        key, draw = self._draws.take()
        if not output:
            return None
        bits = _core.random_bits(key, draw, shape, "uint64", device)
        return int(bits) if size is None else bits

    def spawn(self, n_children: int) -> list[BitGenerator]:
        """Bit generators that are independent of this one and of each other.

        Parameters
        ----------
        n_children : int

        Returns
        -------
        list of BitGenerator

        Raises
        ------
        OverflowError
            For more than 2**31 - 1.

        Examples
        --------
        >>> import cupola as cp
        >>> first, second = cp.random.Philox(5).spawn(2)
        >>> first.random_raw() == second.random_raw()
        False
        """
        if n_children >= 2**31:
            raise OverflowError(f"no list holds {n_children} generators")
        return [type(self)(child) for child in self._draws.seed_sequence.spawn(n_children)]

    def jumped(self, jumps: int = 1) -> BitGenerator:
        """A bit generator 2**40 calls further on for each jump.

        Parameters
        ----------
        jumps : int, optional
            How many; default: one.

        Returns
        -------
        BitGenerator
            Of the same class; this one stays where it is.

        Examples
        --------
        >>> import cupola as cp
        >>> made = cp.random.Philox(5)
        >>> made.jumped(2).random_raw() == made.jumped().jumped().random_raw()
        True
        """
        made = type(self)(self._draws.seed_sequence)
        key, number = self._draws.place()
        made._draws.move(key, number + _JUMP * int(jumps))
        return made


class _Advancing(BitGenerator):
    def advance(self, delta: int) -> BitGenerator:
        """Skip so many calls.

        Parameters
        ----------
        delta : int
            How many.

        Returns
        -------
        BitGenerator
            Itself.

        Raises
        ------
        TypeError
            For what is no integer.

        Examples
        --------
        >>> import cupola as cp
        >>> made = cp.random.Philox(5)
        >>> other = cp.random.Philox(5).advance(1)
        >>> first = made.random_raw()
        >>> made.random_raw() == other.random_raw()
        True
        """
        key, number = self._draws.place()
        self._draws.move(key, number + operator.index(delta))
        return self


class Philox(_Advancing):
    """Philox4x32-10, whose numbers are not those of NumPy's Philox4x64. See `BitGenerator`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.Generator(cp.random.Philox(5)).random(3).shape
    (3,)
    """


class PCG64(_Advancing):
    """Another name of `Philox`. See `BitGenerator`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.PCG64(5).random_raw() == cp.random.Philox(5).random_raw()
    True
    """


class PCG64DXSM(_Advancing):
    """Another name of `Philox`. See `BitGenerator`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.PCG64DXSM(5).random_raw() == cp.random.Philox(5).random_raw()
    True
    """


class MT19937(BitGenerator):
    """Another name of `Philox`. See `BitGenerator`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.MT19937(5).random_raw() == cp.random.Philox(5).random_raw()
    True
    """


class SFC64(BitGenerator):
    """Another name of `Philox`. See `BitGenerator`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.SFC64(5).random_raw() == cp.random.Philox(5).random_raw()
    True
    """


class XORWOW(BitGenerator):
    """Another name of `Philox`. See `BitGenerator`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.XORWOW(5).random_raw() == cp.random.Philox(5).random_raw()
    True
    """


class MRG32k3a(BitGenerator):
    """Another name of `Philox`. See `BitGenerator`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.MRG32k3a(5).random_raw() == cp.random.Philox(5).random_raw()
    True
    """
