"""What a build has by itself, and what only the presets of developers add."""

import json
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]


def configure(folder: Path, *options: object) -> subprocess.CompletedProcess[str]:
    command = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCUPOLA_BUILD_TESTS=OFF"]
    return subprocess.run(
        [str(part) for part in [*command, *options]], capture_output=True, text=True
    )


def commands(folder: Path) -> dict[str, str]:
    """Each source of the checkout -> how it is compiled."""
    entries = json.loads((folder / "compile_commands.json").read_text())
    return {entry["file"]: entry["command"] for entry in entries}


def test_a_plain_build_has_the_plugin_and_survives_warnings(tmp_path: Path) -> None:
    done = configure(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    compiled = commands(tmp_path)
    assert f"{ROOT}/src/platforms/cuda/plugin.cc" in compiled
    assert not [source for source, command in compiled.items() if "-Werror" in command]


def test_packages_are_found_behind_the_links_of_a_build(build_folder: Path, tmp_path: Path) -> None:
    """With the build on PYTHONPATH, as here, Python finds its link `nvidia` first."""
    done = configure(tmp_path)
    assert done.returncode == 0, done.stderr
    found = re.search(r"CUDA: headers in (\S+),", done.stdout)
    assert found
    assert not Path(found[1]).is_relative_to(build_folder)
    for link in (tmp_path / "nvidia", tmp_path / "python/nvidia"):
        if link.is_symlink():
            assert found[1] == f"{link.readlink()}/cu13/include"


def test_warnings_are_errors_for_developers(build_folder: Path) -> None:
    compiled = commands(build_folder)
    own = [source for source in compiled if source.startswith(f"{ROOT}/src/")]
    assert own
    assert not [source for source in own if "-Werror" not in compiled[source]]


def test_headers_that_are_missing_are_named(tmp_path: Path) -> None:
    done = configure(tmp_path / "build", f"-DCUPOLA_CUDA_HEADERS={tmp_path}")
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    for part in (str(tmp_path), "cuda.h", "requirements/cuda.txt", "CUDA_HOME", "CUPOLA_CUDA=OFF"):
        assert part in said


def test_the_plugin_can_be_left_out(tmp_path: Path) -> None:
    done = configure(tmp_path / "build", f"-DCUPOLA_CUDA_HEADERS={tmp_path}", "-DCUPOLA_CUDA=OFF")
    assert done.returncode == 0, done.stderr
    assert not [source for source in commands(tmp_path / "build") if "/platforms/cuda/" in source]


def test_the_library_needs_no_python(tmp_path: Path, build_folder: Path) -> None:
    headers = re.search(
        r"-isystem (\S+/include)",
        commands(build_folder)[f"{ROOT}/src/platforms/cuda/plugin.cc"],
    )
    assert headers
    done = configure(
        tmp_path,
        "-DCUPOLA_PYTHON=OFF",
        "-DCMAKE_DISABLE_FIND_PACKAGE_Python=ON",
        f"-DCUPOLA_CUDA_HEADERS={headers[1]}",
    )
    assert done.returncode == 0, done.stderr
    compiled = commands(tmp_path)
    assert f"{ROOT}/src/ops/elementwise/elementwise.cc" in compiled
    assert not [source for source in compiled if "/src/python/" in source]
