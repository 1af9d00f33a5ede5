"""Public functions whose modules are loaded when one of them is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

NAMES_OF = {
    "_files.npy": "load save savez savez_compressed",
    "_files.raw": "fromfile fromstring",
    "_files.text": "genfromtxt loadtxt savetxt",
    "_functions.creation.checked": "asarray_chkfinite require",
    "_functions.error_state": (
        "errstate getbufsize geterr geterrcall setbufsize seterr seterrcall"
    ),
    "_functions.information": "einsum_path info show_runtime",
    "polynomial._poly1d": (
        "poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots"
    ),
    "_functions.type_tables": "ScalarType sctypeDict typecodes",
    "_array.nditer": "nditer",
    "_functions.mathematics.bits": "packbits unpackbits",
    "_functions.creation.blocks": "block",
    "_functions.callbacks": "apply_along_axis apply_over_axes piecewise",
    "_functions.creation.concatenators": "c_ index_exp r_ s_",
    "_functions.mathematics.convolution": "convolve correlate",
    "_functions.statistics.covariance": "corrcoef cov",
    "_functions.mathematics.differences": "gradient trapezoid unwrap",
    "_functions.statistics.bin_edges": "histogram_bin_edges",
    "_functions.statistics.histograms": "histogram histogram2d histogramdd",
    "_functions.statistics.nan_quantiles": "nanmedian nanpercentile nanquantile",
    "_functions.mathematics.interpolation": "interp",
    "_functions.indexing.iteration": (
        "base_repr binary_repr broadcast format_float_positional format_float_scientific "
        "get_printoptions iterable mintypecode ndenumerate ndindex printoptions "
        "set_printoptions typename"
    ),
    "_functions.sorting.set_operations": "intersect1d isin setdiff1d setxor1d union1d",
    "_cupy.aliases": "install_as",
    "_cupy.memo": "clear_memo memoize",
    "_cupy.old_names": (
        "AxisError ComplexWarning DataSource Inf Infinity ModuleDeprecationWarning NAN NINF NZERO "
        "NaN PINF PZERO RankWarning TooHardError VisibleDeprecationWarning alltrue asfarray "
        "byte_bounds cfloat complex_ cumproduct float_ fromDlpack in1d infty is_available msort "
        "product round_ singlecomplex sometrue toDlpack trapz who"
    ),
    "_cupy.old_types": (
        "disable_experimental_feature_warning disp find_common_type format_parser issctype "
        "issubclass_ issubsctype obj2sctype safe_eval sctype2char"
    ),
    "_functions.creation.windows": "bartlett blackman hamming hanning i0 kaiser",
}
"""What each module's `__all__` says, in one string."""

MODULE_OF = {name: module for module, names in NAMES_OF.items() for name in names.split()}


WHEN_LOADED: dict[str, Callable[[Any], Any]] = {}
"""What is made of a value of `MODULE_OF` when it is loaded."""

MODULES = {
    "array_api": "array_api",
    "cupyx": "cupyx",
    "emath": "_functions.mathematics.scimath",
    "lib": "lib",
    "multiprocessing": "multiprocessing",
    "polynomial": "polynomial",
    "prof": "prof",
    "testing": "testing",
    "typing": "typing",
}


def load(name: str) -> Any:
    """A module of `MODULES`, or the value of a name of `MODULE_OF`; AttributeError for others."""
    if name in MODULES:
        return import_module(f"cupola.{MODULES[name]}")
    if name not in MODULE_OF:
        from cupola._array.habits import OF_PACKAGE
        from cupola._functions.not_planned import absence

        text = absence("numpy", name)
        if ": " not in text:  # no row for NumPy's name
            from cupola._cupy import differences

            text = differences.absence("cupy", name)
            if name in OF_PACKAGE and ": " not in text:
                text = f"cupola has no {name} as PyTorch has: {OF_PACKAGE[name]}"
        # By `obj`, a traceback names the nearest name that is there.
        raise AttributeError(text, name=name, obj=sys.modules["cupola"])
    value = getattr(import_module(f"cupola.{MODULE_OF[name]}"), name)
    return WHEN_LOADED[name](value) if name in WHEN_LOADED else value
