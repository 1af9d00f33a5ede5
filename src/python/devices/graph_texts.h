#pragma once
// The docstrings of `cupola.cuda.Graph`.

namespace cupola::python {

inline constexpr const char* kGraphText =
    R"(Work of a stream that was recorded once and is launched many times.

`Stream.end_capture` makes it. It keeps the arrays that the work uses alive: what was made in the
capture has its values after a launch, and what was there before is read and written where it
lies, as it is at that time. Launches are ordered with all other uses of these arrays, whatever
their streams.

Raises
------
TypeError
    When it is called: only `Stream.end_capture` makes one.

Examples
--------
>>> import cupola as cp
>>> x = cp.ones(3)
>>> stream = cp.Stream(non_blocking=True)
>>> with stream:
...     stream.begin_capture()
...     x += 1
...     graph = stream.end_capture()
>>> for _ in range(3):
...     graph.launch()
>>> x
array([4., 4., 4.]))";

inline constexpr const char* kGraphLaunchText = R"(Puts all of the recorded work on a stream.

Parameters
----------
stream : Stream, optional
    Of the graph's device; default: the current one there.

Raises
------
cupola.errors.DeviceError
    For a stream of another device.

Examples
--------
>>> import cupola as cp
>>> x = cp.ones(3)
>>> stream = cp.Stream(non_blocking=True)
>>> with stream:
...     stream.begin_capture()
...     x += 1
...     graph = stream.end_capture()
>>> graph.launch(stream)
>>> x
array([2., 2., 2.]))";

inline constexpr const char* kGraphUploadText =
    R"(Prepares the next launch, so that it starts sooner.

Parameters
----------
stream : Stream, optional
    Of the launch; default: the current one of the graph's device.

Raises
------
cupola.errors.DeviceError
    For a stream of another device.

Examples
--------
>>> import cupola as cp
>>> x = cp.ones(3)
>>> stream = cp.Stream(non_blocking=True)
>>> with stream:
...     stream.begin_capture()
...     x += 1
...     graph = stream.end_capture()
>>> graph.upload(stream)
>>> graph.launch(stream)
>>> x
array([2., 2., 2.]))";

inline constexpr const char* kGraphDotText =
    R"(The recorded steps and their order, in the language of Graphviz.

Parameters
----------
flags : int
    With any other than 0: in detail.

Returns
-------
str

Examples
--------
>>> import cupola as cp
>>> x = cp.ones(3)
>>> stream = cp.Stream(non_blocking=True)
>>> with stream:
...     stream.begin_capture()
...     x += 1
...     graph = stream.end_capture()
>>> graph.debug_dot_str()[:7]
'digraph')";

}  // namespace cupola::python
