// Blocks of memory and arrays over them; managed arrays; the collector.

#include "python/memory/memory.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "base/threads/mutex.h"
#include "core/array_state.h"
#include "core/device_sets.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "driver/registry.h"
#include "exec/lending/access.h"
#include "exec/lending/managed.h"
#include "memory/buffer.h"
#include "memory/hooks.h"
#include "memory/pressure/reclaim.h"
#include "python/interpreter/interpreter_visit.h"
#include "python/memory/memory_texts.h"

namespace cupola::python {
namespace {

// ---- blocks

MemoryBlock allocate_block(nb::handle bytes, nb::handle allocator, nb::handle device) {
  const std::size_t size = size_from(bytes);
  const Device target = checked_device(device);
  const AllocatorPointer chosen = allocator_from(allocator);
  Unlocked unlocked;
  const StreamPointer stream = current_stream(target);
  if (size == 0) return {borrow_storage(target, nullptr, 0, nullptr, true), target};
  ResourcePointer resource = chosen ? chosen->resource(target) : current_resource(target);
  void* data = resource->allocate(size, stream);
  MemoryBlock block{adopt_storage(target, data, size, std::move(resource), stream), target};
  block.storage->is_exposed = true;
  return block;
}

// One storage for all that is made of the same memory and owner, so that its uses are ordered.
std::shared_ptr<Storage> shared_storage(const Device& device, void* data, std::size_t bytes,
                                        nb::object owner) {
  using Key = std::pair<PyObject*, void*>;  // the owner lives as long as the storage
  static auto* known = new std::map<Key, std::weak_ptr<Storage>>;
  static constinit Mutex mutex;
  const Key key{owner.ptr(), data};
  std::shared_ptr<Storage> earlier;  // its end, which may run Python code, comes after the lock's
  const std::lock_guard lock(mutex);
  if (const auto entry = known->find(key); entry != known->end()) {
    earlier = entry->second.lock();
    if (earlier && earlier->bytes() == bytes && earlier->device() == device) return earlier;
  }
  std::erase_if(*known, [](const auto& entry) { return entry.second.expired(); });
  auto storage = borrow_storage(device, data, bytes, share_reference(owner), true);
  (*known)[key] = storage;
  return storage;
}

// Memory of others; what the platform knows of the address must agree.
MemoryBlock borrow_block(nb::handle pointer, nb::handle bytes, nb::handle device,
                         nb::object owner) {
  const std::int64_t address = index_from(pointer);
  const std::size_t size = size_from(bytes);
  const Device target = checked_device(device);
  if (address < 0) throw ValueError(fmt::format("{} is no address", address));
  if (address == 0 && size > 0) {
    throw ValueError(fmt::format("a null pointer has no {} bytes", size));
  }
  void* data = reinterpret_cast<void*>(address);
  const PointerInfo info = current_stream(target)->driver().describe(data);
  if (size > 0 && info.kind == PointerKind::device && info.device >= 0 &&
      !overlap(Device(target.platform(), info.device), target)) {
    throw ValueError(fmt::format("{} is memory of {}, not of {}", data,
                                 Device(target.platform(), info.device).to_string(),
                                 target.to_string()));
  }
  if (size > 0 && info.kind == PointerKind::unknown && target.platform() == PlatformKind::cuda) {
    throw ValueError(
        fmt::format("{} is not memory that {} can reach: it was freed, or is pageable host memory",
                    data, target.to_string()));
  }
  return {shared_storage(target, data, size, std::move(owner)), target};
}

// Where the default platform says that the address lies; else the current device.
Device device_of_pointer(nb::handle pointer) {
  const std::int64_t address = index_from(pointer);
  const Device current = current_device();
  check_device(current);
  if (address <= 0) return current;
  const PointerInfo info = driver(current).describe(reinterpret_cast<const void*>(address));
  return info.device < 0 ? current : Device(current.platform(), info.device);
}

nb::tuple block_of_array(nb::handle a) {
  const Array array = array_from(a);
  {
    Unlocked unlocked;
    expose(array);
  }
  const std::int64_t offset = array.state().layout.offset * array.item_size();
  return nb::make_tuple(MemoryBlock{array.state().storage, array.device()}, offset);
}

void check_view(const MemoryBlock& block, std::int64_t offset, DType dtype, const Dims& shape,
                const Layout& layout) {
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  const auto address = reinterpret_cast<std::intptr_t>(block.storage->data()) + offset;
  if (element_count(shape) == 0) return;
  if (address % item != 0 && address % 16 != 0) {
    throw ValueError(
        fmt::format("address {:#x} is not aligned for elements of {}", address, name_of(dtype)));
  }
  const Extent extent = touched_extent(shape, layout);
  const std::int64_t first = offset + extent.first * item;
  const std::int64_t end = offset + (extent.last + 1) * item;
  if (first < 0 || end > static_cast<std::int64_t>(block.storage->bytes())) {
    throw ValueError(fmt::format(
        "an array of shape {} and dtype {} touches bytes {} to {} of memory that has {}",
        to_string(shape), name_of(dtype), first, end, block.storage->bytes()));
  }
}

// ---- managed arrays

MemoryAdvice advice_from(const std::string& name) {
  static constexpr std::pair<const char*, MemoryAdvice> kNames[] = {
      {"read_mostly", MemoryAdvice::read_mostly},
      {"unset_read_mostly", MemoryAdvice::unset_read_mostly},
      {"preferred_location", MemoryAdvice::preferred_location},
      {"unset_preferred_location", MemoryAdvice::unset_preferred_location},
      {"accessed_by", MemoryAdvice::accessed_by},
      {"unset_accessed_by", MemoryAdvice::unset_accessed_by},
  };
  for (const auto& [text, advice] : kNames) {
    if (name == text) return advice;
  }
  throw ValueError(
      "advice is one of read_mostly, preferred_location, accessed_by, each with "
      "unset_ before it to take it back, not '" +
      name + "'");
}

// None: the array's own device; "host".
std::optional<Device> location_from(nb::handle target, const Array& array) {
  if (target.is_none()) return array.device();
  if (PyUnicode_Check(target.ptr()) && text_from(target, "device") == "host") return {};
  return device_from(target);
}

void bind_managed(ArrayClass& cls) {
  cls.def(
      "prefetch",
      [](nb::handle self, nb::handle device) {
        const Array array = array_from(self);
        const auto target = location_from(device, array);
        Unlocked unlocked;
        prefetch(array, target);
      },
      nb::arg("device") = nb::none(), kPrefetchText);
  cls.def(
      "advise",
      [](nb::handle self, const nb::str& advice, nb::handle device) {
        const Array array = array_from(self);
        const MemoryAdvice kind = advice_from(text_from(advice, "advice"));
        const auto target = location_from(device, array);
        Unlocked unlocked;
        advise(array, kind, target);
      },
      nb::arg("advice"), nb::arg("device") = nb::none(), kAdviseText);
}

// Also where the program has switched the automatic collection off.
void collect_garbage() {
  const InterpreterVisit visit;
  if (!visit) return;
  with_interpreter([] {
    const nb::error_scope error;
    try {
      nb::module_::import_("gc").attr("collect")();
    } catch (nb::python_error& failure) {
      failure.discard_as_unraisable("cupola: garbage collection");
    }
  });
}

}  // namespace

Device checked_device(nb::handle device) {
  const Device target = device.is_none() ? current_device() : device_from(device);
  check_device(target);
  return target;
}

std::size_t size_from(nb::handle bytes) {
  const std::int64_t size = index_from(bytes);
  if (size < 0) throw ValueError("a size in bytes cannot be negative: " + std::to_string(size));
  return static_cast<std::size_t>(size);
}

MemoryBlock block_of(nb::handle memory) {
  return *value_from<MemoryBlock*>(memory, "memory", "a MemoryBlock");
}

AllocatorPointer allocator_from(nb::handle object) {
  if (object.is_none()) return nullptr;
  return value_from<MemoryAllocator*>(object, "allocator", "a MemoryAllocator")->allocator;
}

Dims strides_from(nb::handle bytes, const Dims& shape, DType dtype) {
  Dims strides = axes_from(bytes);
  if (strides.size() != shape.size()) {
    throw ValueError("strides, if given, must be the same length as shape");
  }
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  for (std::int64_t& stride : strides) {
    if (stride % item) throw ValueError("strides must be multiples of the item size");
    stride /= item;
  }
  return strides;
}

Array array_on_memory(const MemoryBlock& block, std::int64_t offset, nb::handle shape,
                      nb::handle dtype, nb::handle strides, char order) {
  const Dims extents = shape_from(shape);
  for (const std::int64_t extent : extents) {
    if (extent < 0) throw ValueError("negative dimensions are not allowed: " + to_string(extents));
  }
  const DType type = dtype.is_none() ? DType::float64 : dtype_from(dtype);
  const auto item = static_cast<std::int64_t>(item_size(type));
  Layout layout{order == 'F' ? f_strides(extents) : c_strides(extents), 0};
  if (!strides.is_none()) layout.strides = strides_from(strides, extents, type);
  check_view(block, offset, type, extents, layout);
  if (offset % item == 0) {
    layout.offset = offset / item;
    return make_stored(type, extents, block.storage, std::move(layout));
  }
  // Elements that are no multiple of the item size away from the start: storage of their own,
  // which keeps the whole.
  char* data = static_cast<char*>(block.storage->data()) + offset;
  return from_foreign(data, type, extents, layout.strides, block.device, block.storage, true);
}

void bind_memory(nb::module_& m, ArrayClass& cls) {
  nb::class_<MemoryBlock>(m, "MemoryBlock")
      .def_prop_ro("ptr",
                   [](const MemoryBlock& self) {
                     return reinterpret_cast<std::uintptr_t>(self.storage->data());
                   })
      .def_prop_ro("size", [](const MemoryBlock& self) { return self.storage->bytes(); })
      .def_prop_ro("device", [](const MemoryBlock& self) { return self.device; });
  m.def("allocate_memory", allocate_block, nb::arg("bytes"), nb::arg("allocator") = nb::none(),
        nb::arg("device") = nb::none());
  m.def("borrow_memory", borrow_block, nb::arg("pointer"), nb::arg("bytes"), nb::arg("device"),
        nb::arg("owner").none());
  m.def("device_of_pointer", device_of_pointer, nb::arg("pointer"));
  m.def("memory_of", block_of_array, nb::arg("a"));
  m.def(
      "array_on_memory",
      [](nb::handle block, std::int64_t offset, nb::handle shape, nb::handle dtype) {
        return wrap(array_on_memory(block_of(block), offset, shape, dtype, nb::none(), 'C'));
      },
      nb::arg("block"), nb::arg("offset"), nb::arg("shape"), nb::arg("dtype"));
  m.def(
      "memory_account",
      [](nb::handle device) {
        const MemoryAccount account = account_of(checked_device(device));
        nb::dict result;
        result["total"] = account.total;
        result["free"] = account.free;
        result["live"] = account.live;
        result["cached"] = account.cached;
        result["others"] = account.others;
        return result;
      },
      nb::arg("device") = nb::none());
  bind_allocators(m);
  bind_managed(cls);
  set_collector(collect_garbage);
}

}  // namespace cupola::python
