// Segments: a warp to each given part of a row, or a thread where the order counts.

#include <fmt/format.h>

#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/row_text.h"
#include "codegen/cuda/families/stage_builder.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

std::string bounds_text(const KernelPlan& plan) {
  const std::size_t count = plan.inputs.size();
  return fmt::format(
      "  CUPOLA_KERNEL_FN long long first(const Arguments& p, Flat s) {{ return p.in{}[s]; }}\n"
      "  CUPOLA_KERNEL_FN long long last(const Arguments& p, Flat s) {{ return p.in{}[s]; }}\n",
      count - 2, count - 1);
}

class Segments : public CudaFamily {
 public:
  explicit Segments(const KernelPlan& plan) : CudaFamily(plan) {
    reorderable_ = is_reorderable(plan);
    kernels_ = {reorderable_ ? "" : "_in_order"};
  }

  std::string_view header() const override { return "kernel_scan.cuh"; }

  std::string body() const override {
    return row_text(plan_, combining_state(plan_)) + finish_text(plan_, plan_.rank, "", "state") +
           bounds_text(plan_);
  }

  std::string skeleton(std::string_view) const override {
    return reorderable_ ? "reduce_segments<Body>" : "reduce_segments_in_order<Body>";
  }

  // The rows are segments.
  void add_stages(StageBuilder& stages) const override {
    const std::uint64_t rows = stages.kept() * stages.length();
    stages.header().count = rows;
    if (reorderable_) return stages.add("", ceil_div(rows, kCudaBlock / 32));
    stages.add("_in_order", ceil_div(rows, kCudaBlock));
  }

 private:
  bool reorderable_;
};

}  // namespace

std::unique_ptr<const CudaFamily> segments_family(const KernelPlan& plan) {
  return std::make_unique<Segments>(plan);
}

}  // namespace cupola
