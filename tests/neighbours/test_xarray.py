"""Xarray over arrays: the values are NumPy's, and the results stay arrays of ours."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import cupola as cp

xr = pytest.importorskip("xarray")

HOST = np.random.default_rng(1).random((6, 5, 4))

USES: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda d: d * 2 + d**2,
    "ufunc": np.sin,
    "isel": lambda d: d.isel(t=2),
    "sel": lambda d: d.sel(y=2.0),
    "slices": lambda d: d.sel(x=slice(1, 3)),
    "mean": lambda d: d.mean("t"),
    "sum": lambda d: d.sum(),
    "std": lambda d: d.std("y"),
    "max": lambda d: d.max("x"),
    "prod": lambda d: d.prod("t"),
    "median": lambda d: d.median("t"),
    "quantile": lambda d: d.quantile([0.25, 0.5], "t"),
    "rolling": lambda d: d.rolling(t=3).mean(),
    "centred rolling": lambda d: d.rolling(t=3, center=True, min_periods=1).sum(),
    "where": lambda d: d.where(d > 0.5, 0),
    "fillna": lambda d: d.where(d > 0.5).fillna(0),
    "cumsum": lambda d: d.cumsum("t"),
    "diff": lambda d: d.diff("t"),
    "shift": lambda d: d.shift(t=1),
    "roll": lambda d: d.roll(t=1),
    "coarsen": lambda d: d.coarsen(t=2).mean(),
    "groupby": lambda d: d.groupby("t").mean(),
    "groupby bins": lambda d: d.groupby_bins("t", 2).mean(),
    "resample": lambda d: (
        d.assign_coords(t=np.datetime64("2020-01-01") + np.arange(6)).resample(t="2D").mean()
    ),
    "concat": lambda d: xr.concat([d, d], "t"),
    "transpose": lambda d: d.transpose("x", "y", "t"),
    "stack": lambda d: d.stack(z=("x", "y")),
    "dot": lambda d: xr.dot(d, d, dim="x"),
    "argmax": lambda d: d.argmax("t"),
    "clip": lambda d: d.clip(0.2, 0.8),
    "pad": lambda d: d.pad(t=1),
    "astype": lambda d: d.astype("f4"),
    "sortby": lambda d: d.sortby("t", ascending=False),
    "corr": lambda d: xr.corr(d, d * 2, "t"),
    "integrate": lambda d: d.integrate("t"),
    "apply_ufunc": lambda d: xr.apply_ufunc(lambda x: x + 1, d),
    "dataset": lambda d: d.to_dataset().mean("t")["v"],
    "broadcast": lambda d: d + d.isel(t=0),
    "reindex": lambda d: d.reindex(t=[0, 2, 9]),
    "count": lambda d: d.count("t"),
    "merge": lambda d: xr.merge([d.rename("a"), d.rename("b")])["b"],
}
# These mix coordinates, which xarray keeps on the host, with the values.
MIXING: dict[str, Callable[[Any], Any]] = {
    "polyfit": lambda d: d.polyfit("t", 1).polyfit_coefficients,
    "differentiate": lambda d: d.differentiate("t"),
}
# These are SciPy's or bottleneck's functions of the host, and so are their results.
ON_THE_HOST: dict[str, Callable[[Any], Any]] = {
    "interp": lambda d: d.interp(t=[0.5, 1.5]),
    "interp of two axes": lambda d: d.interp(t=[0.5], y=[1.5]),
    "rank": lambda d: d.rank("t"),
    "ffill": lambda d: d.where(d > 0.5).ffill("t"),
    "interpolate_na": lambda d: d.where(d > 0.3).interpolate_na("t"),
}


def made(values: Any) -> Any:
    coords = {"t": np.arange(6), "y": np.arange(5.0), "x": np.arange(4.0)}
    return xr.DataArray(values, dims=("t", "y", "x"), coords=coords, name="v")


def compare(use: Callable[[Any], Any]) -> Any:
    expected, found = use(made(HOST.copy())), use(made(cp.asarray(HOST)))
    np.testing.assert_allclose(cp.asnumpy(found.data), expected.data, rtol=1e-9, atol=1e-12)
    return found.data


@pytest.fixture
def copies_allowed() -> Iterator[None]:
    before = cp.config.host_copy
    cp.config.host_copy = "allow"
    yield
    cp.config.host_copy = before


@pytest.mark.parametrize("name", USES)
def test_results_are_arrays(name: str) -> None:
    assert type(compare(USES[name])) is cp.ndarray


@pytest.mark.usefixtures("copies_allowed")
@pytest.mark.parametrize("name", MIXING)
def test_coordinates_are_copied_where_that_is_allowed(name: str) -> None:
    assert type(compare(MIXING[name])) is cp.ndarray


@pytest.mark.parametrize("name", ON_THE_HOST)
def test_functions_of_the_host(name: str) -> None:
    for package in ("scipy", "bottleneck"):
        pytest.importorskip(package)
    compare(ON_THE_HOST[name])


def test_the_message_where_copies_are_not_allowed() -> None:
    with pytest.raises(TypeError, match=r"cupola\.asarray"):
        made(cp.asarray(HOST)).polyfit("t", 1)


def test_printing() -> None:
    data = made(cp.asarray(HOST))
    assert "xarray.DataArray" in repr(data)
    assert "<div" in data._repr_html_()
