// Masks: a warp to each tile counts or numbers the elements for which a mask holds.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/cuda_text_steps.h"
#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/map_text.h"
#include "codegen/cuda/families/stage_builder.h"
#include "codegen/cuda/operand_offsets.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

std::string holds_text(const KernelPlan& plan, int mask) {
  return fmt::format(
      "  CUPOLA_KERNEL_FN bool holds(const Arguments& p, const Uniform& u, const Element& x,\n"
      "                              Flat i) {{\n{}    return v{};\n  }}\n",
      cuda_steps_below(plan, mask, "    "), mask);
}

std::string count_text() {
  return "  CUPOLA_KERNEL_FN void put_count(const Arguments& p, Flat tile, long long count) {\n"
         "    p.out0[tile] = count;\n  }\n";
}

std::string ranked_text(const KernelPlan& plan) {
  const OutputSpec& output = plan.outputs[0];
  std::string offset, place = "rank";
  if (output.store == StoreKind::expand) {
    const bool strided = output.operand.layout == OperandLayout::strided;
    place = strided ? "offset_out0" : "i";
    if (strided) {
      offset = "    Index offset_out0 = 0;\n" +
               cuda_offsets({{"out0"}}, "i", 0, plan.rank, "offset_", "    ");
    }
  }
  return fmt::format(
      "  CUPOLA_KERNEL_FN const long long* ends(const Arguments& p) {{ return p.in{}; }}\n"
      "  CUPOLA_KERNEL_FN void put_ranked(const Arguments& p, const Uniform& u, Flat i,\n"
      "                                   const Element& x, long long rank) {{\n"
      "{}{}    p.out0[{}] = v{};\n  }}\n",
      plan.inputs.size() - 1, cuda_steps_below(plan, output.value, "    "), offset, place,
      output.value);
}

class Mask : public CudaFamily {
 public:
  explicit Mask(const KernelPlan& plan) : CudaFamily(plan) {
    kernels_ = {""};
    const ElementWidths widths = widths_of_inputs(plan);
    const bool has_long = has_long_steps(plan);
    unroll_ = has_long ? 1 : widths.read <= 8 ? 8 : 4;
    if (!counts() || widths.read == 0 || has_long || !loads_by_packs(plan)) return;
    pack_ = 16 / widths.largest;
    unroll_ = std::min(4, static_cast<int>(kMaskTile) / 32 / pack_);
  }

  std::string_view header() const override { return "kernel_mask.cuh"; }

  std::string body() const override {
    const OutputSpec& output = plan_.outputs[0];
    const std::string load = map_load_text(plan_);
    if (!counts()) return load + holds_text(plan_, output.predicate) + ranked_text(plan_);
    return load + holds_text(plan_, output.value) + count_text() +
           (pack_ > 1 ? packs_text(plan_, pack_) : "");
  }

  std::string skeleton(std::string_view) const override {
    return fmt::format("{}<Body, {}>",
                       !counts()   ? "rank_elements"
                       : pack_ > 1 ? "count_packs"
                                   : "count_elements",
                       unroll_);
  }

  void add_stages(StageBuilder& stages) const override {
    static_assert(cupola_device::kMaskTile == kMaskTile);
    stages.header().tiles = ceil_div(stages.kept(), kMaskTile);
    stages.add("", ceil_div(stages.header().tiles, kCudaBlock / 32));
  }

 private:
  bool counts() const { return plan_.outputs[0].store == StoreKind::count; }

  int pack_ = 1;
  int unroll_ = 1;  // loads that a thread has under way at one time, for each of a tile's rounds
};

}  // namespace

std::unique_ptr<const CudaFamily> mask_family(const KernelPlan& plan) {
  if (!goes_by_mask_tiles(plan.outputs.front().store)) return nullptr;
  return std::make_unique<Mask>(plan);
}

}  // namespace cupola
