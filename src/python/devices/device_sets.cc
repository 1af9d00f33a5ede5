// Arrays over several devices: where their parts are, and how to choose that.

#include <nanobind/stl/vector.h>

#include "cupola/device_info.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "cupola/striping.h"
#include "cupola/transfer.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"
#include "exec/lending/access.h"
#include "exec/lending/lending.h"
#include "python/memory/memory.h"

namespace cupola::python {
namespace {

PlacementRule rule_from(nb::handle weights, bool even, nb::handle cuts) {
  if ((!weights.is_none()) + even + (!cuts.is_none()) > 1) {
    throw ValueError("weights, even and cuts exclude each other: give one of them");
  }
  PlacementRule rule;
  if (even) rule.kind = PlacementRule::Kind::even;
  if (!weights.is_none()) {
    rule.kind = PlacementRule::Kind::weights;
    for (const nb::handle weight : weights)
      rule.weights.push_back(value_from<double>(weight, "a weight", "a number"));
  }
  if (!cuts.is_none()) {
    rule.kind = PlacementRule::Kind::cuts;
    for (const nb::handle cut : cuts) rule.cuts.push_back(size_from(cut));
  }
  return rule;
}

nb::tuple plan_tuple(const PlannedPlacement& plan) {
  return nb::make_tuple(nb::cast(plan.bytes), nb::cast(plan.wished), plan.deviation,
                        plan.granularity);
}

std::size_t positive_bytes(nb::handle bytes) {
  const std::size_t size = size_from(bytes);
  if (size == 0) throw ValueError("there is nothing to place: 0 bytes");
  return size;
}

nb::tuple plan_on_devices(nb::handle bytes, nb::handle devices, nb::handle weights, bool even,
                          nb::handle cuts) {
  const Device set = checked_device(devices);
  return plan_tuple(plan_placement(positive_bytes(bytes), set, rule_from(weights, even, cuts)));
}

nb::tuple plan_on_free(nb::handle bytes, nb::handle free, nb::handle granularity,
                       nb::handle threshold, nb::handle weights, bool even, nb::handle cuts) {
  std::vector<std::size_t> sizes;
  for (const nb::handle size : free) sizes.push_back(size_from(size));
  if (sizes.empty()) throw ValueError("there must be at least one device to place memory on");
  PlacementRule rule = rule_from(weights, even, cuts);
  rule.threshold = size_from(threshold);
  return plan_tuple(
      plan_placement(positive_bytes(bytes), sizes, positive_bytes(granularity), rule));
}

nb::list parts_of(nb::handle a) {
  const Array array = array_from(a);
  std::vector<PlacedPart> parts;
  {
    Unlocked unlocked;
    parts = placement_of(array);
  }
  nb::list result;
  for (const PlacedPart& part : parts) {
    result.append(nb::make_tuple(part.device, describe_device(part.device).uuid, part.first_byte,
                                 part.end_byte, part.first_row, part.end_row));
  }
  return result;
}

nb::object place_array(nb::handle a, nb::handle devices, nb::handle weights, bool even,
                       nb::handle cuts) {
  const Array array = array_from(a);
  const Device set = checked_device(devices);
  const PlacementRule rule = rule_from(weights, even, cuts);
  Array result;
  {
    Unlocked unlocked;
    result = place(array, set, rule);
  }
  return wrap(std::move(result));
}

nb::tuple stripe_sizes(nb::handle device) {
  const Device set = checked_device(device);
  SetDriver& sets = set_driver(set.platform());
  return nb::make_tuple(sets.stripe_granularity(set.index()), sets.threshold(set.index()));
}

}  // namespace

Array on_one_device(const Array& array, bool may_copy) {
  const Device& device = array.device();
  if (!device.is_set() || device.platform() == PlatformKind::cpu) return array;
  const std::vector<PlacedPart> parts = placement_of(array);
  if (parts.size() > 1) {
    if (may_copy) return to_device(array, device.member(0));
    throw BufferError(
        "the array lies on " + std::to_string(parts.size()) + " devices (" + device.to_string() +
        "), and other libraries know only one: give them a copy on one with copy=True or "
        "a.to_device(\"" +
        device.member(0).to_string() + "\"), or the arrays of cupola.split_over(a)");
  }
  expose(array);
  finish_uses(array);
  return from_foreign(array.size() ? data_pointer(array) : nullptr, array.dtype(), array.shape(),
                      strides(array), parts.front().device, std::make_shared<Array>(array),
                      array.writable());
}

void bind_device_sets(nb::module_& m) {
  m.def("plan_on_devices", plan_on_devices, nb::arg("nbytes"), nb::arg("devices").none(),
        nb::arg("weights").none(), nb::arg("even"), nb::arg("cuts").none());
  m.def("plan_on_free", plan_on_free, nb::arg("nbytes"), nb::arg("free"), nb::arg("granularity"),
        nb::arg("threshold"), nb::arg("weights").none(), nb::arg("even"), nb::arg("cuts").none());
  m.def("placement_of", parts_of, nb::arg("a"));
  m.def("place", place_array, nb::arg("a"), nb::arg("devices").none(), nb::arg("weights").none(),
        nb::arg("even"), nb::arg("cuts").none());
  m.def("stripe_sizes", stripe_sizes, nb::arg("device") = nb::none(),
        "Bytes of the smallest piece, and below which an array is not divided.");
  m.def("default_device", [] { return default_device(); });
  m.def("set_default_device", [](nb::handle device) { set_default_device(device_from(device)); });
}

}  // namespace cupola::python
