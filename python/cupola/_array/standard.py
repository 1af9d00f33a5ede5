"""What the array API standard's namespace says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._functions.arguments import MOST_DIMENSIONS

if TYPE_CHECKING:
    from cupola._typing import DeviceLike

__array_api_version__ = "2025.12"
"""The version of the standard that the package follows."""

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""Those that `ndarray.__array_namespace__` takes: each is in the next one."""

_KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]

_DEFAULTS = {
    "real floating": "float64",
    "complex floating": "complex128",
    "integral": "int64",
    "indexing": "int64",
}


def check_version(api_version: str | None) -> None:
    """ValueError for a version of the standard that is none of `VERSIONS`."""
    if api_version is None or api_version in VERSIONS:
        return
    raise ValueError(
        f"there is no version {api_version!r} of the array API standard here; the namespace has "
        f"{', '.join(VERSIONS)}"
    )


class ArrayNamespaceInfo:
    """The standard's functions of inspection."""

    def capabilities(self) -> dict[str, Any]:
        """What the standard leaves open, and is so here.

        Returns
        -------
        dict
            Of "boolean indexing", "data-dependent shapes" and "max dimensions".

        Examples
        --------
        >>> import cupola as cp
        >>> cp.__array_namespace_info__().capabilities()["max dimensions"]
        64
        """
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MOST_DIMENSIONS,
        }

    def default_device(self) -> Device:
        """The device on which the thread makes arrays without `device=`, which may be a set."""
        return _core.current_device()

    def default_dtypes(self, *, device: DeviceLike = None) -> dict[str, np.dtype]:
        """The dtypes of arrays that are made without one, by their kinds; equal on all devices."""
        _check_device(device)
        return {kind: np.dtype(name) for kind, name in _DEFAULTS.items()}

    def dtypes(
        self, *, device: DeviceLike = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype]:
        """The standard's dtypes, by name; equal on all devices.

        Parameters
        ----------
        kind : str or tuple of str, optional
            Only those of a kind, or of one of several: "bool", "signed integer",
            "unsigned integer", "integral", "real floating", "complex floating", "numeric".

        Raises
        ------
        ValueError
            For another kind.
        """
        _check_device(device)
        if kind is None:
            kind = ("bool", "numeric")
        kinds = (kind,) if isinstance(kind, str) else kind
        names: list[str] = []
        for each in kinds:
            if each not in _KINDS:
                raise ValueError(f"unsupported kind of dtypes: {each!r}")
            names += _KINDS[each]
        return {name: np.dtype(name) for name in dict.fromkeys(names)}

    def devices(self) -> tuple[Device, ...]:
        """The devices on which arrays can be made, those of the default platform first.

        Where the default device is a set, that is among them.
        """
        first = _core.default_platform()
        platforms: tuple[Literal["cpu", "cuda"], ...] = ("cpu", "cuda")
        found = [
            Device(f"{platform}:{index}")
            for platform in sorted(platforms, key=lambda name: name != first)
            for index in range(_core.device_count(platform))
        ]
        default = self.default_device()
        return tuple(found if default in found else [default, *found])


def _check_device(device: DeviceLike) -> None:
    if device is not None:
        Device(device)


def __array_namespace_info__() -> ArrayNamespaceInfo:  # noqa: N807
    """The standard's functions of inspection: `capabilities`, `default_device` and the others."""
    return ArrayNamespaceInfo()
