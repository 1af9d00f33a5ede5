"""Files that are damaged at random places are read as NumPy reads them, or refused."""

import io
import random
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

pytestmark = pytest.mark.cupola_only

LETTERS = b"0123456789-(),'{}<>|fi?bc "


def array_file(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def archive(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


WHOLE = [
    array_file(np.arange(6.0).reshape(2, 3)),
    array_file(np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3))),
    array_file(np.array(3 + 1j)),
    archive(a=np.arange(50), b=np.ones((2, 2))),
]


def damaged(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 3])):
        place = chance.randrange(len(changed))
        kind = chance.randrange(5)
        if kind == 0:
            del changed[place + 1 :]
        elif kind == 1:
            changed[place] = chance.randrange(256)
        elif kind == 2:
            del changed[place + 1 : place + chance.randrange(2, 9)]
        elif kind == 3:
            changed[place:place] = chance.randbytes(3)
        else:
            changed[place % 80 % len(changed)] = chance.choice(LETTERS)
    return bytes(changed)


def outcome(xp: Any, source: Any) -> Any:
    """The arrays that are found, or the class of error."""
    try:
        found = xp.load(source)
        arrays = [found[name] for name in found] if hasattr(found, "files") else [found]
        hosts = [to_numpy(each) if isinstance(each, cp.ndarray) else each for each in arrays]
        if any(isinstance(each, np.ndarray) and each.dtype.kind not in "biufc" for each in hosts):
            return TypeError  # dtypes that arrays cannot have
        if any(isinstance(each, np.ndarray) for each in hosts):
            return [(each.shape, each.dtype.name, each.tolist()) for each in hosts]
        return hosts
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("number", range(len(WHOLE)))
def test_damage(number: int, tmp_path: Path) -> None:
    chance = random.Random(number)
    path = tmp_path / "file"
    for _ in range(400):
        data = damaged(WHOLE[number], chance)
        path.write_bytes(data)
        for source in (lambda data=data: io.BytesIO(data), lambda: path):
            found, expected = outcome(cp, source()), outcome(np, source())
            # A dtype that arrays cannot have is refused before its elements are read.
            assert repr(found) == repr(expected) or found is TypeError, data


def test_what_a_member_has_behind_its_array_is_not_unpacked() -> None:
    data = array_file(np.arange(3.0))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("a.npy", data + bytes(1 << 26))
    assert file.tell() < 1 << 20
    file.seek(0)
    tracemalloc.start()
    assert cp.load(file)["a"].tolist() == [0, 1, 2]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 24


@pytest.mark.parametrize(("count", "offset"), [(-2, 0), (3, -1), (-1, -100), (1 << 40, 0)])
def test_counts_and_offsets_of_elements(count: int, offset: int, tmp_path: Path) -> None:
    path = tmp_path / "raw"
    np.arange(4.0).tofile(path)
    if offset < 0:
        for module in (np, cp):
            with pytest.raises((OSError, ValueError)):
                module.fromfile(path, count=count, offset=offset)
    else:  # memory is taken for what the file has
        assert cp.fromfile(path, count=count).tolist() == [0, 1, 2, 3]
