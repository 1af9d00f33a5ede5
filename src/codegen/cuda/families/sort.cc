// Sort: a block, or of short rows a warp, to each row.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/map_text.h"
#include "codegen/cuda/families/order_text.h"
#include "codegen/cuda/families/stage_builder.h"
#include "cupola/error.h"

namespace cupola {
namespace {

// Key, and key() of an element.
std::string key_text(const KernelPlan& plan) {
  const int key = plan.outputs[0].offset;
  const std::string_view type = cuda_type(plan.steps[static_cast<std::size_t>(key)].dtype);
  const bool stored = std::any_of(plan.outputs.begin(), plan.outputs.end(),
                                  [](const auto& output) { return output.value == output.offset; });
  return fmt::format("  using Key = {};\n  static constexpr bool kStoresKeys = {};\n", type,
                     stored) +
         step_function(plan, "  ", type, "key", key);
}

class Sort : public CudaFamily {
 public:
  // What threads hold lies in registers and goes through shared memory.
  explicit Sort(const KernelPlan& plan) : CudaFamily(plan) {
    kernels_ = {"_short_rows_1", "_short_rows_4", "_rows_4", "_rows"};
    const auto key = static_cast<std::size_t>(plan.outputs.front().offset);
    items_ = static_cast<int>(longest_sorted_row(plan.steps[key].dtype) / kCudaBlock);
  }

  std::string_view header() const override { return "kernel_sort.cuh"; }

  std::string body() const override {
    return map_far_load_text(plan_) + key_text(plan_) + ordered_outputs_text(plan_, true);
  }

  std::string skeleton(std::string_view suffix) const override {
    if (suffix == "_short_rows_1") return "sort_short_rows<Body, 1>";
    if (suffix == "_short_rows_4") return "sort_short_rows<Body, 4>";
    return fmt::format("sort_rows<Body, {}>", suffix == "_rows_4" ? 4 : items_);
  }

  int blocks_at_once(std::string_view suffix) const override { return suffix == "_rows" ? 3 : 0; }

  void add_stages(StageBuilder& stages) const override {
    const std::uint64_t length = stages.length(), rows = stages.kept();
    if (length > static_cast<std::uint64_t>(items_) * kCudaBlock) {
      throw LaunchError(
          fmt::format("rows of {} elements are too long to be sorted by one block", length));
    }
    if (length <= 32) return stages.add("_short_rows_1", ceil_div(rows, kCudaBlock / 32));
    if (length <= 4 * 32) return stages.add("_short_rows_4", ceil_div(rows, kCudaBlock / 32));
    stages.add(length <= 4 * kCudaBlock ? "_rows_4" : "_rows", rows);
  }

 private:
  int items_;  // elements that a thread holds, at most
};

}  // namespace

std::unique_ptr<const CudaFamily> sort_family(const KernelPlan& plan) {
  const bool takes = plan.outputs.front().store == StoreKind::sort;
  return takes ? std::make_unique<Sort>(plan) : nullptr;
}

}  // namespace cupola
