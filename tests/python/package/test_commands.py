"""The table of `python -m cupola`."""

import importlib
import sys

import pytest
from support.subprocesses import run_python

from cupola.__main__ import main
from cupola._commands import COMMANDS, Command, CommandError

pytestmark = pytest.mark.cupola_only


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_a_module_and_help(name, capsys):
    assert callable(importlib.import_module(COMMANDS[name].module).add_arguments)
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert COMMANDS[name].text in " ".join(capsys.readouterr().out.split())


def test_help_lists_all_commands_and_imports_none(capsys):
    code = """
import sys
from cupola.__main__ import main
from cupola._commands import COMMANDS
try:
    main(["--help"])
except SystemExit:
    pass
print(*(command.module for command in COMMANDS.values() if command.module in sys.modules))
"""
    result = run_python(code)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[-1] == ""
    for name in COMMANDS:
        assert name in result.stdout


class Module:
    """A command that fails with `error`, or ends with 3."""

    def __init__(self, error=None):
        self.error = error

    def add_arguments(self, parser):
        parser.add_argument("--times", type=int, default=1)

    def run(self, options):
        if self.error is not None:
            raise self.error
        return 3 * options.times


def add(monkeypatch, module):
    monkeypatch.setitem(COMMANDS, "another", Command("a_module_for_a_test", "does something"))
    monkeypatch.setitem(sys.modules, "a_module_for_a_test", module)


def test_a_row_is_a_command(monkeypatch):
    add(monkeypatch, Module())
    assert main(["another", "--times", "2"]) == 6


@pytest.mark.parametrize(
    "error", [CommandError("no such place"), ModuleNotFoundError("No module named 'rich'")]
)
def test_what_cannot_be_done_is_one_line(monkeypatch, capsys, error):
    add(monkeypatch, Module(error))
    assert main(["another"]) == 1
    assert capsys.readouterr().err == f"python -m cupola: {error}\n"


def test_an_unknown_command_lists_the_known(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["nothing"])
    assert ended.value.code == 2
    assert "'info'" in capsys.readouterr().err
