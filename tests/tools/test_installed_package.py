"""C++ projects find the installed package, build with it and run.

It is installed from the build folder; CUPOLA_TEST_PREFIX names a prefix that has it already.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = "cpu:0: y = 1.000000 + -2.000000 x + 3.000000 x^2"
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


def run(*command: object, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "CUPOLA_PLATFORM": "cpu", **environment},
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def prefix(request, tmp_path_factory) -> Path:
    """Where the package is installed: in a folder that was moved since."""
    given = os.environ.get("CUPOLA_TEST_PREFIX")
    if given:
        return Path(given)
    first = tmp_path_factory.mktemp("installed") / "first"
    build_folder = request.getfixturevalue("build_folder")
    run("cmake", "--install", build_folder, "--component", "cpp", "--prefix", first)
    return first.rename(first.parent / "moved")


def libraries(prefix: Path) -> Path:
    (library,) = prefix.glob("lib*/**/libcupola.so")
    return library.parent


def test_hello_builds_with_the_installed_package_and_runs(prefix, tmp_path):
    build = tmp_path / "build"
    # The install folder must suffice: nothing of this checkout but the example is in reach.
    run(
        *("cmake", "-S", ROOT / "examples/cpp", "-B", build, "-G", "Ninja"),
        *(f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_FLAGS={' '.join(STRICT)}"),
    )
    run("cmake", "--build", build)
    assert EXPECTED in run(build / "hello")


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="needs pkg-config")
def test_hello_builds_by_pkg_config(prefix, tmp_path):
    (pc,) = libraries(prefix).glob("pkgconfig/cupola.pc")
    flags = run(
        "pkg-config", "--cflags", "--libs", "cupola", PKG_CONFIG_PATH=str(pc.parent)
    ).split()
    assert f"-I{prefix.resolve()}" in re.sub(r"/lib[^ ]*/pkgconfig(/\.\.)+", "", " ".join(flags))
    program = tmp_path / "hello"
    compiler = os.environ.get("CXX", "c++")
    run(compiler, *STRICT, ROOT / "examples/cpp/hello.cc", *flags, "-o", program)
    assert EXPECTED in run(program, LD_LIBRARY_PATH=str(libraries(prefix)))


def test_the_library_has_a_version_of_its_interface(prefix):
    version = re.search(
        r"VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1]
    )
    assert version
    link = libraries(prefix) / "libcupola.so"
    assert link.is_symlink()
    assert link.readlink().name == f"libcupola.so.{version[1]}"
    dynamic = run("readelf", "-d", link)
    assert f"soname: [libcupola.so.{version[1]}]" in dynamic


def test_licences_and_what_is_compiled_in_are_beside(prefix):
    names = {path.name for path in prefix.glob("share/doc/**/*")}
    assert {"LICENSE", "fmt.txt", "xxhash.txt", "zlib.txt"} <= names
    for path in prefix.glob("share/doc/**/cupola.cdx.json"):
        assert json.loads(path.read_text())["bomFormat"] == "CycloneDX"
