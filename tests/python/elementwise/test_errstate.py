"""NumPy's handling of errors, tables of types, checks and texts."""

import io
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import agree, assert_same


@pytest.mark.cupola_only
def test_the_state_is_numpys() -> None:
    for name in ("errstate", "seterr", "geterr", "seterrcall", "geterrcall", "setbufsize"):
        assert getattr(cp, name) is getattr(np, name)
    with cp.errstate(divide="raise", invalid="raise", over="raise"):
        assert cp.geterr()["divide"] == "raise"
        found = from_numpy(np.array([1.0, 0.0, 1e308])) / from_numpy(np.array([0.0, 0.0, 1e-9]))
        assert [str(each) for each in found.tolist()] == ["inf", "nan", "inf"]
        with pytest.raises(FloatingPointError):
            np.float64(1) / np.float64(0)
    assert cp.geterr() == np.geterr()
    assert cp.getbufsize() == np.getbufsize()


@pytest.mark.cupola_only
def test_types() -> None:
    supported = set("?bhilqnpBHILQNPefdFD")
    for kind, characters in np.typecodes.items():
        wanted = "".join(each for each in characters if each in supported)
        assert cp.typecodes.get(kind, "") == wanted
    for name, scalar in cp.sctypeDict.items():
        assert np.sctypeDict[name] is scalar
        cp.zeros(1, scalar)
    assert cp.sctypeDict["float64"] is np.float64
    assert "O" not in cp.sctypeDict
    assert set(cp.ScalarType) < set(np.ScalarType)
    assert np.float32 in cp.ScalarType
    assert cp.True_ is np.True_
    assert cp.False_ is np.False_
    assert cp.long is np.long
    assert cp.ulong is np.ulong
    assert cp.little_endian == np.little_endian


@pytest.mark.parametrize("requirements", [None, "C", ["F"], ["F", "W"], ["C", "A", "O"], "E", []])
def test_require(requirements: Any) -> None:
    def found(xp: Any, whole: Any) -> list[Any]:
        results = []
        for a in (whole, whole.T, whole[:, ::2], whole[:, 0], whole[1, 1]):
            for dtype in (None, "f4"):
                made = xp.require(a, dtype, requirements)
                flags = made.flags
                results += [made, bool(flags.c_contiguous), bool(flags.f_contiguous)]
                if requirements and "W" in requirements:
                    results.append(bool(flags.writeable))
        return results

    a = np.arange(6.0).reshape(2, 3)
    agree(found, a)
    read_only = cp.broadcast_to(from_numpy(a), a.shape)
    assert cp.require(read_only, requirements="W").flags.writeable
    whole = from_numpy(a)
    assert cp.require(whole) is whole
    assert cp.require(whole[0], requirements="O").flags.owndata


def test_bad_requirements() -> None:
    agree(lambda xp, a: xp.require(a, requirements=["C", "F"]), np.ones(2))
    agree(lambda xp, a: xp.require(a, requirements="X"), np.ones(2))


def test_finite() -> None:
    def found(xp: Any, a: Any) -> Any:
        return xp.asarray_chkfinite(a)

    for values in ([1.0, 2], [np.nan], [np.inf, 1], [1 + 1j], [1 + 1j * np.inf], [], [1, 2]):
        agree(found, np.array(values))
        agree(lambda xp: xp.asarray_chkfinite(values))
    agree(lambda xp, a: xp.asarray_chkfinite(a, "f4", "F"), np.ones((2, 3)))


@pytest.mark.parametrize("optimize", ["greedy", "optimal", True, False, ("greedy", 9)])
def test_einsum_path(optimize: Any) -> None:
    def found(xp: Any, *arrays: Any) -> list[Any]:
        path, text = xp.einsum_path("ij,jk,kl->il", *arrays, optimize=optimize)
        return [str(path), text]

    agree(found, np.ones((2, 9)), np.ones((9, 3)), np.ones((3, 4)))
    agree(lambda xp, a: xp.einsum_path("ij,jk", a, a)[1], np.ones((2, 3)))


@pytest.mark.cupola_only
def test_texts(capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    cp.info(cp.ones((2, 3), "f4"), output=file)
    assert "shape:  (2, 3)" in file.getvalue()
    assert "type: float32" in file.getvalue()
    cp.info(cp.polyval)
    assert "Horner" in capsys.readouterr().out
    cp.show_runtime()
    assert np.__version__ in capsys.readouterr().out


@pytest.mark.cupola_only
def test_require_of_a_list() -> None:
    assert_same(cp.require([1, 2]), np.array([1, 2]))
