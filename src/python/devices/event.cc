// The class `cupola.cuda.Event`.

#include <string>

#include "cupola/error.h"
#include "python/devices/event_texts.h"
#include "python/devices/streams.h"

namespace cupola::python {
namespace {

PyEvent make(bool blocking, bool disable_timing, bool interprocess, bool block) {
  EventOptions options;
  options.blocking = blocking || block;
  options.timing = !disable_timing;
  options.interprocess = interprocess;
  return {Event(options)};
}

void record_event(nb::handle self, nb::handle stream) {
  nb::handle type = nb::type<PyStream>();
  const nb::object target =
      nb::isinstance(stream, type)
          ? nb::borrow(stream)
          : nb::cast(PyStream{PyStream::Kind::one, stream_from(stream, current_device())});
  target.attr("record")(self);
}

double elapsed(const PyEvent& start, const PyEvent& end) {
  const Event first = start.event;
  const Event last = end.event;
  Unlocked unlocked;
  return elapsed_milliseconds(first, last);
}

}  // namespace

void bind_events(nb::module_& m) {
  nb::class_<PyEvent> cls(m, "Event", kEventText);
  cls.attr("__module__") = "cupola.cuda";
  cls.def(
      "__init__",
      [](PyEvent* self, bool blocking, bool disable_timing, bool interprocess, bool block) {
        new (self) PyEvent(make(blocking, disable_timing, interprocess, block));
      },
      nb::arg("blocking") = false, nb::arg("disable_timing") = false,
      nb::arg("interprocess") = false, nb::kw_only(), nb::arg("block") = false);
  cls.def("record", record_event, nb::arg("stream") = nb::none(),
          nb::sig("def record(self, stream: Any = None) -> None"), kEventRecordText);
  cls.def_prop_ro(
      "done",
      [](const PyEvent& self) {
        const Event event = self.event;
        Unlocked unlocked;
        return event.is_complete();
      },
      "Whether the work before the last record is done; True before the first.");
  cls.def(
      "synchronize",
      [](const PyEvent& self) {
        const Event event = self.event;
        Unlocked unlocked;
        event.synchronize();
      },
      kEventSynchronizeText);
  cls.def_prop_ro(
      "ptr",
      [](const PyEvent& self) {
        const Event event = self.event;
        Unlocked unlocked;
        return reinterpret_cast<std::uintptr_t>(event.native_handle(current_device()));
      },
      "The platform's handle (CUevent); 0 on the CPU.");
  cls.def("__repr__", [](const PyEvent& self) {
    const auto device = self.event.device();
    return device ? "<Event on '" + device->to_string() + "'>" : std::string("<Event, unrecorded>");
  });
  cls.def("__reduce__", [](const PyEvent&) -> nb::object {
    throw TypeError("an event belongs to its process and cannot be pickled; make one in each");
  });
  m.def("get_elapsed_time", elapsed, nb::arg("start_event"), nb::arg("end_event"),
        kElapsedTimeText);
}

}  // namespace cupola::python
