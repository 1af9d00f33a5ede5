"""`signature=` of products, and the attributes that NumPy's universal functions tell them by."""

import copy
import inspect
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import agree

NAMES = ["matmul", "vecdot", "matvec", "vecmat"]
OPERANDS = {
    "matmul": ((3, 4), (4, 2)),
    "vecdot": ((2, 4), (4,)),
    "matvec": ((3, 4), (4,)),
    "vecmat": ((4,), (4, 2)),
}
SIGNATURES = [
    "dd->d",
    "ff->f",
    "DD->D",
    np.dtype("f8"),
    (None, None, np.dtype("f4")),
    ("f8", None, None),
]


def operands(name: str, dtype: str) -> list[np.ndarray]:
    return [np.arange(np.prod(shape)).reshape(shape).astype(dtype) for shape in OPERANDS[name]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_loop(name: str, signature: Any) -> None:
    for dtype, casting in itertools.product(["i2", "f4", "f8"], ["same_kind", "unsafe"]):
        agree(
            lambda xp, a, b, casting=casting: getattr(xp, name)(
                a, b, signature=signature, casting=casting
            ),
            *operands(name, dtype),
        )


@pytest.mark.parametrize("name", NAMES)
def test_bad_signatures(name: str) -> None:
    a, b = operands(name, "f8")
    for signature in ("d->d", "bb->b", "dd->f", "nonsense", ("f8", "f8"), 5):
        agree(lambda xp, x, y, s=signature: getattr(xp, name)(x, y, signature=s), a, b)
    agree(lambda xp, x, y: getattr(xp, name)(x, y, signature="dd->d", dtype="f8"), a, b)


@pytest.mark.parametrize("name", NAMES)
def test_orders_are_looked_at_with_an_output_too(name: str) -> None:
    a, b = operands(name, "f8")
    shape = getattr(np, name)(a, b).shape
    for order in ("C", "c", "A", None, "X", "CF", "", 5):
        for has_output in (False, True):

            def run(xp: Any, x: Any, y: Any, case: Any = (order, has_output)) -> Any:
                out = xp.zeros(shape) if case[1] else None
                return getattr(xp, name)(x, y, order=case[0], out=out)

            agree(run, a, b)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("order", ["K", "F"])
def test_an_ellipsis_as_output_asks_for_an_array(name: str, order: str) -> None:
    a, b = operands(name, "f8")
    agree(lambda xp, x, y: getattr(xp, name)(x, y, out=..., order=order), a, b)
    agree(lambda xp, x, y: getattr(xp, name)(x, y, out=(...,)), a, b)
    agree(lambda xp, x, y: getattr(xp, name)(x[0], y, out=...), a, b)


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", NAMES)
def test_attributes(name: str) -> None:
    own, model = getattr(cp, name), getattr(np, name)
    for attribute in ("nin", "nout", "nargs", "identity", "signature", "__name__"):
        assert getattr(own, attribute) == getattr(model, attribute)
    assert isinstance(own, cp.ufunc)
    assert repr(own) == repr(model)
    assert own.ntypes == len(own.types)
    assert own.types == [text for text in model.types if not set("gGO") & set(text)]


@pytest.mark.parametrize("name", NAMES)
def test_methods_of_elementwise_functions_are_refused(name: str) -> None:
    a = np.ones((2, 2))
    agree(lambda xp, x: getattr(xp, name).reduce(x), a)
    agree(lambda xp, x: getattr(xp, name).accumulate(x), a)
    agree(lambda xp, x: getattr(xp, name).reduceat(x, [0]), a)
    agree(lambda xp, x: getattr(xp, name).outer(x, x), a)
    agree(lambda xp, x: getattr(xp, name).at(x, [0], x), a)
    agree(lambda xp: getattr(xp, name).resolve_dtypes((np.dtype("f4"), np.dtype("i8"), None)))
    agree(lambda xp: getattr(xp, name).resolve_dtypes((np.dtype("f4"), None)))


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", NAMES)
def test_products_as_objects(name: str) -> None:
    own = getattr(cp, name)
    assert pickle.loads(pickle.dumps(own)) is own
    assert copy.copy(own) is own
    assert {own: 1}[own] == 1
    assert list(inspect.signature(own).parameters)[:3] == ["x1", "x2", "out"]
    assert "Parameters" in own.__doc__
    with pytest.raises(AttributeError):
        _ = own.nothing


@pytest.mark.cupola_only
@pytest.mark.parametrize("name", NAMES)
def test_other_classes_get_all_options(name: str) -> None:
    class Foreign:
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
            return ufunc.__name__, options

    options = {"casting": "unsafe", "order": "F", "signature": "dd->d"}
    assert getattr(cp, name)(cp.ones((2, 2)), Foreign(), **options) == (name, options)
    assert getattr(cp, name)(cp.ones((2, 2)), Foreign()) == (name, {})


@pytest.mark.cupola_only
def test_bfloat16() -> None:
    """It has a NumPy dtype where ml_dtypes is installed."""
    matrix = cp.ones((2, 2), "bfloat16")
    if isinstance(matrix.dtype, np.dtype):
        assert cp.matmul(matrix, matrix, signature="ff->f").dtype == np.float32
    else:
        with pytest.raises(TypeError, match="use dtype="):
            cp.matmul(matrix, matrix, signature="ff->f")
