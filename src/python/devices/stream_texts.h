#pragma once
// The docstrings of streams' methods, and of `cupola.cuda.ExternalStream`.

namespace cupola::python {

inline constexpr const char* kStreamSynchronizeText = R"(Waits until all work so far is done.

Raises
------
cupola.errors.CaptureError
    While the stream is being captured.

Examples
--------
>>> import cupola as cp
>>> stream = cp.Stream()
>>> with stream:
...     a = cp.ones(3) + 1
>>> stream.synchronize()
>>> stream.done
True)";

inline constexpr const char* kStreamRecordText = R"(Records an event after all work so far.

Parameters
----------
event : Event, optional
    Default: a new one.

Returns
-------
Event
    The event.

Raises
------
TypeError
    For what is no event.

Examples
--------
>>> import cupola as cp
>>> event = cp.Stream().record()
>>> event.synchronize()
>>> event.done
True)";

inline constexpr const char* kStreamWaitEventText =
    R"(Later work starts after the work before the event's last record.

Parameters
----------
event : Event
    Of any stream; one that was never recorded delays nothing.

Examples
--------
>>> import cupola as cp
>>> first, second = cp.Stream(), cp.Stream()
>>> second.wait_event(first.record()))";

inline constexpr const char* kStreamLaunchHostFuncText =
    R"(Calls a function in stream order, on a thread of the library's own.

Later work on the stream waits until it has returned. An exception goes to sys.unraisablehook.

Parameters
----------
callback : function
    Called as callback(arg). It may use the library, but not wait for this stream; on CUDA, with
    work queued behind it, a kernel that is used for the first time raises LaunchError.
arg : object
    What it is called with.

Raises
------
TypeError
    For what cannot be called.

Examples
--------
>>> import cupola as cp
>>> said = []
>>> stream = cp.Stream()
>>> stream.launch_host_func(said.append, "done")
>>> stream.synchronize()
>>> said
['done'])";

inline constexpr const char* kStreamAddCallbackText =
    R"(As `launch_host_func`, calling callback(stream, 0, arg).

Parameters
----------
callback : function
    Takes the stream, an error status, which is 0, and the argument.
arg : object
    What it is called with.

Raises
------
TypeError
    For what cannot be called.

Examples
--------
>>> import cupola as cp
>>> said = []
>>> stream = cp.Stream()
>>> stream.add_callback(lambda stream, status, arg: said.append((status, arg)), "done")
>>> stream.synchronize()
>>> said
[(0, 'done')])";

inline constexpr const char* kStreamUseText = R"(Makes it the thread's current stream on its device.

Returns
-------
Stream
    Itself.

Examples
--------
>>> import cupola as cp
>>> before = cp.current_stream()
>>> stream = cp.Stream().use()
>>> cp.current_stream() == stream
True
>>> before.use() == before
True)";

inline constexpr const char* kStreamFromExternalText =
    R"(The stream of another library that an object stands for.

Parameters
----------
object : object with __cuda_stream__
    Kept for as long as the result; on the current device.

Returns
-------
Stream

Raises
------
TypeError
    For other objects, and for a version of __cuda_stream__ other than 0.
cupola.errors.DeviceError
    For a stream that the current device does not have.

Examples
--------
>>> import cupola as cp
>>> stream = cp.Stream()
>>> cp.Stream.from_external(stream) == stream
True)";

inline constexpr const char* kStreamBeginCaptureText =
    R"(Begins to record work instead of running it, until `end_capture`.

What is put on the stream is recorded, and on streams that wait for events recorded on it. What
reads a value on the host or waits for the stream raises CaptureError.

Parameters
----------
mode : int, optional
    One of cuda.runtime.streamCaptureMode...; default: relaxed.

Raises
------
ValueError
    For another mode.
cupola.errors.CaptureError
    For the null stream, a stream that is being captured, and one of several devices as one.

Examples
--------
>>> import cupola as cp
>>> x = cp.ones(3)
>>> stream = cp.Stream(non_blocking=True)
>>> with stream:
...     stream.begin_capture()
...     x += 1
...     graph = stream.end_capture()
>>> graph.launch()
>>> x
array([2., 2., 2.]))";

inline constexpr const char* kStreamEndCaptureText = R"(Ends what `begin_capture` began.

Returns
-------
Graph
    What was recorded.

Raises
------
cupola.errors.CaptureError
    For a stream that is not being captured, and a capture that failed; the stream runs its work
    again all the same.

Examples
--------
>>> import cupola as cp
>>> stream = cp.Stream(non_blocking=True)
>>> stream.begin_capture()
>>> graph = stream.end_capture()
>>> graph.device == stream.device
True)";

inline constexpr const char* kStreamIsCapturingText =
    R"(Whether work on the stream is being recorded.

Returns
-------
bool

Examples
--------
>>> import cupola as cp
>>> cp.Stream().is_capturing()
False)";

inline constexpr const char* kExternalStreamText =
    R"(A stream of another library, or one of this library, by its handle.

The other library owns it and must not destroy it while work is put on it here.

Parameters
----------
ptr : int
    A CUstream as a number, or the `ptr` of a stream of this library.
device_id : int
    Number of its device; default: the current device.

Raises
------
cupola.errors.DeviceError
    On the CPU, for what is no `ptr` of a stream.

Examples
--------
>>> import cupola as cp
>>> stream = cp.Stream()
>>> cp.cuda.ExternalStream(stream.ptr).ptr == stream.ptr
True)";

}  // namespace cupola::python
