"""NumPy's names that the package does not have on purpose: why not, and what to do instead.

The error of `cupola.name`, that of NumPy's function called with an array of ours, and
docs/coverage.md come from this table. A name that stands in no row and is not there is missing.
"""

from __future__ import annotations

_OBJECTS = "arrays hold numbers in the memory of a device, not Python objects"
_TEXT = "arrays hold numbers, not text"
_TIMES = "arrays hold numbers, not dates and times"
_RECORDS = "the elements of an array are numbers, without fields"
_MATRICES = "NumPy advises against its matrix class"
_LONG = "devices have no floating numbers of more than 64 bits"
_NUMPYS = "it is about NumPy's own build"

_USE_NUMPY = "keep such data in NumPy arrays"
_USE_INTEGERS = "keep them as int64 numbers: a.view('int64') of a NumPy array gives them"
_USE_COLUMNS = "use an array for each field, or one more dimension"
_USE_ARRAYS = "use arrays of two dimensions, and @ for products"
_USE_DOUBLE = "use float64 or complex128"

_ROWS = (
    ("numpy", _OBJECTS, _USE_NUMPY, "object_"),
    ("numpy", _TEXT, _USE_NUMPY, "str_ bytes_ character char strings"),
    ("numpy", _TIMES, _USE_INTEGERS, "datetime64 timedelta64 isnat datetime_as_string"),
    ("numpy", _TIMES, _USE_INTEGERS, "datetime_data busday_count busday_offset busdaycalendar"),
    ("numpy", _TIMES, _USE_INTEGERS, "is_busday"),
    ("numpy", _RECORDS, _USE_COLUMNS, "void flexible rec recarray record"),
    ("numpy", _RECORDS, "use Python's re, and cupola.asarray of what it finds", "fromregex"),
    ("numpy", _MATRICES, _USE_ARRAYS, "matrix asmatrix"),
    ("numpy", _MATRICES, "use cupola.block, and arrays of two dimensions", "bmat"),
    ("numpy", _LONG, _USE_DOUBLE, "longdouble clongdouble float96 float128 complex192 complex256"),
    (
        "numpy",
        "Python code is not called for each element",
        "use cupola.vectorize, which compiles the function, or universal functions",
        "frompyfunc",
    ),
    (
        "numpy",
        "masked arrays are a library of their own",
        "use NaN and the nan functions, `where=`, or a boolean array beside the values",
        "ma",
    ),
    (
        "numpy",
        "an array's memory is that of a device, not a file",
        "use cupola.asarray(numpy.memmap(...)), which copies it in pieces",
        "memmap",
    ),
    (
        "numpy",
        "nested loops over single elements wait for the device at each",
        "use cupola.nditer or cupola.ndindex over the outer axes, and whole arrays within",
        "nested_iters",
    ),
    ("numpy", _NUMPYS, "run the tests of the source tree", "test"),
    ("numpy", _NUMPYS, "C++ programs include cupola/cupola.h", "get_include"),
    ("numpy", "it is NumPy's private part", "use the public names", "core"),
    ("numpy", "it makes modules of Fortran sources", "use numpy.f2py", "f2py"),
    (
        "numpy",
        "it makes NumPy arrays of C pointers",
        "use ndarray.ctypes, or cupola.from_dlpack",
        "ctypeslib",
    ),
)
"""NumPy's module, the reason, the advice, and names."""

_REASONS = {
    (module, name): f"{reason}; {advice}"
    for module, reason, advice, names in _ROWS
    for name in names.split()
}

_OVERLAP = "a view whose elements share memory is read-only"
_NUMBERS = "the names of one generator, Philox 4x32: other numbers than NumPy's"
_EIGENVALUES = "eigenvalues are complex whatever they are, as in the standard"

DIFFERENT = {
    "numpy.clip": "one bound may be left out, as in the standard",
    "numpy.finfo": "the limits are Python floats, as in the standard",
    "numpy.iinfo": "NumPy's, for the integer dtypes that arrays have",
    "numpy.sctypeDict": "the types that arrays hold",
    "numpy.typecodes": "the codes of dtypes that arrays have",
    "numpy.ScalarType": "the types that arrays hold, and Python's numbers",
    "numpy.ndarray": "made by position as CuPy's: shape, dtype, memptr, strides, order",
    "numpy.vectorize": "the function is compiled; with `signature=` it is called for each slice",
    "numpy.nditer": "elements are arrays without dimensions on their device",
    "numpy.flatiter": "elements are arrays without dimensions on their device",
    "numpy.frombuffer": "the bytes are copied to the device",
    "numpy.linalg.eig": _EIGENVALUES,
    "numpy.linalg.eigvals": _EIGENVALUES,
    "numpy.lib.stride_tricks.as_strided": _OVERLAP,
    "numpy.lib.stride_tricks.sliding_window_view": _OVERLAP,
    "numpy.random.MT19937": _NUMBERS,
    "numpy.random.PCG64": _NUMBERS,
    "numpy.random.PCG64DXSM": _NUMBERS,
    "numpy.random.Philox": _NUMBERS,
    "numpy.random.SFC64": _NUMBERS,
    "numpy.ndarray.dtype": "not assigned: `view` gives other dtypes",
    "numpy.ndarray.strides": "not assigned: lib.stride_tricks.as_strided gives other strides",
    "numpy.ndarray.item": "a Python number, read from the device",
    "numpy.ndarray.data": "a pointer to the memory of the device, as CuPy's",
    "numpy.ndarray.ctypes": "only of arrays in host memory",
    "standard.floor_divide": "infinities give NaN, or -1 for a quotient below zero, as Python's",
    "standard.expm1": "of complex infinities NumPy's answers: NaN in more places",
    "standard.sign": "of a complex number with an infinite part and NaN, NumPy's answer",
}
"""What is there, and differs on purpose."""


def reason_for(module: str, name: str) -> str | None:
    """Why there is no `name` of NumPy's `module`, and what to do; None without a row."""
    return _REASONS.get((module, name))


def names_without(module: str) -> list[str]:
    """NumPy's names of a module that are left out on purpose."""
    return sorted(name for place, name in _REASONS if place == module)


def absence(module: str, name: str) -> str:
    """The text of the AttributeError of `cupola`'s counterpart of a module of NumPy."""
    own = module.replace("numpy", "cupola", 1)
    text = f"module {own!r} has no attribute {name!r}"
    reason = reason_for(module, name)
    return f"{text}: {reason}" if reason else text
