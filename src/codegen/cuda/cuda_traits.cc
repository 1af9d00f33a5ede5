#include "codegen/cuda/cuda_traits.h"

#include <algorithm>
#include <bit>

#include "codegen/device/kernel_arguments.cuh"
#include "codegen/row_program.h"
#include "graph/user_function.h"

namespace cupola {
namespace {

// x - a - b is x - b - a, so subtract.at and divide.at need no order.
bool combines_in_any_order(UfuncId id) {
  return ufunc_info(id).reorderable || id == UfuncId::subtract || id == UfuncId::divide;
}

bool is_wide(const OperandSpec& operand) {
  return operand.layout == OperandLayout::contiguous && operand.aligned16;
}

bool inputs_may_use_packs(const KernelPlan& plan) {
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const OperandSpec& input = plan.inputs[i];
    if (is_loaded(plan, i) && input.layout != OperandLayout::broadcast && !is_wide(input)) {
      return false;
    }
  }
  return true;
}

bool may_use_packs(const KernelPlan& plan) {
  for (const OutputSpec& output : plan.outputs) {
    if (output.store != StoreKind::plain || !is_wide(output.operand)) return false;
  }
  return inputs_may_use_packs(plan);
}

struct Widths {
  int smallest = 16;
  int largest = 1;
  int read = 0;  // bytes per element
};

int add_width(Widths& widths, DType dtype) {
  const int bytes = static_cast<int>(item_size(dtype));
  widths.smallest = std::min(widths.smallest, bytes);
  widths.largest = std::max(widths.largest, bytes);
  return bytes;
}

Widths widths_of_inputs(const KernelPlan& plan) {
  Widths widths;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_loaded(plan, i) && plan.inputs[i].layout != OperandLayout::broadcast) {
      widths.read += add_width(widths, plan.inputs[i].dtype);
    }
  }
  return widths;
}

Widths widths_of(const KernelPlan& plan) {
  Widths widths = widths_of_inputs(plan);
  for (const OutputSpec& output : plan.outputs) add_width(widths, output.operand.dtype);
  return widths;
}

// An output along which nothing moves has one element.
bool stores_rows(const KernelPlan& plan) {
  return std::all_of(plan.outputs.begin(), plan.outputs.end(), [](const OutputSpec& output) {
    return output.store == StoreKind::plain && output.operand.layout != OperandLayout::broadcast;
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
void choose_strips(const KernelPlan& plan, CudaTraits& traits) {
  const int largest = widths_of(plan).largest;
  traits.strip = 16 / largest;
  traits.short_strip = largest == 1 ? 8 : std::min(4, 16 / largest);
  if (has_turns(plan)) return;  // strips are where turns are looked after
  const bool gapless = std::all_of(
      plan.outputs.begin(), plan.outputs.end(),
      [](const OutputSpec& output) { return output.operand.layout == OperandLayout::contiguous; });
  if (gapless && plan.rank > 1 && staged_bytes(plan) > 0 && largest < 16) {
    traits.across = std::min(4, 16 / largest);
  }
  // Of a warp's load of single elements three words apart, no more than four lines.
  if (plan.rank > 1 && staged_bytes(plan) > 0 && !has_long_steps(plan)) {
    traits.interleaved = std::clamp(4 / widths_of(plan).smallest, 1, 16 / largest);
  }
}

// Shared memory of one block: several blocks shall be on a multiprocessor at one time.
constexpr int kTileBytes = 32 * 1024;
constexpr int kMaxTileBytes = 48 * 1024;

// 16 KiB of the widest operand: 64 bytes for each thread, in runs of at least 128 bytes.
void choose_tiles(const KernelPlan& plan, CudaTraits& traits, bool long_steps) {
  const int staged = staged_bytes(plan);
  const bool is_numbered = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return step.kind == StepKind::index;
  });
  if (plan.rank < 2 || staged == 0 || is_numbered || plan.inputs.size() > 64) return;
  if (has_turns(plan)) return;
  const Widths widths = widths_of(plan);
  const int largest = widths.largest;
  const int columns = largest == 16 ? 32 : largest <= 2 ? 128 : 256 / largest;
  int rows = 16384 / largest / columns;
  while (rows > 32 && rows * columns * staged > kTileBytes) rows /= 2;
  while (rows > 16 && rows * columns * staged > kMaxTileBytes) rows /= 2;
  if (rows * columns * staged > kMaxTileBytes) return;
  traits.tile_rows = rows;
  traits.tile_columns = columns;
  traits.tile_pack = 16 / largest;
  const int direct = (widths.read - staged) * traits.tile_pack;  // bytes of a pack
  traits.tile_unroll = long_steps ? 1 : direct * 4 <= 128 ? 4 : direct * 2 <= 128 ? 2 : 1;
}

// Loads that a thread has under way at one time, for each of a tile's rounds.
void choose_mask_way(const KernelPlan& plan, CudaTraits& traits) {
  const Widths widths = widths_of_inputs(plan);
  const bool long_steps = has_long_steps(plan);
  traits.way = MapWay::masked;
  traits.unroll = long_steps ? 1 : widths.read <= 8 ? 8 : 4;
  if (plan.outputs[0].store != StoreKind::count || widths.read == 0 || long_steps) return;
  if (!inputs_may_use_packs(plan)) return;
  traits.pack = 16 / widths.largest;
  traits.unroll = std::min(4, static_cast<int>(kMaskTile) / 32 / traits.pack);
}

// What threads hold lies in registers and goes through shared memory.
void choose_order_way(const KernelPlan& plan, CudaTraits& traits) {
  const OutputSpec& first = plan.outputs.front();
  if (first.store == StoreKind::sort) {
    const DType key = plan.steps[static_cast<std::size_t>(first.offset)].dtype;
    traits.way = MapWay::sorted;
    traits.items = static_cast<int>(longest_sorted_row(key) / 256);
    return;
  }
  std::size_t largest = 1;
  for (const OutputSpec& output : plan.outputs) {
    largest = std::max(largest, item_size(output.operand.dtype));
  }
  traits.way = MapWay::parted;
  traits.threads = cupola_device::kPartThreads;
  traits.items = has_long_steps(plan) || largest > 8 ? 4 : largest > 4 ? 8 : 16;
}

void choose_tally_way(CudaTraits& traits) {
  traits.way = MapWay::tallied;
  traits.threads = cupola_device::kTallyThreads;
  traits.unroll = 8;
}

void choose_map_way(const KernelPlan& plan, CudaTraits& traits) {
  const StoreKind store = plan.outputs.front().store;
  if (goes_by_mask_tiles(store)) return choose_mask_way(plan, traits);
  if (orders_rows(store)) return choose_order_way(plan, traits);
  if (store == StoreKind::tally) return choose_tally_way(traits);
  bool in_order = false;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const OutputSpec& output = plan.outputs[i];
    if (output.store == StoreKind::scatter) traits.scatters.push_back(static_cast<int>(i));
    if (output.store == StoreKind::combine) {
      in_order = in_order || !combines_in_any_order(output.combine);
      traits.needs_locks = traits.needs_locks || item_size(output.operand.dtype) == 16;
    }
  }
  const bool long_steps = has_long_steps(plan);
  if (in_order) {
    traits.way = MapWay::in_order;
  } else if (!traits.scatters.empty()) {
    traits.way = MapWay::scatter;
  } else if (may_use_packs(plan)) {
    const Widths widths = widths_of(plan);
    traits.way = MapWay::packs;
    traits.pack =
        std::max(16 / widths.largest, std::min(16 / widths.smallest, 32 / widths.largest));
    const int read = std::max(1, widths.read * traits.pack);
    // More loads per thread leave fewer blocks to take turns at memory.
    traits.unroll = std::clamp(16 / read, 1, 4);
    traits.in_turn = long_steps;
  } else {
    traits.unroll = long_steps ? 2 : 4;
    if (stores_rows(plan)) {
      choose_strips(plan, traits);
      choose_tiles(plan, traits, long_steps);
    }
  }
}

std::vector<const char*> map_kernels(const CudaTraits& traits) {
  switch (traits.way) {
    case MapWay::packs:
    case MapWay::tallied:
    case MapWay::masked:
      return {""};
    case MapWay::elements: {
      if (traits.strip == 0) return {""};
      std::vector<const char*> names{"", "_strips"};
      if (traits.short_strip != traits.strip) names.push_back("_short_strips");
      if (traits.across > 0) names.push_back("_strips_across");
      if (traits.interleaved > 0) names.push_back("_interleaved");
      if (traits.tile_rows > 0) names.insert(names.end(), {"_tiles", "_skewed_tiles"});
      return names;
    }
    case MapWay::scatter:
      return {"_small", "_claim", "_store"};
    case MapWay::in_order:
      return {"_in_order"};
    case MapWay::parted:
      return {"_counts", "_sums", "_places"};
    case MapWay::sorted:
      return {"_short_rows_1", "_short_rows_4", "_rows_4", "_rows"};
  }
  __builtin_unreachable();
}

std::vector<const char*> reduce_kernels(const CudaTraits& traits) {
  if (!traits.reorderable) return {"_in_order"};
  std::vector<const char*> names{"_tile_states"};
  if (traits.may_pack_rows) {
    names.insert(names.end(), {"_short_rows_packed", "_rows_packed", "_tiles_packed"});
  }
  if (!traits.may_pack_rows || traits.kept_rank > 0) {
    names.insert(names.end(), {"_short_rows", "_rows", "_tiles"});
  }
  if (traits.may_have_columns) {
    names.insert(names.end(), {"_columns", "_column_states"});
  }
  return names;
}

std::vector<const char*> scan_kernels(const CudaTraits& traits) {
  std::vector<const char*> names{"_in_order"};
  if (!traits.reorderable) return names;
  if (!traits.may_pack_rows || traits.kept_rank > 0) names.push_back("_tiles");
  if (traits.may_pack_rows) names.push_back("_tiles_packed");
  return names;
}

// A thread's registers leave room for so many bytes of values that it holds; less for complex
// numbers, whose functions need many, and much code.
constexpr int kMaxHeldBytes = 512;
constexpr int kMaxHeldComplex = 256;

std::vector<const char*> rows_kernels(const CudaTraits& traits) {
  std::vector<const char*> names;
  const auto add = [&](const char* name, const char* packed) {
    names.push_back(name);
    if (traits.may_pack_rows) names.push_back(packed);
  };
  if (traits.held_quads >= 2) add("_rows_2", "_rows_2_packed");
  if (traits.held_quads >= 4) {
    add("_short_rows_4", "_short_rows_4_packed");
    add("_rows_4", "_rows_4_packed");
  }
  if (traits.held_quads >= 8) {
    add("_short_rows_8", "_short_rows_8_packed");
    add("_rows_8", "_rows_8_packed");
  }
  if (traits.held_quads >= 16) add("_rows_16", "_rows_16_packed");
  if (traits.held_quads < 8) add("_short_rows_again", "_short_rows_again_packed");
  if (traits.held_quads < 16) add("_rows_again", "_rows_again_packed");
  return names;
}

void choose_rows(const KernelPlan& plan, CudaTraits& traits) {
  const RowProgram program = row_program(plan);
  traits.reduces_rows = program.is_reduction;
  if (traits.reduces_rows) {
    traits.state_bytes = 16 * static_cast<int>(program.stages.front().combined.size());
    return;
  }
  const bool has_complex = std::any_of(plan.steps.begin(), plan.steps.end(),
                                       [](const Step& step) { return is_complex(step.dtype); });
  const int most = has_complex ? kMaxHeldComplex : kMaxHeldBytes;
  const int quads = most / (4 * std::max(4, program.held_bytes));
  traits.held_quads = std::min(16, static_cast<int>(std::bit_floor(static_cast<unsigned>(quads))));
  for (const OutputSpec& output : plan.outputs) {
    const OperandSpec& operand = output.operand;
    traits.may_pack_rows |= operand.layout == OperandLayout::contiguous && operand.aligned16;
  }
}

std::vector<const char*> kernels_of(const KernelPlan& plan, const CudaTraits& traits) {
  switch (plan.kind) {
    case PlanKind::map:
      return map_kernels(traits);
    case PlanKind::reduce:
    case PlanKind::arg_reduce:
      return reduce_kernels(traits);
    case PlanKind::scan:
      return scan_kernels(traits);
    case PlanKind::segment_reduce:
      return {traits.reorderable ? "" : "_in_order"};
    case PlanKind::rows:
      return traits.reduces_rows ? reduce_kernels(traits) : rows_kernels(traits);
  }
  __builtin_unreachable();
}

}  // namespace

bool is_loaded(const KernelPlan& plan, std::size_t input) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [input](const Step& step) {
    return step.kind == StepKind::load && step.index == input;
  });
}

bool has_turns(const KernelPlan& plan) {
  return std::any_of(plan.inputs.begin(), plan.inputs.end(),
                     [](const OperandSpec& input) { return input.turned != 0; });
}

bool has_long_steps(const KernelPlan& plan) {
  if (plan.steps.size() > 24) return true;
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const Step& step) {
                       return step.kind == StepKind::ufunc &&
                              (!is_cheap(step.ufunc) || is_complex(step.dtype));
                     }) ||
         std::any_of(plan.calls.begin(), plan.calls.end(),
                     [](const UserStep& call) { return !call.function->is_short; });
}

int strip_unroll(const KernelPlan& plan, int strip) {
  return has_long_steps(plan) ? 1
                              : std::clamp(64 / std::max(1, widths_of(plan).read * strip), 1, 4);
}

bool has_flat_strides(const KernelPlan& plan) {
  if (plan.kind != PlanKind::map || plan.rank < 2 || cuda_traits(plan).tile_rows == 0) return false;
  const auto is_flat = [](const OperandSpec& operand) {
    return operand.layout == OperandLayout::contiguous;
  };
  for (const OutputSpec& output : plan.outputs) {
    if (is_flat(output.operand)) return true;
  }
  return std::any_of(plan.inputs.begin(), plan.inputs.end(), is_flat);
}

OperandLayout effective_layout(const KernelPlan& plan, std::size_t input) {
  const OperandLayout layout = plan.inputs[input].layout;
  const bool by_strides =
      plan.kind == PlanKind::segment_reduce && layout == OperandLayout::contiguous;
  return by_strides ? OperandLayout::strided : layout;
}

CudaTraits cuda_traits(const KernelPlan& plan) {
  CudaTraits traits;
  traits.kept_rank = plan.rank - plan.reduced_rank;
  traits.joins =
      (plan.kind == PlanKind::reduce || plan.kind == PlanKind::arg_reduce) && traits.kept_rank == 0;
  if (plan.kind == PlanKind::map) {
    choose_map_way(plan, traits);
    traits.joins = traits.way == MapWay::packs || traits.way == MapWay::elements;
    for (const OutputSpec& output : plan.outputs) traits.joins &= output.store == StoreKind::plain;
    traits.kernels = kernels_of(plan, traits);
    return traits;
  }
  // The best candidate of arg_reduce does not depend on the order of comparison.
  traits.reorderable = plan.kind == PlanKind::arg_reduce || plan.kind == PlanKind::rows ||
                       plan.combine_index > 0 || ufunc_info(plan.combine).reorderable;
  traits.state_bytes = plan.kind == PlanKind::arg_reduce ? 32 : 16;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (!is_loaded(plan, i) || plan.inputs[i].per_row) continue;
    const OperandLayout layout = effective_layout(plan, i);
    if (layout == OperandLayout::contiguous && plan.inputs[i].aligned16) {
      traits.may_pack_rows = true;
    }
    if (layout == OperandLayout::strided && traits.kept_rank > 0) traits.may_have_columns = true;
  }
  if (plan.kind == PlanKind::scan) traits.may_pack_rows |= is_wide(plan.outputs[0].operand);
  if (plan.kind == PlanKind::rows) choose_rows(plan, traits);
  traits.kernels = kernels_of(plan, traits);
  return traits;
}

}  // namespace cupola
