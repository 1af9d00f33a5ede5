#include "codegen/cuda/cuda_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/mutant.h"
#include "codegen/cuda/cuda_arguments.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/cuda/cuda_launch.h"
#include "codegen/cuda/cuda_text_body.h"
#include "codegen/cuda/cuda_traits.h"
#include "codegen/user/user_function.h"

namespace cupola {
namespace {

constexpr std::string_view kEntry = "cupola_kernel";

std::string_view skeleton_header(const KernelPlan& plan, const CudaTraits& traits) {
  switch (plan.kind) {
    case PlanKind::map:
      if (traits.way == MapWay::tallied) return "kernel_tally.cuh";
      if (traits.way == MapWay::masked) return "kernel_mask.cuh";
      if (traits.way == MapWay::parted) return "kernel_partition.cuh";
      if (traits.way == MapWay::sorted) return "kernel_sort.cuh";
      for (const OutputSpec& output : plan.outputs) {
        if (output.store != StoreKind::plain) return "kernel_scatter.cuh";
      }
      if (traits.tile_rows > 0) return "kernel_tiles.cuh";
      if (traits.strip > 0 && has_turns(plan)) return "kernel_turned.cuh";
      return traits.strip > 0 ? "kernel_strided.cuh" : "kernel_map.cuh";
    case PlanKind::reduce:
    case PlanKind::arg_reduce:
      return "kernel_reduce.cuh";
    case PlanKind::scan:
    case PlanKind::segment_reduce:
      return "kernel_scan.cuh";
    case PlanKind::rows:
      return "kernel_rows.cuh";
  }
  __builtin_unreachable();
}

std::string strip_skeleton(const KernelPlan& plan, int strip) {
  return fmt::format("map_strips<Body, {}, {}>", strip, strip_unroll(plan, strip));
}

std::string tile_skeleton(const CudaTraits& traits, std::string_view name) {
  const int packs =
      traits.tile_rows * traits.tile_columns / traits.tile_pack / static_cast<int>(kCudaBlock);
  return fmt::format("{}<Body, {}, {}>", name, traits.tile_pack,
                     std::min(packs, traits.tile_unroll));
}

std::string mask_skeleton(const KernelPlan& plan, const CudaTraits& traits) {
  const bool counts = plan.outputs[0].store == StoreKind::count;
  return fmt::format("{}<Body, {}>",
                     !counts           ? "rank_elements"
                     : traits.pack > 1 ? "count_packs"
                                       : "count_elements",
                     traits.unroll);
}

// The skeleton that kernel `suffix` instantiates.
std::string map_skeleton(const KernelPlan& plan, const CudaTraits& traits,
                         std::string_view suffix) {
  if (traits.way == MapWay::masked) return mask_skeleton(plan, traits);
  if (traits.way == MapWay::tallied) return fmt::format("tally_elements<Body, {}>", traits.unroll);
  if (suffix == "_counts") return "count_bins<Body>";
  if (suffix == "_sums") return "sum_bins<Body>";
  if (suffix == "_places") return "part_rows<Body>";
  if (suffix == "_short_rows_1") return "sort_short_rows<Body, 1>";
  if (suffix == "_short_rows_4") return "sort_short_rows<Body, 4>";
  if (suffix == "_rows_4") return "sort_rows<Body, 4>";
  if (suffix == "_rows") return fmt::format("sort_rows<Body, {}>", traits.items);
  if (suffix == "_small") return "scatter_small<Body>";
  if (suffix == "_claim") return "scatter_claim<Body>";
  if (suffix == "_store") return "scatter_store<Body>";
  if (suffix == "_in_order") return "map_in_order<Body>";
  if (suffix == "_strips") return strip_skeleton(plan, traits.strip);
  if (suffix == "_short_strips") return strip_skeleton(plan, traits.short_strip);
  if (suffix == "_strips_across") {
    return fmt::format("map_strips<Body, {}, {}, true>", traits.across,
                       strip_unroll(plan, traits.across));
  }
  if (suffix == "_interleaved") {
    return fmt::format("map_interleaved<Body, {}, {}>", traits.interleaved, kInterleavedRows);
  }
  if (suffix == "_tiles") return tile_skeleton(traits, "map_tiles");
  if (suffix == "_skewed_tiles") return tile_skeleton(traits, "map_skewed_tiles");
  if (traits.in_turn) return "map_packs_in_turn<Body>";
  return fmt::format("{}<Body, {}>", traits.way == MapWay::packs ? "map_packs" : "map_elements",
                     traits.unroll);
}

std::string reduce_skeleton(std::string_view suffix) {
  constexpr std::string_view kPacked = "_packed";
  if (suffix == "_in_order" || suffix == "_tile_states" || suffix == "_columns" ||
      suffix == "_column_states") {
    return fmt::format("reduce{}<Body>", suffix);
  }
  const bool packed = suffix.ends_with(kPacked);
  if (packed) suffix.remove_suffix(kPacked.size());
  return fmt::format("reduce{}<Body, {}>", suffix, packed);
}

// "_rows_8_packed", "_short_rows_again".
std::string rows_skeleton(std::string_view suffix) {
  constexpr std::string_view kPacked = "_packed", kAgain = "_again";
  const bool packed = suffix.ends_with(kPacked);
  if (packed) suffix.remove_suffix(kPacked.size());
  if (suffix.ends_with(kAgain)) return fmt::format("compute{}<Body, {}>", suffix, packed);
  const std::size_t number = suffix.rfind('_');
  return fmt::format("compute{}<Body, {}, {}>", suffix.substr(0, number), suffix.substr(number + 1),
                     packed);
}

std::string scan_skeleton(std::string_view suffix) {
  if (suffix == "_tiles") return "scan_tiles<Body, false>";
  if (suffix == "_tiles_packed") return "scan_tiles<Body, true>";
  return "scan_in_order<Body>";
}

std::string skeleton(const KernelPlan& plan, const CudaTraits& traits, std::string_view suffix) {
  switch (plan.kind) {
    case PlanKind::map:
      return map_skeleton(plan, traits, suffix);
    case PlanKind::reduce:
    case PlanKind::arg_reduce:
      return reduce_skeleton(suffix);
    case PlanKind::scan:
      return scan_skeleton(suffix);
    case PlanKind::segment_reduce:
      return suffix.empty() ? "reduce_segments<Body>" : "reduce_segments_in_order<Body>";
    case PlanKind::rows:
      return traits.reduces_rows ? reduce_skeleton(suffix) : rows_skeleton(suffix);
  }
  __builtin_unreachable();
}

std::string body(const KernelPlan& plan, const CudaTraits& traits) {
  if (plan.kind == PlanKind::map) return cuda_map_body(plan, traits);
  if (plan.kind == PlanKind::rows) return cuda_row_program_body(plan, traits);
  return cuda_row_body(plan, traits);
}

// The compiler keeps to registers that so many threads have; what holds many elements in each, and
// waits for memory and for other threads, needs some blocks on a multiprocessor at one time.
std::string launch_bounds(const CudaTraits& traits, std::string_view suffix) {
  if (CUPOLA_MUTANT(fixed_blocks)) return "";
  int blocks = 0;
  if (traits.way == MapWay::parted && suffix == "_places") blocks = traits.items == 8 ? 3 : 2;
  if (traits.way == MapWay::sorted && suffix == "_rows") blocks = 3;
  if (blocks == 0) return fmt::format("__launch_bounds__({})", traits.threads);
  return fmt::format("__launch_bounds__({}, {})", traits.threads, blocks);
}

// How the kernels of a kind are called, and what they hand on.
struct Signature {
  std::string_view name_end;
  std::string_view parameter;
  std::string_view arguments;  // one launch's
};

std::string kernel(const KernelPlan& plan, const CudaTraits& traits, std::string_view suffix,
                   const Signature& signature) {
  return fmt::format(
      "extern \"C\" __global__ void {}\n"
      "{}{}{}(const __grid_constant__ {}) {{\n"
      "  using cupola_device::Body;\n"
      "  cupola_device::{}({});\n}}\n#endif\n",
      launch_bounds(traits, suffix), kEntry, suffix, signature.name_end, signature.parameter,
      skeleton(plan, traits, suffix), signature.arguments);
}

// Each launch has blocks of its own along z.
std::string joined_kernels(const KernelPlan& plan, const CudaTraits& traits, std::size_t most) {
  std::string text;
  std::size_t number = traits.kernels.size();
  for (const char* suffix : traits.kernels) {
    text += fmt::format(
        "#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == {}\n"
        "struct cupola_launches {{ cupola_device::Arguments each[{}]; }};\n",
        number++, most);
    text +=
        kernel(plan, traits, suffix, {"_joined", "cupola_launches all", "all.each[blockIdx.z]"});
  }
  return text;
}

}  // namespace

std::string cuda_plan_text(const KernelPlan& plan) {
  const CudaTraits traits = cuda_traits(plan);
  std::string text = user_declarations(plan) + "namespace cupola_device {\n";
  const CudaArguments arguments = cuda_arguments(plan);
  text += cuda_arguments_text(plan, arguments);
  text += "struct Body {\n" + cuda_common_body(plan);
  text += body(plan, traits);
  text += "};\n}  // namespace cupola_device\n";
  int number = 0;
  for (const char* suffix : traits.kernels) {
    text += fmt::format("#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == {}\n", number++);
    text += kernel(plan, traits, suffix, {"", "cupola_device::Arguments p", "p"});
  }
  if (traits.joins) text += joined_kernels(plan, traits, joined_launches(arguments));
  return text + user_definitions(plan);
}

CudaCode cuda_code(const KernelPlan& plan) {
  std::vector<std::string_view> roots = cuda_math_headers(plan);
  for (const std::string_view header : user_headers(plan)) roots.push_back(header);
  roots.push_back(skeleton_header(plan, cuda_traits(plan)));
  CudaCode code;
  code.key = plan_key(plan);
  code.plan = plan;
  code.text = cuda_header_text(roots) + cuda_plan_text(plan);
  code.entry = kEntry;
  return code;
}

}  // namespace cupola
