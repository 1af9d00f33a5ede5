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
        """The roots of the series, on the current device."""
        found = self._basis.roots(self.coef)
        return mapdomain(found, self.window, self.domain)

    def linspace(self, n: int = 100, domain: Any = None) -> tuple[ndarray, ndarray]:
        """So many points of the domain, at equal distances, and the values there."""
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
        symbol : str

        Returns
        -------
        The series, and with `full` the list of how it was found.
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
        """The series whose roots these are."""
        made: Self = super().fromroots(on_host(roots), on_host(domain), on_host(window), symbol)
        return made
