"""How descriptors reach the readers of messages about them."""

import os
import socket
import threading
from typing import Any

import pytest
from cupola_under_test import IS_NUMPY

if not IS_NUMPY:
    from cupola.multiprocessing._post import PostOffice, call_for

pytestmark = pytest.mark.cupola_only


def test_an_office_does_not_close_while_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else the process ends with a parcel that is neither sent nor handed over.
    answers, may_answer = threading.Event(), threading.Event()
    send_fds = socket.send_fds

    def send_slowly(*arguments: Any) -> int:
        answers.set()
        may_answer.wait(60)
        return send_fds(*arguments)

    monkeypatch.setattr(socket, "send_fds", send_slowly)
    office = PostOffice()
    found: list[int | None] = []
    with open(os.devnull) as file:
        secret = office.deposit(file.fileno(), file)
        addresses = office.addresses()
        reader = threading.Thread(target=lambda: found.append(call_for(addresses, secret)))
        reader.start()
        assert answers.wait(60)
        ending = threading.Thread(target=office.hand_over)
        ending.start()
        ending.join(0.1)
        assert ending.is_alive()
        may_answer.set()
        for thread in (reader, ending):
            thread.join(60)
    assert found[0] is not None
    os.close(found[0])
    assert office.unclaimed() == 0
