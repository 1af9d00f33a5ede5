"""The magics of `%load_ext cupola`: `%%cupola` profiles a cell, `%cupola` a statement, and shows
devices and memory."""

from __future__ import annotations

import ast
from typing import Any

from cupola._notebook.devices import DeviceView, LiveView, is_snapshot, snapshot_html
from cupola._notebook.profiles import lines_html, lines_text
from cupola._observation.profile import profile

_USAGE = """usage: %%cupola [-o NAME]        profile the cell, and show its kernels by line
       %cupola [-o NAME] STATEMENT  profile a statement
       %cupola devices           memory and streams of each device
       %cupola memory            what the pools hold, by line where that was recorded
       %cupola live [SECONDS]    the devices again and again; `%cupola stop` ends it
       %cupola doctor            what the doctor found so far"""


class CellProfile:
    """The profile of a cell, by its lines."""

    def __init__(self, recorded: profile, file: str, source: str) -> None:
        self.profile = recorded
        self._file = file
        self._source = source

    def __repr__(self) -> str:
        return lines_text(self.profile, self._file, self._source)

    def _repr_html_(self) -> str:
        return lines_html(self.profile, self._file, self._source)


class _Snapshot:
    def __init__(self) -> None:
        from cupola._memory.history import memory_snapshot

        self._snapshot = memory_snapshot()

    def _repr_html_(self) -> str:
        return snapshot_html(self._snapshot)

    def __repr__(self) -> str:
        return f"<memory of {', '.join(self._snapshot['device_names'])}>"


def _target_of(line: str) -> tuple[str | None, str]:
    """The name after -o, and the rest."""
    words = line.strip().split(None, 2)
    if words[:1] != ["-o"]:
        return None, line.strip()
    if len(words) < 2 or not words[1].isidentifier():
        raise ValueError(_USAGE)
    return words[1], words[2] if len(words) > 2 else ""


class Magics:
    """What the magics do in one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._live: LiveView | None = None

    def cell(self, line: str, cell: str | None = None) -> Any:
        """`%%cupola` and `%cupola`."""
        if cell is not None:
            target, rest = _target_of(line)
            if rest:
                raise ValueError(_USAGE)
            # The cell as the notebook numbers its lines: the first one is that of the magic.
            return self._run(f"# %%cupola {line}\n{cell}", target)
        command, *words = line.split() or [""]
        shown = {"devices": self._devices, "memory": self._memory, "live": self._start_live}
        shown |= {"stop": self._stop_live, "doctor": self._doctor, "": self._help}
        if command in shown and len(words) <= (command == "live"):
            return shown[command](*words)
        target, statement = _target_of(line)
        return self._run(statement, target)

    def _run(self, source: str, target: str | None) -> Any:
        """The value of the last expression; the profile is shown below whatever happens."""
        from IPython.display import display

        shell = self._shell
        code = shell.transform_cell(source)
        file = shell.compile.cache(code, shell.execution_count, raw_code=source)
        tree = shell.transform_ast(ast.parse(code, file))
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        recorded = profile()
        try:
            with recorded:
                exec(compile(tree, file, "exec"), shell.user_ns)
                if last is not None:
                    value = eval(compile(last, file, "eval"), shell.user_ns)
                    return None if source.rstrip().endswith(";") else value
            return None
        finally:
            shown = CellProfile(recorded, file, source)
            if target:
                shell.user_ns[target] = recorded
            display(shown)

    @staticmethod
    def _help() -> None:
        print(_USAGE)

    @staticmethod
    def _devices() -> DeviceView:
        return DeviceView()

    @staticmethod
    def _memory() -> _Snapshot:
        return _Snapshot()

    @staticmethod
    def _doctor() -> None:
        from cupola import doctor

        print(doctor.report())

    def _start_live(self, seconds: str = "1") -> None:
        self._stop_live()
        self._live = LiveView(float(seconds)).show()

    def _stop_live(self) -> None:
        if self._live:
            self._live.stop()
        self._live = None

    def close(self) -> None:
        """End what goes on."""
        self._stop_live()


def _dict_html(value: dict[str, Any]) -> str | None:
    return snapshot_html(value) if is_snapshot(value) else None


def load(shell: Any) -> None:
    """`%load_ext cupola`."""
    magics = Magics(shell)
    shell.register_magic_function(magics.cell, "line_cell", "cupola")
    shell.cupola_magics = magics
    # A snapshot stays a plain dict, which PyTorch's viewer reads.
    shell.display_formatter.formatters["text/html"].for_type(dict, _dict_html)


def unload(shell: Any) -> None:
    """`%unload_ext cupola`."""
    magics = getattr(shell, "cupola_magics", None)
    if magics is None:
        return
    magics.close()
    del shell.cupola_magics
    shell.display_formatter.formatters["text/html"].pop(dict, None)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("cupola", None)
