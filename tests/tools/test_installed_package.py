"""A C++ project finds the installed package, builds with it and runs."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "CUPOLA_PLATFORM": "cpu"},
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_hello_builds_with_the_installed_package_and_runs(build_folder, tmp_path):
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    run("cmake", "--install", build_folder, "--component", "cpp", "--prefix", prefix)
    # The install folder must suffice: nothing of this checkout but the example is in reach.
    run(
        *("cmake", "-S", ROOT / "examples/cpp", "-B", build, "-G", "Ninja"),
        *(f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror"),
    )
    run("cmake", "--build", build)
    output = run(build / "hello")
    assert "cpu:0: y = 1.000000 + -2.000000 x + 3.000000 x^2" in output
