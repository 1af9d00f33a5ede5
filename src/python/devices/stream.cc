// The classes `cupola.Stream` and `cupola.cuda.ExternalStream`.

#include <string>
#include <vector>

#include "base/threads/thread_owned.h"
#include "cupola/error.h"
#include "cupola/graph.h"
#include "driver/graph.h"
#include "python/array/class_texts.h"
#include "python/devices/callbacks.h"
#include "python/devices/stream_texts.h"
#include "python/devices/streams.h"
#include "python/functions/direct_function.h"
#include "python/memory/memory.h"
#include "runtime/live_streams.h"

namespace cupola::python {
namespace {

using Kind = PyStream::Kind;

// What was chosen before a `with` statement; null for the default stream.
struct Outside {
  Device device;
  std::shared_ptr<StreamState> stream;
};
struct StreamScopes {
  std::vector<Outside> outside;
};
std::vector<Outside>& stream_scopes() { return ThreadOwned<StreamScopes>::get().outside; }

nb::object enter_stream(nb::object self) {
  const Stream stream = nb::cast<PyStream&>(self).target();
  stream_scopes().push_back({stream.device(), choose_stream(stream.device(), stream.state())});
  return self;
}

void leave_stream(const PyStream&, const nb::args&) {
  if (stream_scopes().empty()) return;
  choose_stream(stream_scopes().back().device, std::move(stream_scopes().back().stream));
  stream_scopes().pop_back();
}

PyStream make(bool null, bool non_blocking, bool ptds, nb::handle priority, nb::handle device) {
  if (null && ptds) throw ValueError("a stream is either null or ptds, not both");
  if (null) return {Kind::null, std::nullopt};
  if (ptds) return {Kind::thread, std::nullopt};
  StreamOptions options;
  options.non_blocking = non_blocking;
  if (!priority.is_none()) options.priority = static_cast<int>(index_from(priority));
  const Device target = device.is_none() ? current_device() : device_from(device);
  return {Kind::one, Stream::create(target, options)};
}

// (0, address) of an object of others.
std::uintptr_t address_of(nb::handle object) {
  nb::object answer = object.attr("__cuda_stream__");
  if (PyCallable_Check(answer.ptr())) answer = answer();
  if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2) {
    throw TypeError("__cuda_stream__ must return (version, address), got " +
                    shown(nb::repr(answer)));
  }
  if (index_from(answer[0]) != 0) {
    throw TypeError("__cuda_stream__ has version " + std::to_string(index_from(answer[0])) +
                    "; this library knows version 0");
  }
  return static_cast<std::uintptr_t>(index_from(answer[1]));
}

// What stands for the handle that a stream of a CPU device has not: no small number, and no
// address.
std::uintptr_t handle_on_cpu(std::uint64_t id) { return (std::uintptr_t{1} << 56) + id; }

Stream adopt(const Device& device, std::uintptr_t address, std::shared_ptr<void> owner) {
  Unlocked unlocked;
  if (device.platform() == PlatformKind::cpu) {
    for (const StreamPointer& stream : live_streams(device)) {
      if (handle_on_cpu(stream->id()) == address) return Stream(stream);
    }
  }
  return Stream::adopt(device, reinterpret_cast<void*>(address), std::move(owner));
}

std::uintptr_t address(const PyStream& self) {
  const Stream stream = self.target();
  if (stream.device().platform() == PlatformKind::cpu) {
    return self.kind == Kind::null ? 0 : handle_on_cpu(stream.id());
  }
  Unlocked unlocked;
  return reinterpret_cast<std::uintptr_t>(stream.native_handle());
}

void synchronize(const PyStream& self) {
  const PyStream copy = self;
  const Device device = copy.kind == Kind::one ? copy.one->device() : current_device();
  Unlocked unlocked;
  if (copy.kind == Kind::null) {
    NullStream(device).synchronize();
  } else {
    copy.target().synchronize();
  }
}

int priority(const PyStream& self) {
  const Stream stream = self.target();
  const Unlocked unlocked;
  return stream.priority();
}

bool is_done(const PyStream& self) {
  const PyStream copy = self;
  const Device device = copy.kind == Kind::one ? copy.one->device() : current_device();
  Unlocked unlocked;
  return copy.kind == Kind::null ? NullStream(device).is_idle() : copy.target().is_idle();
}

// Where events of the stream are recorded: after everything that the stream stands for.
Stream gathered(const PyStream& self) {
  return self.kind == Kind::null ? NullStream(current_device()).gathered() : self.target();
}

nb::object record(const PyStream& self, nb::handle event) {
  nb::object mark = event.is_none() ? nb::type<PyEvent>()() : nb::borrow(event);
  const Event target = value_from<PyEvent*>(mark, "event", "an Event")->event;
  const PyStream copy = self;
  {
    Unlocked unlocked;
    target.record(gathered(copy));
  }
  return mark;
}

void wait_event(const PyStream& self, const PyEvent& event) {
  const PyStream copy = self;
  const Event target = event.event;
  Unlocked unlocked;
  if (copy.kind == Kind::null) {
    NullStream(current_device()).wait_for(target);
  } else {
    copy.target().wait_for(target);
  }
}

void launch_host_func(const PyStream& self, nb::object callback, nb::object argument) {
  launch_callback(gathered(self), std::move(callback), nb::make_tuple(argument));
}

// Numbers of the runtime; None: relaxed.
CaptureMode mode_from(nb::handle mode) {
  if (mode.is_none()) return CaptureMode::relaxed;
  const auto number = index_from(mode);
  if (number >= 0 && number <= 2) return static_cast<CaptureMode>(number);
  throw ValueError("mode must be one of cuda.runtime.streamCaptureMode... (0, 1, 2) or None, not " +
                   std::to_string(number));
}

void begin_capture(const PyStream& self, nb::handle mode) {
  if (self.kind == Kind::null) {
    throw_capture_error(CaptureFailure::unsupported,
                        "the null stream cannot be captured; make a stream with "
                        "Stream(non_blocking=True)");
  }
  const Stream stream = self.target();
  const CaptureMode how = mode_from(mode);
  const Unlocked unlocked;
  cupola::begin_capture(stream, how);
}

Graph end_capture(const PyStream& self) {
  const Stream stream = self.target();
  const Unlocked unlocked;
  return cupola::end_capture(stream);
}

bool is_capturing(const PyStream& self) {
  const Kind kind = self.kind;
  const Stream stream = self.target();
  const Unlocked unlocked;
  if (kind == Kind::null) return NullStream(stream.device()).is_capturing();
  return cupola::is_capturing(stream);
}

void bind_capture(nb::class_<PyStream>& cls) {
  cls.def("begin_capture", begin_capture, nb::arg("mode") = nb::none(),
          nb::sig("def begin_capture(self, mode: int | None = None) -> None"),
          kStreamBeginCaptureText);
  cls.def("end_capture", end_capture, nb::sig("def end_capture(self) -> Graph"),
          kStreamEndCaptureText);
  cls.def("is_capturing", is_capturing, kStreamIsCapturingText);
}

// CuPy's older form: callback(stream, error status, argument).
void add_callback(nb::object self, nb::object callback, nb::object argument) {
  launch_callback(gathered(nb::cast<PyStream&>(self)), std::move(callback),
                  nb::make_tuple(self, 0, argument));
}

std::string text_of(const PyStream& self) {
  if (self.kind == Kind::null) return "<Stream null>";
  if (self.kind == Kind::thread) return "<Stream ptds>";
  return "<Stream " + std::to_string(self.one->id()) + " on '" + self.one->device().to_string() +
         "'" + (self.one->is_foreign() ? ", of another library>" : ">");
}

void bind_work(nb::class_<PyStream>& cls) {
  cls.def("synchronize", synchronize, kStreamSynchronizeText);
  cls.def("record", record, nb::arg("event") = nb::none(),
          nb::sig("def record(self, event: Any = None) -> Event"), kStreamRecordText);
  cls.def("wait_event", wait_event, nb::arg("event"), kStreamWaitEventText);
  cls.def("launch_host_func", launch_host_func, nb::arg("callback").none(), nb::arg("arg").none(),
          kStreamLaunchHostFuncText);
  cls.def("add_callback", add_callback, nb::arg("callback").none(), nb::arg("arg").none(),
          kStreamAddCallbackText);
  cls.def(
      "use",
      [](nb::object self) {
        nb::cast<PyStream&>(self).target().use();
        return self;
      },
      kStreamUseText);
  cls.def("__enter__", enter_stream);
  cls.def("__exit__", leave_stream);
}

void bind_properties(nb::class_<PyStream>& cls) {
  cls.def_prop_ro(
      "device", [](const PyStream& self) { return self.target().device(); }, "Its device.");
  cls.def_prop_ro(
      "device_id", [](const PyStream& self) { return self.target().device().index(); },
      "Number of its device.");
  cls.def_prop_ro(
      "id", [](const PyStream& self) { return self.target().id(); },
      "A number that no other stream of the process ever has.");
  cls.def_prop_ro(
      "ptr", address,
      "The platform's handle (CUstream); on the CPU a number that ExternalStream knows.");
  cls.def_prop_ro("done", is_done, "Whether all work so far is done.");
  cls.def_prop_ro("priority", priority,
                  "What it was made with, within what the device has: lower numbers come first.");
  cls.def_prop_ro(
      "is_non_blocking",
      [](const PyStream& self) { return self.kind == Kind::one && self.one->is_non_blocking(); },
      "Whether it is not ordered with CUDA's legacy default stream.");
  cls.def("__cuda_stream__", [](const PyStream& self) { return nb::make_tuple(0, address(self)); });
  cls.def(
      "__eq__",
      [](const PyStream& self, nb::handle other) -> nb::object {
        PyStream* stream = nullptr;
        if (!nb::try_cast(other, stream) || !stream) return nb::borrow(Py_NotImplemented);
        return nb::bool_(self.target().id() == stream->target().id());
      },
      nb::arg("other").none());
  cls.def("__hash__", [](const PyStream& self) { return self.target().id(); });
  cls.def("__repr__", text_of);
  cls.def("__reduce__", [](const PyStream&) -> nb::object {
    throw TypeError("a stream belongs to its process and cannot be pickled; make one in each");
  });
}

void bind_external(nb::module_& m) {
  nb::class_<PyExternalStream, PyStream> cls(m, "ExternalStream", kExternalStreamText);
  cls.attr("__module__") = "cupola.cuda";
  cls.def(
      "__init__",
      [](PyExternalStream* self, std::uintptr_t pointer, int device_id) {
        const Device device = device_id < 0 ? current_device() : device_from(nb::int_(device_id));
        new (self) PyExternalStream{{PyStream::Kind::one, adopt(device, pointer, nullptr)}};
      },
      nb::arg("ptr"), nb::arg("device_id") = -1);
}

nb::object current_stream_object(nb::handle device) {
  const Device target = device.is_none() ? current_device() : device_from(device);
  return nb::cast(PyStream{PyStream::Kind::one, Stream::current(target)});
}

}  // namespace

Stream stream_from(nb::handle object, const Device& device) {
  if (object.is_none()) return Stream::current(device);
  PyStream* known = nullptr;
  if (nb::try_cast(object, known)) {
    if (known->kind != Kind::one) return Stream::of_thread(device);
    if (known->one->device() == device) return *known->one;
    throw DeviceError("the stream is on " + known->one->device().to_string() + ", the work on " +
                      device.to_string() + ": use a stream of " + device.to_string());
  }
  if (nb::hasattr(object, "__cuda_stream__")) {
    return adopt(device, address_of(object), share_reference(object));
  }
  throw TypeError(std::string("stream must be a Stream, an object with __cuda_stream__ or None, "
                              "not ") +
                  class_name(object.ptr()) +
                  (PyLong_Check(object.ptr()) ? "; ExternalStream(address) makes one" : ""));
}

void bind_streams(nb::module_& m) {
  nb::class_<PyStream> cls(m, "Stream", kStreamText);
  cls.attr("__module__") = "cupola";
  cls.def(
      "__init__",
      [](PyStream* self, bool null, bool non_blocking, bool ptds, nb::handle priority,
         nb::handle device) {
        new (self) PyStream(make(null, non_blocking, ptds, priority, device));
      },
      nb::arg("null") = false, nb::arg("non_blocking") = false, nb::arg("ptds") = false,
      nb::arg("priority") = nb::none(), nb::arg("device") = nb::none());
  bind_properties(cls);
  bind_work(cls);
  bind_capture(cls);
  cls.def_static(
      "from_external",
      [](nb::handle object) {
        return PyStream{Kind::one, stream_from(object, current_device())};
      },
      nb::arg("object"), kStreamFromExternalText);
  cls.attr("null") = PyStream{Kind::null, std::nullopt};
  cls.attr("ptds") = PyStream{Kind::thread, std::nullopt};
  bind_external(m);
  DirectFunction<current_stream_object>::define(
      m, {"current_stream", "(device: DeviceLike = None) -> Stream",
          "The calling thread's current stream on a device.\n\nParameters\n----------\n"
          "device : optional\n    Default: the current device.\n\nReturns\n-------\nStream\n\n"
          "Examples\n--------\n>>> import cupola as cp\n>>> with cp.Stream() as stream:\n"
          "...     cp.current_stream() == stream\nTrue"});
  m.def(
      "stream_priorities",
      [](const Device& device) {
        PriorityRange range;
        {
          const Unlocked unlocked;
          range = stream_priorities(device);
        }
        return nb::make_tuple(range.least, range.greatest);
      },
      nb::arg("device"));
  m.def(
      "as_stream",
      [](nb::handle object, nb::handle device) {
        const Device target = device.is_none() ? current_device() : device_from(device);
        return PyStream{PyStream::Kind::one, stream_from(object, target)};
      },
      nb::arg("object").none(), nb::arg("device") = nb::none(),
      "The stream that an object stands for: see __cuda_stream__.");
}

}  // namespace cupola::python
