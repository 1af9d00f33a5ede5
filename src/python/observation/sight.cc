// Profile, NVTX ranges, doctor and load, as plain values; python/cupola gives them their forms.

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <vector>

#include "exec/observation/doctor.h"
#include "exec/observation/nvtx.h"
#include "exec/observation/profile.h"
#include "exec/observation/traffic_meter.h"
#include "python/bindings.h"
#include "python/interpreter/source_range.h"
#include "runtime/live_streams.h"

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
    case Kind::update:
      return "update";
    case Kind::detached:
      return "detached";
    case Kind::unfused:
      return "unfused";
    case Kind::sorted_part:
      return "sorted_part";
    case Kind::matrix_vector:
      return "matrix_vector";
    case Kind::element_read:
      return "element_read";
    case Kind::element_write:
      return "element_write";
  }
  __builtin_unreachable();
}

nb::list findings() {
  nb::list result;
  for (const DoctorFinding& finding : doctor_findings()) {
    result.append(nb::make_tuple(
        name_of(finding.kind), finding.what, place_object(finding.position),
        source_range_object(finding.position), finding.count, finding.bytes, finding.nanoseconds));
  }
  return result;
}

nb::dict traffic_object() {
  const MeteredTraffic traffic = metered_traffic();
  nb::dict result;
  result["kernels"] = traffic.kernels;
  result["kernel_bytes"] = traffic.kernel_bytes;
  result["to_device"] = traffic.to_device;
  result["to_host"] = traffic.to_host;
  result["between_devices"] = traffic.between_devices;
  return result;
}

// (device, streams that something was done on, those with work under way)
nb::list stream_loads(PlatformKind platform) {
  struct Load {
    Device device;
    int open = 0;
    int busy = 0;
  };
  std::vector<Load> loads;
  {
    const Unlocked unlocked;
    for (const StreamPointer& stream : live_streams(platform)) {
      if (!stream->is_open() || stream->is_foreign()) continue;
      auto found = std::find_if(loads.begin(), loads.end(),
                                [&](const Load& load) { return load.device == stream->device(); });
      if (found == loads.end()) found = loads.insert(found, Load{stream->device()});
      ++found->open;
      found->busy += stream->is_idle() ? 0 : 1;
    }
  }
  nb::list result;
  for (const Load& load : loads) result.append(nb::make_tuple(load.device, load.open, load.busy));
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
  m.def("start_traffic_meter", start_traffic_meter);
  m.def("stop_traffic_meter", stop_traffic_meter);
  m.def("metered_traffic", traffic_object);
  m.def(
      "stream_loads",
      [](const std::string& platform) {
        return stream_loads(Device::parse(platform + ":0").platform());
      },
      nb::arg("platform"));
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
