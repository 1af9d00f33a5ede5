"""Numbers and texts that random calls beside NumPy found to be taken otherwise, each cause once."""

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree

inf, nan = float("inf"), float("nan")


def put(xp: Any, value: Any, shape: tuple[int, ...], dtype: str) -> Any:
    a = xp.zeros(shape, dtype)
    xp.put_along_axis(a, xp.asarray(np.zeros(shape, "i8")), value, -1)
    return a


CALLS: dict[str, Callable[[Any], Any]] = {
    f"{name}({values!r}, {options})": lambda xp, c=(name, values, options): getattr(xp, c[0])(
        c[1], **c[2]
    )
    for name in ("nanmin", "nanmax")
    for values, options in (
        ((), {"initial": 1.0}),
        ((), {"initial": 1, "keepdims": True}),
        (nan, {"initial": -1}),
        ([nan, nan], {"initial": 3.0}),
        ([[nan, nan], [1, nan]], {"axis": 1, "initial": -1}),
        ([[nan, nan], [1, nan]], {"axis": 0, "initial": 9.0, "keepdims": True}),
        ([1.0, 2.0], {"initial": 0, "where": [False, False]}),
        ([1, 2], {"initial": 0}),
    )
}
CALLS |= {
    f"{name} from {initial} in {dtype}": lambda xp, c=(name, initial, dtype): getattr(xp, c[0])(
        xp.asarray(np.array([0, 3])), initial=c[1], out=xp.asarray(np.array(7, c[2]))
    )
    for name in ("min", "max", "nanmin", "sum")
    for initial, dtype in ((-4, "u4"), (300, "u1"), (2.75, "f2"), (-1, "i1"))
}
CALLS |= {
    f"{base!r} {dtype} to the power {exponent!r}": lambda xp, c=(base, dtype, exponent): xp.power(
        xp.asarray(np.array(c[0], c[1])),
        xp.asarray(c[2]) if isinstance(c[2], np.ndarray) else c[2],
    )
    for base in ([-inf, inf, 4.0], [-inf], -inf)
    for dtype in ("f4", "f8", "f2")
    for exponent in (np.array(0.5), np.array([0.5], "f4"), np.array([0.5] * 3), 0.5, np.array(2.0))
    if dtype != "f2" or not isinstance(exponent, float)
}
CALLS |= {
    f"multinomial of {shares!r}, {trials}": lambda xp, c=(trials, shares): xp.random.RandomState(
        3
    ).multinomial(c[0], xp.asarray(np.array([], c[1])))
    for trials, shares in ((2, "c16"), (2, "f8"), (-1, "f8"), (2, "i4"))
}
CALLS |= {
    f"a diagonal at {k}": lambda xp, k=k: xp.eye(2, 3, k=k) for k in (inf, 3.0, 2.5, -inf, nan, 7)
}
CALLS |= {
    f"{value!r} put in {shape} of {dtype}": lambda xp, c=(value, shape, dtype): put(xp, *c)
    for value in (1 + 0.5j, None, [1j, 2], 2**70, [1, 2, 3], 1.5, [])
    for shape in ((1, 2), (0, 2))
    for dtype in ("f8", "i4", "c16")
}
CALLS |= {
    f"gradient of {values!r}, edge order {order}": lambda xp, c=(values, order): xp.gradient(
        xp.asarray(c[0]), edge_order=c[1]
    )
    for values in ([5.0, 0.0], [5.0], [1.0, 4.0, 2.0])
    for order in (0, -1, 1, 2)
}
CALLS |= {
    "a product with a vector in place": lambda xp: operator.imatmul(
        xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0])
    ),
    "a matrix times a vector in place": lambda xp: operator.imatmul(
        xp.asarray([[1.0, 2.0]]), xp.asarray([3.0, 4.0])
    ),
    "a reduction of nothing that leaves out": lambda xp: xp.arctan2.reduce(
        [], initial=3.0, where=False
    ),
    "the operands of a path": lambda xp: xp.einsum_path("x", xp.asarray([3, 4]), einsum_call=True)[
        0
    ][0],
    "an array as the norm of a transform": lambda xp: xp.fft.ifftn(
        xp.asarray([1.0, 2.0]), norm=[0.5, nan]
    ),
    "requirements beside like=": lambda xp: xp.require([1], requirements="I", like=5),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    agree(CALLS[name])


@pytest.mark.parametrize("number", [np.float64(7.25), np.int8(-1), np.bool_(True)], ids=repr)
def test_scalars_are_shown_as_such(number: Any) -> None:
    assert cp.array_repr(number) == np.array_repr(number)


@pytest.mark.parametrize("values", [(), nan, [nan, nan]], ids=str)
def test_missing_extremes_are_told(values: Any) -> None:
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        assert np.isnan(float(cp.nanmax(values, initial=2.0)))


INDICES = [1.0, 1.5, -1.5, np.float64(2), [1.0, 3], [[1.0, 2], [3, 0]], True, False, 1j, "1"]
INDICES += [nan, inf, 9.0, (1.0,), (), (1, 2), [True], None, (None,), "x", [None], dict, {}]
INDICES += [(Ellipsis,), [], np.True_, [1, 2], ([1, 2],), Ellipsis, slice(1, 3), b"1", np.int8(2)]
ARRAYS = {"a number": 1.0, "numbers": [1.0], "a flag": True, "flags": [True, False] * 3}


def outcome(call: Callable[[], Any]) -> Any:
    """What it gives and the warnings, or the type of its error."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            value = np.asarray(call()).tolist()
        except Exception as error:
            return next(t for t in (IndexError, TypeError) if isinstance(error, t))
    places = {w.filename for w in told if w.category is DeprecationWarning}
    return value, [warning.category for warning in told], places


def flat_item(a: Any, key: Any) -> Any:
    return a.flat[key]


def flat_changed(a: Any, key: Any) -> Any:
    a.flat[key] = 9
    return a


@pytest.mark.cupola_only
@pytest.mark.parametrize("use", [flat_item, flat_changed])
@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_indices_of_flat(use: Callable[[Any, Any], Any], index: Any) -> None:
    numbers = np.arange(6.0).reshape(2, 3)
    own = outcome(lambda: cp.asnumpy(use(from_numpy(numbers), index)))
    assert own == outcome(lambda: use(numbers.copy(), index))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_as_indices_of_flat(name: str) -> None:
    numbers, index = np.arange(6.0), np.array(ARRAYS[name])
    own = outcome(lambda: to_numpy(from_numpy(numbers).flat[from_numpy(index)]))
    assert own == outcome(lambda: numbers.flat[index])


@pytest.mark.cupola_only
def test_no_shares_are_counted_where_they_are() -> None:
    last = cp.Device(cp.cuda.runtime.getDeviceCount() - 1)
    with cp.Device(0):
        found = cp.random.RandomState(3).multinomial(2, [], size=(2,), device=last)
        beside = cp.random.RandomState(3).multinomial(2, cp.asarray([], device=last))
    assert (found.shape, found.dtype, found.device) == ((2, 0), np.int64, last)
    assert beside.device == last


LONE = "a\udc80"
TEXTS: dict[str, Callable[[], Any]] = {
    "ElementwiseKernel": lambda: cp.ElementwiseKernel("T x", "T y", "y = x", LONE),
    "ElementwiseKernel's body": lambda: cp.ElementwiseKernel("T x", "T y", LONE),
    "ElementwiseKernel's preamble": lambda: cp.ElementwiseKernel(
        "T x", "T y", "y = x", preamble=LONE
    ),
    "ReductionKernel": lambda: cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", LONE),
    "RawKernel": lambda: cp.RawKernel("", LONE),
    "RawKernel's code": lambda: cp.RawKernel(LONE, "f"),
    "RawKernel's backend": lambda: cp.RawKernel("", "f", backend=LONE),
    "RawModule's backend": lambda: cp.RawModule(code="", backend=LONE),
    "get_function": lambda: cp.RawModule(code=" ").get_function(LONE),
    "get_global": lambda: cp.RawModule(code=" ").get_global(LONE),
    "from_pci_bus_id": lambda: cp.Device.from_pci_bus_id(LONE),
    "advise": lambda: cp.ones(2).advise(LONE),
}


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", TEXTS)
def test_lone_surrogates_are_told(name: str) -> None:
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        TEXTS[name]()


@pytest.mark.parametrize("shape", [(2,), (2, 3)], ids=str)
@pytest.mark.parametrize("name", ["chebyshev.chebval", "legendre.legval", "hermite_e.hermeval"])
def test_a_range_of_points_is_no_array(name: str, shape: tuple[int, ...]) -> None:
    """numpy.polynomial evaluates each series at its point then, and not each at all of them."""
    module, function = name.split(".")
    coefficients = np.arange(6.0)[: int(np.prod(shape))].reshape(shape)

    def at_range(xp: Any) -> Any:
        value = getattr(getattr(xp.polynomial, module), function)
        return value(range(3), xp.asarray(coefficients))

    agree(at_range)
