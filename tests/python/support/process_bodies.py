"""What the processes of test_multiprocessing.py do; imported in each of them."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import cupola as cp
from cupola import _cupola as core
from cupola import multiprocessing as mp


def echo(value: Any) -> Any:
    """The argument itself."""
    return value


def describe(a: cp.ndarray) -> tuple[Any, ...]:
    """An array as its receiver sees it, by value."""
    values = cp.asnumpy(a.astype("float32") if a.dtype.name == "bfloat16" else a)
    return values, a.shape, a.dtype.name, str(a.device), a.flags.writeable, mp.is_shared(a)


def increment(a: cp.ndarray) -> tuple[int, bytes]:
    """Write to what was sent; the process and the name of the block of memory."""
    a += 1
    a.device.synchronize()
    return os.getpid(), core.shared_place(a)[0]


def current_devices(_: object = None) -> tuple[int, str, str, str]:
    """The process, and the devices of its main thread, another thread and a new array."""
    seen: list[str] = []
    thread = threading.Thread(target=lambda: seen.append(str(core.current_device())))
    thread.start()
    thread.join()
    return os.getpid(), str(core.current_device()), seen[0], str(cp.ones(3).device)


def device_count(platform: str) -> int:
    """The devices that the process sees."""
    return core.device_count(platform)


def total(a: cp.ndarray) -> float:
    """The sum of the elements, computed by the receiver."""
    return float(a.sum())


def answer_calls(connection: Any) -> None:
    """Call what arrives, and send what it returns or how it failed; None ends."""
    while True:
        try:
            call = connection.recv()
            if call is None:
                return
            function, args = call
            connection.send(function(*args))
        except Exception as error:
            connection.send((type(error).__name__, str(error)))


def hold(queue: Any, connection: Any) -> None:
    """Receive an array, say so, and keep it until the end."""
    a = queue.get()
    connection.send(float(a[0]))
    connection.recv()


def wait_for_signal(connection: Any, *unused: object) -> None:
    """Say that the process runs, and stay."""
    connection.send(os.getpid())
    connection.recv()


def put_and_end(queue: Any, elements: int) -> None:
    """Send an array and end before anybody reads it."""
    queue.put(cp.arange(float(elements)))


def put_and_be_killed(connection: Any, elements: int) -> None:
    """Send an array and be gone."""
    connection.send(cp.arange(float(elements)))
    os.kill(os.getpid(), signal.SIGKILL)


def send_and_stay(connection: Any, elements: int) -> None:
    """Send an array, and live until told."""
    connection.send(cp.arange(float(elements)))
    connection.recv()


def sum_argument(connection: Any, *arrays: cp.ndarray) -> None:
    """Send the sums of arrays that were arguments of the process."""
    connection.send([float(a.sum()) for a in arrays])


def read_file(path: Path) -> str:
    """Waits for what is written into a pipe."""
    return path.read_text()


def be_killed_after(path: Path, _: cp.ndarray) -> None:
    """Be killed during a call, once something is written into a pipe."""
    path.read_text()
    os.kill(os.getpid(), signal.SIGKILL)


def leave(status: int) -> None:
    """End with a status."""
    sys.exit(status)
