"""The table of environment variables is complete, and misspelt ones are noticed."""

import re
from pathlib import Path

import pytest
from support.subprocesses import run_python

from cupola import _environment as environment

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]
ROOT = Path(__file__).resolve().parents[3]
# Names that stand alone in a string: those that are looked up, in whatever way.
LOOKED_UP = re.compile(r'"(CUPOLA_[A-Z0-9_]*[A-Z0-9])"')
IMPORT = "import cupola"


def sources(*folders: str) -> list[Path]:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return [path for path in paths if path.suffix in {".cc", ".h", ".cuh", ".py"}]


def names_in(paths: list[Path]) -> set[str]:
    return {name for path in paths for name in LOOKED_UP.findall(path.read_text(encoding="utf-8"))}


def is_of_tests(name: str) -> bool:
    return name.startswith(environment.OF_TESTS)


def test_every_variable_that_is_read_is_in_the_table() -> None:
    read = names_in(sources("src", "python", "include"))
    assert len(read) > 25
    assert {name for name in read if not is_of_tests(name)} <= set(environment.VARIABLES)


def test_every_variable_of_the_table_is_read() -> None:
    table = ROOT / "python/cupola/_environment.py"
    read = names_in([path for path in sources("src", "python") if path != table])
    assert set(environment.VARIABLES) <= read


def test_other_variables_that_are_read_are_named() -> None:
    call = re.compile(r'(?:getenv\(|environ\.get\(|environ\[|\bvariable\(|value_of\()"([A-Z_]+)"')
    paths = [path for path in sources("src", "python") if not path.stem.endswith("_test")]
    read = {name for path in paths for name in call.findall(path.read_text(encoding="utf-8"))}
    others = {name for name in read if not name.startswith(environment.PREFIX)}
    assert others - {"PATH"} <= set(environment.OTHER_VARIABLES)


def test_rows_say_something() -> None:
    for row in environment.VARIABLES.values():
        assert row.values
        assert row.default
        assert row.meaning.endswith(".")
        assert row.group in environment.GROUPS


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("CUPOLA_CPU_DEVICE", "CUPOLA_CPU_DEVICES"),
        ("CUPOLA_EAGRE", "CUPOLA_EAGER"),
        ("CUPOLA_CACHEDIR", "CUPOLA_CACHE_DIR"),
        ("CUPOLA_GPU_MEMORYLIMIT", "CUPOLA_GPU_MEMORY_LIMIT"),
    ],
)
def test_a_misspelt_variable_warns_once_and_names_the_nearest(misspelt: str, meant: str) -> None:
    result = run_python(f"{IMPORT}; {IMPORT}", **{misspelt: "1"})
    assert result.returncode == 0
    assert result.stderr.count(f"{misspelt} is no setting of cupola") == 1
    assert f"did you mean {meant}?" in result.stderr


def test_a_variable_that_is_like_none_warns_too() -> None:
    result = run_python(IMPORT, CUPOLA_QUX="1")
    assert "CUPOLA_QUX is no setting of cupola" in result.stderr
    assert "did you mean" not in result.stderr


def test_right_variables_do_not_warn() -> None:
    rights = dict.fromkeys(environment.VARIABLES, "")
    result = run_python(f"{IMPORT}; print('fine')", CUPOLA_TEST_ANYTHING="1", **rights)
    assert result.stdout.strip() == "fine", result.stderr
    assert "no setting" not in result.stderr


def test_the_page_has_every_variable() -> None:
    page = (ROOT / "docs/reference/environment.md").read_text(encoding="utf-8")
    for name in (*environment.VARIABLES, *environment.OTHER_VARIABLES):
        assert f"| `{name}` |" in page
