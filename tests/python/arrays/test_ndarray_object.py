"""The class `ndarray` as an object: names, texts, numbers, properties, signatures."""

import ast
import copy
import inspect
import json
import operator
import pickle
import re
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy

pytestmark = pytest.mark.cupola_only


def test_names_of_the_classes() -> None:
    assert cp.ndarray.__module__ == "cupola"
    assert cp.ndarray.__name__ == "ndarray"
    assert repr(cp.add) == "<ufunc 'add'>"
    assert isinstance(cp.add, cp.ufunc)
    assert cp.newaxis is None


@pytest.mark.parametrize(
    "host",
    [
        np.arange(3),
        np.array(2.5),
        np.zeros((0, 3)),
        np.arange(6.0).reshape(2, 3),
        np.arange(2000),
        np.array([1 + 2j]),
        np.array([True, False]),
        np.arange(4, dtype=np.float16),
    ],
)
def test_texts_are_numpys(host: np.ndarray) -> None:
    a = from_numpy(host)
    assert repr(a) == repr(host)
    assert str(a) == str(host)
    assert f"{a}" == f"{host}"


def test_format_of_a_number() -> None:
    assert f"{cp.array(2.5):.3f}" == "2.500"
    with pytest.raises(TypeError):
        f"{cp.arange(3):.3f}"


def test_python_numbers() -> None:
    assert int(cp.array(3.9)) == 3
    assert float(cp.array(2.5)) == 2.5
    assert complex(cp.array(1 + 2j)) == 1 + 2j
    assert [10, 20, 30][cp.array(1)] == 20
    assert bool(cp.array([0.0])) is False
    with pytest.raises(TypeError, match="only 0-dimensional arrays"):
        int(cp.arange(2))
    with pytest.raises(TypeError, match="only 0-dimensional arrays"):
        float(cp.array([[2.5]]))
    with pytest.raises(TypeError, match="only integer scalar arrays"):
        [1, 2][cp.array(1.0)]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(cp.arange(2))
    with pytest.raises(ValueError, match="empty array"):
        bool(cp.empty(0))


def test_container_protocol() -> None:
    a = cp.arange(6).reshape(2, 3)
    assert len(a) == 2
    assert [row.tolist() for row in a] == [[0, 1, 2], [3, 4, 5]]
    assert 4 in a
    assert 9 not in a
    with pytest.raises(TypeError, match="len"):
        len(cp.array(1))
    with pytest.raises(TypeError, match="iteration"):
        iter(cp.array(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


def test_operators_leave_foreign_objects_alone() -> None:
    class Foreign:
        def __radd__(self, other: object) -> str:
            return "radd"

    assert cp.arange(2) + Foreign() == "radd"
    assert (cp.arange(2) == None).tolist() == [False, False]  # noqa: E711
    assert (cp.arange(2) != "a").all()
    with pytest.raises(TypeError):
        cp.arange(2) + "text"
    with pytest.raises(TypeError):
        operator.lt(cp.arange(2), object())


def test_operators_in_place_return_the_same_object() -> None:
    a = cp.arange(4)
    same = a
    for operation in ("+=1", "-=1", "*=2", "//=2", "%=3", "**=2", "<<=1", ">>=1", "|=1", "&=3"):
        scope = {"a": a}
        exec(f"a {operation}", scope)
        assert scope["a"] is same
    with pytest.raises(TypeError, match="cast"):
        a += 1.5
    assert a.dtype == np.int64


def test_properties() -> None:
    a = cp.zeros((2, 3), cp.float32)
    assert (a.shape, a.ndim, a.size, a.nbytes, a.itemsize) == ((2, 3), 2, 6, 24, 4)
    assert a.strides == (12, 4)
    assert a.T.strides == (4, 12)
    assert a.dtype is np.dtype(np.float32)
    assert a.T.shape == a.mT.shape == (3, 2)
    assert a.data.ptr > 0
    assert a[:, 1].data.ptr == a.data.ptr + 4
    assert a.data.device_id == a.device.id
    a.shape = (3, 2)
    assert a.shape == (3, 2)
    with pytest.raises(ValueError, match="reshape"):
        a.shape = (5,)
    with pytest.raises(ValueError, match="ndim < 2"):
        cp.arange(3).mT  # noqa: B018


def test_base_is_the_owner_of_the_memory() -> None:
    a = cp.arange(6)
    assert a.base is None
    assert a[1:].base is a
    assert a[1:][::2].base is a
    assert a.reshape(2, 3).T.base is a
    assert (a + 1).base is None
    assert a[[0, 1]].base is None


def test_flags() -> None:
    a = cp.zeros((2, 3))
    assert a.flags.c_contiguous
    assert not a.flags["F_CONTIGUOUS"]
    assert a.flags.owndata
    assert not a.T.flags.owndata
    assert a.T.flags.fnc
    assert not cp.broadcast_to(a, (4, 2, 3)).flags.writeable
    with pytest.raises(KeyError):
        a.flags["Q"]
    for shape in ((2, 3), (6,)):
        assert repr(cp.ones(shape).flags) == repr(np.ones(shape).flags)


def test_real_and_imag_can_be_set() -> None:
    a = cp.zeros(3, cp.complex64)
    a.real = [1, 2, 3]
    a.imag = 5
    assert a.tolist() == [1 + 5j, 2 + 5j, 3 + 5j]
    with pytest.raises(TypeError, match="imaginary"):
        cp.arange(3).imag = 1


@pytest.mark.parametrize("dtype", ["?", "i4", "f8"])
def test_the_real_part_of_real_numbers_is_the_array(dtype: str) -> None:
    for a in (cp.ones((3, 2), dtype), cp.ones((), dtype), cp.ones(0, dtype)):
        assert a.real is a
        assert cp.real(a) is a
    assert cp.ones(3, "c8").real.base is not None


def test_flat() -> None:
    a = cp.arange(6).reshape(2, 3).T
    assert [x.item() for x in a.flat] == [0, 3, 1, 4, 2, 5]
    a.flat[1] = 30
    assert a[0, 1].item() == 30
    a.flat = 7
    assert a.tolist() == [[7, 7]] * 3
    assert len(a.flat) == 6


def test_weak_references() -> None:
    a = cp.arange(3)
    reference = weakref.ref(a)
    assert reference() is a
    del a
    assert reference() is None


def test_get_and_set() -> None:
    a = cp.zeros((2, 2))
    a.set(np.eye(2))
    np.testing.assert_array_equal(a.get(), np.eye(2))
    out = np.empty((2, 2))
    assert a.get(out=out) is out
    with pytest.raises(TypeError):
        a.set(np.eye(2, dtype=int))
    with pytest.raises(ValueError, match="shape"):
        a.set(np.eye(3))
    with pytest.raises(ValueError, match="shape"):
        a.get(out=np.empty(3))


def test_items() -> None:
    a = cp.arange(6).reshape(2, 3)
    assert (a.item(4), a.item(-1), a.item(1, 0), a.item((0, 2))) == (4, 5, 3, 2)
    with pytest.raises(ValueError, match="size 1"):
        a.item()
    with pytest.raises(IndexError):
        a.item(6)
    for position in ("a", 1.5, None):
        with pytest.raises(TypeError):
            a.item(position)
    assert isinstance(cp.array(True).item(), bool)
    assert a.tobytes() == np.arange(6).tobytes()


def test_round_of_python() -> None:
    """Of what NumPy has as scalars; other arrays have cupola.round alone."""
    for scalar in (np.float64(2.5), np.float32(2.567), np.int8(15), np.uint8(250)):
        array = cp.asarray(scalar)
        assert round(array) == round(scalar)
        assert type(round(array)) is int
        for digits in (1, -1, np.int8(2)):
            rounded = round(array, digits)
            assert rounded.dtype == scalar.dtype
            assert rounded.item() == round(scalar, digits).item()
    with pytest.raises(ValueError, match="NaN"):
        round(cp.asarray(np.nan))
    for array in (cp.ones(1), cp.asarray(True), cp.asarray(1j)):
        with pytest.raises(TypeError, match="__round__"):
            round(array)
    with pytest.raises(TypeError):
        round(cp.asarray(1.5), 0.5)


def test_casting_of_copies() -> None:
    a = cp.arange(3)
    for casting in ("", 0, False, "x"):
        with pytest.raises((TypeError, ValueError)):
            a.astype("f4", casting=casting)
    assert a.astype("f4", casting=None).dtype == np.float32  # as in CuPy


def test_bfloat16() -> None:
    a = cp.array([1.0, 2.5], dtype="bfloat16")
    assert a.dtype.name == "bfloat16"
    assert a.itemsize == 2
    assert (a + 1).dtype == a.dtype
    assert (a + cp.ones(2, cp.float32)).dtype == np.float32
    assert a.tolist() == [1.0, 2.5]
    assert a.astype(cp.float32).tolist() == [1.0, 2.5]
    assert cp.asarray(a.get()).dtype == a.dtype
    assert cp.zeros(1, cp.bfloat16).dtype == a.dtype
    assert cp.result_type(a, np.float16) == np.float32
    assert "2.5" in repr(a)


# ---- functions


PUBLIC = [name for name in dir(cp) if not name.startswith("_")]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_have_signatures_and_documentation(name: str) -> None:
    thing = getattr(cp, name)
    if not callable(thing) or isinstance(thing, type) or getattr(np, name, None) is thing:
        return
    assert thing.__doc__
    assert inspect.signature(thing).parameters is not None


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_are_numpys(name: str) -> None:
    """Positional parameters of NumPy's function of the same name are ours, in the same order."""
    own, theirs = getattr(cp, name), getattr(np, name, None)
    if theirs is None or own is theirs or not inspect.isroutine(own):
        return
    try:
        expected = inspect.signature(theirs)
    except ValueError:
        return
    ordinary = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in expected.parameters.values() if p.kind in ordinary]
    found = [p.name for p in inspect.signature(own).parameters.values() if p.kind in ordinary]
    assert [n for n in found if n in names] == [n for n in names if n in found]


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {}, "empty() missing required argument: 'shape'"),
        (
            (2, float, "C", None),
            {},
            "empty() takes at most 3 positional arguments but 4 were given",
        ),
        ((2,), {"shape": 3}, "empty() got multiple values for argument 'shape'"),
        ((2,), {"out": 3}, "empty() got an unexpected keyword argument 'out'"),
    ],
)
def test_arguments_that_do_not_fit(args: Any, kwargs: Any, words: str) -> None:
    """Of functions without a Python function around them."""
    with pytest.raises(TypeError, match=re.escape(words)):
        cp.empty(*args, **kwargs)


def test_direct_functions_are_ordinary() -> None:
    a = cp.ones(3)
    made_at_run_time = "".join(["de", "vice"])
    assert cp.empty(order="F", shape=(2, 3), **{made_at_run_time: a.device}).strides == (8, 16)
    assert cp.asarray(a=a, copy=False) is a
    assert cp.asarray(a, copy=True) is not a
    assert cp.asarray(a, order=None) is a
    assert cp.asarray(np.ones(2).view(type("Derived", (np.ndarray,), {}))).tolist() == [1, 1]
    assert str(inspect.signature(cp.empty)) == (
        "(shape: 'ShapeLike', dtype: 'DTypeLike' = None, order: 'OrderLike' = 'C', *, "
        "device: 'DeviceLike' = None, like: 'Any' = None) -> 'ndarray'"
    )
    assert inspect.signature(cp.sum).parameters["where"].default is np._NoValue
    kinds = [each.kind for each in inspect.signature(cp.reshape).parameters.values()]
    assert kinds[0] is inspect.Parameter.POSITIONAL_ONLY
    assert kinds[-1] is inspect.Parameter.KEYWORD_ONLY
    with pytest.raises(TypeError, match="unexpected keyword argument 'a'"):
        cp.reshape(a=a, shape=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="at most 3 positional"):
        cp.argmax(a, 0, None, True)  # type: ignore[misc]
    for function in (cp.empty, cp.zeros, cp.ones, cp.asarray, cp.sum, cp.current_device):
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
        assert weakref.ref(function)() is function
        assert repr(function) == f"<function cupola.{function.__name__}>"
        assert inspect.isroutine(function)


def _arguments_passed_on(function: ast.FunctionDef) -> list[str]:
    """The arguments of the one call that a function consists of; [""] where it does more."""
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return [""]
    call = body[0].value
    if not isinstance(call, ast.Call) or not ast.unparse(call.func).startswith("_core."):
        return [""]
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [each.id if isinstance(each, ast.Name) else "" for each in given]


FORWARDING = {
    "argmax": "the method takes `keepdims` where CuPy's has it",
    "argmin": "the method takes `keepdims` where CuPy's has it",
    "get": "its parameters stand in CuPy's order",
    "swapaxes": "the method takes its axes by position only, as NumPy's",
    "fromDlpack": "CuPy's older name of a part of from_dlpack",
    "det": "the decorator keeps the order of the stack",
    "svdvals": "the decorator keeps the order of the stack",
}


def test_no_function_only_passes_its_arguments_on() -> None:
    """What is compiled is the public function itself."""
    found = set()
    for path in Path(cp.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = [each.arg for each in [*node.args.args, *node.args.kwonlyargs]]
                names += [each.arg for each in node.args.posonlyargs]
                if sorted(_arguments_passed_on(node)) == sorted(names):
                    found.add(node.name)
    assert found == set(FORWARDING)


def test_methods_have_signatures() -> None:
    assert str(inspect.signature(cp.ndarray.swapaxes)) == (
        "(self, axis1: 'int', axis2: 'int', /) -> 'ndarray'"
    )
    for name in ("reshape", "astype", "clip", "get"):
        assert "self" in inspect.signature(getattr(cp.ndarray, name)).parameters
        assert getattr(cp.ndarray, name).__qualname__ == f"ndarray.{name}"


def test_a_method_is_the_function() -> None:
    for name in ("sum", "take", "argsort", "ravel"):
        assert getattr(cp.ndarray, name) is getattr(cp, name)
        assert pickle.loads(pickle.dumps(getattr(cp.ndarray, name))) is getattr(cp, name)
    a = cp.arange(6.0)
    names = ["axis", "dtype", "out", "keepdims", "initial", "where"]
    assert list(inspect.signature(a.sum).parameters) == names
    assert pickle.loads(pickle.dumps(a.sum))() == 15
    with pytest.raises(TypeError):
        a.sum(a=cp.arange(3))


def test_ufunc_properties() -> None:
    assert (cp.add.nin, cp.add.nout, cp.add.nargs, cp.divmod.nout) == (2, 1, 3, 2)
    assert cp.add.ntypes == len(cp.add.types)
    assert "dd->d" in cp.add.types
    assert cp.add.identity == 0
    assert cp.multiply.identity == 1
    assert cp.subtract.identity is None
    assert cp.add.signature is None
    assert cp.add.__name__ == "add"
    assert cp.abs is cp.absolute
    assert "out" in inspect.signature(cp.add).parameters
    assert "signature" in inspect.signature(cp.add).parameters


def test_ufunc_outputs_are_the_given_objects() -> None:
    a = cp.arange(4.0)
    out = cp.empty(4)
    assert cp.add(a, 1, out) is out
    assert cp.add(a, 1, out=out) is out
    assert cp.add(a, 1, out=(out,)) is out
    first, second = cp.empty(4), cp.empty(4)
    assert cp.divmod(a, 2, out=(first, second))[1] is second
    assert cp.modf(a, first)[0] is first
    assert cp.add.reduce(a, out=cp.empty(())).shape == ()


def test_ufunc_argument_errors() -> None:
    a = cp.arange(2)
    for call, error, text in (
        (lambda: cp.add(a), TypeError, "takes from 2 to 3 positional arguments but 1"),
        (lambda: cp.add(a, a, a, a), TypeError, "but 4 were given"),
        (lambda: cp.add(a, a, foo=1), TypeError, "unexpected keyword argument 'foo'"),
        (lambda: cp.add(a, a, out=[a]), TypeError, "ArrayType"),
        (lambda: cp.add(a, a, out=np.arange(2)), TypeError, "ArrayType"),
        (lambda: cp.add(a, a, casting="x"), ValueError, "got 'x'"),
        (lambda: cp.add(a, a, order="x"), ValueError, "got 'x'"),
        (lambda: cp.add(a, a, dtype="x"), TypeError, "'x'"),
        (lambda: cp.add(a, a, where=a), TypeError, "bool"),
        (lambda: cp.add(a, a, a, out=a), TypeError, "both a positional and keyword"),
        (lambda: cp.divmod(a, a, out=(a,)), ValueError, "exactly 2"),
        (lambda: cp.add(a, object()), TypeError, "object"),
    ):
        with pytest.raises(error, match=text):
            call()


# ---- devices


def test_devices() -> None:
    device = cp.Device("cpu:0")
    assert device == cp.Device("cpu")
    assert device != cp.Device("cpu:1")
    assert len({cp.Device("cpu:0"), cp.Device("cpu:0"), cp.Device("cuda:0")}) == 2
    assert str(device) == "cpu:0"
    assert (device.platform, device.id) == ("cpu", 0)
    assert device.mem_info[1] > 0
    assert (device == "cpu:0") is False
    for text in ("gpu", "cpu:x", "", "cpu:-1"):
        with pytest.raises(ValueError, match="device"):
            cp.Device(text)


def test_device_scopes() -> None:
    before = cp.current_device()
    with cp.Device("cpu:0") as device:
        assert cp.current_device() == device
        assert cp.zeros(2).device == device
        with device:
            pass
        assert cp.current_device() == device
    assert cp.current_device() == before


def test_device_arguments() -> None:
    assert cp.zeros(2, device="cpu:0").device == cp.Device("cpu:0")
    assert cp.asarray([1], device=cp.Device("cpu:0")).device.platform == "cpu"
    with pytest.raises(cp.errors.DeviceError):
        cp.zeros(2, device="cpu:4000")
    with pytest.raises(TypeError, match="device"):
        cp.zeros(2, device=1.5)


def test_streams() -> None:
    stream = cp.Stream()
    with stream:
        a = cp.arange(10) + 1
        assert cp.current_stream() == stream
    stream.synchronize()
    assert stream.done
    assert stream.id != cp.Stream().id
    assert int(a.sum()) == 55


def test_cuda_names_act_on_the_default_platform() -> None:
    assert cp.cuda.runtime.getDeviceCount() >= 1
    with cp.cuda.Device(0), cp.cuda.Stream(non_blocking=True):
        assert int(cp.arange(4).sum()) == 6
    assert isinstance(cp.cuda.is_available(), bool)


def test_memory_pool_counts_live_arrays() -> None:
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    a = cp.zeros(1 << 20)
    assert pool.used_bytes() - before >= a.nbytes
    del a
    pool.free_all_blocks()
    assert pool.used_bytes() == before
    assert pool.total_bytes() == pool.used_bytes() + pool.free_bytes()


def test_a_new_array_from_the_class() -> None:
    a = cp.ndarray((2, 3), cp.float32, order="F")
    assert a.shape == (2, 3)
    assert a.flags.f_contiguous


def test_bfloat16_without_ml_dtypes() -> None:
    """The package's own dtype object stands in where ml_dtypes is not installed."""
    code = """
import sys
sys.modules["ml_dtypes"] = None
import cupola as cp, pickle
a = cp.array([1.5, 2.5], dtype="bfloat16")
assert a.dtype.name == "bfloat16" and a.dtype == cp.zeros(1, cp.bfloat16).dtype
assert repr(a) == "array([1.5, 2.5], dtype=bfloat16)"
assert (pickle.loads(pickle.dumps(a)) + 1).tolist() == [2.5, 3.5]
try:
    a.get()
except TypeError as error:
    print("ml_dtypes" in str(error))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_information_on_the_command_line() -> None:
    command = [sys.executable, "-m", "cupola", "info"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert cp.__version__ in text
    assert "cpu:0" in text
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    values = json.loads(done.stdout)
    assert values == values | {"cupola": cp.__version__, "numpy": np.__version__}
    assert values["devices"][0]["total_memory"] > 0
    assert cp.show_config("dicts")["cupola"] == cp.__version__


def test_memory_of_others_is_released_from_any_thread() -> None:
    class Owner(np.ndarray):
        """A subclass, for weak references."""

    owners: list[weakref.ref] = []

    def work() -> None:
        for _ in range(50):
            host = np.arange(1000.0).view(Owner)
            owners.append(weakref.ref(host))
            a = cp.from_dlpack(host)
            b = a * 2 + 1
            del host, a
            assert float(b.sum()) == 1_000_000

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    deadline = time.monotonic() + 5
    while any(owner() is not None for owner in owners) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(owner() is not None for owner in owners)
