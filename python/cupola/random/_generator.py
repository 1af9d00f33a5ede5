"""The generator of NumPy's newer interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola.random._bit_generators import BitGenerator, Philox
from cupola.random._counts import Counts
from cupola.random._draws import Draws
from cupola.random._gamma_family import GammaFamily
from cupola.random._random_state import RandomState
from cupola.random._selections import Selections
from cupola.random._vectors import UrnVectors, Vectors

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike


class Generator(GammaFamily, Counts, Vectors, UrnVectors, Selections):
    """Random numbers by a seed.

    A number is a function of the seed, of how many calls the generator had before, and of the
    position of its element (Philox4x32-10): the same on every device and for every split over
    devices. It is not the number that NumPy gives for the seed. Results wait to be computed, as
    those of other operations do, in one kernel with what is made of them. Threads may share a
    generator; each call has numbers of its own.

    Parameters
    ----------
    bit_generator : BitGenerator, None, int, sequence of ints or numpy.random.SeedSequence
        Whose numbers it shares, or a seed. None: what the operating system gives.

    Raises
    ------
    ValueError
        For a negative seed.
    TypeError
        For a seed that is none of these.

    Examples
    --------
    >>> import cupola as cp
    >>> generator = cp.random.Generator(cp.random.Philox(7))
    >>> numbers = generator.random((2, 3))
    >>> bool((numbers == cp.random.Generator(7).random((2, 3))).all())
    True
    """

    def __init__(self, bit_generator: Any = None) -> None:
        if isinstance(bit_generator, BitGenerator):
            self._bit_generator = bit_generator
        else:
            self._bit_generator = Philox._of(Draws(bit_generator))
        self._draws = self._bit_generator._draws

    @property
    def bit_generator(self) -> BitGenerator:
        """What the numbers come from."""
        return self._bit_generator

    def __repr__(self) -> str:
        return f"Generator(Philox4x32) at 0x{id(self):X}"

    def __str__(self) -> str:
        return "Generator(Philox4x32)"

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators that are independent of this one and of each other.

        Parameters
        ----------
        n_children : int

        Returns
        -------
        list of Generator

        Raises
        ------
        OverflowError
            For more than 2**31 - 1.

        Examples
        --------
        >>> import cupola as cp
        >>> first, second = cp.random.default_rng(5).spawn(2)
        >>> bool((first.random(3) == second.random(3)).any())
        False
        """
        return [type(self)(child) for child in self._bit_generator.spawn(n_children)]

    def random(
        self,
        size: Any = None,
        dtype: DTypeLike = float,
        out: ndarray | None = None,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Numbers in [0, 1), each as likely.

        Parameters
        ----------
        size : int or tuple of ints, optional
            The shape of the result; default: that of `out`, else no dimensions.
        dtype : float32 or float64
            Multiples of 2**-24, or of 2**-53.
        out : ndarray, optional
            Of this dtype, in any memory order: gets the numbers.
        device : optional
            Default: the current device.

        Returns
        -------
        ndarray

        Raises
        ------
        TypeError
            For other dtypes.
        ValueError
            For negative extents, and for another shape than that of `out`.

        Examples
        --------
        >>> import cupola as cp
        >>> numbers = cp.random.default_rng(5).random((2, 3), dtype="float32")
        >>> numbers.shape, str(numbers.dtype), bool((numbers < 1).all())
        ((2, 3), 'float32', True)
        """
        return self._standard(_core.random_uniform, "random", size, dtype, out, device)

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Any = None,
        dtype: DTypeLike = int,
        endpoint: bool = False,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Integers from `low` to `high`, each as likely.

        Parameters
        ----------
        low, high : int or array_like
            One of them alone is `high`, and `low` is 0. To check values on a device waits for it.
        size : int or tuple of ints, optional
            The shape of the result; default: that of the bounds.
        dtype : integer dtype or bool
        endpoint : bool
            Whether `high` belongs to the integers.
        device : optional
            Default: that of the bounds, else the current device.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For bounds outside the dtype and for no integer between them.
        TypeError
            For other dtypes.

        Notes
        -----
        The probability of a value differs from that of others by less than 2**-32 of it, and by
        less than 2**-64 of it where there are more than 2**32 values.

        Examples
        --------
        >>> import cupola as cp
        >>> dice = cp.random.default_rng(5).integers(1, 6, size=100, endpoint=True)
        >>> bool(((dice >= 1) & (dice <= 6)).all())
        True
        """
        return self._integers(low, high, size, dtype, bool(endpoint), device)

    def permuted(
        self, x: ArrayLike, *, axis: int | None = None, out: ndarray | None = None
    ) -> ndarray:
        """A copy of `x` in which each line along an axis has a random order of its own.

        Parameters
        ----------
        x : array_like
        axis : int, optional
            Without it all elements change places.
        out : ndarray, optional
            Of x's shape, and of a dtype that its elements can be cast to safely: gets the result;
            may be `x`.

        Returns
        -------
        ndarray
            `out` where that is given.

        Raises
        ------
        AxisError
            For an axis that is not there.
        ValueError
            For an `out` of another shape.
        TypeError
            For an `out` that is no array, or of a dtype that is not safe to cast to.

        Examples
        --------
        >>> import cupola as cp
        >>> rows = cp.arange(6).reshape(2, 3)
        >>> mixed = cp.random.default_rng(5).permuted(rows, axis=1)
        >>> cp.sort(mixed, axis=1).tolist()
        [[0, 1, 2], [3, 4, 5]]
        """
        source = _core.as_array(x)
        if axis is None:
            flat = _core.ravel(source)
            order = self._order(flat.size, source.device)
            result = _core.reshape(_core.take(flat, order, 0), source.shape)
        else:
            along = axis_in(axis, source.ndim)
            order = _core.argsort(self._bits(source.shape, source.device), along)
            result = _core.take_along_axis(source, order, along)
        if out is None:
            return result
        if not isinstance(out, ndarray):
            raise TypeError("out must be an array")
        if out.shape != source.shape:
            raise ValueError("out must have the same shape as x")
        _core.copyto(out, result, "safe", True)
        return out


def default_rng(seed: Any = None) -> Generator:
    """A generator by a seed; a generator stays what it is.

    Parameters
    ----------
    seed : None, int, sequence of ints, SeedSequence, BitGenerator, Generator or RandomState
        The numbers of a bit generator and of a RandomState are shared.

    Returns
    -------
    Generator

    Raises
    ------
    ValueError
        For negative numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> a, b = cp.random.default_rng(7), cp.random.default_rng(7)
    >>> bool((a.random(3) == b.random(3)).all())
    True
    """
    if isinstance(seed, RandomState):
        return Generator(seed._bit_generator)
    return seed if isinstance(seed, Generator) else Generator(seed)
