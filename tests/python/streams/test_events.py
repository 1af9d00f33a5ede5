"""Events: order, completion, times."""

import pickle
import threading
from typing import Any

import pytest
from cupola_under_test import cp, on_cuda
from support.streams import Gate

pytestmark = pytest.mark.cupola_only
Stream: Any = getattr(getattr(cp, "cuda", None), "Stream", None)
Event: Any = getattr(getattr(cp, "cuda", None), "Event", None)


@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize("disable_timing", [False, True])
def test_an_event_follows_the_work_before_it(blocking: bool, disable_timing: bool) -> None:
    stream = Stream(non_blocking=True)
    event = Event(blocking, disable_timing)
    assert event.done  # never recorded
    event.synchronize()
    gate = Gate(stream)
    assert stream.record(event) is event
    assert not event.done
    opener = threading.Timer(0.01, gate.open)
    opener.start()
    event.synchronize()
    assert event.done
    opener.join()


def test_events_are_recorded_on_the_current_stream_by_default() -> None:
    stream = Stream(non_blocking=True)
    gate = Gate(stream)
    event = Event()
    with stream:
        event.record()
    assert not event.done
    gate.open()
    assert event.done


def test_a_new_record_replaces_the_old_one() -> None:
    first, second = Stream(non_blocking=True), Stream(non_blocking=True)
    event = first.record()
    gate = Gate(second)
    event.record(second)
    first.synchronize()
    assert not event.done
    gate.open()
    assert event.done


def test_elapsed_time_is_that_of_the_work_between() -> None:
    stream = Stream(non_blocking=True)
    start = stream.record()
    start.synchronize()
    gate = Gate(stream)
    gate.entered.wait(60)
    end = stream.record()
    with pytest.raises(ValueError, match="last one is not complete"):
        cp.cuda.get_elapsed_time(start, end)
    waited = threading.Timer(0.02, gate.open)
    waited.start()
    end.synchronize()
    waited.join()
    assert cp.cuda.get_elapsed_time(start, end) >= 15
    assert cp.cuda.get_elapsed_time(end, start) <= -15
    assert cp.cuda.get_elapsed_time(start, start) == 0


def test_events_without_a_time() -> None:
    stream = Stream(non_blocking=True)
    timed, untimed = stream.record(), stream.record(Event(disable_timing=True))
    stream.synchronize()
    with pytest.raises(ValueError, match="first one was never recorded"):
        cp.cuda.get_elapsed_time(Event(), timed)
    with pytest.raises(ValueError, match="last one was made without timing"):
        cp.cuda.get_elapsed_time(timed, untimed)
    with pytest.raises(ValueError, match="disable_timing=True"):
        Event(interprocess=True)
    assert Event(interprocess=True, disable_timing=True).done


def test_forms_and_names() -> None:
    assert Event(block=True).done
    event = Event(disable_timing=True)
    assert repr(event) == "<Event, unrecorded>"
    assert (event.ptr != 0) == on_cuda()
    event.record()
    assert str(cp.Device()) in repr(event)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(event)
    with pytest.raises(TypeError, match="ExternalStream"):
        event.record(1234)


def test_many_threads_share_an_event() -> None:
    event = Event(disable_timing=True)
    total = cp.zeros(100)

    def work() -> None:
        own = Stream(non_blocking=True)
        with own:
            for _ in range(50):
                _ = total + 1
                event.record(own)
                Stream.ptds.wait_event(event)
        own.synchronize()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    event.synchronize()
    assert event.done
