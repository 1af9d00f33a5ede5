"""Compiled kernels on disk and in the package, and the commands about them."""

import json
import os
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from support.fake_cuda import FOLDER, needs_fake_cuda, output_on_fake_cuda, run_on_fake_cuda
from support.subprocesses import run_python

import cupola

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

PACKAGE = Path(cupola._cupola.__file__).parent
SHIPPED = PACKAGE / "cupola_kernels.bin"
needs_shipped_kernels = pytest.mark.skipif(
    not SHIPPED.exists() or SHIPPED.stat().st_size < 1000,
    reason="built without kernels (CUPOLA_SHIP_KERNELS, or no NVRTC)",
)
COUNTS = """
counts = cp._cupola.counters()
print(counts["compilations"], counts["compiled_found"])
"""


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    """An environment with a cache of its own and without the package's kernels."""
    folder = tmp_path / "a cache"
    return {
        "CUPOLA_CACHE_DIR": str(folder),
        "CUPOLA_DISK_CACHE": "1",
        "CUPOLA_SHIPPED_KERNELS": "0",
    }


def command(*arguments: str, **environment: str) -> CompletedProcess[str]:
    """Runs `python -m cupola` with the fake compiler, which is fast, and no GPU."""
    code = f"from cupola.__main__ import main; raise SystemExit(main({list(arguments)!r}))"
    settings = {"CUPOLA_CUDA_LIBRARY_PATH": str(FOLDER), "CUPOLA_PLATFORM": "cpu", **environment}
    return run_python(code, **settings)


def answer(*arguments: str, **environment: str) -> Any:
    result = command(*arguments, "--json", **environment)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


# -- The commands


@needs_fake_cuda
def test_warm_then_info_then_clear(cache: dict[str, str]) -> None:
    assert answer("cache", "info", **cache)["entries"] == 0
    warmed = answer("cache", "warm", "--arch", "sm_90,80", **cache)
    assert set(warmed["kernels"]) == {"sm_80", "sm_90"}
    compiled = warmed["kernels"]["sm_90"]["compiled"]
    assert compiled > 100
    assert warmed["kernels"]["sm_90"]["found"] == 0
    assert warmed["entries"] == 2 * compiled
    again = answer("cache", "warm", "--arch", "sm_90", **cache)
    assert again["kernels"] == {"sm_90": {"compiled": 0, "found": compiled}}
    found = answer("cache", "info", **cache)
    assert found["used"] is True
    assert found["folder"] == os.path.join(cache["CUPOLA_CACHE_DIR"], "kernels")
    assert found["entries"] == 2 * compiled
    assert found["most_bytes"] == 1 << 30
    files = list(Path(found["folder"]).iterdir())
    assert found["bytes"] == sum(file.stat().st_size for file in files)
    assert answer("cache", "clear", **cache)["removed"] == 2 * compiled
    assert answer("cache", "info", **cache)["entries"] == 0


@needs_fake_cuda
def test_what_is_warm_is_not_compiled(cache: dict[str, str]) -> None:
    program = 'c = cp.asarray(np.ones(10, "float32")) + 1; float(c[0])\n' + COUNTS
    compiled, _ = map(int, output_on_fake_cuda(program, **cache).split())
    assert compiled > 0
    answer("cache", "clear", **cache)
    answer("cache", "warm", "--arch", "sm_90", **cache)
    broken = {**cache, "FAKE_NVRTC_BROKEN": "1"}
    compiled, found = map(int, output_on_fake_cuda(program, **broken).split())
    assert compiled == 0
    assert found > 0


def test_texts_for_people(cache: dict[str, str]) -> None:
    result = command("cache", "info", **cache)
    assert result.returncode == 0, result.stderr
    assert f"folder       : {cache['CUPOLA_CACHE_DIR']}/kernels" in result.stdout
    off = command("cache", "info", **{**cache, "CUPOLA_DISK_CACHE": "0"})
    assert "it is turned off" in off.stdout


@pytest.mark.parametrize("words", ["sm_x", "90,", "9", "compute_90"])
def test_no_architectures(words: str, cache: dict[str, str]) -> None:
    result = command("cache", "warm", "--arch", words, **cache)
    assert result.returncode == 2
    assert "no list of architectures like sm_90,sm_120" in result.stderr


def test_warm_says_what_is_missing(cache: dict[str, str]) -> None:
    off = command("cache", "warm", "--arch", "sm_90", **{**cache, "CUPOLA_DISK_CACHE": "0"})
    assert off.returncode == 1
    assert "not kept: it is turned off" in off.stderr
    folder = Path(cache["CUPOLA_CACHE_DIR"]) / "kernels"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    refused = command("cache", "warm", "--arch", "sm_90", **cache)
    assert refused.returncode == 1
    assert f"other users may write to {folder}" in refused.stderr
    if cupola.cuda.runtime.getDeviceCount() == 0 or not cupola.cuda.is_available():
        folder.chmod(0o700)
        nowhere = command("cache", "warm", **cache)
        assert nowhere.returncode == 1
        assert "--arch" in nowhere.stderr


@needs_fake_cuda
def test_warm_for_the_gpus_that_are_there(cache: dict[str, str]) -> None:
    program = "from cupola.__main__ import main; main(['cache', 'warm', '--json'])"
    kernels = json.loads(output_on_fake_cuda(program, **cache))["kernels"]
    assert list(kernels) == ["sm_90"]


# -- Folders


@needs_fake_cuda
def test_a_folder_that_others_may_write_to_is_warned_of_once(cache: dict[str, str]) -> None:
    folder = Path(cache["CUPOLA_CACHE_DIR"]) / "kernels"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    program = "a = cp.asarray(np.ones(10)); cp.eval(a + 1); cp.eval(a * 2); cp.eval(a < 3)"
    result = run_on_fake_cuda(program, **cache)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("RuntimeWarning") == 1
    assert f"other users may write to {folder}" in result.stderr
    assert not list(folder.iterdir())


@needs_fake_cuda
def test_without_a_home_nothing_is_kept(cache: dict[str, str], tmp_path: Path) -> None:
    program = """
for name in ("CUPOLA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
    os.environ.pop(name, None)
a = cp.asarray(np.ones(10)) + 1
print(repr(cp._cupola.kernel_cache_info()["folder"]))
"""
    assert output_on_fake_cuda(program, **cache) == "''"
    blocked = tmp_path / "a file"
    blocked.write_text("")
    program = "a = cp.asarray(np.ones(10)) + 1\nprint(cp._cupola.kernel_cache_info()['entries'])"
    where = {**cache, "CUPOLA_CACHE_DIR": str(blocked / "cache")}
    assert output_on_fake_cuda(program, **where) == "0"


# -- Kernels of the package

FIRST_USES = {
    "add": "a + b",
    "add a number": "a + 2.5",
    "divide a number": "2 / a",
    "compare": "a < b",
    "in place": "a.__iadd__(b)",
    "cast": "a.astype('float64')",
    "sum": "float(a.sum())",
    "sum of rows": "a.reshape(10, 100).sum(axis=1)",
    "sum of columns": "a.reshape(10, 100).sum(axis=0)",
    "mean": "a.mean()",
    "range": "cp.arange(1000.0)",
    "integers": "a.astype('int64').__imul__(2)",
}


@needs_fake_cuda
@needs_shipped_kernels
@pytest.mark.parametrize("use", FIRST_USES)
def test_first_uses_need_no_compiler(use: str) -> None:
    program = f"""
a, b = (cp.asarray(np.arange(1000, dtype="float32")) for _ in range(2))
opened = cp._cupola.counters()["libraries_opened"]
c = {FIRST_USES[use]}
cp.cuda.Device().synchronize()
print(cp._cupola.counters()["libraries_opened"] - opened)
{COUNTS}"""
    opened, compiled, found = output_on_fake_cuda(program, FAKE_NVRTC_BROKEN="1").split()
    assert (opened, compiled) == ("0", "0")
    assert int(found) > 0


@needs_fake_cuda
@needs_shipped_kernels
def test_other_kernels_need_it() -> None:
    """The test above is able to fail."""
    result = run_on_fake_cuda("cp.eval(cp.arctan2(cp.arange(10.0), 3))", FAKE_NVRTC_BROKEN="1")
    assert "does not compile" in result.stderr
    without = run_on_fake_cuda(
        "a = cp.arange(10.0) + 1; cp.cuda.Device().synchronize()",
        FAKE_NVRTC_BROKEN="1",
        CUPOLA_SHIPPED_KERNELS="0",
    )
    assert "does not compile" in without.stderr


@needs_fake_cuda
@needs_shipped_kernels
def test_they_serve_later_devices_of_their_generation(cache: dict[str, str]) -> None:
    settings = {**cache, "CUPOLA_SHIPPED_KERNELS": "1", "FAKE_NVRTC_BROKEN": "1"}
    settings["CUPOLA_EAGER"] = "0"  # shipped are the kernels of what waits and is computed together
    kernels = answer("cache", "warm", "--arch", "sm_86,sm_90,sm_103,sm_121", **settings)["kernels"]
    assert {name: counts["compiled"] for name, counts in kernels.items()} == {
        "sm_86": 0,
        "sm_90": 0,
        "sm_103": 0,
        "sm_121": 0,
    }
    other = command("cache", "warm", "--arch", "sm_75", **settings)
    assert other.returncode == 1
    assert "does not compile for sm_75" in other.stderr


@needs_shipped_kernels
def test_they_are_small() -> None:
    assert SHIPPED.stat().st_size < 4 << 20
