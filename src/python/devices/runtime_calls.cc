// Memory by its address, as the CUDA runtime has it, for cupola.cuda.runtime.

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "driver/registry.h"
#include "python/devices/streams.h"
#include "runtime/stream.h"

namespace cupola::python {
namespace {

struct Block {
  Device device;
  std::size_t bytes;
  MemoryKind kind;
};

// What raw_allocate handed out and raw_free has not yet taken back.
struct Blocks {
  Mutex mutex;
  std::map<std::uintptr_t, Block> by_address;
};
Blocks& blocks() {
  static constinit Lazy<Blocks> instance;
  return *instance;
}

void* pointer_of(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

MemoryKind kind_from(const std::string& name) {
  if (name == "device") return MemoryKind::device;
  if (name == "pinned") return MemoryKind::pinned;
  if (name == "managed") return MemoryKind::managed;
  throw ValueError("no kind of memory: " + name);
}

std::uintptr_t raw_allocate(const Device& device, std::size_t bytes, const std::string& name) {
  check_device(device);
  const MemoryKind kind = kind_from(name);
  if (bytes == 0) return 0;
  const Unlocked unlocked;
  void* data = driver(device).allocate(device.index(), bytes, kind);
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::lock_guard lock(blocks().mutex);
  blocks().by_address.insert_or_assign(address, Block{device, bytes, kind});
  return address;
}

void raw_free(std::uintptr_t address) {
  if (address == 0) return;
  const Unlocked unlocked;
  std::optional<Block> block;
  {
    const std::lock_guard lock(blocks().mutex);
    const auto found = blocks().by_address.find(address);
    if (found != blocks().by_address.end()) {
      block = found->second;
      blocks().by_address.erase(found);
    }
  }
  if (!block) {
    throw ValueError(fmt::format(
        "the address {:#x} was not allocated here, or is freed already, or lies within a block",
        address));
  }
  synchronize(block->device);  // as the runtime does: work may still use it
  driver(block->device)
      .deallocate(block->device.index(), pointer_of(address), block->bytes, block->kind);
}

// Whether the memory is a device's; where it says nothing of an address, it is the host's.
bool is_on_device(Driver& platform, std::uintptr_t address) {
  const PointerKind kind = platform.describe(pointer_of(address)).kind;
  return kind == PointerKind::device || kind == PointerKind::managed;
}

// As memcpyAsync; `kind` as in the runtime (4: found out from the addresses).
void raw_copy(std::uintptr_t target, std::uintptr_t source, std::size_t bytes, int kind,
              StreamState& stream, bool wait) {
  if (kind < 0 || kind > 4) {
    throw ValueError(
        fmt::format("{} is no kind of copy (memcpyHostToHost 0, HostToDevice 1, "
                    "DeviceToHost 2, DeviceToDevice 3, Default 4)",
                    kind));
  }
  if (bytes == 0) return;
  const Unlocked unlocked;
  Driver& platform = stream.driver();
  const bool to_device = kind == 4 ? is_on_device(platform, target) : kind == 1 || kind == 3;
  const bool from_device = kind == 4 ? is_on_device(platform, source) : kind == 2 || kind == 3;
  void* const to = pointer_of(target);
  const void* const from = pointer_of(source);
  const StreamHandle handle = stream.handle();
  if (to_device && from_device) {
    const auto device_of = [&](const void* pointer) {
      const int device = platform.describe(pointer).device;
      return device < 0 ? stream.device().index() : device;
    };
    platform.copy(to, device_of(to), from, device_of(from), bytes, handle);
  } else if (to_device) {
    platform.copy_from_host(to, from, bytes, handle);
  } else if (from_device) {
    platform.copy_to_host(to, from, bytes, handle);
  } else {
    platform.synchronize(handle);
    std::memmove(to, from, bytes);
  }
  stream.advance();
  if (wait) platform.synchronize(handle);
}

void raw_fill(std::uintptr_t target, int value, std::size_t bytes, StreamState& stream, bool wait) {
  if (bytes == 0) return;
  const Unlocked unlocked;
  stream.driver().fill_bytes(pointer_of(target), static_cast<std::uint8_t>(value), bytes,
                             stream.handle());
  stream.advance();
  if (wait) stream.driver().synchronize(stream.handle());
}

Stream stream_of(nb::handle object) { return stream_from(object, current_device()); }

// (kind, device): "unknown", "device", "pinned" or "managed", and -1 where no device has it.
nb::tuple describe_pointer(const std::string& platform, std::uintptr_t address) {
  const PlatformKind kind = Device::parse(platform + ":0").platform();
  const PointerInfo info = driver(kind).describe(pointer_of(address));
  const char* const names[] = {"unknown", "device", "pinned", "managed"};
  return nb::make_tuple(names[static_cast<std::size_t>(info.kind)], info.device);
}

}  // namespace

void bind_runtime_calls(nb::module_& m) {
  m.def("raw_allocate", raw_allocate);
  m.def("raw_free", raw_free);
  m.def(
      "raw_copy",
      [](std::uintptr_t target, std::uintptr_t source, std::size_t bytes, int kind,
         nb::handle stream,
         bool wait) { raw_copy(target, source, bytes, kind, *stream_of(stream).state(), wait); },
      nb::arg("target"), nb::arg("source"), nb::arg("bytes"), nb::arg("kind"),
      nb::arg("stream").none(), nb::arg("wait"));
  m.def(
      "raw_fill",
      [](std::uintptr_t target, int value, std::size_t bytes, nb::handle stream, bool wait) {
        raw_fill(target, value, bytes, *stream_of(stream).state(), wait);
      },
      nb::arg("target"), nb::arg("value"), nb::arg("bytes"), nb::arg("stream").none(),
      nb::arg("wait"));
  m.def("describe_pointer", describe_pointer);
}

}  // namespace cupola::python
