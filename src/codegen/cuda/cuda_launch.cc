#include "codegen/cuda/cuda_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "codegen/cuda/cuda_walk.h"
#include "cupola/error.h"
#include "graph/fusion.h"

namespace cupola {
namespace {

using std::uint64_t;

constexpr uint64_t kShortRow = 1024;      // elements: up to a warp to each row
constexpr uint64_t kRowTile = kMaxOfRow;  // elements per block of a long row
constexpr uint64_t kColumns = 64;         // per block, as in device/kernel_reduce.cuh
constexpr uint64_t kColumnTiles = 256;    // parts of a long column, at most
constexpr uint64_t kScanRows = 4096;      // rows that keep the device busy with a thread each
constexpr uint64_t kSmallScatter = 2048;
constexpr uint64_t kMaxChunks = 32768;  // of all rows that are parted, but one for each row

uint64_t parts(uint64_t count, uint64_t part) { return (count + part - 1) / part; }

class LaunchBuilder {
 public:
  LaunchBuilder(const KernelPlan& plan, const CudaTraits& traits, const LaunchArguments& arguments)
      : plan_(plan), traits_(traits), arguments_(arguments) {
    const int rank = arguments.extents.rank();
    kept_ = product(0, traits.kept_rank);
    length_ = product(traits.kept_rank, rank);
    result_.header = {};
    check_width();
  }

  CudaLaunch take() {
    if (kept_ == 0 || length_ == 0) return result_;
    result_.header.count = kept_;
    result_.header.length = length_;
    result_.header.mirror = arguments_.mirror;
    switch (plan_.kind) {
      case PlanKind::map:
        map();
        break;
      case PlanKind::reduce:
      case PlanKind::arg_reduce:
        reduce();
        break;
      case PlanKind::scan:
        scan();
        break;
      case PlanKind::segment_reduce:
        segments();
        break;
      case PlanKind::rows:
        rows();
        break;
    }
    return result_;
  }

 private:
  uint64_t product(int first, int last) const {
    uint64_t result = 1;
    for (int d = first; d < last; ++d) {
      result *= static_cast<uint64_t>(arguments_.extents[static_cast<std::size_t>(d)]);
    }
    return result;
  }

  void check_width() const {
    constexpr uint64_t kNarrow = std::numeric_limits<std::int32_t>::max();
    if (plan_.wide_index || kept_ == 0 || length_ <= kNarrow / kept_) return;
    throw LaunchError(fmt::format("an iteration space of {} elements needs a plan with wide_index",
                                  to_string(arguments_.extents)));
  }

  int number_of(std::string_view suffix) const {
    for (std::size_t i = 0; i < traits_.kernels.size(); ++i) {
      if (suffix == traits_.kernels[i]) return static_cast<int>(i);
    }
    throw LaunchError(fmt::format("the plan's text has no kernel {}", suffix));
  }

  void stage(std::string_view suffix, uint64_t blocks, CudaParts along = CudaParts::along_x) {
    stage(suffix, blocks, 1, along, 1);
  }
  void stage(std::string_view suffix, uint64_t blocks, uint64_t blocks_y, CudaParts along,
             uint64_t together) {
    if (blocks > std::numeric_limits<std::int32_t>::max() || blocks_y > 65535) {
      throw LaunchError(
          fmt::format("a grid of {} x {} blocks is larger than CUDA allows", blocks, blocks_y));
    }
    result_.stages[static_cast<std::size_t>(result_.stage_count++)] = {
        number_of(suffix),
        static_cast<unsigned int>(blocks),
        static_cast<unsigned int>(blocks_y),
        traits_.threads,
        along,
        1,
        static_cast<unsigned int>(together)};
  }

  void map() {
    if (traits_.needs_locks) {
      result_.zeroed_bytes = std::size_t{cupola_device::kLocks} * 4;
      result_.scratch_bytes = result_.zeroed_bytes;
    }
    switch (traits_.way) {
      case MapWay::elements:
        return strided();
      case MapWay::packs:
        return traits_.in_turn ? in_turn() : flat("", kept_, traits_.pack, traits_.unroll);
      case MapWay::scatter:
        return kept_ <= kSmallScatter ? stage("_small", 1, CudaParts::none) : scatter();
      case MapWay::in_order:
        return stage("_in_order", 1, CudaParts::none);
      case MapWay::tallied:
        return tallied();
      case MapWay::masked:
        return masked();
      case MapWay::parted:
        return parted();
      case MapWay::sorted:
        return sorted();
    }
  }

  // Each thread takes `unroll` times `pack` of the elements.
  void flat(std::string_view suffix, uint64_t elements, int pack, int unroll) {
    const uint64_t packs = parts(elements, static_cast<uint64_t>(pack));
    stage(suffix, parts(packs, static_cast<uint64_t>(unroll) * kCudaBlock), parts_of_map());
  }

  // What combines into memory does so for the device that it runs on.
  CudaParts parts_of_map() const {
    const bool combines =
        std::any_of(plan_.outputs.begin(), plan_.outputs.end(),
                    [](const OutputSpec& output) { return output.store == StoreKind::combine; });
    return combines ? CudaParts::none : CudaParts::along_x;
  }

  // Many packs per thread only where enough blocks are left for every multiprocessor.
  void in_turn() {
    constexpr uint64_t kTurns = 8, kFewestBlocks = 4096;
    const uint64_t packs = kept_ / static_cast<uint64_t>(traits_.pack) + 1;
    const uint64_t turns = packs >= kTurns * kFewestBlocks * kCudaBlock ? kTurns : 1;
    result_.header.tile = turns;
    stage("", parts(packs, turns * kCudaBlock));
  }

  // Few enough blocks, and long enough ones, that adding up what they have counted takes little.
  void tallied() {
    constexpr uint64_t kMaxBlocks = 2048, kElementsOfPlace = 4;
    const auto places = static_cast<uint64_t>(arguments_.outputs[0].places);
    const uint64_t turn = uint64_t{traits_.threads} * static_cast<uint64_t>(traits_.unroll);
    const uint64_t least = std::max(parts(kept_, kMaxBlocks), places * kElementsOfPlace);
    static_assert(cupola_device::kTallyPlaces == kMaxTallied);
    result_.header.slots = places;
    result_.header.tile = parts(least, turn) * turn;
    stage("", parts(kept_, result_.header.tile));
  }

  // A warp to each tile.
  void masked() {
    static_assert(cupola_device::kMaskTile == kMaskTile);
    result_.header.tiles = parts(kept_, kMaskTile);
    stage("", parts(result_.header.tiles, kCudaBlock / 32));
  }

  // Blocks that work near one another store near one another: chunks are as small as leaves few
  // enough of them for their counts to be summed soon.
  void parted() {
    const uint64_t tile = static_cast<uint64_t>(traits_.items) * traits_.threads;
    const uint64_t tiles = parts(length_, tile);
    const uint64_t together = parts(kept_ * tiles, kMaxChunks);
    const uint64_t chunks = parts(tiles, together);
    constexpr uint64_t kGroup = cupola_device::kChunkGroup;
    const uint64_t groups = parts(chunks, kGroup);
    const uint64_t lanes = groups <= 32 ? std::bit_ceil(groups) : traits_.threads;
    result_.header.tile = together * tile;
    result_.header.tiles = chunks;
    result_.header.lanes = static_cast<unsigned int>(lanes);
    const uint64_t count = plan_.wide_index ? 8 : 4;
    const uint64_t bins = kept_ * static_cast<uint64_t>(plan_.outputs[0].bins);
    const uint64_t counted = chunks < kGroup ? chunks : groups * kGroup;
    result_.scratch_bytes = bins * (counted + 1) * count;
    // A row is nothing to the others, if no block of any stage works for two.
    const uint64_t summing = bins / kept_ * lanes;
    if (summing % traits_.threads == 0) result_.apart = static_cast<std::int64_t>(length_);
    stage("_counts", kept_ * chunks);
    stage("_sums", parts(bins * lanes, traits_.threads));
    stage("_places", kept_ * chunks);
  }

  void sorted() {
    if (length_ > static_cast<uint64_t>(traits_.items) * kCudaBlock) {
      throw LaunchError(
          fmt::format("rows of {} elements are too long to be sorted by one block", length_));
    }
    if (length_ <= 32) return stage("_short_rows_1", parts(kept_, kCudaBlock / 32));
    if (length_ <= 4 * 32) return stage("_short_rows_4", parts(kept_, kCudaBlock / 32));
    stage(length_ <= 4 * kCudaBlock ? "_rows_4" : "_rows", kept_);
  }

  void strided() {
    if (const auto view = find_tiles(plan_, traits_, arguments_)) return tiles(*view);
    if (const auto rows = find_interleaved(plan_, traits_, arguments_)) return interleaved(*rows);
    if (const auto strips = find_strips(plan_, traits_, arguments_)) {
      result_.header.lead = strips->lead;
      return flat(strips->length == traits_.strip ? "_strips" : "_short_strips",
                  kept_ + strips->lead, strips->length, strip_unroll(plan_, strips->length));
    }
    if (const auto strips = find_strips_across(plan_, traits_, arguments_)) {
      result_.header.lead = strips->lead;
      return flat("_strips_across", kept_ + strips->lead, strips->length,
                  strip_unroll(plan_, strips->length));
    }
    flat("", kept_, 1, traits_.unroll);
  }

  void interleaved(unsigned int rows) {
    const auto length = static_cast<uint64_t>(arguments_.extents[arguments_.extents.size() - 1]);
    result_.header.length = length;
    result_.header.lanes = rows;
    result_.header.tiles = parts(length, static_cast<uint64_t>(traits_.interleaved) * kCudaBlock);
    stage("_interleaved", result_.header.tiles * (kept_ / length / rows));
  }

  void tiles(const CudaView& view) {
    result_.view = view;
    cupola_device::Tiling& tiling = result_.view.tiling;
    const bool vectors = have_vectors(view, plan_, traits_, arguments_);
    if (!vectors) choose_packs(result_.view, plan_, traits_, arguments_);
    const uint64_t shared = tiling.skew == 0 ? 0 : tiling.skew - 1;
    const uint64_t width = static_cast<uint64_t>(traits_.tile_columns) - tiling.skew;
    const uint64_t rows = parts(tiling.rows, static_cast<uint64_t>(traits_.tile_rows));
    const uint64_t columns = parts(tiling.columns + shared, width);
    tiling.row_tiles = static_cast<unsigned int>(rows);
    tiling.column_tiles = static_cast<unsigned int>(columns);
    stage(vectors ? "_tiles" : "_skewed_tiles",
          rows * columns * (kept_ / (tiling.rows * tiling.columns)));
  }

  void scatter() {
    const uint64_t slots = std::bit_ceil(kept_ * 2);
    result_.header.slots = slots;
    result_.set_bytes = traits_.scatters.size() * slots * 16;
    result_.scratch_bytes = result_.zeroed_bytes + result_.set_bytes;
    stage("_claim", parts(kept_, kCudaBlock), CudaParts::none);
    stage("_store", parts(kept_, kCudaBlock), CudaParts::none);
  }

  void scratch_states(uint64_t count) {
    result_.scratch_bytes = count * static_cast<uint64_t>(traits_.state_bytes);
  }

  void reduce() {
    if (!traits_.reorderable) return stage("_in_order", parts(kept_, kCudaBlock));
    if (is_outer_reduction()) return reduce_columns();
    const bool packed = rows_are_packed();
    if (length_ <= kShortRow) {
      const uint64_t lanes = lanes_of_short_row();
      result_.header.lanes = static_cast<unsigned int>(lanes);
      return stage(packed ? "_short_rows_packed" : "_short_rows", parts(kept_, kCudaBlock / lanes));
    }
    if (length_ <= kRowTile) return stage(packed ? "_rows_packed" : "_rows", kept_);
    const uint64_t tiles = parts(length_, kRowTile);
    result_.header.tiles = tiles;
    result_.header.tile = kRowTile;
    scratch_states(kept_ * tiles);
    stage(packed ? "_tiles_packed" : "_tiles", kept_ * tiles);
    stage("_tile_states", kept_, CudaParts::none);
  }

  void reduce_columns() {
    const uint64_t tile =
        std::max(std::clamp<uint64_t>(parts(length_, 16), 256, 1024), parts(length_, kColumnTiles));
    const uint64_t tiles = parts(length_, tile);
    result_.header.tile = tile;
    result_.header.tiles = tiles;
    // Tiles lie one after the other in memory, columns beside each other.
    stage("_columns", parts(kept_, kColumns), tiles,
          tiles == 1 ? CudaParts::along_x : CudaParts::along_y, 1);
    if (tiles == 1) return;
    scratch_states(kept_ * tiles);
    stage("_column_states", parts(kept_, kCudaBlock), CudaParts::none);
  }

  // Threads as in reduce().
  void rows() {
    if (traits_.reduces_rows) return reduce();
    const bool is_short = length_ <= kShortRow;
    const uint64_t lanes = is_short ? lanes_of_short_row() : kCudaBlock;
    const uint64_t quads =
        std::max<uint64_t>(is_short ? 4 : 2, std::bit_ceil(parts(parts(length_, 4), lanes)));
    const bool held = quads <= static_cast<uint64_t>(traits_.held_quads);
    const bool packed = traits_.may_pack_rows && length_ % 4 == 0;
    result_.header.lanes = static_cast<unsigned int>(lanes);
    stage(fmt::format("{}_{}{}", is_short ? "_short_rows" : "_rows",
                      held ? std::to_string(quads) : "again", packed ? "_packed" : ""),
          is_short ? parts(kept_, kCudaBlock / lanes) : kept_);
  }

  uint64_t lanes_of_short_row() const {
    return std::min<uint64_t>(32, std::bit_ceil(parts(length_, 16)));
  }

  bool rows_are_packed() const { return traits_.may_pack_rows && (kept_ == 1 || length_ % 4 == 0); }

  // Whether neighbours in memory differ in a kept rather than in a reduced dimension, for most
  // bytes that are read.
  bool is_outer_reduction() const {
    if (!traits_.may_have_columns || kept_ < kFewestColumns) return false;
    if (arguments_.is_outer) return *arguments_.is_outer;
    std::int64_t votes = 0;
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (!is_loaded(plan_, i)) continue;
      const auto bytes = static_cast<std::int64_t>(item_size(plan_.inputs[i].dtype));
      const OperandLayout layout = effective_layout(plan_, i);
      if (layout == OperandLayout::contiguous) votes -= bytes;
      if (layout != OperandLayout::strided) continue;
      const auto kept = smallest_stride(arguments_.inputs[i].strides, 0, traits_.kept_rank);
      const auto reduced =
          smallest_stride(arguments_.inputs[i].strides, traits_.kept_rank, plan_.rank);
      votes += kept < reduced ? bytes : -bytes;
    }
    return votes > 0;
  }

  // Magnitude of the smallest stride that moves; a huge number when none does.
  std::int64_t smallest_stride(const Dims& strides, int first, int last) const {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (int d = first; d < last; ++d) {
      const auto at = static_cast<std::size_t>(d);
      const std::int64_t stride = strides[at] < 0 ? -strides[at] : strides[at];
      if (arguments_.extents[at] > 1 && stride > 0) smallest = std::min(smallest, stride);
    }
    return smallest;
  }

  void scan() {
    const bool thread_each =
        length_ <= 32 || (kept_ >= kScanRows && (length_ <= 256 || is_outer_reduction()));
    if (!traits_.reorderable || thread_each) {
      return stage("_in_order", parts(kept_, kCudaBlock));
    }
    const uint64_t state_bytes = std::max<uint64_t>(4, item_size(plan_.accumulator));
    const uint64_t tiles = parts(length_, cupola_device::kScanBytes / state_bytes);
    result_.header.tiles = tiles;
    if (tiles > 1) publish_tiles(tiles);
    stage(rows_are_packed() ? "_tiles_packed" : "_tiles", kept_ * tiles, 1, CudaParts::along_x,
          tiles);
  }

  // What tiles, groups and groups of groups publish: 8 bytes for each word of a state.
  void publish_tiles(uint64_t tiles) {
    using namespace cupola_device;
    const uint64_t groups = parts(tiles, kScanGroup);
    const uint64_t words = parts(item_size(plan_.accumulator), 4);
    result_.zeroed_bytes = parts(kept_, kScanTickets) * kScanTickets * 4 +
                           kept_ * (tiles + groups + parts(groups, kScanGroup)) * words * 8;
    result_.scratch_bytes = result_.zeroed_bytes;
    result_.scratch_of_part = true;
  }

  // The rows of a segment_reduce are its segments.
  void segments() {
    result_.header.count = kept_ * length_;
    if (traits_.reorderable) return stage("", parts(kept_ * length_, kCudaBlock / 32));
    stage("_in_order", parts(kept_ * length_, kCudaBlock));
  }

  const KernelPlan& plan_;
  const CudaTraits& traits_;
  const LaunchArguments& arguments_;
  uint64_t kept_ = 0;
  uint64_t length_ = 0;
  CudaLaunch result_;
};

}  // namespace

LaunchStages stages_of(const CudaLaunch& launch) {
  LaunchStages stages{.count = launch.stage_count, .apart = launch.apart};
  if (!launch.scratch_of_part) {
    stages.scratch_bytes = launch.scratch_bytes;
    stages.zeroed_bytes = launch.zeroed_bytes;
    stages.set_bytes = launch.set_bytes;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.stage_count); ++i) {
    const CudaStage& stage = launch.stages[i];
    const unsigned int blocks = stage.parts == CudaParts::along_y ? stage.grid_y : stage.grid_x;
    stages.divides[i] = stage.parts != CudaParts::none && blocks > stage.together;
  }
  return stages;
}

bool keep_part(CudaStage& stage, cupola_device::KernelHeader& header, WorkPart part,
               std::int64_t elements) {
  if (stage.parts == CudaParts::none) return true;
  const bool along_y = stage.parts == CudaParts::along_y;
  unsigned int& grid = along_y ? stage.grid_y : stage.grid_x;
  const BlockRange kept = cut(part, grid / stage.together, elements);
  (along_y ? header.first_y : header.first_x) =
      static_cast<unsigned int>(kept.first) * stage.together;
  grid = static_cast<unsigned int>(kept.end - kept.first) * stage.together;
  return grid > 0;
}

CudaLaunch cuda_launch(const KernelPlan& plan, const CudaTraits& traits,
                       const LaunchArguments& arguments) {
  return LaunchBuilder(plan, traits, arguments).take();
}

}  // namespace cupola
