#include "ops/creation/random_at_call.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/array_state.h"
#include "core/layout.h"
#include "driver/registry.h"
#include "exec/host/host_result.h"

namespace cupola {

namespace {

constexpr std::size_t kBlock = 256;     // elements, whose operands stay in the first cache
constexpr std::size_t kMaxNumbers = 2;  // beside the value
using Block = std::array<std::uint64_t, kBlock>;

// As elements of the number's dtype, which has up to 8 bytes.
void repeat(const Scalar& number, std::size_t count, Block& block) {
  const std::size_t item = item_size(number.dtype());
  auto* to = reinterpret_cast<std::byte*>(block.data());
  const auto* from = static_cast<const std::byte*>(number.data());
  for (std::size_t i = 0; i < count; ++i, to += item) std::copy_n(from, item, to);
}

}  // namespace

DrawAtCall::DrawAtCall(UfuncId bits, const RandomDraw& draw, const Device& device)
    : draw_(draw), device_(device), dtype_(ufunc_info(bits).loops[0].output(0)) {
  steps_.push_back({host_loop_of(bits, ufunc_info(bits).loops[0]), {}});
}

HostLoop DrawAtCall::host_loop_of(UfuncId ufunc, const UfuncLoop& loop) const {
  return driver(device_).host_loop(ufunc, loop.types.data(), std::nullopt);
}

DrawAtCall& DrawAtCall::apply(UfuncId ufunc, std::span<const Scalar> numbers) {
  const auto takes = [this](const UfuncLoop& loop) { return loop.input(0) == dtype_; };
  const UfuncLoop& loop = *std::ranges::find_if(ufunc_info(ufunc).loops, takes);
  std::vector<Scalar> cast;
  for (const Scalar& number : numbers) {
    cast.push_back(number.cast(loop.input(static_cast<int>(cast.size()) + 1)));
  }
  steps_.push_back({host_loop_of(ufunc, loop), std::move(cast)});
  dtype_ = loop.output(0);
  return *this;
}

DrawAtCall& DrawAtCall::cast(DType dtype) {
  if (dtype != dtype_) steps_.push_back({driver(device_).host_cast(dtype_, dtype), {}});
  dtype_ = dtype;
  return *this;
}

Array DrawAtCall::run(const Dims& shape) const {
  const bool has_loops =
      std::ranges::all_of(steps_, [](const Step& step) { return step.loop != nullptr; });
  Array result = has_loops ? array_at_call(dtype_, shape, device_) : Array();
  if (!result.has_value()) return {};
  const auto count = static_cast<std::size_t>(element_count(shape));
  const std::size_t most = std::min(count, kBlock);
  Block positions, keys, draws, values[2];
  std::fill_n(keys.begin(), most, draw_.key);
  std::fill_n(draws.begin(), most, draw_.number);
  std::array<Block, kMaxNumbers> numbers;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = std::min(kBlock, count - begin);
    for (std::size_t i = 0; i < size; ++i) positions[i] = begin + i;
    std::array<const void*, 3> inputs{positions.data(), keys.data(), draws.data()};
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      void* const to = s + 1 < steps_.size()
                           ? static_cast<void*>(values[s % 2].data())
                           : static_cast<char*>(pointer_of(result)) + begin * item_size(dtype_);
      for (std::size_t n = 0; n < steps_[s].numbers.size(); ++n) {
        repeat(steps_[s].numbers[n], size, numbers[n]);
        inputs[n + 1] = numbers[n].data();
      }
      steps_[s].loop(inputs.data(), to, static_cast<std::int64_t>(size));
      inputs[0] = to;
    }
  }
  return result;
}

}  // namespace cupola
