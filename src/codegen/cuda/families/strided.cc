// Strided: strips of neighbours, interleaved rows, tiles that turn through shared memory, or single
// elements by neighbouring threads, as the strides of a launch ask.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/map_text.h"
#include "codegen/cuda/families/stage_builder.h"
#include "codegen/cuda/families/strided_sizes.h"
#include "codegen/cuda/families/strided_walk.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

// Shared memory of one block: several blocks shall be on a multiprocessor at one time.
constexpr int kTileBytes = 32 * 1024;
constexpr int kMaxTileBytes = 48 * 1024;

// An output along which nothing moves has one element.
bool stores_rows(const KernelPlan& plan) {
  return std::all_of(plan.outputs.begin(), plan.outputs.end(), [](const OutputSpec& output) {
    return is_plain(output) && output.operand.layout != OperandLayout::broadcast;
  });
}

int staged_bytes(const KernelPlan& plan) {  // per element, at most
  int bytes = 0;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_loaded(plan, i) && plan.inputs[i].layout == OperandLayout::strided) {
      bytes += static_cast<int>(item_size(plan.inputs[i].dtype));
    }
  }
  return bytes;
}

// Short ones have few enough neighbours that those of a warp share sectors across gaps.
void choose_strips(const KernelPlan& plan, StridedSizes& sizes) {
  const ElementWidths widths = widths_of(plan);
  const int largest = widths.largest;
  sizes.strip = 16 / largest;
  sizes.short_strip = largest == 1 ? 8 : std::min(4, 16 / largest);
  if (has_turns(plan)) return;  // strips are where turns are looked after
  const bool gapless = std::all_of(
      plan.outputs.begin(), plan.outputs.end(),
      [](const OutputSpec& output) { return output.operand.layout == OperandLayout::contiguous; });
  if (gapless && plan.rank > 1 && staged_bytes(plan) > 0 && largest < 16) {
    sizes.across = std::min(4, 16 / largest);
  }
  // Of a warp's load of single elements three words apart, no more than four lines.
  if (plan.rank > 1 && staged_bytes(plan) > 0 && !has_long_steps(plan)) {
    sizes.interleaved = std::clamp(4 / widths.smallest, 1, 16 / largest);
  }
}

// 16 KiB of the widest operand: 64 bytes for each thread, in runs of at least 128 bytes.
void choose_tiles(const KernelPlan& plan, StridedSizes& sizes) {
  const int staged = staged_bytes(plan);
  const bool is_numbered = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return step.kind == StepKind::index;
  });
  if (plan.rank < 2 || staged == 0 || is_numbered || plan.inputs.size() > 64) return;
  if (has_turns(plan)) return;
  const ElementWidths widths = widths_of(plan);
  const int largest = widths.largest;
  const int columns = largest == 16 ? 32 : largest <= 2 ? 128 : 256 / largest;
  int rows = 16384 / largest / columns;
  while (rows > 32 && rows * columns * staged > kTileBytes) rows /= 2;
  while (rows > 16 && rows * columns * staged > kMaxTileBytes) rows /= 2;
  if (rows * columns * staged > kMaxTileBytes) return;
  sizes.tile_rows = rows;
  sizes.tile_columns = columns;
  sizes.tile_pack = 16 / largest;
  const int direct = (widths.read - staged) * sizes.tile_pack;  // bytes of a pack
  sizes.tile_unroll = has_long_steps(plan) ? 1 : direct * 4 <= 128 ? 4 : direct * 2 <= 128 ? 2 : 1;
}

class Strided : public CudaFamily {
 public:
  explicit Strided(const KernelPlan& plan)
      : CudaFamily(plan), has_long_steps_(has_long_steps(plan)), read_(widths_of(plan).read) {
    choose_strips(plan, sizes_);
    choose_tiles(plan, sizes_);
    joins_ = true;
    kernels_ = {"", "_strips"};
    if (sizes_.short_strip != sizes_.strip) kernels_.push_back("_short_strips");
    if (sizes_.across > 0) kernels_.push_back("_strips_across");
    if (sizes_.interleaved > 0) kernels_.push_back("_interleaved");
    if (has_tiles()) kernels_.insert(kernels_.end(), {"_tiles", "_skewed_tiles"});
  }

  bool has_tiles() const override { return sizes_.tile_rows > 0; }

  std::string_view header() const override {
    if (has_tiles()) return "kernel_tiles.cuh";
    return has_turns(plan_) ? "kernel_turned.cuh" : "kernel_strided.cuh";
  }

  std::string body() const override { return plain_map_text(plan_) + strided_text(plan_, sizes_); }

  std::string skeleton(std::string_view suffix) const override {
    if (suffix == "_strips") return strip_skeleton(sizes_.strip, "");
    if (suffix == "_short_strips") return strip_skeleton(sizes_.short_strip, "");
    if (suffix == "_strips_across") return strip_skeleton(sizes_.across, ", true");
    if (suffix == "_interleaved") {
      return fmt::format("map_interleaved<Body, {}, {}>", sizes_.interleaved, kInterleavedRows);
    }
    if (suffix == "_tiles") return tile_skeleton("map_tiles");
    if (suffix == "_skewed_tiles") return tile_skeleton("map_skewed_tiles");
    return fmt::format("map_elements<Body, {}>", unroll());
  }

  void add_stages(StageBuilder& stages) const override {
    const LaunchArguments& arguments = stages.arguments();
    if (const auto view = find_tiles(plan_, sizes_, arguments)) return add_tiles(stages, *view);
    if (const auto rows = find_interleaved(plan_, sizes_, arguments)) {
      return add_interleaved(stages, *rows);
    }
    if (const auto strips = find_strips(plan_, sizes_, arguments)) {
      return add_strips(stages, *strips,
                        strips->length == sizes_.strip ? "_strips" : "_short_strips");
    }
    if (const auto strips = find_strips_across(plan_, sizes_, arguments)) {
      return add_strips(stages, *strips, "_strips_across");
    }
    stages.add_flat("", stages.kept(), 1, unroll());
  }

 private:
  int unroll() const { return has_long_steps_ ? 2 : 4; }  // elements per thread

  // Strips that one thread takes at one time.
  int strip_unroll(int strip) const {
    return has_long_steps_ ? 1 : std::clamp(64 / std::max(1, read_ * strip), 1, 4);
  }

  std::string strip_skeleton(int strip, std::string_view way) const {
    return fmt::format("map_strips<Body, {}, {}{}>", strip, strip_unroll(strip), way);
  }

  std::string tile_skeleton(std::string_view name) const {
    const int packs =
        sizes_.tile_rows * sizes_.tile_columns / sizes_.tile_pack / static_cast<int>(kCudaBlock);
    return fmt::format("{}<Body, {}, {}>", name, sizes_.tile_pack,
                       std::min(packs, sizes_.tile_unroll));
  }

  void add_strips(StageBuilder& stages, const StripWalk& strips, std::string_view kernel) const {
    stages.header().lead = strips.lead;
    stages.add_flat(kernel, stages.kept() + strips.lead, strips.length,
                    strip_unroll(strips.length));
  }

  void add_interleaved(StageBuilder& stages, unsigned int rows) const {
    const Dims& extents = stages.arguments().extents;
    const auto length = static_cast<std::uint64_t>(extents[extents.size() - 1]);
    stages.header().length = length;
    stages.header().lanes = rows;
    stages.header().tiles =
        ceil_div(length, static_cast<std::uint64_t>(sizes_.interleaved) * kCudaBlock);
    stages.add("_interleaved", stages.header().tiles * (stages.kept() / length / rows));
  }

  void add_tiles(StageBuilder& stages, const CudaView& found) const {
    CudaView& view = stages.launch.view;
    view = found;
    cupola_device::Tiling& tiling = view.tiling;
    const bool vectors = have_vectors(found, plan_, sizes_, stages.arguments());
    if (!vectors) choose_packs(view, plan_, sizes_, stages.arguments());
    const std::uint64_t shared = tiling.skew == 0 ? 0 : tiling.skew - 1;
    const std::uint64_t width = static_cast<std::uint64_t>(sizes_.tile_columns) - tiling.skew;
    const std::uint64_t rows = ceil_div(tiling.rows, static_cast<std::uint64_t>(sizes_.tile_rows));
    const std::uint64_t columns = ceil_div(tiling.columns + shared, width);
    tiling.row_tiles = static_cast<unsigned int>(rows);
    tiling.column_tiles = static_cast<unsigned int>(columns);
    stages.add(vectors ? "_tiles" : "_skewed_tiles",
               rows * columns * (stages.kept() / (tiling.rows * tiling.columns)));
  }

  const bool has_long_steps_;
  const int read_;  // bytes per element
  StridedSizes sizes_;
};

}  // namespace

std::unique_ptr<const CudaFamily> strided_family(const KernelPlan& plan) {
  if (!stores_rows(plan) || goes_by_packs(plan)) return nullptr;
  return std::make_unique<Strided>(plan);
}

}  // namespace cupola
