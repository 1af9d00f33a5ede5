#include "ops/alike.h"

#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "cupola/error.h"
#include "exec/deferral.h"
#include "graph/node.h"

namespace cupola {

namespace {

const UfuncLoop* find_loop(UfuncId ufunc, DType dtype) {
  const UfuncInfo& info = ufunc_info(ufunc);
  if (info.input_count != 2 || info.output_count != 1) return nullptr;
  if (ufunc == UfuncId::power) return nullptr;  // looks at the elements of some exponents
  const OperandType types[] = {{dtype, {}}, {dtype, {}}};
  try {
    const UfuncLoop& loop = resolve_ufunc(ufunc, types);
    return loop.input(0) == dtype && loop.input(1) == dtype ? &loop : nullptr;
  } catch (const TypeError&) {
    return nullptr;
  }
}

// As find_loop(), which is asked once.
const UfuncLoop* known_loop(UfuncId ufunc, DType dtype) {
  struct Entry {
    std::atomic<bool> is_known{false};
    std::atomic<const UfuncLoop*> loop{nullptr};
  };
  static constinit std::array<Entry, std::size_t{kUfuncCount} * kDTypeCount> entries{};
  Entry& entry =
      entries[static_cast<std::size_t>(ufunc) * kDTypeCount + static_cast<std::size_t>(dtype)];
  if (!entry.is_known.load(std::memory_order_acquire)) {
    entry.loop.store(find_loop(ufunc, dtype), std::memory_order_relaxed);
    entry.is_known.store(true, std::memory_order_release);
  }
  return entry.loop.load(std::memory_order_relaxed);
}

// The strides are known, and those of neighbours without gaps.
bool is_row_major(const Array& array, const Dims& strides) {
  return is_laid_out(array) && strides_of(array) == strides;
}

}  // namespace

const UfuncLoop* loop_for_alike(UfuncId ufunc, const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.device() != b.device() || a.shape() != b.shape()) return nullptr;
  const Dims strides = c_strides(a.shape());
  if (!is_row_major(a, strides) || !is_row_major(b, strides)) return nullptr;
  return known_loop(ufunc, a.dtype());
}

Array call_alike(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b) {
  const Array result = make_ufunc_of_alike(ufunc, loop.output(0), a, b);
  lay_out(result, strides_of(a));
  defer(result);
  return result;
}

}  // namespace cupola
