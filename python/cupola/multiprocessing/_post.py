"""How a descriptor reaches the process that reads a message about it.

A message through a queue or pipe carries bytes, not descriptors. What it speaks of stays as a
parcel at the post office of the sender, a socket and a thread, until the reader comes for it with
the parcel's secret. The system tells the office when nobody can come any more: the channel that
the message went into has no reader left. A process that ends hands over to its parent what was not
called for.
"""

from __future__ import annotations

import collections
import contextlib
import os
import secrets
import select
import socket
import struct
import threading
from collections.abc import Iterator

SECRET_BYTES = 16
# Between processes of one machine, of which one may be stopped for a while.
TIMEOUT = 60.0  # seconds
CALL, LEAVE = b"C", b"L"
DONE, UNKNOWN = b"\1", b"\0"


class Channel:
    """A watch over the writing end of a pipe or a connection; shared by its parcels."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.parcels: set[bytes] = set()


class OwnedDescriptor:
    """Closed with its last reference."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)


class Parcel:
    """A descriptor, what keeps it open, and the channel whose readers may call for it."""

    def __init__(self, descriptor: int, keeper: object) -> None:
        self.descriptor = descriptor
        self.keeper = keeper
        self.channel: Channel | None = None


class PostOffice:
    """The parcels of this process. Any thread."""

    def __init__(self, ancestors: tuple[str, ...] = ()) -> None:
        self._lock = threading.Lock()
        self._ancestors = ancestors
        self._parcels: dict[bytes, Parcel] = {}
        self._channels: dict[int, Channel] = {}  # by the descriptor of the watch
        self._by_file: dict[tuple[int, int], Channel] = {}
        self._listener: socket.socket | None = None
        self._address = ""
        self._wake: tuple[int, int] = (-1, -1)
        self._withdrawn: collections.deque[bytes] = collections.deque()

    # -- for senders

    def addresses(self) -> tuple[str, ...]:
        """Where readers may find parcels of this process, in the order to try; opens it."""
        with self._lock:
            if self._listener is None:
                self._open()
            return (self._address, *self._ancestors)

    def set_ancestors(self, addresses: tuple[str, ...]) -> None:
        """Who takes over what is not called for when this process ends."""
        self._ancestors = addresses

    def deposit(self, descriptor: int, keeper: object) -> bytes:
        """Keep a descriptor, which `keeper` keeps open, until it is called for: its secret."""
        self.addresses()
        secret = secrets.token_bytes(SECRET_BYTES)
        with self._lock:
            self._parcels[secret] = Parcel(descriptor, keeper)
        return secret

    def dispatch(self, parcels: list[bytes], descriptor: int) -> None:
        """Say that the message about the parcels goes into the channel with this writing end."""
        with self._lock:
            for secret in parcels:
                parcel = self._parcels.get(secret)
                if parcel is not None and parcel.channel is None:
                    parcel.channel = self._watch(descriptor)
                    parcel.channel.parcels.add(secret)
        self._wake_up()

    def withdraw(self, parcels: list[bytes]) -> None:
        """Forget parcels whose message will never be read, soon; takes no lock, for finalizers."""
        self._withdrawn.extend(parcels)
        self._wake_up()

    def unclaimed(self) -> int:
        """The number of parcels that nobody has called for yet."""
        with self._lock:
            return len(self._parcels)

    def has_any(self, parcels: list[bytes]) -> bool:
        """Whether nobody has called for one of them yet."""
        with self._lock:
            return any(secret in self._parcels for secret in parcels)

    # -- at fork and exit

    def hand_over(self) -> None:
        """Give what is left to the first ancestor that takes it, and close."""
        for address in self._ancestors:
            with contextlib.suppress(OSError):
                while self._hand_over_one(address):
                    pass
                break
        with self._lock:
            if self._listener is not None:
                self._listener.close()
                self._wake_up()

    def _hand_over_one(self, address: str) -> bool:
        # A reader who calls meanwhile waits for the lock, and finds the parcel at the ancestor.
        with self._lock:
            for secret, parcel in self._parcels.items():
                watch = parcel.channel.descriptor if parcel.channel else None
                leave(address, secret, parcel.descriptor, watch)
                released = self._remove(secret)
                break
            else:
                return False
        del released, parcel
        return True

    def acquire(self) -> None:
        """Hold all threads off; before a fork."""
        self._lock.acquire()

    def release(self) -> None:
        """Let them go on; after a fork, in the parent."""
        self._lock.release()

    def abandon(self) -> None:
        """In a forked child: close the copies of the parent's descriptors."""
        if self._listener is not None:
            self._listener.close()
        for descriptor in (*self._wake, *self._channels):
            if descriptor >= 0:
                os.close(descriptor)

    # -- with the lock held

    def _open(self) -> None:
        self._address = f"\0cupola-{os.getpid()}-{secrets.token_hex(8)}"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self._address)
        self._listener.listen(128)
        self._wake = os.pipe()
        os.set_blocking(self._wake[1], False)
        threading.Thread(target=self._serve, name="cupola-post-office", daemon=True).start()

    def _watch(self, descriptor: int) -> Channel:
        status = os.fstat(descriptor)
        file = (status.st_dev, status.st_ino)
        channel = self._by_file.get(file)
        if channel is None:
            channel = Channel(os.dup(descriptor))
            self._by_file[file] = self._channels[channel.descriptor] = channel
        return channel

    def _remove(self, secret: bytes) -> Parcel | None:
        parcel = self._parcels.pop(secret, None)
        if parcel is not None and parcel.channel is not None:
            parcel.channel.parcels.discard(secret)
            self._close_if_empty(parcel.channel)
        return parcel

    def _close_if_empty(self, channel: Channel) -> None:
        if channel.parcels or channel.descriptor not in self._channels:
            return
        del self._channels[channel.descriptor]
        self._by_file = {key: each for key, each in self._by_file.items() if each is not channel}
        os.close(channel.descriptor)

    # -- the thread

    def _wake_up(self) -> None:
        if self._listener is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._wake[1], b"\0")

    def _serve(self) -> None:
        listener = self._listener
        assert listener is not None
        while listener.fileno() >= 0:
            for descriptor, event in self._wait(listener):
                if descriptor == self._wake[0]:
                    os.read(descriptor, 4096)
                    self._forget_withdrawn()
                elif descriptor == listener.fileno():
                    self._answer(listener)
                elif not event & select.POLLNVAL:
                    self._forget_channel(descriptor)

    def _wait(self, listener: socket.socket) -> list[tuple[int, int]]:
        poll = select.poll()
        with self._lock:
            if listener.fileno() < 0:
                return []
            poll.register(listener.fileno(), select.POLLIN)
            poll.register(self._wake[0], select.POLLIN)
            for descriptor in self._channels:
                poll.register(descriptor, 0)  # errors and hang-ups are always told
        return poll.poll()

    def _forget_withdrawn(self) -> None:
        released = []
        with self._lock:
            while self._withdrawn:
                released.append(self._remove(self._withdrawn.popleft()))

    def _forget_channel(self, descriptor: int) -> None:
        released = []
        with self._lock:
            channel = self._channels.get(descriptor)
            for secret in list(channel.parcels) if channel else ():
                released.append(self._remove(secret))

    def _answer(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            caller, _ = listener.accept()
            with caller:
                caller.settimeout(TIMEOUT)
                if is_same_user(caller):
                    self._serve_caller(caller)

    def _serve_caller(self, caller: socket.socket) -> None:
        request, descriptors = receive(caller, 1 + SECRET_BYTES, 2)
        secret = request[1:]
        if request[:1] == LEAVE and descriptors:
            self._adopt(secret, descriptors)
            caller.sendall(DONE)
            return
        with self._lock:  # a process does not end between the two: hand_over() waits
            parcel = self._parcels.get(secret)
            if parcel is not None:
                socket.send_fds(caller, [DONE], [parcel.descriptor])
                self._remove(secret)
        if parcel is None:
            caller.sendall(UNKNOWN)

    def _adopt(self, secret: bytes, descriptors: list[int]) -> None:
        owned = [OwnedDescriptor(each) for each in descriptors]
        with self._lock:
            parcel = self._parcels[secret] = Parcel(owned[0].descriptor, owned[0])
            if len(owned) > 1:
                parcel.channel = self._watch(owned[1].descriptor)
                parcel.channel.parcels.add(secret)


def is_same_user(peer: socket.socket) -> bool:
    """Whether the process at the other end runs as the user of this one."""
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    _, user, _ = struct.unpack("3i", credentials)
    return bool(user == os.getuid())


def receive(connection: socket.socket, size: int, count: int) -> tuple[bytes, list[int]]:
    """Bytes, and descriptors that programs started by this process do not inherit."""
    flags = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
    data, descriptors, _, _ = socket.recv_fds(connection, size, count, flags)
    return data, descriptors


@contextlib.contextmanager
def connection_to(address: str) -> Iterator[socket.socket]:
    """A connection to the office of another process of this user."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT)
        connection.connect(address)
        if not is_same_user(connection):
            raise ConnectionRefusedError("another user's process listens there")
        yield connection


def leave(address: str, secret: bytes, descriptor: int, watch: int | None) -> None:
    """Hand a parcel over to another office."""
    descriptors = [descriptor] if watch is None else [descriptor, watch]
    with connection_to(address) as connection:
        socket.send_fds(connection, [LEAVE + secret], descriptors)
        if connection.recv(1) != DONE:
            raise ConnectionResetError("the parcel was not taken")


def call_for(addresses: tuple[str, ...], secret: bytes) -> int | None:
    """The descriptor of a parcel, now this process's own; None where nobody has it."""
    for address in addresses:
        with contextlib.suppress(OSError), connection_to(address) as connection:
            connection.sendall(CALL + secret)
            answer, descriptors = receive(connection, 1, 1)
            if answer == DONE and descriptors:
                return int(descriptors[0])
    return None


_office = PostOffice()


def office() -> PostOffice:
    """The office of this process."""
    return _office


def _start_anew() -> None:
    global _office
    inherited, _office = _office, PostOffice()
    inherited.abandon()


os.register_at_fork(
    before=lambda: _office.acquire(),
    after_in_parent=lambda: _office.release(),
    after_in_child=_start_anew,
)
