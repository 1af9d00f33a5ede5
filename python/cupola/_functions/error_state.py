"""NumPy's handling of floating-point errors, and what it means here.

These are NumPy's own functions and its state, which belongs to the context of a thread. Kernels of
a device raise no flags and do not stop: a division by zero, an overflow, an underflow or an invalid
operation gives the infinity, zero or NaN of IEEE 754, without a warning, whatever the state says.
The state governs what NumPy computes on the host, as the coefficients of polynomials. To find such
values in an array, ask `isfinite`, or `asarray_chkfinite`, which raises where there are any.

The size of NumPy's buffers has no effect on arrays on devices either.
"""

from numpy import errstate as errstate
from numpy import getbufsize as getbufsize
from numpy import geterr as geterr
from numpy import geterrcall as geterrcall
from numpy import setbufsize as setbufsize
from numpy import seterr as seterr
from numpy import seterrcall as seterrcall

__all__ = ["errstate", "getbufsize", "geterr", "geterrcall", "setbufsize", "seterr", "seterrcall"]
