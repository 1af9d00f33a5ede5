"""With CUPOLA_TOP=1 a program writes its load to a file, for `python -m cupola top`."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
import threading
from pathlib import Path

from cupola import _cupola as _core

INTERVAL = 1.0  # seconds


def folder() -> Path:
    """Of the user's own files, one for each process."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base and os.path.isdir(base):
        return Path(base) / "cupola-top"
    return Path(tempfile.gettempdir()) / f"cupola-top-{os.getuid()}"


def own_folder() -> Path:
    """The folder, made where it is missing. PermissionError where it is somebody else's."""
    path = folder()
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(f"{path} is no folder of this user alone")
    return path


def _write(path: Path) -> None:
    from cupola._observation.load import look

    fresh = path.with_suffix(f".{os.getpid()}.new")
    fresh.write_text(json.dumps(look().as_dict()), encoding="utf-8")
    fresh.replace(path)


class Feed:
    """Writes the load of this process until it is stopped; its file is gone then."""

    def __init__(self) -> None:
        self._path = own_folder() / f"{os.getpid()}.json"
        self._pid = os.getpid()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cupola-top", daemon=True)
        _core.start_traffic_meter()
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(INTERVAL):
            with contextlib.suppress(OSError, _core.ForkedProcessError, _core.DeviceError):
                _write(self._path)

    def stop(self) -> None:
        """Nothing in a forked child, which has no such thread."""
        if os.getpid() != self._pid or self._stop.is_set():
            return
        self._stop.set()
        self._thread.join(timeout=2 * INTERVAL)
        _core.stop_traffic_meter()
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
