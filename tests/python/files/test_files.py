"""Files in NumPy's formats .npy and .npz, and files of elements alone."""

import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import agree, assert_same
from support.dtypes import NUMPY_DTYPES, name

SHAPES = [(), (0,), (7,), (3, 4), (2, 3, 4), (2, 0, 3)]


def numbers(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    size = int(np.prod(shape))
    return (np.arange(size) % 7).reshape(shape).astype(dtype)


def layouts(array: np.ndarray) -> list[np.ndarray]:
    """Views that lie in memory in several ways."""
    found = [array, array.T, np.asfortranarray(array)]
    if array.ndim:
        found += [array[::2], array[..., ::-1]]
    return found


def written(save: Any, *args: Any, **kwargs: Any) -> bytes:
    file = io.BytesIO()
    save(file, *args, **kwargs)
    return file.getvalue()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_files_are_numpys(dtype: np.dtype, shape: tuple[int, ...], tmp_path: Path) -> None:
    for i, host in enumerate(layouts(numbers(shape, dtype))):
        array = from_numpy(host)
        data = written(cp.save, array)
        assert data == written(np.save, np.asarray(host, order="A" if i < 3 else "C"))
        path = tmp_path / f"{i}.npy"
        cp.save(path, array)
        assert path.read_bytes() == data
        for source in (io.BytesIO(data), path, str(path)):
            found = cp.load(source)
            assert_same(found, host)
            assert found.flags.f_contiguous == np.load(io.BytesIO(data)).flags.f_contiguous


@pytest.mark.parametrize("view", ["[::2]", "[:, 1:]", ".T", "[::-1]", ".swapaxes(0, 2)", "[1]"])
def test_views(view: str, tmp_path: Path) -> None:
    host = numbers((4, 3, 5), "f4")
    part, array = eval(f"host{view}"), eval(f"a{view}", {"a": from_numpy(host)})
    assert written(cp.save, array) == written(np.save, part)
    array.tofile(tmp_path / "raw")
    assert (tmp_path / "raw").read_bytes() == part.tobytes()


@pytest.mark.parametrize("dtype", [">f4", ">i8", ">c16", ">u2", "<f8", ">f2"])
def test_both_byte_orders(dtype: str, tmp_path: Path) -> None:
    host = numbers((5, 3), dtype)
    native = host.astype(host.dtype.newbyteorder("="))
    np.save(tmp_path / "a.npy", host)
    np.save(tmp_path / "f.npy", np.asfortranarray(host))
    host.tofile(tmp_path / "raw")
    if cp is np:
        return
    assert_same(cp.load(tmp_path / "a.npy"), native)
    assert_same(cp.load(tmp_path / "f.npy"), native)
    assert_same(cp.load(io.BytesIO(written(np.save, host))), native)
    assert_same(cp.fromfile(tmp_path / "raw", dtype), native.ravel())


def test_names_get_their_ending(tmp_path: Path) -> None:
    array = from_numpy(np.arange(3))
    cp.save(tmp_path / "a", array)
    cp.save(str(tmp_path / "b.npy"), array)
    cp.savez(tmp_path / "c", array)
    cp.savez_compressed(str(tmp_path / "d"), array)
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "b.npy", "c.npz", "d.npz"]


def test_several_arrays_in_a_file() -> None:
    file = io.BytesIO()
    for i in range(3):
        cp.save(file, from_numpy(np.full(i, i)))
    file.seek(0)
    for i in range(3):
        assert_same(cp.load(file), np.full(i, i))
    with pytest.raises(EOFError):
        cp.load(file)


@pytest.mark.parametrize("compressed", [False, True])
def test_archives(compressed: bool, tmp_path: Path) -> None:
    save = cp.savez_compressed if compressed else cp.savez
    first, second = numbers((3, 4), "f4"), numbers((2,), "i2")
    save(tmp_path / "z.npz", from_numpy(first.T), second=from_numpy(second), third=[1, 2])
    with np.load(tmp_path / "z.npz") as found:
        assert sorted(found) == ["arr_0", "second", "third"]
        assert np.array_equal(found["arr_0"], first.T)
    for source in (tmp_path / "z.npz", io.BytesIO((tmp_path / "z.npz").read_bytes())):
        with cp.load(source) as archive:
            assert sorted(archive.keys()) == ["arr_0", "second", "third"]
            assert_same(archive["arr_0"], first.T)
            assert_same(archive["second.npy"], second)
            assert_same(archive.f.third, np.array([1, 2]))
            assert isinstance(archive["third"], cp.ndarray)
            assert "second" in archive
            assert len(archive) == 3
            for key in ("fourth", (1, 2), 3, None):
                with pytest.raises(KeyError, match="not a file in the archive"):
                    archive[key]
    agree(lambda xp, a: xp.savez(io.BytesIO(), a, arr_0=a), first)


class Reader:
    """A file that can be read, and moved in, but does not tell where it is."""

    def __init__(self, data: bytes) -> None:
        self.read = io.BytesIO(data).read
        self.seek = self.read.__self__.seek


@pytest.mark.parametrize("array", [numbers((5, 3), "f8").T, numbers((0, 2), "i4")], ids=["T", "0"])
def test_a_file_needs_read_and_seek(array: np.ndarray) -> None:
    data = written(cp.save, from_numpy(array))
    assert_same(cp.load(Reader(data)), np.load(Reader(data)))
    with pytest.raises(ValueError, match="EOF"):
        cp.load(Reader(data[:-1] if array.size else data[:20]))


def test_other_members_are_bytes() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("note.txt", "text")
    file.seek(0)
    assert cp.load(file)["note.txt"] == b"text"


def archive_of(data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a.npy", data)
    return file.getvalue()


def test_hostile_archives() -> None:
    whole = written(np.save, np.arange(2000))
    stored = archive_of(whole, zipfile.ZIP_STORED)
    changed = stored.replace(whole[-9:], b"123456789", 1)
    for data in (archive_of(whole)[:-30], stored[:100], changed, archive_of(whole[:-9])):
        agree(lambda xp: xp.load(io.BytesIO(data))["a"])
    agree(lambda xp: xp.load(io.BytesIO(archive_of(written(np.save, np.array([None])))))["a"])


@pytest.mark.cupola_only
def test_no_memory_is_taken_for_what_a_member_only_promises() -> None:
    data = archive_of(npy(PLAIN.replace("(3,)", "(1000000000000,)"), bytes(24)))
    with pytest.raises(ValueError, match="expected 8000000000000 bytes got 24"):
        cp.load(io.BytesIO(data))["a"]


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode() + b"\n"
    width = 2 if version == b"\x01\x00" else 4
    return b"\x93NUMPY" + version + len(text).to_bytes(width, "little") + text + data


PLAIN = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"
HOSTILE = [
    b"\x93NUMPY",
    b"\x93NUMPY\x01\x00",
    b"\x93NUMPY\x09\x00" + b" " * 80,
    b"\x93NUM",
    npy(PLAIN, bytes(23)),
    npy(PLAIN)[:30],
    npy(PLAIN.replace("(3,)", "(10**9, 10**9)"), bytes(24)),
    npy(PLAIN.replace("(3,)", "(4000000000, 4000000000)"), bytes(24)),
    npy(PLAIN.replace("(3,)", "(-3,)"), bytes(24)),
    npy(PLAIN.replace("(3,)", "(-1, -3)"), bytes(24)),
    npy(PLAIN.replace("(3,)", "3"), bytes(24)),
    npy(PLAIN.replace("(3,)", "(3.0,)"), bytes(24)),
    npy(PLAIN.replace("False", "5"), bytes(24)),
    npy(PLAIN.replace("<f8", "nonsense"), bytes(24)),
    npy(PLAIN.replace("'<f8'", "__import__('os').system('true')"), bytes(24)),
    npy("[1, 2", bytes(24)),
    npy("{}", bytes(24)),
    npy(PLAIN + " " * 20000, bytes(24)),
    npy(PLAIN.replace("<f8", "|O"), bytes(24)),
    b"PK\x03\x04" + bytes(30),
    pickle.dumps([1, 2]),
    b"text\n",
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_refused_as_by_numpy(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(data)
    agree(lambda xp: xp.load(tmp_path / "a.npy"))
    agree(lambda xp: xp.load(io.BytesIO(data)))


@pytest.mark.cupola_only
def test_no_memory_is_taken_for_what_a_header_only_promises(tmp_path: Path) -> None:
    data = npy(PLAIN.replace("(3,)", "(1000000000000,)"), bytes(24))
    (tmp_path / "a.npy").write_bytes(data)
    for source in (tmp_path / "a.npy", io.BytesIO(data)):
        with pytest.raises(ValueError, match="expected 8000000000000 bytes got 24"):
            cp.load(source)


@pytest.mark.parametrize("descr", ["|S3", "<U2", "<M8[s]", "|V4", "<f16"])
def test_dtypes_that_arrays_cannot_have(descr: str, tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy(PLAIN.replace("<f8", descr), bytes(48)))
    if cp is np:
        return
    with pytest.raises(TypeError):
        cp.load(tmp_path / "a.npy")


def test_other_versions_of_the_format() -> None:
    for version in (b"\x02\x00", b"\x03\x00"):
        agree(lambda xp: xp.load(io.BytesIO(npy(PLAIN, bytes(24), version))))
        agree(lambda xp: xp.load(io.BytesIO(npy(PLAIN, bytes(20), version))))


def test_pickles_are_read_where_that_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(pickle.dumps({"a": 1}))
    np.save(tmp_path / "o.npy", np.array([None, 1]))
    agree(lambda xp: xp.load(tmp_path / "p"))
    assert cp.load(tmp_path / "p", allow_pickle=True) == {"a": 1}
    agree(lambda xp: xp.load(tmp_path / "o.npy"))
    array = from_numpy(np.arange(3))
    array.dump(tmp_path / "q")
    assert_same(cp.load(tmp_path / "q", allow_pickle=True), np.arange(3))
    assert_same(pickle.loads(array.dumps()), np.arange(3))
    agree(lambda xp: xp.save(io.BytesIO(), np.array([None]), allow_pickle=False))


def test_bad_options(tmp_path: Path) -> None:
    cp.save(tmp_path / "a.npy", from_numpy(np.arange(3)))
    agree(lambda xp: xp.load(tmp_path / "a.npy", encoding="utf-7"))
    agree(lambda xp: xp.load(tmp_path / "missing.npy"))
    agree(lambda xp: xp.load(tmp_path / "a.npy", mmap_mode="z"))
    assert_same(cp.load(tmp_path / "a.npy", "r"), np.arange(3))
    if cp is not np:
        with pytest.raises(ValueError, match="copies"):
            cp.load(tmp_path / "a.npy", "r+")


@pytest.mark.cupola_only
def test_bfloat16(tmp_path: Path) -> None:
    array = cp.arange(6).astype("bfloat16").reshape(2, 3)
    cp.save(tmp_path / "b.npy", array.T)
    found = cp.load(tmp_path / "b.npy")
    assert found.dtype == array.dtype
    assert found.tolist() == array.T.tolist()
    array.tofile(tmp_path / "raw")
    assert cp.fromfile(tmp_path / "raw", "bfloat16").tolist() == list(range(6))


@pytest.mark.parametrize("dtype", ["?", "i2", "f8", "c8"])
def test_elements_alone(dtype: str, tmp_path: Path) -> None:
    host = numbers((4, 3), dtype)
    from_numpy(host).tofile(tmp_path / "raw")
    path = tmp_path / "raw"

    def found(xp: Any) -> list[Any]:
        results = [xp.fromfile(path, dtype), xp.fromfile(str(path), dtype, 5)]
        results += [xp.fromfile(path, dtype, 100), xp.fromfile(path, dtype, 2, offset=8)]
        with open(path, "rb") as file:
            results += [xp.fromfile(file, dtype, 3), file.tell(), xp.fromfile(file, dtype, 1)]
            results += [file.tell(), xp.fromfile(file, dtype), xp.fromfile(file, dtype)]
        return [*results, xp.fromfile(path, dtype, 0), xp.fromfile(path, dtype, 2, offset=1 << 40)]

    agree(found)
    agree(lambda xp: xp.fromfile(path, dtype, sep=" ", offset=1))
    agree(lambda xp: xp.fromfile(path, dtype, offset=1 << 40))
    agree(lambda xp: xp.fromfile(tmp_path / "missing"))


def test_elements_as_text(tmp_path: Path) -> None:
    def found(xp: Any, a: Any) -> list[Any]:
        a.tofile(tmp_path / "t", ",", "%d")
        text = (tmp_path / "t").read_text()
        return [text, xp.fromfile(tmp_path / "t", int, sep=","), xp.fromstring(text, sep=",")]

    agree(found, np.arange(5))
    agree(lambda xp: xp.fromstring("1 2 3", int, 2, sep=" "))
    agree(lambda xp: xp.frombuffer(b"abcd", "u1", 2, 1))
    agree(lambda xp: xp.frombuffer(b"abc", "i2"))


def test_a_file_stands_behind_what_was_written(tmp_path: Path) -> None:
    array = from_numpy(np.arange(4.0))
    with open(tmp_path / "raw", "wb") as file:
        file.write(b"head")
        array.tofile(file)
        file.write(b"tail")
        array.tofile(file)
    with open(tmp_path / "raw", "ab") as file:
        array.tofile(file)
    data = np.arange(4.0).tobytes()
    assert (tmp_path / "raw").read_bytes() == b"head" + data + b"tail" + data + data


def test_what_has_no_position_is_refused() -> None:
    read, write = os.pipe()
    with open(read, "rb") as source:
        with open(write, "wb") as sink:
            sink.write(written(np.save, np.arange(3.0)))
        agree(lambda xp: xp.load(source))
        agree(lambda xp: xp.fromfile(source))


@pytest.mark.cupola_only
def test_numpys_functions_hand_over(tmp_path: Path) -> None:
    array = from_numpy(np.arange(6.0).reshape(2, 3))
    np.save(tmp_path / "a.npy", array)
    assert (tmp_path / "a.npy").read_bytes() == written(np.save, cp.asnumpy(array))
    np.savez(tmp_path / "z.npz", a=array)
    np.savetxt(tmp_path / "t.txt", array)
    assert isinstance(np.loadtxt(tmp_path / "t.txt", like=array), cp.ndarray)
    array.tofile(tmp_path / "raw")
    assert_same(np.fromfile(tmp_path / "raw", like=array), np.arange(6.0))
    assert_same(np.polyval([1, 2], array), np.polyval([1, 2], cp.asnumpy(array)))
