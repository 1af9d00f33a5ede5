"""What the six classes of series have of ours: values, roots and fits on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from cupola._cupola import ndarray
from cupola.polynomial._basis import Basis
from cupola.polynomial._coefficients import on_host, points
from cupola.polynomial.polyutils import getdomain, mapdomain

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

    _Base: Any = Any
else:
    _Base = object

SERIES: Any = np.polynomial.Polynomial.__base__


class OnDevice(_Base):
    """Before one of NumPy's classes, which does the algebra of the coefficients."""

    _basis: ClassVar[Basis]

    def __init__(
        self, coef: ArrayLike, domain: Any = None, window: Any = None, symbol: str = "x"
    ) -> None:
        super().__init__(on_host(coef), on_host(domain), on_host(window), symbol)

    def __call__(self, arg: Any) -> Any:
        """The values at points, computed where they are used; of a series, the composition."""
        if isinstance(arg, SERIES):
            return super().__call__(arg)
        # Python's numbers take the types of coefficients.
        place = arg if isinstance(arg, (ndarray, int, float, complex)) else points(arg)
        return self._basis.val(mapdomain(place, self.domain, self.window), self.coef)

    def _get_coefficients(self, other: Any) -> Any:
        return super()._get_coefficients(on_host(other))

    def roots(self) -> ndarray:
        """The roots of the series.

        Returns
        -------
        ndarray
            On the current device, of shape (degree,); complex where one of them is.

        Examples
        --------
        >>> import cupola as cp
        >>> series = cp.polynomial.Polynomial([2, -3, 1])
        >>> cp.sort(series.roots()).round(6).tolist()
        [1.0, 2.0]
        """
        found = self._basis.roots(self.coef)
        return mapdomain(found, self.window, self.domain)

    def linspace(self, n: int = 100, domain: Any = None) -> tuple[ndarray, ndarray]:
        """Points of the domain at equal distances, and the values there.

        Parameters
        ----------
        n : int, optional
            How many points.
        domain : array_like of two numbers, optional
            The first and the last point. Default: the domain of the series.

        Returns
        -------
        x, y : ndarray
            Points and values, each of shape (n,), on the current device.

        Examples
        --------
        >>> import cupola as cp
        >>> x, y = cp.polynomial.Polynomial([0, 0, 1]).linspace(3)
        >>> x.tolist(), y.tolist()
        ([-1.0, 0.0, 1.0], [1.0, 0.0, 1.0])
        """
        from cupola._functions.creation.ranges import linspace

        first, last = on_host(self.domain if domain is None else domain)
        x = linspace(first, last, n)
        return x, self(x)

    @classmethod
    def fit(
        cls,
        x: ArrayLike,
        y: ArrayLike,
        deg: Any,
        domain: Any = None,
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
        window: Any = None,
        symbol: str = "x",
    ) -> Any:
        """The series of least squares, as the `fit` function of the basis.

        Parameters
        ----------
        x, y, deg, rcond, full, w
            As of the function.
        domain : array_like of two numbers, optional
            What is mapped to `window`. Default: from the least to the largest point; for an empty
            list that of the class.
        window : array_like of two numbers, optional
            Default: that of the class.
        symbol : str
            The variable in texts.

        Returns
        -------
        series or (series, list)
            The series, and with `full` the list of how it was found.

        Examples
        --------
        >>> import cupola as cp
        >>> x = cp.asarray([0.0, 1.0, 2.0])
        >>> series = cp.polynomial.Polynomial.fit(x, 2 * x + 1, 1)
        >>> series.convert().coef.round(6).tolist()
        [1.0, 2.0]
        """
        window = on_host(cls.window if window is None else window)
        if domain is None:
            domain = on_host(getdomain(x))
            if domain[0] == domain[1]:
                domain[0] -= 1
                domain[1] += 1
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        domain = on_host(domain)
        result = cls._basis.fit(mapdomain(points(x), domain, window), y, deg, rcond, full, w)
        if not full:
            return cls(result, domain, window, symbol)
        return cls(result[0], domain, window, symbol), result[1]

    @classmethod
    def fromroots(
        cls,
        roots: ArrayLike,
        domain: Any = [],  # noqa: B006
        window: Any = None,
        symbol: str = "x",
    ) -> Self:
        """The series whose roots these are.

        Parameters
        ----------
        roots : array_like
            Of one dimension.
        domain : array_like of two numbers, optional
            None: from the least to the largest root. Default: that of the class.
        window : array_like of two numbers, optional
            Default: that of the class.
        symbol : str
            The variable in texts.

        Returns
        -------
        series
            Of the class, whose degree is the number of roots.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.polynomial.Polynomial.fromroots([1, 2]).coef.tolist()
        [2.0, -3.0, 1.0]
        """
        made: Self = super().fromroots(on_host(roots), on_host(domain), on_host(window), symbol)
        return made
