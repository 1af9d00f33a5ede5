"""The generator of NumPy's older interface."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.random._bit_generators import MT19937, BitGenerator
from cupola.random._counts import Counts
from cupola.random._draws import Draws
from cupola.random._gamma_family import GammaFamily
from cupola.random._parameters import shape_of
from cupola.random._selections import Selections
from cupola.random._vectors import Vectors, _integers, _real_array, _require

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike


_METHODS = (100, 101, 121, 141, 142, 161)
"""cuRAND's numbers of its pseudo-random generators."""


class RandomState(GammaFamily, Counts, Vectors, Selections):
    """Random numbers by a seed, under the names of numpy.random.RandomState.

    The numbers are those of `Generator`, not NumPy's.

    Parameters
    ----------
    seed : None, int, sequence of ints, numpy.random.SeedSequence or BitGenerator
        None: what the operating system gives. The numbers of a bit generator are shared.
    method : int
        CuPy's choice of a generator of cuRAND. The numbers here are the same for all.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.random.RandomState(5).rand(2, 3).shape
    (2, 3)
    """

    _bit_generator: BitGenerator
    _least_sample = 1
    _chooses_along_axes = False
    _uniform_may_descend = True

    def __init__(self, seed: Any = None, method: int = 100) -> None:
        if method not in _METHODS:
            numbers = ", ".join(map(str, _METHODS))
            raise ValueError(f"method must be one of cuRAND's generators ({numbers}), not {method}")
        if isinstance(seed, BitGenerator):
            self._use(seed, True)
        else:
            self.seed(seed)

    def _use(self, bit_generator: BitGenerator, is_seeded: bool) -> None:
        self._bit_generator = bit_generator
        self._draws = bit_generator._draws
        self._is_seeded = is_seeded

    def __repr__(self) -> str:
        return f"RandomState(Philox4x32) at 0x{id(self):X}"

    def __str__(self) -> str:
        return "RandomState(Philox4x32)"

    def seed(self, seed: Any = None) -> None:
        """Start anew.

        Parameters
        ----------
        seed : int, sequence of ints or None
            None: other numbers each time.

        Returns
        -------
        None

        Raises
        ------
        ValueError
            For negative numbers.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.seed(1)
        """
        self._use(MT19937._of(Draws(seed)), seed is not None)

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """What `set_state` takes to go on from here; `legacy` changes nothing.

        Parameters
        ----------
        legacy : bool, optional

        Returns
        -------
        dict

        Examples
        --------
        >>> import cupola as cp
        >>> state = cp.random.get_state()
        """
        return {"bit_generator": "Philox4x32", "draws": self._draws.state()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from where `get_state` was called.

        Parameters
        ----------
        state : dict

        Returns
        -------
        None

        Raises
        ------
        TypeError
            For what is no dictionary, as a state of NumPy's.
        ValueError
            For a state of another generator.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.set_state(cp.random.get_state())
        """
        if not isinstance(state, dict):
            raise TypeError("state must be a dict, as get_state gives it")
        if state.get("bit_generator") != "Philox4x32":
            raise ValueError("state must be for a Philox4x32 generator")
        self._use(MT19937._of(Draws(*state["draws"])), True)

    def _require_alpha(self, shapes: ndarray) -> None:
        if not bool(_core.all(~(shapes <= 0.0))):
            raise ValueError("alpha <= 0")

    def multinomial(
        self, n: ArrayLike, pvals: ArrayLike, size: Any = None, *, device: DeviceLike = None
    ) -> ndarray:
        """How often each of several outcomes happens, as `Generator.multinomial`.

        Parameters
        ----------
        n : int
            The number of trials.
        pvals : array_like of floats
            The probabilities of the k outcomes, in one dimension. The last one is what the others
            leave.
        size : int or tuple of ints, optional
            The result has this shape and (k,) at its end; default: (k,) alone.
        device : optional
            Default: that of `pvals`, else the current device.

        Returns
        -------
        ndarray
            Of dtype int64.

        Raises
        ------
        ValueError
            For a negative number of trials, and probabilities that are negative or add to more
            than 1.

        Examples
        --------
        >>> import cupola as cp
        >>> counts = cp.random.RandomState(5).multinomial(20, [0.5, 0.3, 0.2], size=4)
        >>> counts.sum(axis=1).tolist()
        [20, 20, 20, 20]
        """
        if np.ndim(n):
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        if np.ndim(pvals) > 1:
            raise ValueError("object too deep for desired array")
        if np.size(pvals):
            return super().multinomial(n, pvals, size, device=device)
        given = (value for value in (n, pvals) if isinstance(value, ndarray))
        where = next((value.device for value in given if device is None), device)
        shares = _real_array(pvals, where)
        _require(_integers(n, where) >= 0, "n < 0")
        shape = () if size is None else shape_of(size)
        return _core.zeros((*shape, 0), np.int64, device=shares.device)

    def random_sample(
        self, size: Any = None, dtype: DTypeLike = float, *, device: DeviceLike = None
    ) -> ndarray:
        """Numbers in [0, 1), each as likely; `dtype` is float32 or float64.

        Parameters
        ----------
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        TypeError
            For another dtype.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.random_sample(3).shape
        (3,)
        """
        return self._standard(_core.random_uniform, "random_sample", size, dtype, None, device)

    random = ranf = sample = random_sample

    def rand(self, *size: int, dtype: DTypeLike = float, device: DeviceLike = None) -> ndarray:
        """`random_sample`, the extents one by one.

        Parameters
        ----------
        *size : ints
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For negative extents.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.rand(2, 3).shape
        (2, 3)
        """
        return self.random_sample(_extents(size), dtype, device=device)

    def randn(self, *size: int, dtype: DTypeLike = float, device: DeviceLike = None) -> ndarray:
        """`standard_normal`, the extents one by one.

        Parameters
        ----------
        *size : ints
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For negative extents.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.randn(2, 3).shape
        (2, 3)
        """
        return self.standard_normal(_extents(size), dtype, device=device)

    def randint(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Any = None,
        dtype: DTypeLike = int,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Integers from `low` to `high`, which does not belong to them (`Generator.integers`).

        Parameters
        ----------
        low, high : array_like
            Without `high`, from 0 to `low`.
        size : int or tuple of ints, optional
        dtype, device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For an empty range.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.randint(0, 10, size=3).shape
        (3,)
        """
        return self._integers(low, high, size, dtype, False, device)

    def random_integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Any = None,
        *,
        device: DeviceLike = None,
    ) -> ndarray:
        """Integers from `low`, by default 1, to `high`, which belongs to them.

        Parameters
        ----------
        low, high : array_like
        size : int or tuple of ints, optional
        device : optional

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            For an empty range.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.random.random_integers(1, 6, size=3).shape
        (3,)
        """
        if high is None:
            low, high = 1, low
        if np.ndim(high) == 0:
            high = int(high)  # type: ignore[arg-type]
        return self._integers(low, high, size, int, True, device)

    def tomaxint(self, size: Any = None, *, device: DeviceLike = None) -> ndarray:
        """Integers from 0 to the largest of int64.

        Parameters
        ----------
        size : int or tuple of ints, optional
            The shape of the result; default: no dimensions.
        device : optional
            Default: the current device.

        Returns
        -------
        ndarray
            Of int64.

        Examples
        --------
        >>> import cupola as cp
        >>> numbers = cp.random.RandomState(5).tomaxint(10)
        >>> numbers.shape, bool((numbers >= 0).all())
        ((10,), True)
        """
        return self._integers(0, 2**63 - 1, size, int, True, device)


def _extents(size: tuple[Any, ...]) -> tuple[int, ...]:
    return shape_of(tuple(map(operator.index, size)))
