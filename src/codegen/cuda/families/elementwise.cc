// Elementwise: packs of neighbours where all operands are contiguous, single elements otherwise.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/map_text.h"
#include "codegen/cuda/families/stage_builder.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

class Elementwise : public CudaFamily {
 public:
  explicit Elementwise(const KernelPlan& plan) : CudaFamily(plan) {
    kernels_ = {""};
    joins_ = true;
    const bool has_long = has_long_steps(plan);
    if (!goes_by_packs(plan)) {
      unroll_ = has_long ? 2 : 4;
      return;
    }
    const ElementWidths widths = widths_of(plan);
    pack_ = std::max(16 / widths.largest, std::min(16 / widths.smallest, 32 / widths.largest));
    const int read = std::max(1, widths.read * pack_);
    // More loads per thread leave fewer blocks to take turns at memory.
    unroll_ = std::clamp(16 / read, 1, 4);
    goes_in_turn_ = has_long;
    joins_other_sizes_ = true;
  }

  std::string_view header() const override { return "kernel_map.cuh"; }

  std::string body() const override {
    return plain_map_text(plan_) + (has_packs() ? pack_text() : "");
  }

  std::string skeleton(std::string_view) const override {
    if (goes_in_turn_) return "map_packs_in_turn<Body>";
    return fmt::format("{}<Body, {}>", has_packs() ? "map_packs" : "map_elements", unroll_);
  }

  void add_stages(StageBuilder& stages) const override {
    if (goes_in_turn_) return add_turns(stages);
    stages.add_flat("", stages.kept(), std::max(1, pack_), unroll_);
  }

 private:
  bool has_packs() const { return pack_ > 0; }
  std::string pack_text() const {
    std::string packs, gather, stores;
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      packs += fmt::format("    Vector<{}, kPack> out{};\n",
                           cuda_type(plan_.outputs[i].operand.dtype), i);
      gather += fmt::format("      out{0}.at[e] = y.out{0};\n", i);
      stores += fmt::format("    store_vector<kPack>(p.out{0}, pack, out{0});\n", i);
    }
    return packs_text(plan_, pack_) +
           fmt::format(
               "  CUPOLA_KERNEL_FN void put_pack(const Arguments& p, const Uniform& u, Flat pack,\n"
               "                                 const Pack& x) {{\n{}"
               "#pragma unroll\n"
               "    for (int e = 0; e < kPack; ++e) {{\n"
               "      const Result y = compute(p, u, one(x, e), pack * kPack + e);\n"
               "{}    }}\n{}  }}\n",
               packs, gather, stores);
  }

  // Many packs per thread only where enough blocks are left for every multiprocessor.
  void add_turns(StageBuilder& stages) const {
    constexpr std::uint64_t kTurns = 8, kFewestBlocks = 4096;
    const std::uint64_t packs = stages.kept() / static_cast<std::uint64_t>(pack_) + 1;
    const std::uint64_t turns = packs >= kTurns * kFewestBlocks * kCudaBlock ? kTurns : 1;
    stages.header().tile = turns;
    stages.add("", ceil_div(packs, turns * kCudaBlock));
  }

  int pack_ = 0;               // elements of a pack; 0: single elements by neighbouring threads
  int unroll_ = 1;             // packs or elements per thread
  bool goes_in_turn_ = false;  // packs one after the other, as many per thread as a launch says
};

}  // namespace

std::unique_ptr<const CudaFamily> elementwise_family(const KernelPlan& plan) {
  return std::make_unique<Elementwise>(plan);
}

}  // namespace cupola
