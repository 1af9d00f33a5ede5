"""A mutant is caught by an assertion that GoogleTest names, and by nothing else."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import run_mutants

pytestmark = pytest.mark.long

# A stand-in for a GoogleTest program; its argument says how it behaves with the mutant `broken`.
PROGRAM = f"""#!{sys.executable}
import json, os, signal, sys, time
behaviour = sys.argv[1] if os.environ["CUPOLA_MUTANT"] == "broken" else sys.argv[2]
case = {{"name": "Says", "status": "RUN", "result": "COMPLETED", "classname": "It"}}
if behaviour == "print_then_crash":
    print("[ RUN      ] It.Says\\nit_test.cc:7: Failure\\nExpected equality", flush=True)
if behaviour == "throw_then_crash":
    print("[ RUN      ] It.Says\\nunknown file: Failure\\nC++ exception", flush=True)
if behaviour in ("crash", "print_then_crash", "throw_then_crash"):
    os.kill(os.getpid(), signal.SIGSEGV)
if behaviour == "hang":
    time.sleep(60)
if behaviour == "abort":
    print("ERROR: AddressSanitizer: heap-use-after-free")
    sys.exit(1)
if behaviour in ("fail", "fail_with_status_0", "fail_then_crash"):
    case["failures"] = [{{"failure": "it_test.cc:7\\nExpected equality", "type": ""}}]
if behaviour == "throw":
    message = "unknown file\\nC++ exception with description thrown in the test body."
    case["failures"] = [{{"failure": message, "type": ""}}]
if behaviour == "skip":
    case["result"] = "SKIPPED"
if behaviour == "variable" and os.environ["CUPOLA_TEST_PROGRAMS"] != "5+7":
    sys.exit(3)
cases = [] if behaviour == "none" else [case]
report = os.environ["GTEST_OUTPUT"].removeprefix("json:")
with open(report, "w") as file:
    json.dump({{"testsuites": [{{"name": "It", "testsuite": cases}}]}}, file)
if behaviour == "fail_then_crash":
    os.abort()
sys.exit(behaviour in ("fail", "throw", "exit_1"))
"""


@pytest.fixture
def folder(tmp_path):
    program = tmp_path / "mutant_it_tests"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return tmp_path


def run(folder, behaviour, mutant="broken", seconds=20):
    broken = run_mutants.Mutant(mutant)
    return run_mutants.run(f"it_tests {behaviour} pass", broken, folder, seconds)


def test_an_assertion_that_fails_before_a_crash_has_noticed(folder):
    assert str(run(folder, "print_then_crash")) == "noticed by It.Says"
    assert not run(folder, "throw_then_crash").has_caught


def test_a_failed_assertion_has_noticed(folder):
    outcome = run(folder, "fail")
    assert outcome.has_caught
    assert str(outcome) == "noticed by It.Says"


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("pass", "no test failed"),
        ("crash", "ended by SIGSEGV"),
        ("fail_then_crash", "ended by SIGABRT"),
        ("abort", "exit status 1 without a report"),
        ("exit_1", "exit status 1 with 0 tests of a failed assertion"),
        ("fail_with_status_0", "exit status 0 with 1 tests of a failed assertion"),
        ("throw", "exit status 1 with 0 tests of a failed assertion"),
        ("skip", "no test ran: all were skipped, or none has the name"),
        ("none", "no test ran: all were skipped, or none has the name"),
    ],
)
def test_everything_else_has_not(folder, behaviour, reason):
    outcome = run(folder, behaviour)
    assert not outcome.has_caught
    assert str(outcome) == reason


def test_a_test_that_does_not_end_has_not(folder):
    outcome = run(folder, "hang", seconds=0.5)
    assert not outcome.has_caught
    assert str(outcome) == "not done after 0 s"


@pytest.mark.parametrize("behaviour", ["fail", "crash", "skip", "none"])
def test_what_is_not_content_without_a_mutant_shows_nothing_with_one(folder, behaviour, capsys):
    test = f"it_tests fail {behaviour}"
    assert run_mutants.check_all({run_mutants.Mutant("broken"): test}, folder, 1) == [False]
    assert f"FAILED broken: {test}: fails without a mutant as well" in capsys.readouterr().out


def test_a_line_is_printed_for_each(folder, capsys):
    tests = {run_mutants.Mutant(n): "it_tests fail pass" for n in ("broken", "harmless")}
    assert run_mutants.check_all(tests, folder, 2) == [True, False]
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("ok broken: it_tests fail pass: noticed by") for line in lines)
    assert any(line.startswith("FAILED harmless: it_tests fail pass: no test") for line in lines)


def test_variables_stand_before_the_program(folder):
    assert run_mutants.program_of("A=1 B=2 it_tests --gtest_filter=*=x") == "it_tests"
    test = "CUPOLA_TEST_PROGRAMS=5+7 it_tests variable variable"
    assert run_mutants.run(test, run_mutants.Mutant(), folder, 20).is_content


@pytest.mark.parametrize(
    ("has_plugin", "options", "status", "said"),
    [
        (True, [], 1, "no test ran: all were skipped"),
        (False, [], 1, "FAILED broken: the build has no CUDA plugin"),
        (False, ["--without-cuda"], 0, "skipped broken: the build has no CUDA plugin"),
    ],
)
def test_a_test_of_the_plugin_runs_unless_there_shall_be_none(
    folder, monkeypatch, capsys, has_plugin, options, status, said
):
    """With the plugin, a program whose tests skip themselves has failed."""
    root = folder / "root"
    programs = root / "build/release/mutants"
    programs.mkdir(parents=True)
    (root / "src").mkdir()
    (root / "src/a.cc").write_text("CUPOLA_MUTANT(broken)")
    table = root / "mutants.toml"
    table.write_text('[broken]\ntest = "platform_cuda_tests fail skip"\n')
    if has_plugin:
        (folder / "mutant_it_tests").rename(programs / "mutant_platform_cuda_tests")
    monkeypatch.setattr(run_mutants, "ROOT", root)
    monkeypatch.setattr(run_mutants, "TABLE", table)
    monkeypatch.setattr(sys, "argv", ["run_mutants.py", "--no-build", *options])
    assert run_mutants.main() == status
    output = capsys.readouterr().out
    assert said in output
    assert f"mutants: 0 of {int(has_plugin)} caught, {int(not has_plugin)} not run" in output


def test_the_report_is_read_as_googletest_writes_it(tmp_path):
    """A test that passed, one that failed, a disabled one."""
    report = tmp_path / "report.json"
    case = {"status": "RUN", "result": "COMPLETED", "timestamp": "", "time": "0s"}
    failure = {"failure": "a_test.cc:3\nValue of: x", "type": ""}
    cases = [
        {"name": "A", "classname": "S", **case},
        {"name": "B/0", "classname": "P/S", **case, "failures": [failure]},
        {"name": "DISABLED_C", "classname": "S", "status": "NOTRUN", "result": "SUPPRESSED"},
    ]
    report.write_text(json.dumps({"testsuites": [{"name": "S", "testsuite": cases}]}))
    outcome = run_mutants.judge(1, report)
    assert (outcome.passed, outcome.failed, outcome.problem) == (1, ("P/S.B/0",), "")


# A stand-in for a test of the package; `zeros` is what a fault changes.
PYTHON_TEST = """
import pytest, subprocess, sys
import cupola as cp
def test_zeros():
    assert cp.zeros(1) == 0
def test_another_process():
    code = "import cupola; print(cupola.zeros(1))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "0\\n"
"""
FAULTS = {
    "xp.zeros = lambda n: n": "noticed by test_zeros, test_another_process",
    "xp.zeros = lambda n: 1 / 0": "exit status 1 with 0 tests of a failed assertion",
    "xp.zeros = lambda n: __import__('os').abort()": "pytest ended with status -6",
    "pass": "no test failed",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_package_are_noticed_by_assertions(folder, fault):
    package = folder / "python/cupola"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def zeros(n): return 0\n")
    (folder / "mutants").mkdir()
    test = folder / "test_it.py"
    test.write_text(PYTHON_TEST)
    line = f"pytest --rootdir={folder} {test}"
    assert run_mutants.run(line, run_mutants.Mutant(), folder / "mutants", 60).is_content
    broken = run_mutants.Mutant("zeros", fault)
    assert str(run_mutants.run(line, broken, folder / "mutants", 60)) == FAULTS[fault]
