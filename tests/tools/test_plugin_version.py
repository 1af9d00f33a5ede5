"""A CUDA plugin that was built with another version of the library is not used."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cupola

PACKAGE = Path(cupola.__file__).parent
FAKE_CUDA = PACKAGE.parents[1] / "tests/fake_cuda"

PROGRAM = """
import cupola as cp
assert cp.ones(3).sum() == 3
try:
    cp.Device("cuda:0")
    cp.ones(3, device="cuda:0")
except cp.errors.DeviceError as error:
    print(error)
"""

pytestmark = pytest.mark.skipif(
    not (FAKE_CUDA / "libcuda.so.1").exists(), reason="needs tests/fake_cuda (a build with CUDA)"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('const char* cupola_plugin_version() { return "0.0.1"; }', "0.0.1"),
        ("int cupola_create_driver;", "of another age"),
    ],
)
def test_it_is_named_with_both_versions(tmp_path: Path, text: str, found: str) -> None:
    package = tmp_path / "cupola"
    shutil.copytree(PACKAGE, package, symlinks=True)
    plugin = package / "libcupola_cuda.so"
    plugin.unlink()
    (tmp_path / "plugin.c").write_text(text)
    subprocess.run(["cc", "-shared", "-o", plugin, tmp_path / "plugin.c"], check=True)
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={
            **os.environ,
            "PYTHONPATH": str(tmp_path),
            "LD_LIBRARY_PATH": str(FAKE_CUDA),
            "CUPOLA_PLATFORM": "cpu",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    expected = f"libcupola_cuda.so is {found}, and the library {cupola.__version__}: install both"
    assert expected in result.stdout
