"""Archives of several arrays: NumPy's format .npz."""

from __future__ import annotations

import os
import zipfile
from typing import Any

import numpy as np

from cupola._cupola import ndarray
from cupola._files.elements import read_npy, write_npy

_ENDING = ".npy"


class NpzFile(np.lib.npyio.NpzFile):
    """The arrays of a file .npz, read to the current device when they are asked for.

    A mapping from names to arrays, with NumPy's attributes; `close` or ``with`` closes the file.
    What is no array in the archive is given as bytes.
    """

    def __getitem__(self, key: str) -> Any:
        archive: Any = self.zip
        members = archive.namelist()
        name = key if key in members else f"{key}{_ENDING}"
        if name not in members or not isinstance(key, str):
            raise KeyError(f"{key} is not a file in the archive")
        with archive.open(name) as member:
            is_array = member.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
        if not is_array:
            return archive.read(name)
        names = ("allow_pickle", "max_header_size", "pickle_kwargs")
        options = {name: getattr(self, name) for name in names}
        with archive.open(name) as member:
            return read_npy(member, options, archive.getinfo(name).file_size)


def write_archive(
    file: Any, args: tuple[Any, ...], kwds: dict[str, Any], compress: bool, allow_pickle: bool
) -> None:
    """Write arrays to a zip archive, each as a member .npy."""
    if not hasattr(file, "write"):
        file = os.fspath(file)
        file = file if file.endswith(".npz") else file + ".npz"
    arrays = dict(kwds)
    for i, value in enumerate(args):
        if f"arr_{i}" in arrays:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        arrays[f"arr_{i}"] = value
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method, allowZip64=True) as archive:
        for name, value in arrays.items():
            with archive.open(name + _ENDING, "w", force_zip64=True) as member:
                if isinstance(value, ndarray):
                    write_npy(member, value)
                else:
                    np.lib.format.write_array(member, np.asanyarray(value), None, allow_pickle)
