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

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "hello": "cpu:0: coefficients [ 1. -2.  3.], largest error ",
    "image_service": "400 requests by 8 threads on 4 device(s): ",
    "several_devices": "cpu:3: rows 1536 to 2048",
    "own_kernel": "[0.  0.  0.  0.5 1.  1.  1. ]",
}
PAGE = ROOT / "docs/guide/cpp.md"
SNIPPET = re.compile(r"^```cpp\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
HEADERS = ("iostream", "span", "vector", "cupola/cupola.h")
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"needs {name}"))
    for name in ("g++", "clang++")
]
STRICT = ("-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def run(*command: object, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "CUPOLA_PLATFORM": "cpu", "CUPOLA_CPU_DEVICES": "4", **environment},
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


@pytest.mark.parametrize("compiler", COMPILERS)
def test_examples_build_with_the_installed_package_and_run(prefix, tmp_path, compiler):
    build = tmp_path / "build"
    # The install folder must suffice: nothing of this checkout but the examples is in reach.
    run(
        *("cmake", "-S", ROOT / "examples/cpp", "-B", build, "-G", "Ninja"),
        *(f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_FLAGS={' '.join(STRICT)}"),
        f"-DCMAKE_CXX_COMPILER={compiler}",
    )
    run("cmake", "--build", build)
    sources = {path.stem for path in (ROOT / "examples/cpp").glob("*.cc")}
    assert sources == set(PROGRAMS)
    for name, expected in PROGRAMS.items():
        assert expected in run(build / name), name


@pytest.fixture(scope="module")
def flags(prefix) -> list[str]:
    """What pkg-config says of the installed package."""
    if not shutil.which("pkg-config"):
        pytest.skip("needs pkg-config")
    (pc,) = libraries(prefix).glob("pkgconfig/cupola.pc")
    return run("pkg-config", "--cflags", "--libs", "cupola", PKG_CONFIG_PATH=str(pc.parent)).split()


def test_hello_builds_by_pkg_config(prefix, flags, tmp_path):
    assert f"-I{prefix.resolve()}" in re.sub(r"/lib[^ ]*/pkgconfig(/\.\.)+", "", " ".join(flags))
    program = tmp_path / "hello"
    compiler = os.environ.get("CXX", "c++")
    run(compiler, *STRICT, ROOT / "examples/cpp/hello.cc", *flags, "-o", program)
    assert PROGRAMS["hello"] in run(program, LD_LIBRARY_PATH=str(libraries(prefix)))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_snippets_of_the_page_print_what_it_shows(prefix, flags, tmp_path, compiler):
    """They are one program, in their order."""
    snippets = SNIPPET.findall(PAGE.read_text(encoding="utf-8"))
    assert len(snippets) >= 7
    source, program = tmp_path / "page.cc", tmp_path / "page"
    lines = [f"#include <{header}>" for header in HEADERS]
    between = 'std::cout << "--\\n";\n'
    lines += ["int main() {", *(body + between for body, _ in snippets), "}"]
    source.write_text("\n".join(lines))
    run(compiler, *STRICT, source, *flags, "-o", program)
    shown = run(program, LD_LIBRARY_PATH=str(libraries(prefix))).split("--\n")
    assert shown[:-1] == [text for _, text in snippets]


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
