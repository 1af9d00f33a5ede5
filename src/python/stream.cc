// The class `cupola.Stream`.

#include <vector>

#include "cupola/runtime.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

thread_local std::vector<Stream> scopes;

nb::object enter(nb::object self) {
  const Stream stream = nb::cast<Stream>(self);
  const Stream previous = Stream::current(stream.device());
  stream.use();
  scopes.push_back(previous);
  return self;
}

void leave(const Stream&, const nb::args&) {
  if (scopes.empty()) return;
  scopes.back().use();
  scopes.pop_back();
}

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<Stream> cls(m, "Stream",
                         "A queue of work on one device, done in order.\n\n"
                         "As a `with` scope it is the thread's current stream on its device.");
  cls.attr("__module__") = "cupola";
  cls.def(
      "__init__",
      [](Stream* self, bool, bool, bool, nb::handle device) {
        const Device target = device.is_none() ? current_device() : device_from(device);
        new (self) Stream(Stream::create(target));
      },
      nb::arg("null") = false, nb::arg("non_blocking") = false, nb::arg("ptds") = false,
      nb::arg("device") = nb::none());
  cls.def_prop_ro(
      "device", [](const Stream& self) { return self.device(); }, "Its device.");
  cls.def_prop_ro(
      "id", [](const Stream& self) { return self.id(); },
      "A number that no other stream of the process ever has.");
  cls.def_prop_ro(
      "ptr",
      [](const Stream& self) { return reinterpret_cast<std::uintptr_t>(self.native_handle()); },
      "The platform's handle (CUstream); 0 on the CPU.");
  cls.def_prop_ro(
      "done", [](const Stream& self) { return self.is_idle(); }, "All work so far is done.");
  cls.def(
      "synchronize",
      [](Stream self) {
        Unlocked unlocked;
        self.synchronize();
      },
      "Waits until all work so far is done.");
  cls.def(
      "use",
      [](nb::object self) {
        nb::cast<Stream>(self).use();
        return self;
      },
      "Makes it the thread's current stream on its device.");
  cls.def("__enter__", enter);
  cls.def("__exit__", leave);
  cls.def(
      "__eq__",
      [](const Stream& self, nb::handle other) -> nb::object {
        Stream* stream = nullptr;
        if (!nb::try_cast(other, stream)) return nb::borrow(Py_NotImplemented);
        return nb::bool_(self.id() == stream->id());
      },
      nb::arg("other").none());
  cls.def("__hash__", [](const Stream& self) { return self.id(); });
  cls.def("__repr__", [](const Stream& self) {
    return "<Stream " + std::to_string(self.id()) + " on '" + self.device().to_string() + "'>";
  });
  m.def(
      "current_stream",
      [](nb::handle device) {
        return Stream::current(device.is_none() ? current_device() : device_from(device));
      },
      nb::arg("device") = nb::none());
}

}  // namespace cupola::python
