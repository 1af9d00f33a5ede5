"""What a wheel brings to the environment that it is installed into.

Run there by scripts/package_check and by cibuildwheel, with nothing of the sources in reach; in a
build folder, which is no distribution, there is nothing to test.
"""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cupola as cp


def _distribution():
    """The installed wheel that `cupola` is imported from."""
    try:
        found = importlib.metadata.distribution("cupola")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("cupola is not installed as a package", allow_module_level=True)
    package = Path(str(found.locate_file("cupola"))).resolve()
    if package != Path(cp.__file__).resolve().parent:
        pytest.skip("another cupola is imported than is installed", allow_module_level=True)
    return found


DISTRIBUTION = _distribution()
FILES = {str(path): path.locate() for path in DISTRIBUTION.files or ()}


def info(*arguments, **environment):
    """The output of `python -m cupola`."""
    done = subprocess.run(
        [sys.executable, "-m", "cupola", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_version_and_extras():
    assert DISTRIBUTION.version == cp.__version__
    extras = DISTRIBUTION.metadata.get_all("Provides-Extra")
    assert {"cuda12", "cuda13"} <= set(extras)


def test_licences_are_there():
    names = {path for path in FILES if "dist-info/licenses" in path}
    for licence in ("LICENSE", "fmt.txt", "nanobind.txt", "xxhash.txt", "zlib.txt"):
        assert any(name.endswith(f"/{licence}") for name in names), names


def test_a_bill_names_what_is_compiled_in():
    (path,) = (file for name, file in FILES.items() if name.endswith("sboms/cupola.cdx.json"))
    bill = json.loads(Path(path).read_text(encoding="utf-8"))
    assert bill["specVersion"] == "1.6"
    versions = {component["name"]: component["version"] for component in bill["components"]}
    assert {"fmt", "nanobind", "xxhash", "zlib"} <= set(versions)
    library = next(file for name, file in FILES.items() if "cupola/libcupola.so" in name)
    assert f"inflate {versions['zlib']} ".encode() in Path(library).read_bytes()


def test_no_library_has_a_name_of_the_system():
    names = [Path(name).name for name in FILES if re.search(r"\.so(\.|$)", name)]
    assert names
    for name in names:
        assert "cupola" in name or re.fullmatch(r"lib.+-[0-9a-f]{8,}\.so[.\d]*", name), name


def test_the_plugin_and_compiled_kernels_are_there():
    names = {Path(name).name for name in FILES}
    assert {"libcupola_cuda.so", "cupola_kernels.bin", "py.typed"} <= names


def test_products_need_no_blas_of_the_system():
    a = np.arange(12.0).reshape(3, 4)
    x = cp.asarray(a)
    np.testing.assert_array_equal(cp.asnumpy(x @ x.T), a @ a.T)
    np.testing.assert_allclose(
        cp.asnumpy(cp.linalg.inv(cp.asarray(a[:, :3] + np.eye(3)))),
        np.linalg.inv(a[:, :3] + np.eye(3)),
    )


def test_info_says_what_is_there_and_what_to_install():
    answer = json.loads(info("info", "--json"))
    assert answer["cupola"] == cp.__version__
    assert answer["devices"][0]["device"] == "cpu:0"
    if answer["driver"]["cuda"] is None:
        assert any("driver" in sentence for sentence in answer["to_do"])
    assert "to do" in info("info") or not answer["to_do"]


def test_kernels_of_users_say_that_they_need_a_compiler(tmp_path):
    code = """
import cupola as cp
kernel = cp.RawKernel('extern "C" __global__ void f(float* x) { x[0] = 1; }', "f")
try:
    kernel((1,), (1,), (cp.zeros(1, "f4"),))
except cp.errors.LibraryError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": str(tmp_path), "CUPOLA_PLATFORM": "cpu", "CXX": ""},
    )
    assert done.returncode == 0, done.stderr
    assert "apt install g++" in done.stdout
