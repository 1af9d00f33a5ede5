// Profile, NVTX ranges and doctor, as plain values; python/cupola gives them their forms.

#include <nanobind/stl/string_view.h>

#include "exec/doctor.h"
#include "exec/nvtx.h"
#include "exec/profile.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

const char* name_of(ProfileEvent::Kind kind) {
  using Kind = ProfileEvent::Kind;
  switch (kind) {
    case Kind::kernel:
      return "kernel";
    case Kind::to_device:
      return "to_device";
    case Kind::to_host:
      return "to_host";
    case Kind::between_devices:
      return "between_devices";
    case Kind::wait:
      return "wait";
    case Kind::alloc:
      return "alloc";
    case Kind::free:
      return "free";
  }
  __builtin_unreachable();
}

nb::dict event_object(const ProfileEvent& event) {
  const bool has_device = event.kind != ProfileEvent::Kind::wait;
  nb::dict result;
  result["kind"] = name_of(event.kind);
  result["name"] = event.name;
  result["device"] = has_device ? nb::cast(event.device) : nb::none();
  result["stream"] = event.stream;
  result["bytes_read"] = event.bytes_read;
  result["bytes_written"] = event.bytes_written;
  result["is_pageable"] = event.is_pageable;
  result["address"] = event.address;
  result["thread"] = event.thread;
  result["host_start"] = event.host_start;
  result["host_end"] = event.host_end;
  result["device_start"] = event.device_start;
  result["device_end"] = event.device_end;
  result["place"] = place_object(event.position);
  return result;
}

nb::tuple stop() {
  Profile profile;
  {
    const Unlocked unlocked;
    profile = stop_profile();
  }
  nb::list events;
  for (const ProfileEvent& event : profile.events) events.append(event_object(event));
  return nb::make_tuple(events, profile.forgotten, profile.duration);
}

const char* name_of(DoctorFinding::Kind kind) {
  using Kind = DoctorFinding::Kind;
  switch (kind) {
    case Kind::synchronisation:
      return "synchronisation";
    case Kind::host_copy:
      return "host_copy";
    case Kind::small_kernel:
      return "small_kernel";
    case Kind::gathered:
      return "gathered";
    case Kind::spill:
      return "spill";
    case Kind::element:
      return "element";
  }
  __builtin_unreachable();
}

nb::list findings() {
  nb::list result;
  for (const DoctorFinding& finding : doctor_findings()) {
    result.append(nb::make_tuple(name_of(finding.kind), finding.what,
                                 place_object(finding.position), finding.count, finding.bytes,
                                 finding.nanoseconds));
  }
  return result;
}

}  // namespace

void bind_sight(nb::module_& m) {
  m.def(
      "start_profile",
      [](std::size_t most) {
        const Unlocked unlocked;
        start_profile(most);
      },
      nb::arg("max_events"));
  m.def("stop_profile", stop);
  m.def("is_profiling", is_profiling);
  m.def("start_doctor", start_doctor);
  m.def("stop_doctor", stop_doctor);
  m.def("doctor_is_on", doctor_is_on);
  m.def("forget_findings", forget_findings);
  m.def("doctor_findings", findings);
  m.def("nvtx_is_available", nvtx_is_available);
  m.def("start_nvtx", start_nvtx);
  m.def("stop_nvtx", stop_nvtx);
  m.def("nvtx_is_on", nvtx_is_on);
  m.def("nvtx_push", nvtx_push, nb::arg("message"), nb::arg("color"));
  m.def("nvtx_pop", nvtx_pop);
  m.def("nvtx_begin", nvtx_begin, nb::arg("message"), nb::arg("color"));
  m.def("nvtx_end", nvtx_end, nb::arg("range"));
  m.def("nvtx_mark", nvtx_mark, nb::arg("message"), nb::arg("color"));
}

}  // namespace cupola::python
