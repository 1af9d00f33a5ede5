"""Each part of the GPU check writes what it found, beside what the others have."""

import json
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import gpu_check  # noqa: E402
import gpu_check_sets  # noqa: E402
import outcomes  # noqa: E402
import source_hash  # noqa: E402
from gpu import benchmarks, compute_sanitizer, record  # noqa: E402
from gpu.check import Check  # noqa: E402

pytestmark = pytest.mark.long


def test_source_hash_is_that_of_the_shell_command():
    command = "find src include -type f | LC_ALL=C sort | xargs cat | sha256sum"
    shell = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert source_hash.source_hash() == shell.stdout.split()[0]


def package_at(folder: Path, **facts: object) -> SimpleNamespace:
    """What parts ask of a package; its test programs are those that a test writes."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    known = {
        "python": sys.executable,
        "programs": programs,
        "source_hash": "these",
        "problems": [],
        "device": {"count": 1, "name": "GPU"},
        "versions": {},
        "info": {},
        "configuration": {"tests": []},
        "environment": lambda **more: more,
    }
    return SimpleNamespace(**{**known, **facts})


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_check, "RESULT", tmp_path / "results/gpu_check.json")
    monkeypatch.setattr(gpu_check, "LOGS", tmp_path / "logs")
    return package_at(tmp_path)


def run_part(package, part, patterns=(), seconds=100, logs=None):
    logs = logs or gpu_check.LOGS
    recorder = gpu_check.Recorder(package, gpu_check.RESULT, logs)
    gpu_check.run_part(part, list(patterns), recorder, seconds, logs)
    return json.loads(gpu_check.RESULT.read_text())


def replace_part(monkeypatch, part, function):
    monkeypatch.setitem(gpu_check.PARTS, part, gpu_check.Part(function, 100))


def counting(passed, *failures):
    """A part that finds so many tests passed, and those failed."""

    def run(check, _patterns):
        found = outcomes.Outcomes()
        found.passed, found.failures = passed, list(failures)
        found.errors = {name: f"{name} is wrong" for name in failures}
        check.add_outcomes("program", found)

    return run


def breaks(_check, _patterns):
    raise OSError("there is no /some/folder/program")


def test_parts_keep_what_others_found(package, monkeypatch):
    replace_part(monkeypatch, "cpp", counting(3))
    replace_part(monkeypatch, "python", counting(5, "test_a"))
    run_part(package, "cpp")
    written = run_part(package, "python")
    assert written["cpp"]["passed"]
    assert not written["python"]["passed"]
    assert written["tests"] == {"passed": 8, "failed": 1, "skipped": 0, "failures": ["test_a"]}
    assert written["python"]["errors"] == {"test_a": "test_a is wrong"}
    assert written["python"]["device"] == {"count": 1, "name": "GPU"}
    assert {"date", "seconds", "source_hash"} <= written["python"].keys()


def test_a_part_that_runs_again_replaces_its_section(package, monkeypatch):
    replace_part(monkeypatch, "python", counting(5, "test_a"))
    run_part(package, "python")
    replace_part(monkeypatch, "python", counting(6))
    written = run_part(package, "python")
    assert written["tests"] == {"passed": 6, "failed": 0, "skipped": 0, "failures": []}
    assert written["problems"] == []


def test_a_part_that_breaks_is_a_problem_of_that_part(package, monkeypatch):
    replace_part(monkeypatch, "cpp", counting(3))
    replace_part(monkeypatch, "python", breaks)
    run_part(package, "cpp")
    written = run_part(package, "python")
    assert written["problems"] == ["python: breaks: OSError: there is no program"]
    assert written["cpp"]["passed"]
    assert not written["python"]["passed"]


def test_while_a_part_runs_the_record_says_that_it_has_not_ended(package, monkeypatch):
    """So it does for good if the call is killed."""
    seen = []

    def look(_check, _patterns):
        seen.append(json.loads(gpu_check.RESULT.read_text()))

    replace_part(monkeypatch, "cpp", look)
    run_part(package, "cpp")
    assert seen[0]["problems"] == ["cpp: did not end"]
    assert not seen[0]["cpp"]["passed"]
    assert "cpp" in seen[0]["missing"]
    assert "cpp" not in json.loads(gpu_check.RESULT.read_text())["missing"]


def test_a_program_that_is_stopped_is_a_problem(package, monkeypatch):
    program = package.programs / "slow_tests"
    program.write_text("#!/bin/sh\necho '[ RUN      ] A.slow'\nsleep 60\n")
    program.chmod(0o755)
    written = run_part(package, "cpp", seconds=3)
    assert written["problems"] == ["cpp: slow_tests: stopped, the time was over"]
    assert written["tests"]["failures"] == ["A.slow"]


def test_ends_of_logs_go_into_one_archive(package, monkeypatch, tmp_path):
    def write_logs(check, _patterns):
        (check.logs / "a.log").write_bytes(b"x" * (1 << 20) + b"end")
        (check.logs / "b.log").write_text("b")

    replace_part(monkeypatch, "cpp", write_logs)
    run_part(package, "cpp", logs=tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out")) == ["cpp.tar.gz", "gpu_check.json"]
    with tarfile.open(tmp_path / "out/cpp.tar.gz") as archive:
        assert archive.getnames() == ["cpp/a.log", "cpp/b.log"]
        kept = archive.extractfile("cpp/a.log").read()
    assert kept.endswith(b"xend")
    assert len(kept) == 1 << 19


def test_parts_that_share_the_machine_are_those_under_a_sanitizer_that_are_named_side_by_side():
    parts = ["cpp", "memcheck", "racecheck", "benchmarks", "initcheck"]
    assert gpu_check.in_groups(parts) == [
        ["cpp"],
        ["memcheck", "racecheck"],
        ["benchmarks"],
        ["initcheck"],
    ]


@pytest.fixture
def sanitizer(tmp_path, monkeypatch):
    """A stand-in for compute-sanitizer: runs the program and finds what $FOUND says."""
    folder = tmp_path / "bin"
    folder.mkdir()
    tool = folder / "compute-sanitizer"
    tool.write_text(
        "#!/bin/bash\n"
        'while [ "$1" != --log-file ]; do shift; done\n'
        'log=$2; shift 2; "$@"; status=$?\n'
        'echo "========= ERROR SUMMARY: ${FOUND:-0} errors" >$log\n'
        "exit $status\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


ENDS = "echo '[==========] 1 test from 1 test suite ran.'"


def write_program(package, name, body):
    program = package.programs / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)


def test_programs_under_a_tool_are_run_and_merged_by_name(package, monkeypatch, sanitizer):
    monkeypatch.setitem(compute_sanitizer.PROGRAMS, "memcheck", ("a_tests", "b_tests"))
    passes = f"echo '[       OK ] A.a (1 ms)'; {ENDS}"
    write_program(package, "a_tests", passes)
    write_program(package, "b_tests", "sleep 60")
    written = run_part(package, "memcheck", seconds=6)
    assert written["problems"] == ["memcheck: b_tests: not finished"]
    assert not written["memcheck"]["passed"]
    write_program(package, "b_tests", passes)
    written = run_part(package, "memcheck", ["b_*"])
    assert [entry["name"] for entry in written["memcheck"]["programs"]] == ["a_tests", "b_tests"]
    assert written["problems"] == []
    assert written["memcheck"]["tests"]["passed"] == 2
    assert written["memcheck"]["passed"]


def test_a_part_of_some_programs_lacks_the_others(package, monkeypatch, sanitizer):
    monkeypatch.setitem(compute_sanitizer.PROGRAMS, "memcheck", ("a_tests", "b_tests"))
    write_program(package, "a_tests", ENDS)
    written = run_part(package, "memcheck", ["a_tests"])
    assert written["memcheck"]["missing"] == ["b_tests"]
    assert written["memcheck"]["passed"]
    assert "memcheck" in written["missing"]


def test_what_a_tool_finds_is_a_problem(package, monkeypatch, sanitizer):
    monkeypatch.setitem(compute_sanitizer.PROGRAMS, "racecheck", ("a_tests",))
    monkeypatch.setenv("FOUND", "3")
    write_program(package, "a_tests", f"{ENDS}; exit 86")
    written = run_part(package, "racecheck")
    assert written["racecheck"]["programs"][0]["errors"] == 3
    assert written["problems"] == ["racecheck: a_tests: 3 errors"]


BENCH = """\
import json, sys
command, only = sys.argv, [name for name in sys.argv[1:] if name in ("a", "b", "c")]
if "--short" in command:
    rows = json.load(open(command[command.index("--short") + 1]))["rows"]
    print("\\n".join(row["name"] for row in rows if row.get("short")))
elif "--list" in command:
    print("a\\nb\\nc")
else:
    rows = [{"name": name, "figures": {}, "fails": {}} for name in only]
    facts = {"seconds": 3, "copy_gb_per_s": None}
    if "--merge" in command:
        earlier = json.load(open(command[command.index("--json") + 1]))
        rows = earlier["rows"] + rows
        facts["calls"] = earlier["calls"] + [only]
    else:
        facts["calls"] = [only]
    open(command[command.index("--json") + 1], "w").write(json.dumps({**facts, "rows": rows}))
"""


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A stand-in for the benchmarks, of which the rows are a, b and c."""
    program = tmp_path / "bench.py"
    program.write_text(BENCH)
    monkeypatch.setattr(benchmarks, "PROGRAM", program)
    monkeypatch.setattr(benchmarks, "ROWS_PROGRAM", program)
    return program


def test_rows_of_several_calls_are_one_section(package, bench):
    written = run_part(package, "benchmarks", ["a", "b"])
    assert written["benchmarks"]["missing"] == ["c"]
    assert "benchmarks" in written["missing"]
    written = run_part(package, "benchmarks", ["c"])
    assert "benchmarks" not in written["missing"]
    assert [row["name"] for row in written["benchmarks"]["rows"]] == ["a", "b", "c"]
    assert written["benchmarks"]["calls"] == [["a", "b"], ["c"]]
    assert written["benchmarks"]["passed"]


def test_benchmarks_whose_rows_are_unknown_are_not_complete(package, bench):
    bench.write_text(BENCH.replace("print(", "raise SystemExit("))
    written = run_part(package, "benchmarks", ["a"])
    assert written["problems"] == ["benchmarks: the rows that there are cannot be listed"]
    assert not written["benchmarks"]["complete"]


NCU = """\
#!/bin/bash
while [ "$1" != --log-file ]; do shift; done
printf '"ID","Kernel Name","gpu__time_duration.sum"\\n"","","ns"\\n' >$2
[ "${@: -1}" = c ] || printf '"0","kernel_of_%s","2,000"\\n' "${@: -1}" >>$2
"""


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """A stand-in for Nsight Compute, which records a kernel of each row but c."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ncu").write_text(NCU)
    (folder / "ncu").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_rows_are_profiled_one_by_one(package, bench, ncu):
    written = run_part(package, "profile", ["*"])
    kernels = {row["name"]: row["kernels"] for row in written["profile"]["rows"]}
    assert [kernel["kernel"] for kernel in kernels["a"]] == ["kernel_of_a"]
    assert kernels["b"][0]["microseconds"] == 2
    assert kernels["c"] == []
    assert written["problems"] == ["profile: c: no kernel was recorded"]


def test_rows_that_launch_nothing_are_no_problem(package, bench, ncu):
    script = NCU + "[ \"${@: -1}\" != c ] || echo '==WARNING== No kernels were profiled.'\n"
    (Path(os.environ["PATH"].split(":")[0]) / "ncu").write_text(script)
    written = run_part(package, "profile", ["*"])
    assert written["profile"]["rows"][-1] == {"name": "c", "kernels": [], "problems": []}
    assert written["problems"] == []


def test_without_patterns_rows_that_fall_short_are_profiled(package, bench, ncu):
    (unknown,) = run_part(package, "profile")["problems"]
    assert unknown == "profile: which rows fall short is not known before the benchmarks ran"
    short = {"name": "b", "short": True}
    measured = {"source_hash": "these", "problems": [], "rows": [{"name": "a"}, short]}
    record.write({"benchmarks": {**measured, "passed": True, "seconds": 1}}, gpu_check.RESULT)
    written = run_part(package, "profile")
    assert [row["name"] for row in written["profile"]["rows"]] == ["b"]
    assert written["profile"]["passed"]


def test_the_call_ends_with_errors_problems_and_a_table(package, monkeypatch, capsys):
    monkeypatch.setattr(gpu_check, "Package", lambda *_: package)
    replace_part(monkeypatch, "cpp", counting(3))
    replace_part(monkeypatch, "python", counting(5, "test_a"))
    assert gpu_check.main(["--parts", "cpp"]) == 0
    capsys.readouterr()
    assert gpu_check.main(["--parts", "python"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["python:", "FAILED", "test_a:", "test_a", "is", "wrong"] in lines
    assert ["cpp", "3", "0", "0", "0", "these", "passed"] in lines
    assert ["python*", "5", "1", "0", "0", "these", "failed"] in lines
    missing = "missing: alone, memcheck, racecheck, initcheck, benchmarks"
    assert lines[-1] == f"record: incomplete; {missing}".split()


def test_a_rehearsal_leaves_the_record_alone(package, monkeypatch, tmp_path):
    monkeypatch.setattr(gpu_check, "Package", lambda *_: package)
    replace_part(monkeypatch, "cpp", counting(3))
    assert gpu_check.main(["--rehearse", "--parts", "cpp", "--logs", str(tmp_path / "out")]) == 0
    assert not gpu_check.RESULT.exists()
    assert json.loads((tmp_path / "out/gpu_check.json").read_text())["cpp"]["passed"]


def test_parts_for_which_no_time_is_left_are_not_begun(package, monkeypatch, capsys):
    monkeypatch.setattr(gpu_check, "Package", lambda *_: package)
    replace_part(monkeypatch, "cpp", lambda _check, _patterns: time.sleep(1.5))
    replace_part(monkeypatch, "python", counting(5))
    assert gpu_check.main(["--parts", "cpp", "python", "--seconds", "2"]) == 1
    assert "python: not begun, the time was over" in capsys.readouterr().out
    assert "python" not in json.loads(gpu_check.RESULT.read_text())


def test_parts_and_their_patterns():
    chosen = gpu_check.chosen(["cpp", "benchmarks:small,threads", "benchmarks:sum*"])
    assert chosen == {"cpp": [], "benchmarks": ["small", "threads", "sum*"]}
    with pytest.raises(ValueError, match="there is no part 'speed'"):
        gpu_check.chosen(["speed"])
    with pytest.raises(ValueError, match="cpp takes no patterns"):
        gpu_check.chosen(["cpp:core"])
    assert gpu_check.chosen(["python:failed"]) == {"python": ["failed"]}
    with pytest.raises(ValueError, match="python takes no patterns but failed"):
        gpu_check.chosen(["python:test_fft.py"])


def test_tests_that_failed_run_again(package, monkeypatch):
    run: list[list[str]] = []

    def passes(check, _name, tests, _workers):
        run.append(list(tests))
        check.outcomes.passed += len(tests)
        check.result["tests"] = check.outcomes.as_dict()

    monkeypatch.setattr(Check, "run_pytest", passes)
    rerun = gpu_check.PARTS["python"]
    replace_part(monkeypatch, "python", counting(5, "test_a", "test_b"))
    run_part(package, "python")
    monkeypatch.setitem(gpu_check.PARTS, "python", rerun)
    run_part(package, "python", ["failed"])
    section = json.loads(gpu_check.RESULT.read_text())["python"]
    assert run == [["test_a", "test_b"]]
    assert section["tests"]["passed"] == 7
    assert section["passed"]
    assert section["again"] == ["test_a", "test_b"]
    run_part(package, "python", ["failed"])
    again = json.loads(gpu_check.RESULT.read_text())["python"]
    assert len(run) == 1, "nothing had failed"
    assert (again["passed"], again["tests"], again["again"]) == (
        True,
        section["tests"],
        section["again"],
    )


def test_each_number_of_devices_has_an_entry_beside_the_rest(package, monkeypatch, tmp_path):
    replace_part(monkeypatch, "cpp", counting(3))
    run_part(package, "cpp")
    for count in (2, 4, 2):
        several = package_at(tmp_path, device={"count": count})
        gpu_check_sets.SetCheck(several, 100, tmp_path / f"logs{count}").write()
    sets = json.loads(gpu_check.RESULT.read_text())["sets"]
    assert sorted(sets) == ["2", "4"]
    assert sets["4"]["source_hash"] == "these"
    replace_part(monkeypatch, "python", counting(5))
    written = run_part(package, "python")
    assert written["sets"] == sets
    assert written["cpp"]["tests"]["passed"] == 3


def test_phases_of_a_set_are_kept_beside_each_other(package, tmp_path):
    several = package_at(tmp_path, device={"count": 2})

    def cpp_suites(check):
        check.outcomes.passed += 5
        check.problem("cpp: odd")

    def random_programs(check):
        assert check.left() <= 150
        check.outcomes.passed += 2
        check.outcomes.failures.append("random 1")

    def entry_after(name, function):
        gpu_check_sets.SetCheck(several, 1000, tmp_path / "logs").phase(name, function)
        return json.loads(gpu_check.RESULT.read_text())["sets"]["2"]

    entry_after("cpp_suites", cpp_suites)
    entry = entry_after("random_programs", random_programs)
    assert entry["tests"] == {"passed": 7, "failed": 1, "skipped": 0, "failures": ["random 1"]}
    assert entry["problems"] == ["cpp_suites: cpp: odd"]
    entry = entry_after("tests_on_set", cpp_suites)
    assert entry["tests"]["passed"] == 12
    assert entry["problems"] == ["cpp_suites: cpp: odd", "tests_on_set: cpp: odd"]
    entry = entry_after("cpp_suites", random_programs)
    assert entry["problems"] == ["tests_on_set: cpp: odd"]


def test_failed_tests_of_a_set_run_again(package, monkeypatch, tmp_path):
    several = package_at(tmp_path, device={"count": 2})

    def entry_after(name, function):
        gpu_check_sets.SetCheck(several, 1000, tmp_path / "logs").phase(name, function)
        return json.loads(gpu_check.RESULT.read_text())["sets"]["2"]

    entry = entry_after("tests_on_set", gpu_check_sets.failed_tests_on_set)
    assert "did not run with these sources" in entry["problems"][0]

    def tests_on_set(check):
        check.outcomes.passed += 5
        check.outcomes.failures += ["test_a", "test_b"]

    def passes(self, name, tests, workers, **environment):
        assert (tests, environment["CUPOLA_DEVICE"]) == (["test_a", "test_b"], "cuda:0-1")
        self.outcomes.passed += len(tests)

    monkeypatch.setattr(Check, "run_pytest", passes)
    assert entry_after("tests_on_set", tests_on_set)["tests"]["failed"] == 2
    entry = entry_after("tests_on_set", gpu_check_sets.failed_tests_on_set)
    assert entry["tests"] == {"passed": 7, "failed": 0, "skipped": 0, "failures": []}
    assert entry["suites"]["tests_on_set"]["again"] == ["test_a", "test_b"]


def test_tests_that_begin_programs_run_beside_the_others(package, monkeypatch, tmp_path):
    several = package_at(tmp_path, device={"count": 4})
    several.configuration = {"tests": ["tests/python", "tests/errors"]}
    asked = {}

    def note(self, name, tests, workers, **environment):
        asked[environment["CUPOLA_TEST_PROGRAMS"]] = list(tests)

    monkeypatch.setattr(Check, "run_pytest", note)
    gpu_check_sets.tests_on_set(gpu_check_sets.SetCheck(several, 1000, tmp_path / "logs"))
    assert asked == {"only": ["tests/python"], "none": ["tests/python", "tests/errors"]}


def test_a_record_of_the_older_format_is_incomplete_and_keeps_its_sets(package, monkeypatch):
    older = {
        "source_hash": "these",
        "problems": [],
        "memcheck": [{"program": "a", "errors": 0}],
        "benchmarks": {"rows": []},
        "sets": {"2": {"source_hash": "others"}},
    }
    record.write(older, gpu_check.RESULT)
    replace_part(monkeypatch, "cpp", counting(3))
    written = run_part(package, "cpp")
    assert not written["complete"]
    assert {"memcheck", "benchmarks"} <= set(written["missing"])
    assert "memcheck" not in written
    assert written["sets"] == older["sets"]
