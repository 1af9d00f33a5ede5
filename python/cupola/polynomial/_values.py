"""Series at points: values, matrices of the basis, least squares."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.polynomial import _fitting
from cupola.polynomial._coefficients import (
    coefficient_array,
    device_of,
    is_number,
    on_host,
    place,
    points,
    rows,
    stacked,
)
from cupola.polynomial._named import Named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cupola._typing import ArrayLike


class Values(Named):
    """Functions of points, which are arrays of ours, numbers or lists of them."""

    def val(self, x: Any, c: ArrayLike, tensor: bool = True) -> ndarray:
        """The values of series at points.

        Parameters
        ----------
        x : array_like
        c : array_like
            Coefficients along the first dimension; the others count series.
        tensor : bool
            Each series at each point; False: `x` and the other dimensions of `c` broadcast.

        Returns
        -------
        ndarray
            Of shape ``c.shape[1:] + x.shape``, or the one of the broadcast; computed where it is
            used, in one kernel.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyval(cp.asarray([0, 1, 2]), [1, 2, 3]).tolist()
        [1.0, 6.0, 17.0]
        """
        value = self._numpy("*val")
        is_series = not isinstance(c, ndarray) and np.ndim(host := on_host(c)) < 2
        where = place(x, device_of(c))
        if is_series and not is_number(x) and np.asarray(host).dtype.kind in "biufc":
            result: ndarray = value(where, host)
            return result
        is_array = isinstance(x, ndarray | list | tuple)  # as numpy.polynomial tells
        more = where.ndim if is_array and tensor else 0
        return value(where, rows(coefficient_array(c, device_of(x, c)), more))

    def _nested(self, c: Any, *axes: Any) -> ndarray:
        """The values at points whose coordinates are of one shape."""
        places = [points(x, device_of(*axes, c)) for x in axes]
        if any(each.shape != places[0].shape for each in places):
            names = {2: "x, y", 3: "x, y, z"}.get(len(places), "ordinates")
            raise ValueError(f"{names} are incompatible")
        result = self.val(places[0], coefficient_array(c, places[0].device))
        for each in places[1:]:
            result = self.val(each, result, tensor=False)
        return result

    def val2d(self, x: Any, y: Any, c: ArrayLike) -> ndarray:
        """The values of series of products of two bases at points (x, y).

        Parameters
        ----------
        x, y : array_like
            Of one shape.
        c : array_like
            Coefficients along the first two dimensions; the others count series.

        Returns
        -------
        ndarray
            Of shape ``c.shape[2:] + x.shape``.

        Raises
        ------
        ValueError
            For `x` and `y` of different shapes.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyval2d(cp.asarray([1, 2]), cp.asarray([3, 4]), [[0, 1], [2, 0]]).tolist()
        [5.0, 8.0]
        """
        return self._nested(c, x, y)

    def val3d(self, x: Any, y: Any, z: Any, c: ArrayLike) -> ndarray:
        """The values of series in three variables at points (x, y, z).

        Parameters
        ----------
        x, y, z : array_like
            Of one shape.
        c : array_like
            Coefficients of the products of three functions of the basis in the first three
            dimensions; more dimensions are series of their own.

        Returns
        -------
        ndarray
            Of shape ``c.shape[3:] + x.shape``.

        Raises
        ------
        ValueError
            For coordinates of different shapes.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> c = cp.ones((2, 2, 2))  # (1 + x) (1 + y) (1 + z)
        >>> polynomial.polyval3d([0, 1], [2, 2], [3, 3], c).tolist()
        [12.0, 24.0]
        """
        return self._nested(c, x, y, z)

    def valnd(self, pts: Sequence[Any], c: ArrayLike) -> ndarray:
        """The values of series in several variables at points.

        Parameters
        ----------
        pts : sequence of array_like
            The coordinates, of one shape.
        c : array_like
            Coefficients of the products of functions of the basis in as many dimensions as `pts`
            has coordinates; more dimensions are series of their own.

        Returns
        -------
        ndarray
            Of shape ``c.shape[len(pts):] + pts[0].shape``.

        Raises
        ------
        ValueError
            For coordinates of different shapes.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyvalnd([[0, 1], [2, 2]], cp.ones((2, 2))).tolist()
        [3.0, 6.0]
        """
        return self._nested(c, *pts)

    def _gridded(self, c: Any, *axes: Any) -> ndarray:
        device = device_of(*axes, c)
        places = [place(x, device) for x in axes]
        result = coefficient_array(c, device)
        for each in places:
            result = self.val(each, result)
        return result

    def grid2d(self, x: Any, y: Any, c: ArrayLike) -> ndarray:
        """The values of series of products of two bases at all pairs of `x` and `y`.

        Parameters
        ----------
        x, y : array_like
        c : array_like
            Coefficients along the first two dimensions; the others count series.

        Returns
        -------
        ndarray
            Of shape ``c.shape[2:] + x.shape + y.shape``.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polygrid2d(cp.asarray([1, 2]), cp.asarray([3]), [[0, 1], [2, 0]]).tolist()
        [[5.0], [7.0]]
        """
        return self._gridded(c, x, y)

    def grid3d(self, x: Any, y: Any, z: Any, c: ArrayLike) -> ndarray:
        """The values of series in three variables at all points of a grid.

        Parameters
        ----------
        x, y, z : array_like
            The coordinates of the grid along each of its axes.
        c : array_like
            Coefficients of the products of three functions of the basis in the first three
            dimensions; more dimensions are series of their own.

        Returns
        -------
        ndarray
            Of shape ``c.shape[3:] + x.shape + y.shape + z.shape``.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> c = cp.ones((2, 2, 2))  # (1 + x) (1 + y) (1 + z)
        >>> polynomial.polygrid3d([0, 1], [2], [3], c).tolist()
        [[[12.0]], [[24.0]]]
        """
        return self._gridded(c, x, y, z)

    # ---- matrices of the values of the basis

    def vander(self, x: Any, deg: Any) -> ndarray:
        """The values of the first functions of the basis at points.

        Parameters
        ----------
        x : array_like
        deg : int
            The highest degree.

        Returns
        -------
        ndarray
            Of shape ``x.shape + (deg + 1,)``.

        Raises
        ------
        ValueError
            For ``deg < 0``.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import chebyshev
        >>> chebyshev.chebvander(cp.asarray([0.0, 0.5]), 2).tolist()
        [[1.0, 0.0, -1.0], [1.0, 0.5, -0.5]]
        """
        where = points(x)
        where = (where if where.ndim else _core.reshape(where, (1,))) + 0.0
        one = np.empty(1, object)
        one[0] = where
        (columns,) = self._numpy("*vander")(one, on_host(deg))
        return _core.moveaxis(stacked(columns, where), 0, -1)

    def _products(self, deg: Any, *axes: Any) -> ndarray:
        degrees = on_host(deg)
        if len(degrees) != len(axes):
            raise ValueError(f"Expected {len(axes)} dimensions of degrees, got {len(degrees)}")
        device = device_of(*axes)
        places = _core.stack([points(x, device) for x in axes], 0) + 0.0
        result: Any = None
        for i, degree in enumerate(degrees):
            matrix = self.vander(places[i], operator.index(degree))
            if result is None:
                result = matrix
            else:
                product = result[..., None] * matrix[..., None, :]
                result = _core.reshape(product, (*result.shape[:-1], -1))
        return result

    def vander2d(self, x: Any, y: Any, deg: Any) -> ndarray:
        """The products of the first functions of the basis at points (x, y).

        Parameters
        ----------
        x, y : array_like
            Of one shape.
        deg : sequence of int
            The highest degrees of the two.

        Returns
        -------
        ndarray
            Of shape ``x.shape + ((deg[0] + 1) * (deg[1] + 1),)``.

        Raises
        ------
        ValueError
            For coordinates of different shapes, and degrees that are no two numbers of at least 0.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> polynomial.polyvander2d(cp.asarray([2]), cp.asarray([3]), [1, 1]).tolist()
        [[1.0, 3.0, 2.0, 6.0]]
        """
        return self._products(deg, x, y)

    def vander3d(self, x: Any, y: Any, z: Any, deg: Any) -> ndarray:
        """The products of the first functions of the basis at points (x, y, z).

        Parameters
        ----------
        x, y, z : array_like
            Of one shape.
        deg : sequence of int
            The highest degrees of the three.

        Returns
        -------
        ndarray
            Of shape ``x.shape + ((deg[0] + 1) * (deg[1] + 1) * (deg[2] + 1),)``.

        Raises
        ------
        ValueError
            For coordinates of different shapes, and degrees that are no three numbers of at least
            0.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> x, y, z = (cp.asarray([number]) for number in (2, 3, 5))
        >>> polynomial.polyvander3d(x, y, z, [1, 0, 1]).tolist()
        [[1.0, 5.0, 2.0, 10.0]]
        """
        return self._products(deg, x, y, z)

    def fit(
        self,
        x: ArrayLike,
        y: ArrayLike,
        deg: Any,
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
    ) -> Any:
        """The series that comes closest to values at points: of least squares.

        Parameters
        ----------
        x : (m,) array_like
        y : (m,) or (m, k) array_like
            Values of one or k functions.
        deg : int or sequence of int
            The highest degree, or all that the series has.
        rcond : float, optional
            Singular values up to so much of the largest one count as 0. Default: m times the
            precision.
        full : bool
            Also return ``[residuals, rank, singular values, rcond]``.
        w : (m,) array_like, optional
            Factors of the differences before they are squared.

        Returns
        -------
        ndarray
            Of shape (deg + 1,) or (deg + 1, k).

        Raises
        ------
        TypeError, ValueError
            For shapes and degrees that do not fit.

        Warns
        -----
        RankWarning
            Where the points do not determine the series, without `full`.

        Examples
        --------
        >>> import cupola as cp
        >>> from cupola.polynomial import polynomial
        >>> x = cp.arange(5.0)
        >>> polynomial.polyfit(x, 1 + 2 * x, 1).round(6).tolist()
        [1.0, 2.0]
        """
        return _fitting.fit(self.vander, x, y, deg, rcond, full, w)
