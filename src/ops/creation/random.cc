#include "cupola/ops/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/mutant.h"
#include "cupola/error.h"
#include "exec/evaluation/deferral.h"
#include "graph/node.h"
#include "ops/creation/random_at_call.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

Device device_of(const RandomTarget& target) {
  if (!target.out.has_value()) return device_or_current(target.device);
  const Device device = target.device ? device_or_current(target.device) : target.out.device();
  check_output(target.out, device);
  if (target.out.shape() != target.shape) {
    throw ValueError(fmt::format("output array has shape {}, the numbers have shape {}",
                                 to_string(target.out.shape()), to_string(target.shape)));
  }
  return device;
}

Array random_constant(std::uint64_t value, const Device& device) {
  return make_scalar(Scalar(value), {}, device);
}

// The row of the table over the positions of the shape.
Array numbers(UfuncId ufunc, const RandomDraw& draw, const Dims& shape, const Device& device) {
  Array result = make_ufunc(ufunc, {make_index(shape, device), random_constant(draw.key, device),
                                    random_constant(draw.number, device)});
  lay_out(result, c_strides(shape));
  return result;
}

Array drawn(UfuncId single, UfuncId twice, DType wide, const RandomDraw& draw, DType dtype,
            const RandomTarget& target) {
  const UfuncId ufunc = dtype == wide ? twice : single;
  if (ufunc_info(ufunc).loops[0].output(0) != dtype) {
    throw TypeError(fmt::format("Unsupported dtype {} for random numbers of this kind: {} or {}",
                                name_of(dtype), name_of(ufunc_info(single).loops[0].output(0)),
                                name_of(wide)));
  }
  const Device device = device_of(target);
  if (!target.out.has_value()) {
    if (Array now = DrawAtCall(ufunc, draw, device).run(target.shape); now.has_value()) return now;
  }
  return finish(numbers(ufunc, draw, target.shape, device), target.out);
}

// Whether the numbers of a draw depend on numbers alone.
bool are_numbers(std::span<const Operand> operands) {
  return std::ranges::none_of(operands, [](const Operand& operand) { return operand.is_array(); });
}

// Of streams of random bits and numbers, of few elements. No array: they are to wait.
Array sampled_at_call(UfuncId ufunc, const RandomDraw& draw, std::span<const Operand> parameters,
                      const Dims& shape, const Device& device) {
  std::vector<Scalar> numbers;
  for (const Operand& parameter : parameters) numbers.push_back(parameter.scalar());
  return DrawAtCall(UfuncId::random_uint64, draw, device).apply(ufunc, numbers).run(shape);
}

// Of streams of random bits and parameters that broadcast to the shape.
Array sampled(UfuncId ufunc, const RandomDraw& draw, std::span<const Operand> parameters,
              const RandomTarget& target) {
  const Device device = device_of(target);
  if (!target.out.has_value() && are_numbers(parameters)) {
    Array now = sampled_at_call(ufunc, draw, parameters, target.shape, device);
    if (now.has_value()) return now;
  }
  const UfuncLoop& loop = ufunc_info(ufunc).loops[0];
  std::vector<Array> inputs{numbers(UfuncId::random_uint64, draw, target.shape, device)};
  for (const Operand& parameter : parameters) {
    inputs.push_back(as_node(parameter, loop.input(static_cast<int>(inputs.size())), device));
  }
  Array result = make_ufunc(ufunc, loop, std::move(inputs)).front();
  if (result.shape() != target.shape) {
    throw ValueError(fmt::format("parameters of shape {} do not broadcast to shape {}",
                                 to_string(result.shape()), to_string(target.shape)));
  }
  return finish(result, target.out);
}

// The draws that follow each other in integers of 128 bits.
RandomDraw further(const RandomDraw& draw) {
  if (CUPOLA_MUTANT(repeat_random_bits)) return draw;
  return {draw.key, draw.number | std::uint64_t{1} << 63};
}

// An integer of any sign modulo 2^64.
Operand modular(const Operand& operand) {
  if (operand.is_array() || operand.scalar().dtype() == DType::uint64) return operand;
  const auto value = operand.scalar().cast(DType::int64).get<std::int64_t>();
  return Scalar(static_cast<std::uint64_t>(value));
}

bool is_small(const Operand& count) {
  if (count.is_array()) return false;
  const auto value = modular(count).scalar().get<std::uint64_t>();
  return value != 0 && value <= std::uint64_t{1} << 32;
}

// (bits * count) / 2^128, bits being 128 random ones; where the count is 0 the upper 64 of them.
Array scaled_wide(const Array& high, const Array& low, const Array& count) {
  const Array product = make_ufunc(UfuncId::multiply, {high, count});
  const Array rest =
      make_ufunc(UfuncId::add, {product, make_ufunc(UfuncId::multiply_high, {low, count})});
  const Array carry = make_cast(make_ufunc(UfuncId::less, {rest, product}), DType::uint64);
  const Array scaled =
      make_ufunc(UfuncId::add, {make_ufunc(UfuncId::multiply_high, {high, count}), carry});
  const Array is_all = make_ufunc(UfuncId::equal, {count, random_constant(0, count.device())});
  return make_select(is_all, high, scaled);
}

// Of few elements. No array: they are to wait.
Array integers_at_call(const RandomDraw& draw, const Operand& low, const Operand& count,
                       DType dtype, const Dims& shape, const Device& device) {
  const Scalar many = modular(count).scalar(), first = modular(low).scalar();
  return DrawAtCall(UfuncId::random_uint64, draw, device)
      .apply(UfuncId::multiply_high, {&many, 1})
      .apply(UfuncId::add, {&first, 1})
      .cast(dtype)
      .run(shape);
}

}  // namespace

Array random_bits(const RandomDraw& draw, DType dtype, const RandomTarget& target) {
  return drawn(UfuncId::random_uint32, UfuncId::random_uint64, DType::uint64, draw, dtype, target);
}

Array random_uniform(const RandomDraw& draw, DType dtype, const RandomTarget& target) {
  return drawn(UfuncId::random_float32, UfuncId::random_float64, DType::float64, draw, dtype,
               target);
}

Array random_normal(const RandomDraw& draw, DType dtype, const RandomTarget& target) {
  return drawn(UfuncId::normal_float32, UfuncId::normal_float64, DType::float64, draw, dtype,
               target);
}

Array random_exponential(const RandomDraw& draw, DType dtype, const RandomTarget& target) {
  return drawn(UfuncId::exponential_float32, UfuncId::exponential_float64, DType::float64, draw,
               dtype, target);
}

Array random_integers(const RandomDraw& draw, const Operand& low, const Operand& count, DType dtype,
                      const RandomTarget& target) {
  if (!is_integer(dtype) && dtype != DType::bool_) {
    throw TypeError(fmt::format("Unsupported dtype {} for integers", name_of(dtype)));
  }
  const Device device = device_of(target);
  if (!target.out.has_value() && !low.is_array() && is_small(count)) {
    Array now = integers_at_call(draw, low, count, dtype, target.shape, device);
    if (now.has_value()) return now;
  }
  const Array high = numbers(UfuncId::random_uint64, draw, target.shape, device);
  const Array counted = as_node(modular(count), DType::uint64, device);
  Array value;
  if (is_small(count)) {
    value = make_ufunc(UfuncId::multiply_high, {high, counted});
  } else {
    const Array more = numbers(UfuncId::random_uint64, further(draw), target.shape, device);
    value = scaled_wide(high, more, counted);
  }
  value = make_ufunc(UfuncId::add, {value, as_node(modular(low), DType::uint64, device)});
  if (value.shape() != target.shape) {
    throw ValueError(fmt::format("bounds of shape {} do not broadcast to shape {}",
                                 to_string(value.shape()), to_string(target.shape)));
  }
  return finish(make_cast(value, dtype), target.out);
}

Array random_gamma(const RandomDraw& draw, const Operand& shape, const RandomTarget& target) {
  return sampled(UfuncId::random_gamma, draw, std::array<Operand, 1>{shape}, target);
}

Array random_log_gamma(const RandomDraw& draw, const Operand& shape, const RandomTarget& target) {
  return sampled(UfuncId::random_log_gamma, draw, std::array<Operand, 1>{shape}, target);
}

Array random_vonmises(const RandomDraw& draw, const Operand& kappa, const RandomTarget& target) {
  return sampled(UfuncId::random_vonmises, draw, std::array<Operand, 1>{kappa}, target);
}

Array random_poisson(const RandomDraw& draw, const Operand& mean, const RandomTarget& target) {
  return sampled(UfuncId::random_poisson, draw, std::array<Operand, 1>{mean}, target);
}

Array random_binomial(const RandomDraw& draw, const Operand& n, const Operand& p,
                      const RandomTarget& target) {
  return sampled(UfuncId::random_binomial, draw, std::array<Operand, 2>{n, p}, target);
}

Array random_hypergeometric(const RandomDraw& draw, const Operand& balls, const Operand& sample,
                            const RandomTarget& target) {
  return sampled(UfuncId::random_hypergeometric, draw, std::array<Operand, 2>{balls, sample},
                 target);
}

Array random_zipf(const RandomDraw& draw, const Operand& a, const RandomTarget& target) {
  return sampled(UfuncId::random_zipf, draw, std::array<Operand, 1>{a}, target);
}

Array random_logseries(const RandomDraw& draw, const Operand& p, const RandomTarget& target) {
  return sampled(UfuncId::random_logseries, draw, std::array<Operand, 1>{p}, target);
}

Array portable_exp(const Array& a) {
  return finish(make_ufunc(UfuncId::portable_exp, {make_cast(a, DType::float64)}), {});
}

}  // namespace cupola
