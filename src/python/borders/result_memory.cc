#include "python/borders/result_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "memory/resources/kept_pages.h"
#include "python/interpreter/kept_object.h"

namespace cupola::python {

namespace {

constexpr std::size_t kManyPages = std::size_t{4} << 20;  // bytes

// NumPy's interface for memory of arrays (NEP 49), version 1. The places of its functions in the
// table that it exports are fixed.
struct Allocator {
  void* context;
  void* (*malloc)(void* context, std::size_t bytes);
  void* (*calloc)(void* context, std::size_t count, std::size_t bytes);
  void* (*realloc)(void* context, void* memory, std::size_t bytes);
  void (*free)(void* context, void* memory, std::size_t bytes);
};
struct Handler {
  char name[127];
  std::uint8_t version;
  Allocator allocator;
};
using SetHandler = PyObject* (*)(PyObject* handler);
constexpr std::size_t kSetHandler = 304;

void* allocate(void*, std::size_t bytes) { return take_pages(bytes); }

void* allocate_zeroed(void*, std::size_t count, std::size_t bytes) {
  void* const memory = take_pages(count * bytes);
  if (memory) std::memset(memory, 0, count * bytes);
  return memory;
}

void* reallocate(void*, void* memory, std::size_t bytes) {
  void* const larger = take_pages(bytes);
  if (!larger || !memory) return larger;
  std::memcpy(larger, memory, std::min(bytes, size_of_pages(memory)));
  give_pages(memory);
  return larger;
}

void release(void*, void* memory, std::size_t) { give_pages(memory); }

Handler handler{"cupola_kept_pages", 1, {nullptr, allocate, allocate_zeroed, reallocate, release}};

SetHandler find_set_handler() {
  const nb::object table = nb::module_::import_("numpy._core._multiarray_umath").attr("_ARRAY_API");
  auto** const functions = static_cast<void**>(PyCapsule_GetPointer(table.ptr(), nullptr));
  if (!functions) throw nb::python_error();
  return reinterpret_cast<SetHandler>(functions[kSetHandler]);
}

// While it lives, NumPy takes memory of new arrays from the kept pages.
class WithKeptPages {
 public:
  WithKeptPages() {
    static constinit std::atomic<SetHandler> found{nullptr};
    set_ = found.load(std::memory_order_relaxed);
    if (!set_) found.store(set_ = find_set_handler(), std::memory_order_relaxed);
    static constinit KeptObject capsule;
    // The name by which NumPy knows such capsules.
    const nb::handle pages =
        capsule.get([] { return nb::steal(PyCapsule_New(&handler, "mem_handler", nullptr)); });
    outer_ = nb::steal(set_(pages.ptr()));
    if (!outer_.is_valid()) throw nb::python_error();
  }
  ~WithKeptPages() { Py_XDECREF(set_(outer_.ptr())); }
  WithKeptPages(const WithKeptPages&) = delete;
  WithKeptPages& operator=(const WithKeptPages&) = delete;

 private:
  SetHandler set_ = nullptr;
  nb::object outer_;
};

}  // namespace

nb::object new_numpy_array(const Dims& shape, nb::handle dtype, bool fortran, std::size_t bytes) {
  static constinit KeptObject found;
  const nb::handle empty = found.get([] { return nb::module_::import_("numpy").attr("empty"); });
  const auto make = [&]() -> nb::object {
    const nb::tuple extents = tuple_from(shape);
    return fortran ? empty(extents, dtype, "F") : empty(extents, dtype);
  };
  if (bytes < kManyPages) return make();
  const WithKeptPages pages;
  return make();
}

}  // namespace cupola::python
