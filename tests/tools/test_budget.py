"""The steps of `make test`: what they leave out, and what they may cost."""

import subprocess
import sys
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import budget
import parts
import run_tests

SCRIPTS = Path(run_tests.__file__).parent
FILES = [f"tests/test_{i}.py" for i in range(40)]


@pytest.fixture
def run_configs():
    loader = SourceFileLoader("run_configs", str(SCRIPTS / "run_configs"))
    module = module_from_spec(spec_from_loader("run_configs", loader))
    loader.exec_module(module)
    return module


def test_a_part_goes_by_the_seed_alone():
    part = parts.part_of(FILES, [], 5, "abc")
    assert part == parts.part_of(FILES, [], 5, "abc")
    assert part == parts.part_of(FILES[::-1], [], 5, "abc")[::-1]
    assert len(part) == 8
    assert part != parts.part_of(FILES, [], 5, "abd")


def test_a_part_has_what_is_always_there():
    always = ["tests/test_3.py", "tests/errors/test_it.py"]
    part = parts.part_of(FILES, always, 10, "abc")
    assert set(always) < set(part)
    assert len(part) == 2 + 4
    assert len(part) == len(set(part))


def test_all_files_come_round():
    seen = {name for seed in range(60) for name in parts.part_of(FILES, [], 5, str(seed))}
    assert seen == set(FILES)


def test_one_part_is_everything():
    assert parts.part_of(FILES, ["tests/test_3.py"], 1, "abc") == FILES


def test_the_seed_is_the_commit():
    command = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(command, cwd=SCRIPTS, capture_output=True, text=True).stdout.strip()
    if head:
        assert head.startswith(parts.commit())
        assert len(parts.commit()) == 12
    else:
        assert parts.commit() == "none"


def test_configurations_name_files_that_they_run(run_configs):
    for name in run_configs.chosen([]):
        configuration = run_configs.load(name)
        every = run_configs.files_of(configuration["tests"])
        assert every == [file for file in every if (run_configs.ROOT / file).is_file()], name
        assert set(configuration.get("about", [])) <= set(every), name


def test_configurations_of_make_test_are_about_something(run_configs):
    for name in run_tests.OTHER_CONFIGURATIONS:
        assert run_configs.load(name)["about"], name


def test_a_failing_part_can_be_run_again(run_configs, monkeypatch, capfd):
    """The printed options choose the same files, whatever the commit is."""
    shown = []
    for seed in (["--seed", "abc"], ["--seed", "abc"], ["--seed", "abd"]):
        options = ["run_configs", "eager", "--part", "3", *seed, "--", "--version"]
        monkeypatch.setattr(sys, "argv", options)
        run_configs.main()
        output = capfd.readouterr().out
        assert f"; again: --part 3 {' '.join(seed)})" in output
        shown.append([line for line in output.splitlines() if line.startswith("files: ")])
    assert shown[0] == shown[1] != shown[2]
    assert "test_deferral.py" in shown[2][0]


def test_every_step_has_a_budget():
    steps = run_tests.steps("release", run_tests.Count(), budget.Times(), False)
    builds = {f"build {name}" for name in ("asan", "tsan")}
    assert set(budget.BUDGET) == set(steps) - set(run_tests.ONLY_OF_ALL) | builds
    assert budget.most() <= budget.LIMIT


def test_the_table_tells_who_is_over():
    seconds = dict.fromkeys(budget.BUDGET, 1.0)
    seconds["cpp"] = budget.BUDGET["cpp"] + 1.0
    lines = budget.table(seconds).splitlines()
    assert [line.split()[0] for line in lines if "OVER ITS BUDGET" in line] == ["cpp"]
    assert lines[-1].endswith("within the limit of 35")


def test_the_table_compares_the_sum_with_the_limit():
    lines = budget.table({"build": 2101.0, "other": 0.4}).splitlines()
    assert lines[-1].startswith("35.0 minutes: OVER the limit of 35; not run: check, cpp, ")
    assert lines[-2].split() == ["other", "0", "none"]


def test_times_of_steps_add_up():
    times = budget.Times()
    start = time.monotonic()
    with times.measure("asan"):
        with times.measure("build asan"):
            time.sleep(0.2)
        time.sleep(0.1)
    with pytest.raises(ValueError, match="it"), times.measure("cpp"):
        raise ValueError("it")
    took = time.monotonic() - start
    assert sum(times.seconds.values()) == pytest.approx(took, abs=0.05)
    assert times.seconds["build asan"] >= 0.2
    assert 0.1 <= times.seconds["asan"] < took - 0.19
    assert "cpp" in times.seconds


def test_what_scripts_skip_is_counted():
    count = run_tests.Count()
    count.add_lines("it", ["printf", "ok a\\nskipped b: why\\nFAILED c\\nskipped d\\n"])
    assert (count.passed, count.failed, count.skipped) == (1, 1, 2)


@pytest.mark.parametrize(
    ("cache", "failed", "skipped"),
    [("CUPOLA_CUDA:BOOL=ON\n", 1, 0), ("CUPOLA_CUDA:STRING=OFF\n", 0, 1), (None, 1, 0)],
)
def test_the_fake_driver_is_missed_unless_the_plugin_was_left_out(tmp_path, cache, failed, skipped):
    if cache:
        (tmp_path / "CMakeCache.txt").write_text(cache)
    count = run_tests.Count()
    run_tests.run_on_fake_cuda(str(tmp_path), count)
    assert (count.passed, count.failed, count.skipped) == (0, failed, skipped)
