#include "codegen/cuda/families/strided_walk.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

constexpr std::int64_t kSector = 32;     // bytes that memory gives at once
constexpr std::int64_t kLine = 128;      // bytes of the first-level cache
constexpr std::int64_t kLongRow = 256;   // strips for all threads of a block
constexpr std::int64_t kSmallSide = 32;  // extents below it leave tiles half empty

// The address counted in elements; nothing where elements lie across such places.
std::optional<std::uintptr_t> place_of(const OperandArgument& operand, std::size_t item) {
  const auto address = reinterpret_cast<std::uintptr_t>(operand.pointer);
  if (address % item != 0) return {};
  return address / item;
}

std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

bool is_multiple(std::int64_t value, std::int64_t of) { return value % of == 0; }

class Walk {
 public:
  Walk(const KernelPlan& plan, const StridedSizes& sizes, const LaunchArguments& arguments)
      : plan_(plan), sizes_(sizes), arguments_(arguments), last_(arguments.extents.size() - 1) {}

  std::optional<StripWalk> strips() const {
    if (has_wide_steps()) return {};
    if (!has_steps()) {
      if (const auto walk = strips_of(sizes_.strip)) return walk;
    }
    return strips_of(sizes_.short_strip);
  }

  std::optional<unsigned int> interleaved() const {
    if (last_ == 0 || arguments_.extents[last_] < kLongRow * sizes_.interleaved ||
        !is_multiple(arguments_.extents[last_], sizes_.interleaved) ||
        !stores_all_rows_by(sizes_.interleaved)) {
      return {};
    }
    bool any = false;
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) any = any || has_interleaved_rows(i);
    if (!any) return {};
    unsigned int rows = kInterleavedRows;
    while (!is_multiple(arguments_.extents[last_ - 1], rows)) --rows;
    if (rows == 1) return {};
    return rows;
  }

  std::optional<StripWalk> strips_across() const {
    if (has_wide_steps()) return {};
    const std::optional<unsigned int> lead = common_lead(sizes_.across);
    if (!lead) return {};
    return StripWalk{sizes_.across, *lead};
  }

  std::optional<CudaView> tiles() const {
    const std::optional<std::size_t> across = transposed_dimension();
    if (!across) return {};
    CudaView view;
    view.exchanged = static_cast<int>(*across);
    view.tiling.rows = static_cast<unsigned long long>(arguments_.extents[*across]);
    view.tiling.columns = static_cast<unsigned long long>(arguments_.extents[last_]);
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (!is_strided_input(i) || !runs_along(i, *across)) continue;
      const std::uint64_t bit = std::uint64_t{1} << i;
      view.tiling.staged |= bit;
      const OperandArgument& operand = arguments_.inputs[i];
      const std::size_t bytes = item_size(plan_.inputs[i].dtype);
      if (bytes < 4 && operand.strides[*across] == 1 && place_of(operand, bytes)) {
        view.tiling.runs |= bit;
      }
    }
    return view;
  }

  bool has_vectors(const CudaView& view) const {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      const bool staged = view.tiling.staged >> i & 1;
      if (staged && !has_aligned_vectors(i, static_cast<std::size_t>(view.exchanged))) return false;
    }
    return stores_all_rows_by(sizes_.tile_pack);
  }

  void choose_packs(cupola_device::Tiling& tiling) const {
    const std::int64_t pack = sizes_.tile_pack;
    tiling.packs = 1;
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      if (!lies_as_first(i, pack)) tiling.packs = 0;
    }
    const bool skewed = tiling.packs != 0 && pack > 1 && !stores_all_rows_by(pack);
    tiling.skew = skewed ? static_cast<unsigned int>(pack) : 0;
  }

 private:
  std::int64_t item(std::size_t input) const {
    return static_cast<std::int64_t>(item_size(plan_.inputs[input].dtype));
  }
  bool is_strided_input(std::size_t i) const {
    return plan_.inputs[i].layout == OperandLayout::strided && is_loaded(plan_, i);
  }

  // Whether every multiple of `pack` elements from the front of every row is a multiple of as
  // many from address 0.
  bool stores_rows_by(std::size_t output, std::int64_t pack) const {
    const OperandArgument& operand = arguments_.outputs[output];
    const auto place = place_of(operand, item_size(plan_.outputs[output].operand.dtype));
    if (!place || operand.strides[last_] != 1 || *place % static_cast<std::uintptr_t>(pack) != 0) {
      return false;
    }
    for (std::size_t d = 0; d < last_; ++d) {
      if (arguments_.extents[d] > 1 && !is_multiple(operand.strides[d], pack)) return false;
    }
    return true;
  }

  bool stores_all_rows_by(std::int64_t pack) const {
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      if (!stores_rows_by(i, pack)) return false;
    }
    return true;
  }

  // Whether its rows have no gaps, and multiples of `pack` elements where the first output's have.
  bool lies_as_first(std::size_t output, std::int64_t pack) const {
    const auto place_in = [this](std::size_t i) {
      return place_of(arguments_.outputs[i], item_size(plan_.outputs[i].operand.dtype));
    };
    const auto place = place_in(output), first = place_in(0);
    const Dims& strides = arguments_.outputs[output].strides;
    if (!place || !first || strides[last_] != 1) return false;
    if ((*place - *first) % static_cast<std::uintptr_t>(pack) != 0) return false;
    for (std::size_t d = 0; d < last_; ++d) {
      const std::int64_t apart = strides[d] - arguments_.outputs[0].strides[d];
      if (arguments_.extents[d] > 1 && !is_multiple(apart, pack)) return false;
    }
    return true;
  }

  std::optional<StripWalk> strips_of(int length) const {
    const std::optional<unsigned int> lead = common_lead(length);
    if (!lead || crosses_rows(*lead, length)) return {};
    return StripWalk{length, *lead};
  }

  // The elements that the first strip must lack for all outputs; nothing if there is no such
  // number.
  std::optional<unsigned int> common_lead(int length) const {
    std::optional<unsigned int> lead;
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      const std::optional<unsigned int> found = lead_of(i, length);
      if (!found || (lead && *lead != *found)) return {};
      lead = found;
    }
    return lead;
  }

  // The elements that the first strip must lack for this output; nothing if it has no strips.
  std::optional<unsigned int> lead_of(std::size_t output, int length) const {
    const OperandSpec& spec = plan_.outputs[output].operand;
    if (spec.layout == OperandLayout::contiguous) {
      const auto place = place_of(arguments_.outputs[output], item_size(spec.dtype));
      if (!place) return {};
      return static_cast<unsigned int>(*place % static_cast<unsigned int>(length));
    }
    if (is_multiple(arguments_.extents[last_], length) && stores_rows_by(output, length)) {
      return 0;
    }
    return {};
  }

  // Whether many strips would hold the end of a row.
  bool crosses_rows(unsigned int lead, int length) const {
    const std::int64_t row = arguments_.extents[last_];
    if (last_ == 0 || (lead == 0 && is_multiple(row, length))) return false;
    const auto all = plan_.inputs.size();
    for (std::size_t i = 0; i < all; ++i) {
      if (is_strided_input(i)) return row < 16 * length;
    }
    return false;
  }

  // Whether inputs have gaps along a strip.
  bool has_steps() const {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (is_strided_input(i) && magnitude(arguments_.inputs[i].strides[last_]) > 1) return true;
    }
    return false;
  }

  // Whether the rows of the dimension before the last one lie in the gaps along the last one.
  bool has_interleaved_rows(std::size_t input) const {
    if (!is_strided_input(input)) return false;
    const Dims& strides = arguments_.inputs[input].strides;
    const std::int64_t along = magnitude(strides[last_]), row = magnitude(strides[last_ - 1]);
    return row > 0 && row * arguments_.extents[last_ - 1] <= along && along * item(input) <= kLine;
  }

  // Whether single elements by neighbouring threads share sectors where strips do not.
  bool has_wide_steps() const {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (!is_strided_input(i) || item(i) < 4) continue;
      const std::int64_t stride = magnitude(arguments_.inputs[i].strides[last_]);
      if (stride > 1 && stride * item(i) <= kSector) return true;
    }
    return false;
  }

  // Whether neighbours of the input lie along `dimension`, and those along the last one in
  // different sectors.
  bool runs_along(std::size_t input, std::size_t dimension) const {
    const Dims& strides = arguments_.inputs[input].strides;
    const std::int64_t along = magnitude(strides[dimension]), across = magnitude(strides[last_]);
    return along > 0 && along * item(input) < kSector && along * 4 <= across &&
           across * item(input) >= kSector;
  }

  // Along which most bytes run that do not run along the last dimension.
  std::optional<std::size_t> transposed_dimension() const {
    if (sizes_.tile_rows == 0 || arguments_.extents[last_] < kSmallSide) return {};
    std::array<std::int64_t, kMaxRank> bytes{};
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (!is_strided_input(i)) continue;
      for (std::size_t d = 0; d < last_; ++d) {
        if (arguments_.extents[d] >= kSmallSide && runs_along(i, d)) bytes[d] += item(i);
      }
    }
    const auto most = std::max_element(bytes.begin(), bytes.end());
    if (*most == 0) return {};
    return static_cast<std::size_t>(most - bytes.begin());
  }

  bool has_aligned_vectors(std::size_t input, std::size_t along) const {
    const OperandArgument& operand = arguments_.inputs[input];
    if (operand.strides[along] != 1) return false;
    if (reinterpret_cast<std::uintptr_t>(operand.pointer) % 16 != 0) return false;
    for (std::size_t d = 0; d <= last_; ++d) {
      if (d == along || arguments_.extents[d] == 1) continue;
      if (!is_multiple(operand.strides[d] * item(input), 16)) return false;
    }
    return true;
  }

  const KernelPlan& plan_;
  const StridedSizes& sizes_;
  const LaunchArguments& arguments_;
  std::size_t last_;
};

}  // namespace

std::optional<StripWalk> find_strips(const KernelPlan& plan, const StridedSizes& sizes,
                                     const LaunchArguments& arguments) {
  return Walk(plan, sizes, arguments).strips();
}

std::optional<unsigned int> find_interleaved(const KernelPlan& plan, const StridedSizes& sizes,
                                             const LaunchArguments& arguments) {
  if (sizes.interleaved == 0) return {};
  return Walk(plan, sizes, arguments).interleaved();
}

std::optional<StripWalk> find_strips_across(const KernelPlan& plan, const StridedSizes& sizes,
                                            const LaunchArguments& arguments) {
  if (sizes.across == 0) return {};
  return Walk(plan, sizes, arguments).strips_across();
}

std::optional<CudaView> find_tiles(const KernelPlan& plan, const StridedSizes& sizes,
                                   const LaunchArguments& arguments) {
  if (sizes.tile_rows == 0) return {};
  return Walk(plan, sizes, arguments).tiles();
}

bool have_vectors(const CudaView& view, const KernelPlan& plan, const StridedSizes& sizes,
                  const LaunchArguments& arguments) {
  return Walk(plan, sizes, arguments).has_vectors(view);
}

void choose_packs(CudaView& view, const KernelPlan& plan, const StridedSizes& sizes,
                  const LaunchArguments& arguments) {
  Walk(plan, sizes, arguments).choose_packs(view.tiling);
}

}  // namespace cupola
