// Partition: rows in chunks; elements of each bin are counted, then brought to their places.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/map_text.h"
#include "codegen/cuda/families/order_text.h"
#include "codegen/cuda/families/stage_builder.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

constexpr std::uint64_t kMaxChunks = 32768;  // of all rows that are parted, but one for each row

class Partition : public CudaFamily {
 public:
  // What threads hold lies in registers and goes through shared memory.
  explicit Partition(const KernelPlan& plan) : CudaFamily(plan) {
    kernels_ = {"_counts", "_sums", "_places"};
    threads_ = cupola_device::kPartThreads;
    for (const OutputSpec& output : plan.outputs) {
      largest_ = std::max(largest_, item_size(output.operand.dtype));
    }
    items_ = has_long_steps(plan) || largest_ > 8 ? 4 : largest_ > 4 ? 8 : 16;
  }

  std::string_view header() const override { return "kernel_partition.cuh"; }

  std::string body() const override {
    return map_far_load_text(plan_) +
           fmt::format(
               "  static constexpr int kItems = {};\n"
               "  static constexpr unsigned int kBinCount = {};\n"
               "  static constexpr unsigned int kLargest = {};  // bytes of an output\n",
               items_, plan_.outputs[0].bins, largest_) +
           step_function(plan_, "  ", "unsigned char", "bin", plan_.outputs[0].offset) +
           ordered_outputs_text(plan_, false);
  }

  std::string skeleton(std::string_view suffix) const override {
    if (suffix == "_counts") return "count_bins<Body>";
    return suffix == "_sums" ? "sum_bins<Body>" : "part_rows<Body>";
  }

  int blocks_at_once(std::string_view suffix) const override {
    if (suffix != "_places") return 0;
    return items_ == 8 ? 3 : 2;
  }

  // Blocks that work near one another store near one another: chunks are as small as leaves few
  // enough of them for their counts to be summed soon.
  void add_stages(StageBuilder& stages) const override {
    CudaLaunch& launch = stages.launch;
    const std::uint64_t kept = stages.kept();
    const std::uint64_t tile = static_cast<std::uint64_t>(items_) * threads_;
    const std::uint64_t tiles = ceil_div(stages.length(), tile);
    const std::uint64_t together = ceil_div(kept * tiles, kMaxChunks);
    const std::uint64_t chunks = ceil_div(tiles, together);
    constexpr std::uint64_t kGroup = cupola_device::kChunkGroup;
    const std::uint64_t groups = ceil_div(chunks, kGroup);
    const std::uint64_t lanes = groups <= 32 ? std::bit_ceil(groups) : threads_;
    launch.header.tile = together * tile;
    launch.header.tiles = chunks;
    launch.header.lanes = static_cast<unsigned int>(lanes);
    const std::uint64_t count = plan_.wide_index ? 8 : 4;
    const std::uint64_t bins = kept * static_cast<std::uint64_t>(plan_.outputs[0].bins);
    const std::uint64_t counted = chunks < kGroup ? chunks : groups * kGroup;
    launch.scratch_bytes = bins * (counted + 1) * count;
    // A row is nothing to the others, if no block of any stage works for two.
    const std::uint64_t summing = bins / kept * lanes;
    if (summing % threads_ == 0) launch.apart = static_cast<std::int64_t>(stages.length());
    stages.add("_counts", kept * chunks);
    stages.add("_sums", ceil_div(bins * lanes, threads_));
    stages.add("_places", kept * chunks);
  }

 private:
  std::size_t largest_ = 1;  // bytes of an output
  int items_;                // elements that a thread holds, at most
};

}  // namespace

std::unique_ptr<const CudaFamily> partition_family(const KernelPlan& plan) {
  const bool takes = plan.outputs.front().store == StoreKind::partition;
  return takes ? std::make_unique<Partition>(plan) : nullptr;
}

}  // namespace cupola
