// Memory that a Python function hands out.

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "python/interpreter/interpreter_visit.h"
#include "python/interpreter/passed_reference.h"
#include "python/memory/memory.h"
#include "runtime/completion.h"

namespace cupola::python {
namespace {

class CallableResource final : public Resource {
 public:
  CallableResource(SharedReference function, const Device& device)
      : function_(std::move(function)), device_(device) {}

  void* allocate(std::size_t bytes, const StreamPointer&) override {
    const InterpreterVisit visit;
    if (!visit) throw LibraryError("an allocator in Python cannot be called: the interpreter ends");
    return with_interpreter([&] {
      nb::object memory = call(bytes);
      void* const pointer = address_of(memory, bytes);
      const std::lock_guard lock(mutex_);
      pass_on(memory.ptr());
      owners_[pointer] = memory.release().ptr();
      return pointer;
    });
  }

  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override {
    PyObject* memory = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto entry = owners_.find(pointer);
      if (entry == owners_.end()) return;
      memory = entry->second;
      owners_.erase(entry);
    }
    if (!stream) return release_reference(memory);
    retire(stream, {[memory] { release_reference(memory); }, bytes});
  }

  ResourceProperties properties() const override {
    ResourceProperties result;
    result.device = device_;
    result.device_accessible = true;
    return result;
  }

 private:
  // function(bytes), with the device as the current one. MemoryError means that there is none.
  nb::object call(std::size_t bytes) {
    try {
      const DeviceScope scope(device_);
      return nb::handle(static_cast<PyObject*>(function_.get()))(bytes);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_MemoryError)) throw;
      throw OutOfMemoryError(error.what());
    }
  }

  void* address_of(nb::handle memory, std::size_t bytes) {
    if (!nb::hasattr(memory, "ptr")) {
      throw TypeError(fmt::format("an allocator must return a MemoryPointer, not {}",
                                  class_name(memory.ptr())));
    }
    const auto address =
        value_from<std::uintptr_t>(memory.attr("ptr"), "the address of memory", "an integer");
    if (address == 0) {
      throw OutOfMemoryError(fmt::format("the allocator returned no memory for {} bytes", bytes));
    }
    if (address % 16 != 0) {
      throw ValueError(fmt::format(
          "the allocator returned address {:#x}, which is not aligned to 16 bytes", address));
    }
    const std::optional<std::int64_t> known = bytes_from(memory, address);
    if (known && *known < static_cast<std::int64_t>(bytes)) {
      throw ValueError(fmt::format(
          "the allocator returned memory of {} bytes where {} were asked for", *known, bytes));
    }
    return reinterpret_cast<void*>(address);
  }

  // How many follow the address, where the pointer tells the size of its memory.
  static std::optional<std::int64_t> bytes_from(nb::handle memory, std::uintptr_t address) {
    const nb::object whole = nb::hasattr(memory, "mem") ? memory.attr("mem") : nb::borrow(memory);
    if (!nb::hasattr(whole, "ptr") || !nb::hasattr(whole, "size")) return std::nullopt;
    const nb::object size = whole.attr("size");
    if (!PyIndex_Check(size.ptr())) return std::nullopt;
    const auto start =
        value_from<std::uintptr_t>(whole.attr("ptr"), "the address of memory", "an integer");
    return index_from(size) - static_cast<std::int64_t>(address - start);
  }

  SharedReference function_;
  Device device_;
  Mutex mutex_;
  std::unordered_map<void*, PyObject*> owners_;  // by address
};

}  // namespace

SharedReference share_reference(nb::handle object) {
  pass_on(object.inc_ref().ptr());
  return {object.ptr(), [](void* pointer) { release_reference(static_cast<PyObject*>(pointer)); }};
}

ResourcePointer make_callable_resource(SharedReference function, const Device& device) {
  return std::make_shared<CallableResource>(std::move(function), device);
}

}  // namespace cupola::python
