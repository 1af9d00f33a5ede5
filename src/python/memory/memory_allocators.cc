// The allocators that arrays get memory from.

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/runtime.h"
#include "exec/lending/access.h"
#include "memory/pool/pooled_allocator.h"
#include "python/devices/streams.h"
#include "python/memory/memory.h"

namespace cupola::python {
namespace {

KeepingAllocator& keeping(const MemoryAllocator& self) {
  auto* allocator = dynamic_cast<KeepingAllocator*>(self.allocator.get());
  if (!allocator) throw TypeError("this allocator keeps no memory");
  return *allocator;
}

// `source`: a kind of memory, or a function.
MakeResource maker_from(nb::handle source) {
  if (PyUnicode_Check(source.ptr())) return maker_of(text_from(source, "the kind of memory"));
  if (!PyCallable_Check(source.ptr())) {
    throw TypeError("an allocator must be callable: allocator(bytes) returns a MemoryPointer");
  }
  return [function = share_reference(source)](const Device& device) {
    return make_callable_resource(function, device);
  };
}

nb::tuple statistics_of(const MemoryAllocator& self, nb::handle device) {
  const PoolStatistics statistics = keeping(self).statistics(checked_device(device));
  return nb::make_tuple(statistics.used, statistics.cached, statistics.free_blocks,
                        statistics.peak_reserved, statistics.segments);
}

nb::tuple spill_counts_of(const MemoryAllocator& self, nb::handle device) {
  auto* pools = dynamic_cast<PoolsAllocator*>(self.allocator.get());
  if (!pools) throw TypeError("this allocator moves no arrays");
  const SpillCounts counts = pools->pool(checked_device(device)).spill_counts();
  return nb::make_tuple(counts.out, counts.bytes_out, counts.in, counts.bytes_in, counts.away,
                        counts.bytes_away);
}

std::size_t trim_pool(const MemoryAllocator& self, nb::handle stream, nb::handle device) {
  KeepingAllocator& allocator = keeping(self);
  const Device target = checked_device(device);
  StreamPointer only;
  if (!stream.is_none()) only = stream_from(stream, target).state();
  Unlocked unlocked;
  return allocator.trim(target, only);
}

void set_pool_limit(const MemoryAllocator& self, nb::handle size, nb::handle fraction,
                    nb::handle device) {
  if (!size.is_none() && !fraction.is_none()) {
    throw ValueError("size and fraction cannot be specified at one time");
  }
  KeepingAllocator& allocator = keeping(self);
  const Device target = checked_device(device);
  if (!fraction.is_none()) {
    const auto part = value_from<double>(fraction, "fraction", "a number");
    if (!(part >= 0 && part <= 1)) {
      throw ValueError(fmt::format("a fraction of the memory is from 0 to 1, not {}", part));
    }
    const std::size_t total = describe_device(target).total_memory;
    return allocator.set_limit(target, static_cast<std::size_t>(static_cast<double>(total) * part));
  }
  allocator.set_limit(target, size.is_none() ? 0 : size_from(size));
}

}  // namespace

void bind_allocators(nb::module_& m) {
  nb::class_<MemoryAllocator>(m, "MemoryAllocator")
      .def("statistics", statistics_of, nb::arg("device") = nb::none())
      .def("spill_counts", spill_counts_of, nb::arg("device") = nb::none())
      .def("trim", trim_pool, nb::arg("stream") = nb::none(), nb::arg("device") = nb::none())
      .def("set_limit", set_pool_limit, nb::arg("size") = nb::none(),
           nb::arg("fraction") = nb::none(), nb::arg("device") = nb::none())
      .def(
          "limit",
          [](const MemoryAllocator& self, nb::handle device) {
            return keeping(self).limit(checked_device(device));
          },
          nb::arg("device") = nb::none());
  m.def("leaf_allocator", [](nb::handle source) {
    return MemoryAllocator{std::make_shared<LeafAllocator>(maker_from(source))};
  });
  m.def("pooled_allocator", [](nb::handle source) {
    return MemoryAllocator{std::make_shared<PooledAllocator>(maker_from(source))};
  });
  m.def("is_spilled", [](nb::handle a) {
    const Array array = array_from(a);
    Unlocked unlocked;
    return is_spilled(array);
  });
  const auto spilling = [](MakeResource make) {
    return MemoryAllocator{
        std::make_shared<PooledAllocator>(std::move(make), PoolOptions{.spills = true})};
  };
  m.def("striped_spilling_allocator", [spilling] { return spilling(maker_of_ranges()); });
  m.def("spilling_allocator", [spilling] { return spilling(maker_of_own_ranges()); });
  m.def("async_allocator", [] { return MemoryAllocator{std::make_shared<AsyncAllocator>()}; });
  m.def("default_allocator", [] { return MemoryAllocator{std::make_shared<DefaultAllocator>()}; });
  m.def(
      "set_allocator", [](nb::handle allocator) { set_allocator(allocator_from(allocator)); },
      nb::arg("allocator").none());
  m.def(
      "push_allocator", [](nb::handle allocator) { push_allocator(allocator_from(allocator)); },
      nb::arg("allocator").none());
  m.def("pop_allocator", [] { pop_allocator(); });
}

}  // namespace cupola::python
