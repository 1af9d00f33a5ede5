#pragma once
// The docstrings of `cupola.cuda.Event`, and of the time between two.

namespace cupola::python {

inline constexpr const char* kEventText =
    R"(A mark in a stream's work, to wait for or to measure time with.

It belongs to the device of the first stream that it is recorded on.

Parameters
----------
blocking : bool
    Whether a thread that waits sleeps, instead of asking again and again.
disable_timing : bool
    Whether no time is measured with it.
interprocess : bool
    Whether other processes may use it.
block : bool
    Another name of `blocking`.

Raises
------
ValueError
    For `interprocess` without `disable_timing`.

Examples
--------
>>> import cupola as cp
>>> event = cp.cuda.Event()
>>> event.record()
>>> event.synchronize()
>>> event.done
True)";

inline constexpr const char* kEventRecordText = R"(Marks the work so far on a stream.

Parameters
----------
stream : Stream, optional
    Default: the current one.

Raises
------
TypeError
    For what is no stream.

Examples
--------
>>> import cupola as cp
>>> event = cp.cuda.Event()
>>> event.record(cp.Stream()))";

inline constexpr const char* kEventSynchronizeText =
    R"(Waits for the work before the last record; before the first there is none.

Examples
--------
>>> import cupola as cp
>>> event = cp.Stream().record()
>>> event.synchronize()
>>> event.done
True)";

inline constexpr const char* kElapsedTimeText = R"(The time between the last records of two events.

Parameters
----------
start_event, end_event : Event
    Of one device.

Returns
-------
float
    Milliseconds.

Raises
------
ValueError
    For an event that was never recorded, or that measures no time.
cupola.errors.DeviceError
    For events of two devices.

Examples
--------
>>> import cupola as cp
>>> start, end = cp.cuda.Event(), cp.cuda.Event()
>>> start.record()
>>> a = cp.ones(1000) + 1
>>> end.record()
>>> end.synchronize()
>>> cp.cuda.get_elapsed_time(start, end) >= 0
True)";

}  // namespace cupola::python
