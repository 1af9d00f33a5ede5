"""scripts/release, in a scratch clone."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ("pyproject.toml", "CMakeLists.txt", "CHANGELOG.md", "python/cupola/_version.py",
         "packaging/conda/recipe.yaml", "scripts/release", "scripts/release.py")  # fmt: skip


@pytest.fixture
def clone(tmp_path):
    """A repository with the files that a release changes, as they are in this checkout."""
    folder = tmp_path / "clone"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "config", "user.name", "A Tester")
    git(folder, "config", "user.email", "tester@example.org")
    (folder / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 0.1.0 (unreleased)\n- Something new.\n\n## 0.0.9 (2020-01-01)\n- Old.\n"
    )
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "all")
    return folder


def git(folder, *arguments):
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def release(folder, *arguments):
    return subprocess.run([folder / "scripts/release", *arguments], capture_output=True, text=True)


def test_nothing_is_changed_unless_asked(clone):
    before = git(clone, "rev-parse", "HEAD")
    done = release(clone, "1.2.3")
    assert done.returncode == 0, done.stderr
    assert '+version = "1.2.3"' in done.stdout
    assert "+## 1.2.3 (20" in done.stdout
    assert "nothing was changed" in done.stdout
    assert git(clone, "status", "--porcelain") == ""
    assert git(clone, "rev-parse", "HEAD") == before
    assert git(clone, "tag", "--list") == ""


def test_version_changelog_commit_and_tag(clone):
    done = release(clone, "1.2.3rc1", "--do")
    assert done.returncode == 0, done.stderr
    assert git(clone, "tag", "--list") == "v1.2.3rc1"
    assert git(clone, "rev-parse", "v1.2.3rc1^{commit}") == git(clone, "rev-parse", "HEAD")
    assert git(clone, "log", "-1", "--format=%s") == "Release 1.2.3rc1"
    assert git(clone, "status", "--porcelain") == ""
    text = {name: (clone / name).read_text() for name in FILES}
    assert 'version = "1.2.3rc1"' in text["pyproject.toml"]
    assert '__version__ = "1.2.3rc1"' in text["python/cupola/_version.py"]
    assert "project(cupola VERSION 1.2.3 " in text["CMakeLists.txt"]
    assert 'soversion: "1.2"' in text["packaging/conda/recipe.yaml"]
    assert "unreleased" not in text["CHANGELOG.md"]
    assert "## 0.0.9 (2020-01-01)" in text["CHANGELOG.md"]


def test_what_cannot_be_released_is_refused(clone):
    for version, reason in [
        ("0.0.1", "is before 0.1.0"),
        ("one", "is no version"),
    ]:
        assert reason in release(clone, version, "--do").stderr
    assert release(clone, "0.1.0", "--do").returncode == 0
    assert "there is a tag v0.1.0 already" in release(clone, "0.1.0", "--do").stderr
    assert "is not one that is (unreleased)" in release(clone, "0.1.1", "--do").stderr
    (clone / "CHANGELOG.md").write_text("# Changelog\n\n## next (unreleased)\n")
    assert "changes that are not committed" in release(clone, "0.1.1", "--do").stderr
    git(clone, "commit", "--quiet", "-am", "an empty section")
    assert "is empty" in release(clone, "0.1.1", "--do").stderr
    assert git(clone, "tag", "--list") == "v0.1.0"
