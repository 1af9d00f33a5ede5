"""What packages are made of: the bill of materials, licences, what a wheel would hold, recipes."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from packages import check

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def load(path):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


sbom = load("packaging/sbom.py")
contents = load("scripts/wheel_contents.py")


# -- The bill of materials


def test_the_bill_of_the_build_is_valid_and_names_what_is_compiled_in(build_folder):
    path = build_folder / "cupola.cdx.json"
    bill = json.loads(path.read_text(encoding="utf-8"))
    assert contents.schema_problem(path) is None
    names = {component["name"] for component in bill["components"]}
    assert {"fmt", "xxhash", "nanobind", "robin-map"} <= names
    assert bill["metadata"]["component"]["version"] == PYPROJECT["project"]["version"]


def test_an_invalid_bill_is_seen(tmp_path):
    pytest.importorskip("cyclonedx")
    bill = sbom.document("1.2.3", {})
    bill["components"] = [{"type": "library"}]  # without a name
    path = tmp_path / "bill.json"
    path.write_text(json.dumps(bill))
    assert "name" in contents.schema_problem(path)


def test_versions_are_those_of_the_headers(tmp_path):
    (tmp_path / "zlib.h").write_text('#define ZLIB_VERSION "1.99.7"\n')
    (tmp_path / "fmt").mkdir()
    (tmp_path / "fmt/base.h").write_text("#define FMT_VERSION 120103\n")
    bill = sbom.document("1.2.3", {"zlib": tmp_path, "fmt": tmp_path})
    versions = {component["name"]: component["version"] for component in bill["components"]}
    assert versions == {"zlib": "1.99.7", "fmt": "12.1.3"}
    with pytest.raises(ValueError, match="does not say which version xxhash is"):
        sbom.version_of("xxhash", tmp_path)


def test_each_component_has_its_licence_and_its_terms():
    texts = {path.stem for path in (ROOT / "packaging/licenses").glob("*.txt")}
    assert texts == set(sbom.COMPONENTS)
    whole = PYPROJECT["project"]["license"]
    for component in sbom.COMPONENTS.values():
        assert component.licence in whole.split(" AND ")


# -- What a wheel would hold


@pytest.fixture(scope="module")
def unpacked(build_folder, tmp_path_factory):
    """As a wheel, of the build: without what auditwheel does."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        ["cmake", "--install", build_folder, "--component", "python", "--prefix", folder],
        check=True,
        capture_output=True,
    )
    shutil.copytree(ROOT / "python/cupola", folder / "cupola", dirs_exist_ok=True)
    return folder


def test_libraries_look_beside_themselves_only_and_have_names_of_their_own(unpacked):
    # fmt and zlib are the system's here; auditwheel and an archive replace them.
    problems = [
        problem
        for problem in contents.library_problems(unpacked)
        if not re.search(r"needs lib(fmt|z)\.so", problem)
    ]
    assert problems == []
    assert list(contents.modules_missing(unpacked)) == []


def test_names_of_the_system_are_seen(unpacked, tmp_path):
    folder = tmp_path / "wheel"
    shutil.copytree(unpacked, folder)
    library = next(folder.glob("cupola/libcupola.so.*"))
    shutil.copy(library, folder / "cupola/libz.so.1")
    (folder / "cupola.libs").mkdir()
    shutil.copy(library, folder / "cupola.libs/libfmt-0123abcd.so.9")
    next(folder.glob("cupola/libcupola_cuda.so")).unlink()
    problems = "\n".join(contents.library_problems(folder))
    assert "cupola/libz.so.1 may stand in for a library of the system" in problems
    assert "libfmt-0123abcd" not in problems.replace("libfmt-0123abcd.so.9 needs", "")
    assert r"there is no libcupola_cuda" in problems


def test_a_component_without_a_licence_is_seen(tmp_path):
    info = tmp_path / "cupola-1.dist-info"
    (info / "sboms").mkdir(parents=True)
    (info / "licenses").mkdir()
    (info / "licenses/LICENSE").write_text("terms")
    bill = sbom.document("1", {})
    bill["components"] = [sbom.entry("fmt", "9.1.0")]
    (info / "sboms/cupola.cdx.json").write_text(json.dumps(bill))
    (tmp_path / "cupola.libs").mkdir()
    (tmp_path / "cupola.libs/libother-0123abcd.so.1").touch()
    problems = list(contents.bill_problems(tmp_path, info))
    assert "there is no licence of fmt" in problems
    assert "no bill names libother-0123abcd.so.1" in problems


def test_what_tests_of_packages_need_is_copied_with_them(tmp_path):
    for folder in check.NEEDED:
        shutil.copytree(ROOT / folder, tmp_path / folder)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    tests = [tmp_path / "tests" / test for test in check.TESTS]
    done = subprocess.run(
        [*command, "--import-mode=importlib", *tests],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# -- Configuration


def test_extras_bring_what_the_plugin_opens():
    extras = PYPROJECT["project"]["optional-dependencies"]
    for extra in ("cuda12", "cuda13"):
        for library in ("nvrtc", "cublas", "cufft", "cusolver", "nccl", "runtime"):
            found = [name for name in extras[extra] if library in name]
            assert len(found) == 1, (extra, library)
    # NVIDIA's packages for CUDA 12 have its number in their names, those for 13 mostly have not.
    assert all("-cu12" in name for name in extras["cuda12"])
    assert not [name for name in extras["cuda13"] if "-cu12" in name]


def test_every_file_of_a_version_has_the_same_one():
    version = PYPROJECT["project"]["version"]
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f'version: "{version}"' in recipe
    assert f"VERSION {re.match('[0-9.]+', version)[0]} " in cmake
    assert yaml.safe_load(recipe)["context"]["soversion"] == ".".join(version.split(".")[:2])


def test_workflows_and_recipes_are_yaml_whose_files_exist():
    for path in [*(ROOT / ".github/workflows").glob("*.yml"), *ROOT.glob("packaging/**/*.yaml")]:
        text = path.read_text(encoding="utf-8")
        assert yaml.safe_load(text)
        for name in re.findall(r"(?:scripts|packaging|requirements|examples)/[\w./-]+", text):
            assert (ROOT / name).exists(), f"{path.name}: {name}"
    before = PYPROJECT["tool"]["cibuildwheel"]["before-all"]
    assert (ROOT / before).stat().st_mode & 0o111
