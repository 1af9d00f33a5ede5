"""`cupy._core._gufuncs`: the class of generalized universal functions."""

from __future__ import annotations

import cupola

_GUFunc = cupola.cupyx.GeneralizedUFunc
