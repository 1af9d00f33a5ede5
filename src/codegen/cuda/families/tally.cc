// Tally: each block sums what its elements add to each place in shared memory first.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/map_text.h"
#include "codegen/cuda/families/stage_builder.h"

namespace cupola {
namespace {

constexpr int kUnroll = 8;

class Tally : public CudaFamily {
 public:
  explicit Tally(const KernelPlan& plan) : CudaFamily(plan) {
    kernels_ = {""};
    threads_ = cupola_device::kTallyThreads;
  }

  std::string_view header() const override { return "kernel_tally.cuh"; }
  std::string body() const override { return map_load_text(plan_) + map_compute_text(plan_); }
  std::string skeleton(std::string_view) const override {
    return fmt::format("tally_elements<Body, {}>", kUnroll);
  }

  // Few enough blocks, and long enough ones, that adding up what they have counted takes little.
  void add_stages(StageBuilder& stages) const override {
    constexpr std::uint64_t kMaxBlocks = 2048, kElementsOfPlace = 4;
    static_assert(cupola_device::kTallyPlaces == kMaxTallied);
    const auto places = static_cast<std::uint64_t>(stages.arguments().outputs[0].places);
    const std::uint64_t turn = std::uint64_t{threads_} * kUnroll;
    const std::uint64_t least =
        std::max(ceil_div(stages.kept(), kMaxBlocks), places * kElementsOfPlace);
    stages.header().slots = places;
    stages.header().tile = ceil_div(least, turn) * turn;
    stages.add("", ceil_div(stages.kept(), stages.header().tile));
  }
};

}  // namespace

std::unique_ptr<const CudaFamily> tally_family(const KernelPlan& plan) {
  if (plan.outputs.front().store != StoreKind::tally) return nullptr;
  return std::make_unique<Tally>(plan);
}

}  // namespace cupola
