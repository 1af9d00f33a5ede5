#pragma once
// Any plan with operands to launch it on: random shapes of memory around random values, all from a
// seed. For tests that compare ways to run the same launch.

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "codegen/launch_parts.h"
#include "codegen/plan.h"
#include "core/layout.h"

namespace cupola::testing {

// Runs a launch whose operands are host memory, to its end.
using HostRun = std::function<void(const KernelPlan&, const LaunchArguments&)>;

class SampleLaunch {
 public:
  // segment_reduce: the last extent is the number of segments. `run` counts what masks select.
  SampleLaunch(KernelPlan source, Dims extents, unsigned seed, const HostRun& run)
      : plan(std::move(source)), random_(seed) {
    arguments.extents = std::move(extents);
    elements_ = element_count(arguments.extents);
    for (const DType dtype : plan.scalars) arguments.scalars.push_back(scalar_of(dtype));
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) add_input(i);
    if (plan.kind() == PlanKind::segment_reduce) set_segments();
    for (const OutputSpec& output : plan.outputs) add_output(output);
    const StoreKind store = plan.outputs[0].store;
    if (store == StoreKind::compress || store == StoreKind::expand) set_ends(run);
  }

  KernelPlan plan;
  LaunchArguments arguments;

  // All bytes of the outputs, and of what lies around them.
  std::vector<std::vector<std::byte>> outputs() const {
    std::vector<std::vector<std::byte>> images;
    for (const std::size_t number : of_outputs_) images.push_back(*blocks_[number]);
    return images;
  }
  void reset_outputs(const std::vector<std::vector<std::byte>>& images) {
    for (std::size_t i = 0; i < images.size(); ++i) *blocks_[of_outputs_[i]] = images[i];
  }

  // The same launch where each block of memory is what `place` gives for it.
  template <typename Place>
  LaunchArguments placed(const Place& place) {
    LaunchArguments moved = arguments;
    std::size_t number = 0;
    for (auto* operands : {&moved.inputs, &moved.outputs}) {
      for (OperandArgument& operand : *operands) {
        std::vector<std::byte>& block = *blocks_[number++];
        const auto offset = static_cast<std::byte*>(operand.pointer) - front_of(block);
        operand.pointer =
            static_cast<std::byte*>(place(front_of(block), block.size() - kAlignment)) + offset;
      }
    }
    return moved;
  }

 private:
  static constexpr std::int64_t kLargestNumber = 500;
  static constexpr std::int64_t kMargin = 64;
  static constexpr std::uintptr_t kAlignment = 256;

  std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_);
  }
  static Scalar scalar_of(DType dtype) {
    return dtype == DType::int64 ? Scalar(std::int64_t{1}) : Scalar(2.0).cast(dtype);
  }

  // Aligned; the front of blocks stays where it is.
  static std::byte* front_of(std::vector<std::byte>& block) {
    const auto address = reinterpret_cast<std::uintptr_t>(block.data());
    return block.data() + (kAlignment - address % kAlignment) % kAlignment;
  }
  std::byte* add_block(DType dtype, std::int64_t count) {
    const std::size_t item = item_size(dtype);
    const auto bytes = static_cast<std::size_t>(count + kMargin) * item;
    blocks_.push_back(std::make_unique<std::vector<std::byte>>(bytes + kAlignment));
    std::byte* const front = front_of(*blocks_.back());
    // Few different ones: to convert takes longest.
    std::vector<Scalar> values;
    for (int i = 0; i < 64; ++i) {
      values.push_back(dtype == DType::int64 ? Scalar(below(kLargestNumber))
                                             : Scalar(value_of(dtype)).cast(dtype));
    }
    for (std::size_t i = 0; i < bytes / item; ++i) {
      std::memcpy(front + i * item, values[random_() % values.size()].data(), item);
    }
    return front;
  }
  // Whole where devices may combine in any order: then all orders have the same bits.
  double value_of(DType dtype) {
    const bool combines =
        std::any_of(plan.outputs.begin(), plan.outputs.end(),
                    [](const OutputSpec& output) { return output.store == StoreKind::combine; });
    return is_inexact(dtype) && !combines ? std::uniform_real_distribution<double>(-4, 4)(random_)
                                          : static_cast<double>(below(7));
  }

  // Strides over `extents`, different for each of their dimensions: rows with gaps, or in another
  // order of dimensions.
  Dims strides_over(const Dims& extents, bool may_repeat) {
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    if (below(2) == 0) std::shuffle(order.begin(), order.end(), random_);
    Dims strides(extents.size(), 0);
    std::int64_t stride = below(4) == 0 ? 2 : 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t d = order[i];
      if (may_repeat && below(6) == 0) continue;
      strides[d] = stride;
      stride *= std::max<std::int64_t>(1, extents[d]) + (below(3) == 0 ? below(9) : 0);
    }
    return strides;
  }
  static Dims row_major_over(const Dims& extents) {
    Dims strides(extents.size(), 1);
    for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
    return strides;
  }
  static std::int64_t reach(const Dims& extents, const Dims& strides) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      last += std::max<std::int64_t>(0, extents[d] - 1) * strides[d];
    }
    return last + 1;
  }
  // With a place for each dimension, but for those from `rank` on.
  Dims strides_of(OperandLayout layout, Dims extents, std::size_t rank, bool may_repeat) {
    const Dims kept(std::span(extents.data(), rank));
    Dims strides = layout == OperandLayout::contiguous  ? row_major_over(kept)
                   : layout == OperandLayout::broadcast ? Dims(rank, 0)
                                                        : strides_over(kept, may_repeat);
    strides.resize(extents.size());
    return strides;
  }
  std::size_t kept_rank() const {
    return static_cast<std::size_t>(plan.rank - plan.reduced_rank());
  }

  void add_input(std::size_t i) {
    const OperandSpec& spec = plan.inputs[i];
    if (spec.layout == OperandLayout::indexed) {
      const bool is_table = spec.dtype != DType::int64;
      const std::int64_t count = std::max(elements_, kLargestNumber);
      arguments.inputs.push_back({add_block(spec.dtype, is_table ? count : elements_ + 1), {}});
      return;
    }
    Dims extents = arguments.extents;
    if (plan.kind() == PlanKind::segment_reduce) extents.back() *= kSegment;
    const std::size_t rank = spec.per_row ? kept_rank() : extents.size();
    const Dims strides = strides_of(spec.layout, extents, rank, true);
    const std::int64_t lead = spec.aligned16 ? 0 : below(3);
    std::byte* const front = add_block(spec.dtype, lead + reach(extents, strides));
    const std::int64_t first = lead + (spec.turned != 0 ? turn(i, strides) : 0);
    arguments.inputs.push_back(
        {front + static_cast<std::size_t>(first) * item_size(spec.dtype), strides});
  }
  // Chooses where the input's second pieces begin; gives the place of its first element.
  std::int64_t turn(std::size_t input, const Dims& strides) {
    arguments.turns.resize(plan.inputs.size());
    Dims& turns = arguments.turns[input] = Dims(strides.size(), 0);
    std::int64_t first = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) {
      if (!is_turned_along(plan.inputs[input].turned, static_cast<int>(d))) continue;
      const std::int64_t extent = arguments.extents[d];
      turns[d] = 1 + below(std::max<std::int64_t>(1, extent - 1));
      first += std::max<std::int64_t>(0, extent - turns[d]) * strides[d];
    }
    return first;
  }

  void add_output(const OutputSpec& output) {
    of_outputs_.push_back(blocks_.size());
    const OperandSpec& spec = output.operand;
    if (spec.layout == OperandLayout::indexed) {
      const std::int64_t count = std::max(elements_, kLargestNumber);
      arguments.outputs.push_back({add_block(spec.dtype, count), {}});
      if (output.store == StoreKind::tally) arguments.outputs.back().places = kLargestNumber;
      return;
    }
    const bool reduces = is_reduction(plan.kind());
    const std::size_t rank =
        reduces || spec.per_row ? kept_rank() : static_cast<std::size_t>(plan.rank);
    const Dims strides = strides_of(spec.layout, arguments.extents, rank, false);
    arguments.outputs.push_back(
        {add_block(spec.dtype, reach(arguments.extents, strides)), strides});
  }

  static constexpr std::int64_t kSegment = 40;
  void set_segments() {
    const std::size_t count = arguments.inputs.size();
    auto* first = static_cast<std::int64_t*>(arguments.inputs[count - 2].pointer);
    auto* last = static_cast<std::int64_t*>(arguments.inputs[count - 1].pointer);
    const std::int64_t segments = arguments.extents.back();
    for (std::int64_t s = 0; s < segments; ++s) {
      first[s] = below(segments * kSegment);
      last[s] = std::min(first[s] + below(2 * kSegment), segments * kSegment);
    }
  }

  void set_ends(const HostRun& run) {
    KernelPlan count = plan;
    LaunchArguments counting = arguments;
    auto* ends = static_cast<std::int64_t*>(arguments.inputs.back().pointer);
    OutputSpec& output = count.outputs[0];
    // Where the mask holds, without what is made of ranks.
    count.steps.resize(static_cast<std::size_t>(output.predicate) + 1);
    output = {{DType::int64, OperandLayout::indexed}, output.predicate, StoreKind::count};
    counting.outputs = {{ends, {}}};
    run(count, counting);
    std::partial_sum(ends, ends + mask_tiles(elements_), ends);
  }

  std::mt19937 random_;
  std::int64_t elements_ = 0;
  std::vector<std::unique_ptr<std::vector<std::byte>>> blocks_;  // inputs, then outputs
  std::vector<std::size_t> of_outputs_;
};

// 1 to 5 parts that make up all elements, at random places; some may be empty.
inline std::vector<WorkPart> random_parts(std::int64_t elements, std::mt19937& random) {
  std::vector<std::int64_t> cuts{0, elements};
  for (auto more = random() % 5; more-- > 0;) {
    cuts.push_back(random() % 4 == 0
                       ? cuts[random() % cuts.size()]
                       : std::uniform_int_distribution<std::int64_t>(0, elements)(random));
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<WorkPart> parts;
  for (std::size_t i = 1; i < cuts.size(); ++i) parts.push_back({cuts[i - 1], cuts[i]});
  return parts;
}

}  // namespace cupola::testing
