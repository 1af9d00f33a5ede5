"""Installations that cannot be used say why: made of folders with broken compiled parts."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import cupola

pytestmark = pytest.mark.cupola_only

PACKAGE = Path(cupola.__file__).parent


@pytest.fixture
def installation(tmp_path):
    """The package's Python files alone."""
    folder = tmp_path / "cupola"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("*.so*", "*.bin", "__pycache__"))
    return folder


def message(folder):
    done = subprocess.run(
        [sys.executable, "-c", "import cupola"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(folder.parent)},
    )
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def test_sources_without_a_compiled_part(installation):
    assert "has no compiled part" in message(installation)


def test_a_compiled_part_for_another_python(installation):
    name = "_cupola.cpython-399-x86_64-linux-gnu.so"
    (installation / name).touch()
    text = message(installation)
    assert f"was built for another Python ({name})" in text
    assert sys.executable in text


def test_a_broken_compiled_part(installation):
    (installation / "_cupola.abi3.so").write_bytes(b"a download that ended early")
    assert "the compiled part of cupola cannot be loaded" in message(installation)


@pytest.mark.parametrize("symbol", ["GLIBC_2.99", "GLIBCXX_3.4.99"])
def test_a_system_that_is_too_old(installation, symbol):
    """As the loader says it: with a real library that asks for such a version."""
    source = installation / "f.c"
    source.write_text("extern int f(void); int g(void) { return f(); }\n")
    compiler = shutil.which("cc") or pytest.skip("needs a C compiler")
    library = symbol.split("_")[0]
    (installation / "f.map").write_text(f"{symbol} {{ global: f; }};\n")
    (installation / "e.c").write_text("int f(void) { return 1; }\n")
    soname = "libc.so.6" if library == "GLIBC" else "libstdc++.so.6"
    stand_in = installation / f"{soname}.new"
    for command in (
        [compiler, "-shared", "-fPIC", "-nostdlib", "-o", stand_in, installation / "e.c",
         f"-Wl,-soname,{soname}", f"-Wl,--version-script={installation / 'f.map'}"],
        [compiler, "-shared", "-fPIC", "-nostdlib", "-o", installation / "_cupola.abi3.so", source,
         stand_in],
    ):  # fmt: skip
        subprocess.run(command, check=True)
    text = message(installation)
    assert f"this system's C or C++ library is older than {symbol}" in text
    assert "install with pip" in text


def test_free_threaded_python_stays_without_its_lock():
    code = "import sys, cupola; print(getattr(sys, '_is_gil_enabled', lambda: None)())"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert (done.stdout.strip() == "False") == is_free
