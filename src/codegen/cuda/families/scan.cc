// Scans: tiles that take over from those before them, or a thread to each row.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/row_family.h"
#include "codegen/cuda/families/row_text.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

constexpr std::uint64_t kScanRows = 4096;  // rows that keep the device busy with a thread each

// put(): stores the prefix that ends at element r.
std::string prefix_text(const KernelPlan& plan) {
  const bool strided = output_is_strided(plan);
  const std::string place =
      strided ? fmt::format("row.out0 + static_cast<Index>(r) * p.stride_out0_{}", plan.rank - 1)
              : "kept * static_cast<Flat>(p.header.length) + r";
  return fmt::format(
      "  CUPOLA_KERNEL_FN void put(const Arguments& p, const Row& row, Flat kept, Flat r,\n"
      "                            const State& state) {{\n"
      "    p.out0[{}] = cast<{}>(state);\n  }}\n",
      place, cuda_type(plan.outputs[0].operand.dtype));
}

// put_quad(): the prefixes that end at element r and the three behind it.
std::string prefix_quad_text(const KernelPlan& plan) {
  const OperandSpec& output = plan.outputs[0].operand;
  const std::string single =
      "#pragma unroll\n"
      "    for (int j = 0; j < 4; ++j) put(p, row, kept, r + j, states[j]);\n";
  std::string wide;
  if (output.layout == OperandLayout::contiguous && output.aligned16) {
    const std::string_view type = cuda_type(output.dtype);
    wide = fmt::format(
        "    if constexpr (Packed) {{\n"
        "      Vector<{0}, 4> four;\n"
        "#pragma unroll\n"
        "      for (int j = 0; j < 4; ++j) four.at[j] = cast<{0}>(states[j]);\n"
        "      const Flat flat = kept * static_cast<Flat>(p.header.length) + r;\n"
        "      store_vector<4>(p.out0, flat / 4, four);\n"
        "      return;\n    }}\n",
        type);
  }
  return "  template <bool Packed>\n"
         "  CUPOLA_KERNEL_FN void put_quad(const Arguments& p, const Row& row, Flat kept, Flat r,\n"
         "                                 const State (&states)[4]) {\n" +
         wide + single + "  }\n";
}

class Scan : public RowFamily {
 public:
  explicit Scan(const KernelPlan& plan) : RowFamily(plan) {
    reorderable_ = is_reorderable(plan);
    may_load_quads_ |= is_wide(plan.outputs[0].operand);
    kernels_ = {"_in_order"};
    if (!reorderable_) return;
    if (!may_load_quads_ || kept_rank(plan) > 0) kernels_.push_back("_tiles");
    if (may_load_quads_) kernels_.push_back("_tiles_packed");
  }

  std::string_view header() const override { return "kernel_scan.cuh"; }

  std::string body() const override {
    return row_text(plan_, combining_state(plan_), output_is_strided(plan_)) + prefix_text(plan_) +
           prefix_quad_text(plan_);
  }

  std::string skeleton(std::string_view suffix) const override {
    if (suffix == "_tiles") return "scan_tiles<Body, false>";
    if (suffix == "_tiles_packed") return "scan_tiles<Body, true>";
    return "scan_in_order<Body>";
  }

  void add_stages(StageBuilder& stages) const override {
    const std::uint64_t kept = stages.kept(), length = stages.length();
    const bool thread_each =
        length <= 32 || (kept >= kScanRows && (length <= 256 || is_outer(stages)));
    if (!reorderable_ || thread_each) return stages.add("_in_order", ceil_div(kept, kCudaBlock));
    const std::uint64_t state_bytes =
        std::max<std::uint64_t>(4, item_size(plan_.combine()->accumulator));
    const std::uint64_t tiles = ceil_div(length, cupola_device::kScanBytes / state_bytes);
    stages.header().tiles = tiles;
    if (tiles > 1) publish_tiles(stages, tiles);
    stages.add(loads_quads(stages) ? "_tiles_packed" : "_tiles", kept * tiles, 1,
               CudaParts::along_x, tiles);
  }

 private:
  // What tiles, groups and groups of groups publish: 8 bytes for each word of a state.
  void publish_tiles(StageBuilder& stages, std::uint64_t tiles) const {
    using namespace cupola_device;
    const std::uint64_t kept = stages.kept();
    const std::uint64_t groups = ceil_div(tiles, kScanGroup);
    const std::uint64_t words = ceil_div(item_size(plan_.combine()->accumulator), 4);
    CudaLaunch& launch = stages.launch;
    launch.zeroed_bytes = ceil_div(kept, kScanTickets) * kScanTickets * 4 +
                          kept * (tiles + groups + ceil_div(groups, kScanGroup)) * words * 8;
    launch.scratch_bytes = launch.zeroed_bytes;
    launch.scratch_of_part = true;
  }
};

}  // namespace

std::unique_ptr<const CudaFamily> scan_family(const KernelPlan& plan) {
  return std::make_unique<Scan>(plan);
}

}  // namespace cupola
