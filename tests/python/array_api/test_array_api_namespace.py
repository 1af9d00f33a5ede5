"""The array API standard 2025.12: names, signatures, versions, inspection."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
import array_api_2025_12 as standard

pytestmark = pytest.mark.cupola_only

FUNCTIONS = [
    *(("", name, text) for name, text in standard.MAIN.items()),
    *(("linalg", name, text) for name, text in standard.LINALG.items()),
    *(("fft", name, text) for name, text in standard.FFT.items()),
    *(("ndarray", name, text) for name, text in standard.METHODS.items()),
]


def calls(text: str) -> Iterator[tuple[list[int], dict[str, int]]]:
    """Calls that a signature allows: all by position, and each argument alone by name."""
    function: dict[str, Any] = {}
    exec(f"def f({text}): pass", function)
    parameters = inspect.signature(function["f"]).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    yield [0] * len(positional), {}
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY:
            yield [0] * len(required), {p.name: 0}
        elif p.kind is p.VAR_POSITIONAL:
            yield [0, 0, 0], {}
        elif p.kind is p.POSITIONAL_OR_KEYWORD:
            before = [q for q in required if q is not p]
            named = {q.name: 0 for q in before if q.kind is q.POSITIONAL_OR_KEYWORD}
            yield [0] * (len(before) - len(named)), {p.name: 0, **named}


@pytest.mark.parametrize(("place", "name", "text"), FUNCTIONS)
def test_signatures_take_what_the_standard_says(place: str, name: str, text: str) -> None:
    owner = getattr(cp, place) if place else cp
    signature = inspect.signature(getattr(owner, name))
    for args, kwargs in calls(text):
        signature.bind(*args, **kwargs)


@pytest.mark.parametrize(("name", "text"), standard.METHODS.items())
def test_bound_methods_have_signatures(name: str, text: str) -> None:
    signature = inspect.signature(getattr(cp.ones(2), name))
    for args, kwargs in calls(text):
        signature.bind(*args[1:], **kwargs)


@pytest.mark.parametrize("name", standard.CONSTANTS)
def test_constants(name: str) -> None:
    expected = getattr(np, name)
    assert getattr(cp, name) is expected or float(getattr(cp, name)) == expected or name == "nan"


@pytest.mark.parametrize("name", standard.ATTRIBUTES)
def test_attributes(name: str) -> None:
    assert isinstance(getattr(cp.ndarray, name), property)


@pytest.mark.parametrize("name", standard.DTYPES)
def test_dtypes_are_names_and_compare_equal(name: str) -> None:
    array = cp.zeros(2, dtype=getattr(cp, name))
    assert array.dtype == getattr(cp, name)
    assert cp.zeros_like(array).dtype == array.dtype


def test_every_public_callable_has_a_signature() -> None:
    for owner in (cp, cp.linalg, cp.fft, cp.ndarray):
        for name in dir(owner):
            value = getattr(owner, name, None)
            if not callable(value) or name in ("__class__", "ufunc"):
                continue
            if name in ("__init_subclass__", "__subclasshook__", "__class_getitem__"):
                continue
            if isinstance(value, type) and (
                issubclass(value, (np.generic, BaseException))
                or value.__module__ == "builtins"
                or value is np.dtype
            ):
                continue
            inspect.signature(value)


def test_signatures_of_compiled_classes() -> None:
    """They say it themselves; a class that derives from one says its own, instances none."""

    class Named(cp.cuda.Stream):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    assert str(cp.Device.__signature__) == str(inspect.signature(cp.Device)) == "(device=None)"
    assert list(inspect.signature(cp.ndarray).parameters)[:2] == ["shape", "dtype"]
    assert list(inspect.signature(Named).parameters) == ["name"]
    assert not hasattr(cp.Device(), "__signature__")
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x", "same")
    assert "in_params" not in inspect.signature(kernel).parameters


# ---- versions


def test_version() -> None:
    assert cp.__array_api_version__ == "2025.12"


@pytest.mark.parametrize("version", [None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"])
def test_the_namespace_of_an_array(version: str | None) -> None:
    assert cp.ones(1).__array_namespace__(api_version=version) is cp


@pytest.mark.parametrize("version", ["2020.10", "2026.12", "draft", "", 2025.12])
def test_other_versions_are_refused(version: Any) -> None:
    with pytest.raises(ValueError, match="no version"):
        cp.ones(1).__array_namespace__(api_version=version)


# ---- inspection

INFO = cp.__array_namespace_info__() if hasattr(cp, "errors") else None


def test_capabilities() -> None:
    found = INFO.capabilities()
    assert found == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert cp.ones((1,) * 64).ndim == 64
    with pytest.raises(ValueError, match="dimension"):
        cp.ones((1,) * 65)


def test_default_device_is_that_of_new_arrays() -> None:
    assert INFO.default_device() == cp.empty(0).device


def test_devices_can_be_passed_to_creation_functions() -> None:
    devices = INFO.devices()
    assert isinstance(devices, tuple)
    assert INFO.default_device() in devices
    for device in devices:
        assert cp.ones(2, device=device).device == device


@pytest.mark.parametrize("device", [None, "cpu:0"])
def test_default_dtypes_are_those_of_arrays_made_without_one(device: str | None) -> None:
    found = INFO.default_dtypes(device=device)
    assert found == {
        "real floating": cp.ones(1).dtype,
        "complex floating": cp.asarray(1j).dtype,
        "integral": cp.asarray(1).dtype,
        "indexing": cp.argmax(cp.ones(3)).dtype,
    }


KINDS = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


@pytest.mark.parametrize("kind", [None, *KINDS, ("bool", "real floating"), ("integral", "bool")])
def test_dtypes_by_kind(kind: Any) -> None:
    kinds = ("bool", "numeric") if kind is None else (kind,) if isinstance(kind, str) else kind
    names = {name for each in kinds for name in KINDS[each]}
    found = INFO.dtypes(kind=kind)
    assert set(found) == names
    assert all(cp.isdtype(dtype, name) for name, dtype in found.items() for name in [dtype])
    assert all(found[name] == getattr(cp, name) for name in names)


def test_unknown_kinds_and_devices_are_refused() -> None:
    with pytest.raises(ValueError, match="kind"):
        INFO.dtypes(kind="text")
    with pytest.raises((ValueError, cp.errors.DeviceError)):
        INFO.dtypes(device="tpu:0")
