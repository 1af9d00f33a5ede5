#include "codegen/cuda/cuda_arguments.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/plan_facts.h"
#include "cupola/error.h"

namespace cupola {
namespace {

using cupola_device::Divider32;
using cupola_device::Divider64;
using cupola_device::KernelHeader;
using cupola_device::Tiling;

constexpr std::size_t kScalarBytes = 16;  // size and alignment of a scalar's place

class LayoutBuilder {
 public:
  explicit LayoutBuilder(bool wide) { layout_.wide = wide; }

  void add(CudaFieldKind kind, std::size_t index, int dimension) {
    const auto [bytes, alignment] = size_of(kind);
    at_ = (at_ + alignment - 1) / alignment * alignment;
    layout_.fields.push_back({kind, static_cast<std::uint16_t>(index),
                              static_cast<std::uint16_t>(dimension),
                              static_cast<std::uint16_t>(at_)});
    at_ += bytes;
    alignment_ = std::max(alignment_, alignment);
  }
  CudaArguments take() {
    layout_.bytes = (at_ + alignment_ - 1) / alignment_ * alignment_;
    return std::move(layout_);
  }

 private:
  std::pair<std::size_t, std::size_t> size_of(CudaFieldKind kind) const {
    switch (kind) {
      case CudaFieldKind::extent:
        return layout_.wide ? std::pair(sizeof(Divider64), alignof(Divider64))
                            : std::pair(sizeof(Divider32), alignof(Divider32));
      case CudaFieldKind::tiling:
        return {sizeof(Tiling), alignof(Tiling)};
      case CudaFieldKind::input_stride:
      case CudaFieldKind::output_stride:
      case CudaFieldKind::turn:
      case CudaFieldKind::jump:
      case CudaFieldKind::flat_stride:
        return layout_.wide ? std::pair<std::size_t, std::size_t>(8, 8)
                            : std::pair<std::size_t, std::size_t>(4, 4);
      case CudaFieldKind::input:
      case CudaFieldKind::output:
        return {8, 8};
      case CudaFieldKind::scalar:
        return {kScalarBytes, kScalarBytes};
    }
    __builtin_unreachable();
  }

  CudaArguments layout_;
  std::size_t at_ = sizeof(KernelHeader);
  std::size_t alignment_ = alignof(KernelHeader);
};

template <class Divider, class Word>
void write_divider(Word divisor, std::byte* target) {
  constexpr int kBits = std::numeric_limits<Word>::digits;
  Divider divider{};
  divider.divisor = divisor;
  // Granlund and Montgomery, "Division by invariant integers using multiplication" (1994).
  const int shift = divisor <= 1 ? 0 : std::bit_width(static_cast<Word>(divisor - 1));
  divider.shift = static_cast<Word>(shift);
  if (divisor > 0) {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide kOne = 1;
    const Wide excess = (kOne << shift) - divisor;
    divider.multiplier = static_cast<Word>((excess << kBits) / divisor + 1);
  }
  std::memcpy(target, &divider, sizeof divider);
}

void write_index(std::int64_t value, bool wide, std::byte* target) {
  if (wide) {
    std::memcpy(target, &value, sizeof value);
    return;
  }
  const auto narrow = static_cast<std::int32_t>(value);
  if (narrow != value) {
    throw LaunchError(fmt::format("a stride of {} elements needs a plan with wide_index", value));
  }
  std::memcpy(target, &narrow, sizeof narrow);
}

// Of row-major order.
std::int64_t flat_stride(const Dims& extents, std::size_t dimension) {
  std::int64_t stride = 1;
  for (std::size_t d = dimension + 1; d < extents.size(); ++d) stride *= extents[d];
  return stride;
}

std::size_t seen_dimension(const CudaView& view, std::size_t dimension, int rank) {
  if (view.exchanged < 0) return dimension;
  const auto exchanged = static_cast<std::size_t>(view.exchanged);
  const auto before_last = static_cast<std::size_t>(rank - 2);
  return dimension == exchanged ? before_last : dimension == before_last ? exchanged : dimension;
}

std::string field_type(const KernelPlan& plan, const CudaField& field) {
  switch (field.kind) {
    case CudaFieldKind::extent:
      return plan.wide_index ? "Divider64" : "Divider32";
    case CudaFieldKind::input_stride:
    case CudaFieldKind::output_stride:
    case CudaFieldKind::turn:
    case CudaFieldKind::jump:
    case CudaFieldKind::flat_stride:
      return plan.wide_index ? "long long" : "int";
    case CudaFieldKind::tiling:
      return "Tiling";
    case CudaFieldKind::input:
      return fmt::format("const {}*", cuda_type(plan.inputs[field.index].dtype));
    case CudaFieldKind::output:
      return fmt::format("{}*", cuda_type(plan.outputs[field.index].operand.dtype));
    case CudaFieldKind::scalar:
      return fmt::format("alignas({}) {}", kScalarBytes, cuda_type(plan.scalars[field.index]));
  }
  __builtin_unreachable();
}

}  // namespace

CudaArguments cuda_arguments(const CudaFamily& family) {
  const KernelPlan& plan = family.plan();
  LayoutBuilder builder(plan.wide_index);
  bool any_strided = false;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    builder.add(CudaFieldKind::input, i, 0);
    if (effective_layout(plan, i) != OperandLayout::strided) continue;
    any_strided = true;
    for (int d = 0; d < plan.rank; ++d) builder.add(CudaFieldKind::input_stride, i, d);
    for (int d = 0; d < plan.rank; ++d) {
      if (!is_turned_along(plan.inputs[i].turned, d)) continue;
      builder.add(CudaFieldKind::turn, i, d);
      builder.add(CudaFieldKind::jump, i, d);
    }
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    builder.add(CudaFieldKind::output, i, 0);
    if (plan.outputs[i].operand.layout != OperandLayout::strided) continue;
    any_strided = true;
    for (int d = 0; d < plan.rank; ++d) builder.add(CudaFieldKind::output_stride, i, d);
  }
  for (int d = 1; any_strided && d < plan.rank; ++d) builder.add(CudaFieldKind::extent, 0, d);
  if (family.has_tiles()) {
    builder.add(CudaFieldKind::tiling, 0, 0);
    for (int d = 0; has_contiguous_operands(plan) && d < plan.rank; ++d) {
      builder.add(CudaFieldKind::flat_stride, 0, d);
    }
  }
  for (std::size_t i = 0; i < plan.scalars.size(); ++i) builder.add(CudaFieldKind::scalar, i, 0);
  return builder.take();
}

std::size_t joined_launches(const CudaArguments& arguments) {
  constexpr std::size_t kMax = 16;
  return std::clamp<std::size_t>(kJoinedBytes / arguments.bytes, 1, kMax);
}

std::string field_name(CudaFieldKind kind, int index, int dimension) {
  switch (kind) {
    case CudaFieldKind::extent:
      return fmt::format("extent{}", dimension);
    case CudaFieldKind::input_stride:
      return fmt::format("stride_in{}_{}", index, dimension);
    case CudaFieldKind::output_stride:
      return fmt::format("stride_out{}_{}", index, dimension);
    case CudaFieldKind::turn:
      return fmt::format("turn_in{}_{}", index, dimension);
    case CudaFieldKind::jump:
      return fmt::format("jump_in{}_{}", index, dimension);
    case CudaFieldKind::input:
      return fmt::format("in{}", index);
    case CudaFieldKind::output:
      return fmt::format("out{}", index);
    case CudaFieldKind::scalar:
      return fmt::format("scalar{}", index);
    case CudaFieldKind::flat_stride:
      return fmt::format("stride_flat_{}", dimension);
    case CudaFieldKind::tiling:
      return "tiling";
  }
  __builtin_unreachable();
}

std::string cuda_arguments_text(const KernelPlan& plan, const CudaArguments& arguments) {
  std::string text = "struct Arguments {\n  KernelHeader header;\n";
  for (const CudaField& field : arguments.fields) {
    text += fmt::format("  {} {};\n", field_type(plan, field),
                        field_name(field.kind, field.index, field.dimension));
  }
  text +=
      fmt::format("}};\nstatic_assert(sizeof(Arguments) == {}, \"layout\");\n", arguments.bytes);
  return text;
}

void pack_cuda_arguments(const CudaArguments& layout, const LaunchArguments& launch,
                         const KernelHeader& header, const CudaView& view, std::byte* target) {
  std::memcpy(target, &header, sizeof header);
  for (const CudaField& field : layout.fields) {
    std::byte* place = target + field.offset;
    const std::size_t dimension = seen_dimension(view, field.dimension, launch.extents.rank());
    switch (field.kind) {
      case CudaFieldKind::extent:
        if (layout.wide) {
          write_divider<Divider64>(static_cast<unsigned long long>(launch.extents[dimension]),
                                   place);
        } else {
          write_divider<Divider32>(static_cast<unsigned int>(launch.extents[dimension]), place);
        }
        break;
      case CudaFieldKind::input_stride:
        write_index(launch.inputs[field.index].strides[dimension], layout.wide, place);
        break;
      case CudaFieldKind::output_stride:
        write_index(launch.outputs[field.index].strides[dimension], layout.wide, place);
        break;
      case CudaFieldKind::turn:
        write_index(launch.turns[field.index][dimension], layout.wide, place);
        break;
      case CudaFieldKind::jump:
        write_index(-launch.extents[dimension] * launch.inputs[field.index].strides[dimension],
                    layout.wide, place);
        break;
      case CudaFieldKind::input:
        std::memcpy(place, &launch.inputs[field.index].pointer, sizeof(void*));
        break;
      case CudaFieldKind::output:
        std::memcpy(place, &launch.outputs[field.index].pointer, sizeof(void*));
        break;
      case CudaFieldKind::scalar:
        std::memcpy(place, launch.scalars[field.index].data(), kScalarBytes);
        break;
      case CudaFieldKind::flat_stride:
        write_index(flat_stride(launch.extents, dimension), layout.wide, place);
        break;
      case CudaFieldKind::tiling:
        std::memcpy(place, &view.tiling, sizeof view.tiling);
        break;
    }
  }
}

}  // namespace cupola
