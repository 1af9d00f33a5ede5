#include "codegen/cuda/families/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_steps.h"
#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/row_text.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

constexpr std::uint64_t kColumns = 64;       // per block, as in device/kernel_reduce.cuh
constexpr std::uint64_t kColumnTiles = 256;  // parts of a long column, at most

std::string order_text(const KernelPlan& plan) {
  const DType value = combined_step(plan).dtype;
  const std::array<DType, 2> types{value, value};
  const std::array<std::string, 2> names{"first", "second"};
  const UfuncId before =
      plan.combine()->ufunc == UfuncId::maximum ? UfuncId::greater : UfuncId::less;
  const std::string is_nan = is_inexact(value)
                                 ? cuda_ufunc(UfuncId::isnan, 0, std::span(types).first(1),
                                              std::span(names).first(1), DType::bool_, "result")
                                 : "result = false;";
  return fmt::format(
      "  struct Order {{\n"
      "    CUPOLA_KERNEL_FN bool is_nan({0} first) {{\n      bool result;\n      {1}\n"
      "      return result;\n    }}\n"
      "    CUPOLA_KERNEL_FN bool before({0} first, {0} second) {{\n      bool result;\n"
      "      {2}\n      return result;\n    }}\n  }};\n",
      cuda_type(value), is_nan, cuda_ufunc(before, 0, types, names, DType::bool_, "result"));
}

// Of arg_reduce: the best value so far, and where it is.
RowState searching_state(const KernelPlan& plan) {
  std::string members =
      order_text(plan) +
      fmt::format(
          "  using State = Candidate<{}, Flat>;\n"
          "  static constexpr int kUnroll = {};\n"
          "  CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {{\n"
          "    return better<Order>(first, second);\n  }}\n"
          "  CUPOLA_KERNEL_FN State append(const State& first, const State& second) {{\n"
          "    return better_later<Order>(first, second);\n  }}\n",
          cuda_type(combined_step(plan).dtype), has_long_steps(plan) ? 1 : 3);  // as measured
  return {std::move(members), fmt::format("State{{v{}, r}}", plan.outputs[0].value)};
}

// What becomes of the combined `value`.
std::string finish_steps(const KernelPlan& finish, const std::string& value) {
  std::string combined;
  if (!finish.inputs.empty()) {
    const std::string_view type = cuda_type(finish.inputs[0].dtype);
    combined =
        fmt::format("    struct {{ {} in0; }} x;\n    x.in0 = cast<{}>({});\n", type, type, value);
  }
  return combined + cuda_steps(finish, "    ");
}

}  // namespace

Reduce::Reduce(const KernelPlan& plan)
    : RowFamily(plan), state_bytes_(plan.kind() == PlanKind::arg_reduce ? 32 : 16) {
  // The best candidate of arg_reduce does not depend on the order of comparison.
  reorderable_ = plan.kind() != PlanKind::reduce || is_reorderable(plan);
  const int kept = kept_rank(plan);
  joins_ = plan.kind() != PlanKind::rows && kept == 0;
  if (!reorderable_) {
    kernels_ = {"_in_order"};
    return;
  }
  kernels_ = {"_tile_states"};
  if (may_load_quads_) {
    kernels_.insert(kernels_.end(), {"_short_rows_packed", "_rows_packed", "_tiles_packed"});
  }
  if (!may_load_quads_ || kept > 0) {
    kernels_.insert(kernels_.end(), {"_short_rows", "_rows", "_tiles"});
  }
  if (may_have_columns_) kernels_.insert(kernels_.end(), {"_columns", "_column_states"});
}

std::string Reduce::body() const {
  if (plan_.kind() == PlanKind::arg_reduce) {
    return row_text(plan_, searching_state(plan_)) +
           finish_text(plan_, kept_rank(plan_), "", "static_cast<long long>(state.position)");
  }
  const ReducePlan& reduce = std::get<ReducePlan>(plan_.own);
  std::string value = starts_from_zero(reduce.combine) ? "combine(State{}, state)" : "state";
  std::string steps;
  if (!reduce.finish.empty()) {
    steps = finish_steps(finish_plan(plan_), value);
    value = fmt::format("v{}", reduce.finish_value);
  }
  return row_text(plan_, combining_state(plan_)) +
         finish_text(plan_, kept_rank(plan_), steps, value);
}

std::string Reduce::skeleton(std::string_view suffix) const {
  constexpr std::string_view kPacked = "_packed";
  if (suffix == "_in_order" || suffix == "_tile_states" || suffix == "_columns" ||
      suffix == "_column_states") {
    return fmt::format("reduce{}<Body>", suffix);
  }
  const bool packed = suffix.ends_with(kPacked);
  if (packed) suffix.remove_suffix(kPacked.size());
  return fmt::format("reduce{}<Body, {}>", suffix, packed);
}

void Reduce::add_stages(StageBuilder& stages) const {
  const std::uint64_t kept = stages.kept(), length = stages.length();
  if (!reorderable_) return stages.add("_in_order", ceil_div(kept, kCudaBlock));
  if (is_outer(stages)) return add_columns(stages);
  const bool packed = loads_quads(stages);
  if (length <= kShortRow) {
    const std::uint64_t lanes = lanes_of_short_row(stages);
    stages.header().lanes = static_cast<unsigned int>(lanes);
    return stages.add(packed ? "_short_rows_packed" : "_short_rows",
                      ceil_div(kept, kCudaBlock / lanes));
  }
  if (length <= kRowTile) return stages.add(packed ? "_rows_packed" : "_rows", kept);
  const std::uint64_t tiles = ceil_div(length, kRowTile);
  stages.header().tiles = tiles;
  stages.header().tile = kRowTile;
  keep_states(stages, kept * tiles);
  stages.add(packed ? "_tiles_packed" : "_tiles", kept * tiles);
  stages.add("_tile_states", kept, CudaParts::none);
}

void Reduce::add_columns(StageBuilder& stages) const {
  const std::uint64_t kept = stages.kept(), length = stages.length();
  const std::uint64_t tile = std::max(std::clamp<std::uint64_t>(ceil_div(length, 16), 256, 1024),
                                      ceil_div(length, kColumnTiles));
  const std::uint64_t tiles = ceil_div(length, tile);
  stages.header().tile = tile;
  stages.header().tiles = tiles;
  // Tiles lie one after the other in memory, columns beside each other.
  stages.add("_columns", ceil_div(kept, kColumns), tiles,
             tiles == 1 ? CudaParts::along_x : CudaParts::along_y, 1);
  if (tiles == 1) return;
  keep_states(stages, kept * tiles);
  stages.add("_column_states", ceil_div(kept, kCudaBlock), CudaParts::none);
}

void Reduce::keep_states(StageBuilder& stages, std::uint64_t count) const {
  stages.launch.scratch_bytes = count * static_cast<std::uint64_t>(state_bytes_);
}

std::unique_ptr<const CudaFamily> reduce_family(const KernelPlan& plan) {
  return std::make_unique<Reduce>(plan);
}

}  // namespace cupola
