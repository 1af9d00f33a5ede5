"""Ports of this machine that nobody uses."""

import random
import socket

# Below those that the kernel gives to connections and to listeners without a port of their own:
# one of these stays free until its test listens there.
_FIRST, _END = 10_000, 32_000


def free_port() -> int:
    """A port at which nobody listens."""
    while True:
        port = random.SystemRandom().randrange(_FIRST, _END)
        with socket.socket() as found:
            try:
                found.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
