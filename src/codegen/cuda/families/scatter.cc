// Scatter: elements that go to computed places, the last of equal ones staying, or are combined
// there.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_steps.h"
#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/map_text.h"
#include "codegen/cuda/families/stage_builder.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

constexpr std::uint64_t kSmallScatter = 2048;  // elements

// x - a - b is x - b - a, so subtract.at and divide.at need no order.
bool combines_in_any_order(UfuncId id) {
  return ufunc_info(id).reorderable || id == UfuncId::subtract || id == UfuncId::divide;
}

// struct CombineK with the combination of output k.
std::string combine_text(const KernelPlan& plan, std::size_t i) {
  const OutputSpec& output = plan.outputs[i];
  const DType dtype = output.operand.dtype;
  const std::array<DType, 2> types{dtype, dtype};
  const std::array<std::string, 2> names{"first", "second"};
  return fmt::format(
      "  struct Combine{0} {{\n    CUPOLA_KERNEL_FN {1} apply({1} first, {1} second) {{\n"
      "      {1} result;\n      {2}\n      return result;\n    }}\n  }};\n",
      i, cuda_type(dtype), cuda_ufunc(output.combine, 0, types, names, dtype, "result"));
}

bool adds_by_itself(const OutputSpec& output) {
  return output.combine == UfuncId::add && is_integer(output.operand.dtype) &&
         item_size(output.operand.dtype) >= 4;
}

std::string combine_store(const KernelPlan& plan, bool in_order, std::size_t i) {
  if (in_order) {
    return fmt::format(
        "    if (y.wanted{0}) {{\n"
        "      p.out{0}[y.offset{0}] = Combine{0}::apply(p.out{0}[y.offset{0}], y.out{0});\n"
        "    }}\n",
        i);
  }
  if (adds_by_itself(plan.outputs[i])) {
    return fmt::format("    if (y.wanted{0}) atomic_add(p.out{0} + y.offset{0}, y.out{0});\n", i);
  }
  return fmt::format(
      "    if (y.wanted{0}) {{\n"
      "      atomic_combine<Combine{0}>(p.out{0} + y.offset{0}, y.out{0},\n"
      "                                 static_cast<unsigned int*>(p.header.scratch));\n"
      "    }}\n",
      i);
}

enum class ScatterWay : std::uint8_t {
  atomic,    // every element by itself
  claims,    // two passes over a table of owners, or one block for few elements
  in_order,  // one block, strictly in row-major order
};

class Scatter : public CudaFamily {
 public:
  explicit Scatter(const KernelPlan& plan) : CudaFamily(plan) {
    bool in_order = false;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      const OutputSpec& output = plan.outputs[i];
      if (output.store == StoreKind::scatter) scatters_.push_back(static_cast<int>(i));
      if (output.store != StoreKind::combine) continue;
      in_order |= !combines_in_any_order(output.combine);
      needs_locks_ |= item_size(output.operand.dtype) == 16;
    }
    if (in_order) {
      way_ = ScatterWay::in_order;
      kernels_ = {"_in_order"};
    } else if (!scatters_.empty()) {
      way_ = ScatterWay::claims;
      kernels_ = {"_small", "_claim", "_store"};
    } else {
      kernels_ = {""};
    }
    unroll_ = has_long_steps(plan) ? 2 : 4;
  }

  std::string_view header() const override { return "kernel_scatter.cuh"; }

  std::string body() const override {
    std::string combines, stores;
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      const StoreKind store = plan_.outputs[i].store;
      if (store == StoreKind::plain) stores += plain_store(plan_, i);
      if (store != StoreKind::combine) continue;
      combines += combine_text(plan_, i);
      stores += combine_store(plan_, way_ == ScatterWay::in_order, i);
    }
    return map_load_text(plan_) + map_compute_text(plan_) + combines +
           map_store_text(plan_, stores) + (way_ == ScatterWay::atomic ? "" : scatter_text());
  }

  std::string skeleton(std::string_view suffix) const override {
    switch (way_) {
      case ScatterWay::atomic:
        return fmt::format("map_elements<Body, {}>", unroll_);
      case ScatterWay::claims:
        return fmt::format("scatter{}<Body>", suffix);
      case ScatterWay::in_order:
        return "map_in_order<Body>";
    }
    __builtin_unreachable();
  }

  // What combines into memory does so for the device that it runs on.
  void add_stages(StageBuilder& stages) const override {
    if (needs_locks_) {
      stages.launch.zeroed_bytes = std::size_t{cupola_device::kLocks} * 4;
      stages.launch.scratch_bytes = stages.launch.zeroed_bytes;
    }
    switch (way_) {
      case ScatterWay::atomic:
        return stages.add_flat("", stages.kept(), 1, unroll_, CudaParts::none);
      case ScatterWay::claims:
        return stages.kept() <= kSmallScatter ? stages.add("_small", 1, CudaParts::none)
                                              : add_claims(stages);
      case ScatterWay::in_order:
        return stages.add("_in_order", 1, CudaParts::none);
    }
  }

 private:
  std::string scatter_text() const {
    std::string targets, stores;
    for (std::size_t s = 0; s < scatters_.size(); ++s) {
      const int i = scatters_[s];
      targets += fmt::format("    if (s == {0}) return {{y.offset{1}, y.wanted{1}}};\n", s, i);
      stores += fmt::format("    if (s == {0}) p.out{1}[y.offset{1}] = y.out{1};\n", s, i);
    }
    return fmt::format(
        "  static constexpr int kScatters = {};\n"
        "  static constexpr unsigned int kLockBytes = {};\n"
        "  CUPOLA_KERNEL_FN ScatterTarget target(const Result& y, int s) {{\n{}"
        "    return {{0, false}};\n  }}\n"
        "  CUPOLA_KERNEL_FN void store_scattered(const Arguments& p, const Result& y, int s) {{\n"
        "{}  }}\n",
        scatters_.size(), needs_locks_ ? "kLocks * 4" : "0", targets, stores);
  }

  void add_claims(StageBuilder& stages) const {
    CudaLaunch& launch = stages.launch;
    const std::uint64_t slots = std::bit_ceil(stages.kept() * 2);
    launch.header.slots = slots;
    launch.set_bytes = scatters_.size() * slots * 16;
    launch.scratch_bytes = launch.zeroed_bytes + launch.set_bytes;
    stages.add("_claim", ceil_div(stages.kept(), kCudaBlock), CudaParts::none);
    stages.add("_store", ceil_div(stages.kept(), kCudaBlock), CudaParts::none);
  }

  ScatterWay way_ = ScatterWay::atomic;
  std::vector<int> scatters_;  // outputs that scatter
  bool needs_locks_ = false;   // combines 16-byte elements
  int unroll_ = 1;
};

}  // namespace

std::unique_ptr<const CudaFamily> scatter_family(const KernelPlan& plan) {
  const bool takes =
      std::any_of(plan.outputs.begin(), plan.outputs.end(), [](const OutputSpec& output) {
        return output.store == StoreKind::scatter || output.store == StoreKind::combine;
      });
  return takes ? std::make_unique<Scatter>(plan) : nullptr;
}

}  // namespace cupola
