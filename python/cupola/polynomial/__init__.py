"""Series of polynomials under NumPy's names: six classes, and a module of functions for each."""

from numpy.polynomial import set_default_printstyle as set_default_printstyle

from cupola.polynomial import chebyshev as chebyshev
from cupola.polynomial import hermite as hermite
from cupola.polynomial import hermite_e as hermite_e
from cupola.polynomial import laguerre as laguerre
from cupola.polynomial import legendre as legendre
from cupola.polynomial import polynomial as polynomial
from cupola.polynomial import polyutils as polyutils
from cupola.polynomial.chebyshev import Chebyshev as Chebyshev
from cupola.polynomial.hermite import Hermite as Hermite
from cupola.polynomial.hermite_e import HermiteE as HermiteE
from cupola.polynomial.laguerre import Laguerre as Laguerre
from cupola.polynomial.legendre import Legendre as Legendre
from cupola.polynomial.polynomial import Polynomial as Polynomial
