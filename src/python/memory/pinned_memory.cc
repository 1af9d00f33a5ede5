// Pinned host memory: blocks with the buffer protocol, and host memory of others that is pinned.

#include <fmt/format.h>

#include "cupola/error.h"
#include "cupola/runtime.h"
#include "driver/registry.h"
#include "memory/resources/leaves.h"
#include "python/memory/memory.h"
#include "runtime/completion.h"

namespace cupola::python {
namespace {

// Goes back when the last buffer of it is gone; copies keep the buffer that they read.
class PinnedBlock {
 public:
  PinnedBlock(ResourcePointer resource, std::size_t bytes)
      : resource_(std::move(resource)),
        bytes_(bytes),
        data_(bytes ? resource_->allocate(bytes, nullptr) : nullptr) {}
  ~PinnedBlock() {
    if (data_) resource_->deallocate(data_, bytes_, nullptr);
  }
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return resource_->properties().device; }

 private:
  ResourcePointer resource_;
  std::size_t bytes_;
  void* data_;
};

struct [[gnu::visibility("hidden")]] PinnedMemory {
  std::shared_ptr<PinnedBlock> block;
};

// Null: the pool of the current device.
struct [[gnu::visibility("hidden")]] PinnedPool {
  std::shared_ptr<Pool> pool;
  Pool& get() const { return pool ? *pool : pinned_pool(current_device()); }
};

// A part of a block, from `offset` to its end, as a buffer.
struct [[gnu::visibility("hidden")]] PinnedView {
  std::shared_ptr<PinnedBlock> block;
  std::size_t offset;
};

char nothing[16];

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  if (!nb::inst_ready(nb::handle(self))) {
    view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, "the view has no memory");
    return -1;
  }
  const PinnedView& part = *nb::inst_ptr<PinnedView>(nb::handle(self));
  void* data = part.block->data();
  if (data) data = static_cast<char*>(data) + part.offset;
  return PyBuffer_FillInfo(view, self, data ? data : nothing,
                           static_cast<Py_ssize_t>(part.block->bytes() - part.offset), 0, flags);
}

PyType_Slot view_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

void construct_view(PinnedView* self, const PinnedMemory& memory, std::int64_t offset) {
  const auto bytes = static_cast<std::int64_t>(memory.block->bytes());
  if (offset < 0 || offset > bytes) {
    throw ValueError(fmt::format("byte {} is not within pinned memory of {} bytes", offset, bytes));
  }
  new (self) PinnedView{memory.block, static_cast<std::size_t>(offset)};
}

std::size_t checked_size(std::int64_t bytes) {
  if (bytes < 0) throw ValueError("a size in bytes cannot be negative: " + std::to_string(bytes));
  return static_cast<std::size_t>(bytes);
}

ResourcePointer pinned_leaf() {
  const Device device = current_device();
  check_device(device);
  return std::make_shared<PinnedResource>(driver(device), device);
}

PinnedMemory allocate(const ResourcePointer& resource, std::int64_t bytes) {
  const std::size_t size = checked_size(bytes);
  Unlocked unlocked;
  return {std::make_shared<PinnedBlock>(resource, size)};
}

PinnedMemory allocate_from(const PinnedPool& pool, std::int64_t bytes) {
  // Of the default: never destroyed, and shared without counting.
  if (!pool.pool) return allocate(ResourcePointer(std::shared_ptr<void>(), &pool.get()), bytes);
  return allocate(pool.pool, bytes);
}

void construct_pool(PinnedPool* self, nb::handle allocator) {
  const ResourcePointer source =
      allocator.is_none() ? pinned_leaf()
                          : make_callable_resource(share_reference(allocator), current_device());
  new (self) PinnedPool{std::make_shared<Pool>(source)};
}

// ---- host memory of others

class HostPin {
 public:
  HostPin(Driver& driver, const Device& device, void* data, std::size_t bytes)
      : driver_(driver), device_(device), data_(data) {
    if (bytes > 0) {
      driver_.pin_host(device.index(), data, bytes);
      pinned_ = true;
    }
  }
  ~HostPin() { release(); }
  HostPin(const HostPin&) = delete;
  HostPin& operator=(const HostPin&) = delete;
  bool is_pinned() const { return pinned_; }

  // Once the copies in flight are done, some of which may use the memory.
  void release() noexcept {
    if (!std::exchange(pinned_, false)) return;
    try {
      for (int i = 0; i < driver_.device_count(); ++i) settle(Device(device_.platform(), i));
    } catch (...) {
      // Reported to whoever uses the stream next.
    }
    driver_.unpin_host(data_);
  }

 private:
  Driver& driver_;
  Device device_;
  void* data_;
  bool pinned_ = false;
};

std::shared_ptr<HostPin> pin_host(std::uintptr_t address, std::int64_t bytes) {
  const Device device = current_device();
  check_device(device);
  const std::size_t size = checked_size(bytes);
  Unlocked unlocked;
  return std::make_shared<HostPin>(driver(device), device, reinterpret_cast<void*>(address), size);
}

struct [[gnu::visibility("hidden")]] HostPinHandle {
  std::shared_ptr<HostPin> pin;
  ~HostPinHandle() {
    if (!pin || !pin->is_pinned()) return;
    Unlocked unlocked;
    pin->release();
  }
};

void bind_host_pin(nb::module_& m) {
  nb::class_<HostPinHandle>(m, "HostPin")
      .def_prop_ro("is_pinned", [](const HostPinHandle& self) { return self.pin->is_pinned(); })
      .def("release", [](HostPinHandle& self) {
        Unlocked unlocked;
        self.pin->release();
      });
  m.def(
      "pin_host",
      [](std::uintptr_t address, std::int64_t bytes) {
        return new HostPinHandle{pin_host(address, bytes)};
      },
      nb::rv_policy::take_ownership);
  m.def("pointer_kind", [](std::uintptr_t address) {
    const Device device = current_device();
    check_device(device);
    const void* pointer = reinterpret_cast<const void*>(address);
    switch (driver(device).describe(pointer).kind) {
      case PointerKind::unknown:
        return "unknown";
      case PointerKind::device:
        return "device";
      case PointerKind::pinned:
        return "pinned";
      case PointerKind::managed:
        return "managed";
    }
    __builtin_unreachable();
  });
}

}  // namespace

void bind_pinned_memory(nb::module_& m) {
  nb::class_<PinnedMemory>(m, "PinnedBlock")
      .def_prop_ro("ptr",
                   [](const PinnedMemory& self) {
                     return reinterpret_cast<std::uintptr_t>(self.block->data());
                   })
      .def_prop_ro("size", [](const PinnedMemory& self) { return self.block->bytes(); });
  nb::class_<PinnedView>(m, "PinnedView", nb::type_slots(view_slots))
      .def("__init__", construct_view, nb::arg("memory"), nb::arg("offset"))
      .def_prop_ro(
          "ptr",
          [](const PinnedView& self) {
            return reinterpret_cast<std::uintptr_t>(self.block->data()) + self.offset;
          },
          "Address of the first byte, an int.");
  nb::class_<PinnedPool>(m, "PinnedPool")
      .def("__init__", construct_pool, nb::arg("allocator").none())
      .def("malloc", allocate_from, nb::arg("bytes"))
      .def("trim",
           [](const PinnedPool& self) {
             Unlocked unlocked;
             return self.get().trim();
           })
      .def("statistics", [](const PinnedPool& self) {
        const PoolStatistics statistics = self.get().statistics();
        return nb::make_tuple(statistics.used, statistics.cached, statistics.free_blocks);
      });
  m.def("default_pinned_pool", [] { return PinnedPool{nullptr}; });
  m.def(
      "allocate_pinned_unpooled", [](std::int64_t bytes) { return allocate(pinned_leaf(), bytes); },
      nb::arg("bytes"));
  bind_host_pin(m);
}

}  // namespace cupola::python
