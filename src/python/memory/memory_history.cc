// What the pools recorded, as plain tuples; python/cupola/_memory/history.py gives them their form.

#include "memory/history.h"

#include "python/interpreter/interpreter_visit.h"
#include "python/memory/memory.h"

namespace cupola::python {
namespace {

constexpr int kMaxFrames = 64;

std::string attribute_text(PyObject* object, const char* name) {
  const nb::object value = nb::steal(PyObject_GetAttrString(object, name));
  if (!value.is_valid()) {
    PyErr_Clear();
    return "?";
  }
  return shown(value);
}

// The Python call stack of this thread.
Site find_site() {
  const InterpreterVisit visit;
  if (!visit) return nullptr;
  const InterpreterLocked locked;
  auto frames = std::make_shared<std::vector<Frame>>();
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(reinterpret_cast<PyObject*>(frame));
  while (frame && frames->size() < kMaxFrames) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    PyObject* object = reinterpret_cast<PyObject*>(code);
    frames->push_back({attribute_text(object, "co_name"), attribute_text(object, "co_filename"),
                       PyFrame_GetLineNumber(frame)});
    Py_DECREF(object);
    PyFrameObject* back = caller_of(frame);
    Py_DECREF(reinterpret_cast<PyObject*>(frame));
    frame = back;
  }
  Py_XDECREF(reinterpret_cast<PyObject*>(frame));
  return frames;
}

nb::list frames_of(const Site& site) {
  nb::list result;
  if (!site) return result;
  for (const Frame& frame : *site) {
    nb::dict entry;
    entry["name"] = frame.function;
    entry["filename"] = frame.file;
    entry["line"] = frame.line;
    result.append(entry);
  }
  return result;
}

const char* name_of_action(MemoryEvent::Action action) {
  switch (action) {
    case MemoryEvent::Action::alloc:
      return "alloc";
    case MemoryEvent::Action::free:
      return "free";
    case MemoryEvent::Action::segment_alloc:
      return "segment_alloc";
    case MemoryEvent::Action::segment_free:
      return "segment_free";
    case MemoryEvent::Action::out_of_memory:
      return "oom";
  }
  __builtin_unreachable();
}

nb::list events() {
  nb::list result;
  for (const MemoryEvent& event : recorded_events()) {
    result.append(nb::make_tuple(name_of_action(event.action), event.device, event.address,
                                 event.bytes, event.stream, event.time, event.reserved,
                                 frames_of(event.site)));
  }
  return result;
}

nb::list segments() {
  nb::list result;
  for (const SegmentSnapshot& segment : snapshot_segments()) {
    nb::list blocks;
    for (const BlockSnapshot& block : segment.blocks) {
      blocks.append(
          nb::make_tuple(block.address, block.bytes, block.is_live, frames_of(block.site)));
    }
    result.append(nb::make_tuple(segment.device, segment.address, segment.bytes, segment.stream,
                                 segment.is_small, blocks));
  }
  return result;
}

}  // namespace

void bind_memory_history(nb::module_& m) {
  m.def(
      "start_recording_memory", [](std::size_t most, bool sites) { start_recording(most, sites); },
      nb::arg("max_entries"), nb::arg("sites"));
  m.def("stop_recording_memory", [] { stop_recording(); });
  m.def("memory_events", events);
  m.def("memory_segments", segments);
  set_site_finder(find_site);
}

}  // namespace cupola::python
