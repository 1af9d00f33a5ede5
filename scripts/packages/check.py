#!/usr/bin/env python3
"""Build the packages and test them where their users are.

The steps: `wheels` builds them (scripts/build_wheel), `contents` looks into them, `extras` asks
whether the packages that the extras name exist, `systems` installs them into empty Debian systems
without compilers and runs tests and examples there, `free_threaded` installs into an empty
environment of a Python without the interpreter lock and runs tests there, `cpp` builds the C++
package without Python and programs with it. It takes half an hour and a network; `systems` needs
root and debootstrap, `free_threaded` an interpreter that PYTHON may name: without one the wheel for
it is left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from packages import free_threaded
from packages.systems import SYSTEMS, NotHereError, System, enter, make, require, run

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build/packaging-venv/bin/python"
FOLDER = ROOT / "build/systems"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Of the whole test suite, what shows that the package is complete.
TESTS = (
    "package",
    *(
        f"python/{name}.py"
        for name in (
            "creation/test_creation",
            "indexing/test_index_get",
            "linalg/test_fft",
            "linalg/test_linalg",
            "linalg/test_matrix_vector",
            "package/test_import",
            "package/test_loading",
            "processes/test_fork",
            "random_numbers/test_random",
            "reductions/test_reductions",
            "streams/test_shared_objects",
            "streams/test_streams",
            "streams/test_threads",
        )
    ),
)
GALLERY = 5  # programs
NEEDED = ("tests", "scripts", "examples", "requirements")  # folders, by tests and examples


class CheckError(Exception):
    """What is wrong with the packages."""


def wheels() -> list[Path]:
    """Those of this version in dist/."""
    found = sorted((ROOT / "dist").glob(f"cupola-{PROJECT['version']}-*.whl"))
    if not found:
        raise CheckError("there are no wheels in dist: run the step `wheels`")
    return found


def wheel_for(python: str) -> Path:
    """The one that this Python installs."""
    number = python.replace(".", "")
    is_own = python == "3.11" or python.endswith("t")
    tag = f"-cp{number}-" if is_own else "-abi3-"
    matching = [wheel for wheel in wheels() if tag in wheel.name]
    if len(matching) != 1:
        raise CheckError(f"dist has {len(matching)} wheels for Python {python}, not one")
    return matching[0]


def build(options: argparse.Namespace) -> None:
    """Build the wheels."""
    for wheel in (ROOT / "dist").glob("*.whl"):
        wheel.unlink()
    versions = ["3.11", "3.12"]
    if has_free_threaded(options):
        versions.append(options.free_threaded)
    run("scripts/build_wheel", *versions, cwd=ROOT)


def contents(_options: argparse.Namespace) -> None:
    """Look into the wheels."""
    run(TOOLS, "scripts/wheel_contents.py", *wheels(), cwd=ROOT)
    stable = [wheel for wheel in wheels() if "-abi3-" in wheel.name]
    run(TOOLS, "-m", "abi3audit", "--strict", "--summary", *stable, cwd=ROOT)


def extras(_options: argparse.Namespace) -> None:
    """Ask the package index for what the extras name."""
    for extra, requirements in PROJECT["optional-dependencies"].items():
        command = [TOOLS, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        # NVIDIA's are for each other's releases: only together do they show that they fit.
        more = [] if extra.startswith("cuda") else ["--no-deps"]
        run(*command, *more, "--only-binary=:all:", *requirements)
        print(f"ok extra {extra}: {len(requirements)} packages", flush=True)


def fetch(system: System) -> Path:
    """A folder with the wheels that the tests need, for another Python than this one."""
    folder = FOLDER / f"wheels-{system.python}"
    number = system.python.replace(".", "")
    demo = (ROOT / "requirements/demo.txt").read_text(encoding="utf-8").split()
    run(
        *(TOOLS, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", folder),
        *("--python-version", system.python, "--implementation", "cp"),
        *("--abi", f"cp{number}", "--abi", "abi3", "--abi", "none"),
        *(f"--platform={name}_{os.uname().machine}" for name in _platforms()),
        *("-r", ROOT / "requirements/test.txt", *demo),
    )
    return folder


def _platforms() -> Iterator[str]:
    yield from (f"manylinux_2_{minor}" for minor in range(36, 4, -1))
    yield "manylinux2014"


SCRIPT = """
python3 -m venv --clear /cupola/venv
python=/cupola/venv/bin/python
$python -m pip install --quiet --no-compile --no-index --find-links /cupola/wheels \
    {wheel} -r /cupola/requirements/test.txt matplotlib tqdm scikit-learn
cd /cupola/run
export CUPOLA_PLATFORM=cpu MPLBACKEND=Agg
$python -m cupola info
$python -m pytest -q -p no:cacheprovider --import-mode=importlib {tests}
for program in {programs}; do
  echo "$program"
  $python /cupola/examples/$program
done
"""


def programs(all_examples: Path) -> list[str]:
    """The gallery's first ones, or the demo where there is no gallery; below the folder."""
    found = sorted((all_examples / "gallery").glob("[!_]*.py"))[:GALLERY]
    return [str(path.relative_to(all_examples)) for path in found or [all_examples / "demo.py"]]


def check_system(name: str, tests: list[str]) -> None:
    """Install into an empty system and run tests and examples there."""
    system = SYSTEMS[name]
    root = make(system, FOLDER)
    home = root / "cupola"
    shutil.rmtree(home, ignore_errors=True)
    (home / "run").mkdir(parents=True)
    wheel = wheel_for(system.python)
    shutil.copytree(fetch(system), home / "wheels")
    shutil.copy(wheel, home / "wheels")
    for part in NEEDED:
        shutil.copytree(ROOT / part, home / part)
    enter(
        root,
        SCRIPT.format(
            wheel=f"/cupola/wheels/{wheel.name}",
            tests=" ".join(f"/cupola/tests/{test}" for test in tests),
            programs=" ".join(programs(home / "examples")),
        ),
    )


def check_refusal() -> None:
    """A system whose Python is older than the wheel's says so."""
    root = make(SYSTEMS["debian-12"], FOLDER)
    wheel = wheel_for("3.12")
    shutil.copy(wheel, root / "cupola/wheels")
    try:
        enter(root, f"/cupola/venv/bin/python -m pip install /cupola/wheels/{wheel.name}")
    except subprocess.CalledProcessError:
        return
    raise CheckError(f"Python 3.11 installed {wheel.name}")


def systems(options: argparse.Namespace) -> None:
    """Install into empty systems."""
    require()
    for name in options.system or SYSTEMS:
        start = time.monotonic()
        check_system(name, options.tests or list(TESTS))
        print(f"ok system {name}: {time.monotonic() - start:.0f} s", flush=True)
    if not options.system:
        check_refusal()


def has_free_threaded(options: argparse.Namespace) -> bool:
    """Whether there is such an interpreter; says so where there is none."""
    try:
        free_threaded.find(options.free_threaded)
    except NotHereError as error:
        print(f"left out: free-threaded Python: {error}", flush=True)
        return False
    return True


def without_lock(options: argparse.Namespace) -> None:
    """Install into an environment of free-threaded Python."""
    if not options.steps and not has_free_threaded(options):
        return
    version = options.free_threaded
    python = free_threaded.find(version)
    free_threaded.check(python, version, wheel_for(version), options.tests or list(TESTS))


def cpp(_options: argparse.Namespace) -> None:
    """Build the C++ package without Python, and programs with it by CMake and by pkg-config."""
    folder = ROOT / "build/cpp-package"
    run(
        *("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        *("-DCUPOLA_PYTHON=OFF", "-DCUPOLA_BUILD_TESTS=OFF", "-DCUPOLA_PRECOMPILED_HEADERS=ON"),
        # As the preset `release`, so that one cache of the compiler serves both.
        *("-DCMAKE_CXX_FLAGS_RELEASE=-O3", "-DCUPOLA_WARNINGS_ARE_ERRORS=ON"),
        *("-DCMAKE_DISABLE_FIND_PACKAGE_Python=ON", *options_of_cuda()),
    )
    run("cmake", "--build", folder, env={**os.environ, **ccache_settings()})
    with tempfile.TemporaryDirectory() as name:
        prefix = Path(name) / "prefix"
        run("cmake", "--install", folder, "--component", "cpp", "--prefix", prefix)
        run(
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("tests/tools/test_installed_package.py",),
            cwd=ROOT,
            env={**os.environ, "CUPOLA_TEST_PREFIX": str(prefix)},
        )


def ccache_settings() -> dict[str, str]:
    """As scripts/build has them."""
    return {"CCACHE_BASEDIR": os.environ.get("CCACHE_BASEDIR", str(ROOT)), "CCACHE_NOHASHDIR": "1"}


def options_of_cuda() -> list[str]:
    """Without Python nobody asks it where NVIDIA's headers are."""
    found = sorted((ROOT / ".venv/lib").glob("python3*/site-packages/nvidia/cu13/include"))
    return [f"-DCUPOLA_CUDA_HEADERS={found[0].resolve()}"] if found else []


STEPS = {
    "wheels": build,
    "contents": contents,
    "extras": extras,
    "systems": systems,
    "free_threaded": without_lock,
    "cpp": cpp,
}


def main() -> int:
    """Run the steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of: {', '.join(STEPS)}")
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="only this one")
    parser.add_argument("--tests", nargs="+", help="files or folders of tests/ to run")
    parser.add_argument(
        "--free_threaded",
        default=free_threaded.VERSION,
        metavar="VERSION",
        help="its Python, %(default)s by default",
    )
    options = parser.parse_args()
    unknown = set(options.steps) - set(STEPS)
    if unknown:
        parser.error(f"there is no step {', '.join(sorted(unknown))}")
    os.environ["PATH"] = f"{ROOT}/.venv/bin:{os.environ['PATH']}"  # CMake of requirements/build.txt
    try:
        if not options.steps or "systems" in options.steps:
            require()
        for name in options.steps or STEPS:
            STEPS[name](options)
            print(f"ok {name}", flush=True)
    except (CheckError, NotHereError) as error:
        print(f"package_check: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"package_check: failed: {' '.join(map(str, error.cmd))[:300]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
