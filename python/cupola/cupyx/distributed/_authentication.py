"""The key that the processes of a group share, and its proof over a connection."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import socket
from pathlib import Path

from cupola.cupyx.distributed._frames import receive_exactly

__all__ = ["AuthenticationError", "authenticate", "group_key"]

_NONCE = 32
_DIGEST = hashlib.sha256().digest_size
_OK, _REFUSED = b"\x01", b"\x00"


class AuthenticationError(RuntimeError):
    """The other process has not the key of this one."""


def group_key() -> bytes:
    """CUPYX_DISTRIBUTED_KEY, else the content of a file that only the user can read.

    The first process that asks for the file makes it. Processes on several machines share it where
    these share the user's home folder.
    """
    text = os.environ.get("CUPYX_DISTRIBUTED_KEY")
    if text:
        return hashlib.sha256(text.encode()).digest()
    return _key_of_file(_cache_folder() / "distributed.key")


def _cache_folder() -> Path:
    chosen = os.environ.get("CUPOLA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "cupola"


def _key_of_file(path: Path) -> bytes:
    try:
        _make_key(path)
        status = path.stat()
        if status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise RuntimeError(
                f"{path} must belong to the user and be readable by nobody else: chmod 600 it, or "
                "set CUPYX_DISTRIBUTED_KEY to the same text in all processes"
            )
        return path.read_bytes()
    except OSError as error:
        raise RuntimeError(
            f"the key of distributed processes cannot be kept in {path} ({error.strerror}); set "
            "CUPYX_DISTRIBUTED_KEY to the same text in all processes"
        ) from error


def _make_key(path: Path) -> None:
    """Make the file if it does not exist; all processes see the first one, and see it whole."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, secrets.token_bytes(32))
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.close(descriptor)
        draft.unlink()


def authenticate(connection: socket.socket, key: bytes, *, is_server: bool) -> None:
    """Prove the key to the other end, and have it proved. Each end signs both nonces and its role,
    so that an answer cannot be sent back.

    Raises
    ------
    AuthenticationError
        When the other end has another key.
    OSError
        When the connection ends or takes too long.
    """
    own = secrets.token_bytes(_NONCE)
    connection.sendall(own)
    other = receive_exactly(connection, _NONCE)
    nonces = own + other if is_server else other + own
    roles = (b"server", b"client") if is_server else (b"client", b"server")
    connection.sendall(_sign(key, roles[0] + nonces))
    is_right = hmac.compare_digest(
        receive_exactly(connection, _DIGEST), _sign(key, roles[1] + nonces)
    )
    connection.sendall(_OK if is_right else _REFUSED)
    is_accepted = receive_exactly(connection, 1) == _OK
    if not is_right or not is_accepted:
        raise AuthenticationError(
            "a process of the group has another key; set CUPYX_DISTRIBUTED_KEY to the same text in "
            "all processes"
        )


def _sign(key: bytes, text: bytes) -> bytes:
    return hmac.new(key, text, hashlib.sha256).digest()
