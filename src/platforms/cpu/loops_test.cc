#include "platforms/cpu/loops.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/float16.h"
#include "cupola/scalar.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kCount = 333;

using Bytes = std::vector<unsigned char>;

template <typename T>
T sample(std::mt19937& generator, std::size_t i) {
  constexpr double kSpecials[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e-40, 300.0, -300.0};
  const double ordinary = std::uniform_real_distribution<double>(-3, 3)(generator);
  double value = i % 11 == 0 ? kSpecials[i / 11 % std::size(kSpecials)] : ordinary;
  if (i % 53 == 0) value = std::numeric_limits<double>::infinity();
  if (i % 59 == 0) value = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::is_same_v<T, bool>) {
    return generator() % 2 == 0;
  } else if constexpr (std::is_integral_v<T>) {
    return i % 3 == 0 ? static_cast<T>(generator() % 5) : static_cast<T>(generator());
  } else if constexpr (requires { typename T::value_type; }) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(value), static_cast<Part>(ordinary));
  } else {
    return T(static_cast<float>(value));
  }
}

Bytes samples(DType dtype, unsigned seed) {
  Bytes bytes(static_cast<std::size_t>(kCount) * item_size(dtype));
  dispatch_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::mt19937 generator(seed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
      const T value = sample<T>(generator, i + seed);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

// Equal as bits, or both (in some part) NaN.
bool same(DType dtype, const unsigned char* a, const unsigned char* b) {
  if (std::memcmp(a, b, item_size(dtype)) == 0) return true;
  const auto x = Scalar::from_bytes(dtype, a).to_complex();
  const auto y = Scalar::from_bytes(dtype, b).to_complex();
  return (std::isnan(x.real()) || std::isnan(x.imag())) &&
         (std::isnan(y.real()) || std::isnan(y.imag()));
}

// A value must not depend on where in a tile it is computed.
void expect_same_one_by_one(LoopFunction loop, const std::vector<DType>& inputs, DType output,
                            const std::string& name) {
  std::vector<Bytes> values;
  for (const DType dtype : inputs)
    values.push_back(samples(dtype, static_cast<unsigned>(values.size()) + 1));
  const std::size_t size = item_size(output);
  Bytes together(static_cast<std::size_t>(kCount) * size);
  Bytes alone(together.size());
  std::vector<const void*> pointers;
  for (const Bytes& bytes : values) pointers.push_back(bytes.data());
  loop(pointers.data(), together.data(), kCount);
  for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      pointers[k] = values[k].data() + i * item_size(inputs[k]);
    }
    loop(pointers.data(), alone.data() + i * size, 1);
    ASSERT_TRUE(same(output, together.data() + i * size, alone.data() + i * size))
        << name << " element " << i;
  }
}

TEST(Loops, EveryUfuncHasEveryLoopAndValuesDoNotDependOnTheirPlace) {
  for (const UfuncInfo& info : all_ufuncs()) {
    for (std::size_t i = 0; i < info.loops.size(); ++i) {
      const UfuncLoop& loop = info.loops[i];
      for (int result = 0; result < info.output_count; ++result) {
        const LoopFunction function = find_loop(info.id, static_cast<int>(i), result);
        ASSERT_NE(function, nullptr) << info.name;
        std::vector<DType> inputs;
        for (int k = 0; k < info.input_count; ++k) inputs.push_back(loop.input(k));
        expect_same_one_by_one(function, inputs, loop.output(result),
                               std::string(info.name) + " of " + std::string(name_of(inputs[0])));
      }
    }
  }
}

// Against the loop that reads that element again and again.
void expect_one_for_all(UfuncId id, int number, int operand) {
  const UfuncLoop& loop = ufunc_info(id).loops[static_cast<std::size_t>(number)];
  const LoopFunction by_scalar = find_scalar_loop(id, number, operand);
  if (by_scalar == nullptr) return;
  const auto of = static_cast<std::size_t>(operand);
  std::vector<Bytes> values = {samples(loop.input(0), 1), samples(loop.input(1), 2)};
  const std::size_t item = item_size(loop.input(operand)), size = item_size(loop.output(0));
  const void* pointers[2] = {values[0].data(), values[1].data()};
  Bytes expected(static_cast<std::size_t>(kCount) * size), got(expected.size());
  for (std::size_t first = 0; first < 40; ++first) {
    const Bytes one(values[of].data() + first * item, values[of].data() + (first + 1) * item);
    Bytes all;
    for (std::int64_t i = 0; i < kCount; ++i) all.insert(all.end(), one.begin(), one.end());
    pointers[of] = all.data();
    find_loop(id, number, 0)(pointers, expected.data(), kCount);
    pointers[of] = one.data();
    by_scalar(pointers, got.data(), kCount);
    for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
      ASSERT_TRUE(same(loop.output(0), got.data() + i * size, expected.data() + i * size))
          << ufunc_info(id).name << " of " << name_of(loop.input(0)) << " element " << i;
    }
  }
}

TEST(Loops, OneElementStandsForAll) {
  int found = 0;
  for (const UfuncInfo& info : all_ufuncs()) {
    for (int i = 0; info.input_count == 2 && i < static_cast<int>(info.loops.size()); ++i) {
      for (int operand = 0; operand < 2; ++operand) {
        found += find_scalar_loop(info.id, i, operand) != nullptr ? 1 : 0;
        expect_one_for_all(info.id, i, operand);
      }
    }
  }
  EXPECT_GT(found, 400);
  EXPECT_EQ(find_scalar_loop(UfuncId::power, 0, 0), nullptr);
}

// Neighbours share blocks, as far as they have one key and draw.
TEST(Loops, RandomNumbersOfNeighboursAreThoseOfEachAlone) {
  constexpr std::int64_t kMany = 1000;
  std::vector<std::int64_t> positions(kMany);
  std::vector<std::uint64_t> keys(kMany, 11), draws(kMany, 13);
  for (const UfuncInfo& info : all_ufuncs()) {
    if (!is_random(info.id)) continue;
    const LoopFunction loop = find_loop(info.id, 0, 0);
    const std::size_t size = item_size(info.loops[0].output(0));
    // The last ones have blocks on both sides of 2^32.
    for (const std::int64_t start :
         {std::int64_t{0}, std::int64_t{7}, (std::int64_t{1} << 33) - 398,
          (std::int64_t{1} << 34) - 401}) {
      std::iota(positions.begin(), positions.end(), start);
      std::fill(draws.begin() + 700, draws.end(), start % 2 == 0 ? 13 : 14);
      Bytes together(kMany * size), alone(kMany * size);
      const void* inputs[] = {positions.data(), keys.data(), draws.data()};
      loop(inputs, together.data(), kMany);
      for (std::size_t i = 0; i < kMany; ++i) {
        const void* input[] = {&positions[i], &keys[i], &draws[i]};
        loop(input, alone.data() + i * size, 1);
      }
      EXPECT_EQ(together, alone) << info.name << " from " << start;
    }
  }
}

TEST(Loops, CastsAreScalarCasts) {
  for (int from = 0; from < kDTypeCount; ++from) {
    const auto source = static_cast<DType>(from);
    const Bytes values = samples(source, 3);
    for (int to = 0; to < kDTypeCount; ++to) {
      const auto target = static_cast<DType>(to);
      Bytes out(static_cast<std::size_t>(kCount) * item_size(target));
      const void* input = values.data();
      find_cast(source, target)(&input, out.data(), kCount);
      for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
        const Scalar scalar = Scalar::from_bytes(source, values.data() + i * item_size(source));
        const Scalar expected = scalar.cast(target);
        ASSERT_TRUE(same(target, out.data() + i * item_size(target),
                         static_cast<const unsigned char*>(expected.data())))
            << name_of(source) << " " << scalar.to_string() << " to " << name_of(target);
      }
    }
  }
}

TEST(Loops, Float16ConversionsAreExact) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> floats(halves.size());
  const void* input = halves.data();
  find_cast(DType::float16, DType::float32)(&input, floats.data(), 65536);
  std::vector<std::uint16_t> back(halves.size());
  input = floats.data();
  find_cast(DType::float32, DType::float16)(&input, back.data(), 65536);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    Float16 half;
    half.bits = halves[i];
    const auto expected = static_cast<float>(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(floats[i]));
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(floats[i]), std::bit_cast<std::uint32_t>(expected));
      ASSERT_EQ(back[i], halves[i]);
    }
  }
}

// In units of the last place of what is exact; 0 beyond the finite numbers.
template <typename T>
double error_of(T result, long double exact) {
  const T rounded = std::abs(static_cast<T>(exact));
  if (!std::isfinite(rounded)) return 0;
  const T unit = std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded;
  return static_cast<double>(std::abs(result - exact) / unit);
}

template <typename T>
std::vector<T> results_of(UfuncId id, const std::vector<std::vector<T>>& inputs) {
  const std::vector<DType> types(inputs.size(), dtype_of<T>);
  std::vector<const void*> pointers;
  for (const std::vector<T>& values : inputs) pointers.push_back(values.data());
  std::vector<T> results(inputs[0].size());
  find_loop(id, find_loop_number(id, types.data()), 0)(pointers.data(), results.data(),
                                                       static_cast<std::int64_t>(results.size()));
  return results;
}

struct MathCase {
  UfuncId id;
  long double (*exact)(long double);
  double low, high;
};

class MathAccuracy : public ::testing::TestWithParam<MathCase> {
 protected:
  // Largest error in units of the last place.
  template <typename T>
  double largest_error() const {
    std::mt19937_64 generator(5);
    std::uniform_real_distribution<double> distribution(GetParam().low, GetParam().high);
    std::vector<T> values(100000);
    for (T& value : values) value = static_cast<T>(distribution(generator));
    const std::vector<T> results = results_of<T>(GetParam().id, {values});
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const long double exact = GetParam().exact(static_cast<long double>(values[i]));
      worst = std::max(worst, error_of(results[i], exact));
    }
    return worst;
  }
};

TEST_P(MathAccuracy, Float32) { EXPECT_LT(largest_error<float>(), 4.0); }
TEST_P(MathAccuracy, Float64) { EXPECT_LT(largest_error<double>(), 3.0); }

INSTANTIATE_TEST_SUITE_P(
    Functions, MathAccuracy,
    ::testing::Values(
        MathCase{UfuncId::exp, std::exp, -100, 88}, MathCase{UfuncId::exp2, std::exp2, -140, 127},
        MathCase{UfuncId::expm1, std::expm1, -1, 1}, MathCase{UfuncId::expm1, std::expm1, -60, 80},
        MathCase{UfuncId::log, std::log, 0, 4}, MathCase{UfuncId::log, std::log, 0.9, 1.1},
        MathCase{UfuncId::log2, std::log2, 0, 4}, MathCase{UfuncId::log10, std::log10, 0, 4},
        MathCase{UfuncId::log1p, std::log1p, -0.9, 1}, MathCase{UfuncId::sin, std::sin, -7, 7},
        MathCase{UfuncId::sin, std::sin, -1e6, 1e6}, MathCase{UfuncId::sin, std::sin, -1e9, 1e9},
        MathCase{UfuncId::cos, std::cos, -7, 7}, MathCase{UfuncId::cos, std::cos, -1e6, 1e6},
        MathCase{UfuncId::tan, std::tan, -7, 7}, MathCase{UfuncId::arcsin, std::asin, -1, 1},
        MathCase{UfuncId::arccos, std::acos, -1, 1}, MathCase{UfuncId::arctan, std::atan, -9, 9},
        MathCase{UfuncId::sinh, std::sinh, -9, 9}, MathCase{UfuncId::cosh, std::cosh, -9, 9},
        MathCase{UfuncId::tanh, std::tanh, -4, 4}, MathCase{UfuncId::arcsinh, std::asinh, -9, 9},
        MathCase{UfuncId::arccosh, std::acosh, 1, 9},
        MathCase{UfuncId::arctanh, std::atanh, -0.99, 0.99}));

struct MathOfTwo {
  UfuncId id;
  long double (*exact)(long double, long double);
  double (*library)(double, double);
};
const MathOfTwo kOfTwo[] = {{UfuncId::power, std::pow, std::pow},
                            {UfuncId::arctan2, std::atan2, std::atan2},
                            {UfuncId::hypot, std::hypot, std::hypot}};

// Of sizes from 2^-range to 2^range, of both signs.
template <typename T>
std::vector<T> of_all_sizes(unsigned seed, double range) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> exponent(-range, range);
  std::vector<T> values(100000);
  for (T& value : values) {
    value = static_cast<T>(std::exp2(exponent(generator)) * (generator() % 2 == 0 ? 1 : -1));
  }
  return values;
}

template <typename T>
void expect_accurate(const MathOfTwo& function, double range) {
  const std::vector<T> a = of_all_sizes<T>(1, range), b = of_all_sizes<T>(2, range);
  const std::vector<T> results = results_of<T>(function.id, {a, b});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double exact = function.exact(a[i], b[i]);
    if (std::isnan(exact)) continue;
    ASSERT_LT(error_of(results[i], exact), 2.0)
        << ufunc_info(function.id).name << " " << a[i] << " " << b[i];
  }
}

TEST(Math, FunctionsOfTwoAreAccurate) {
  for (const MathOfTwo& function : kOfTwo) {
    for (const double range : {3.0, 120.0}) {
      expect_accurate<float>(function, range);
      expect_accurate<double>(function, range);
    }
  }
}

template <typename T>
void expect_accurate_roots(double range) {
  const std::vector<T> values = of_all_sizes<T>(3, range);
  const std::vector<T> results = results_of<T>(UfuncId::cbrt, {values});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double exact = std::cbrt(static_cast<long double>(values[i]));
    ASSERT_LT(error_of(results[i], exact), instruction_set() == "baseline" ? 4.0 : 0.6)
        << values[i];
  }
}

TEST(Math, CubeRootsAreAccurate) {
  expect_accurate_roots<float>(126);
  expect_accurate_roots<double>(1022);
}

TEST(Math, SpecialValuesOfTwoAreTheCLibrarys) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0.0, -0.0, infinity, -infinity, std::nan(""), 1.0,   -1.0,
                                   2.0, -3.0, 0.5,      1e-310,    1e308,        -1e308};
  std::vector<double> a, b;
  for (const double x : values) {
    for (const double y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (const MathOfTwo& function : kOfTwo) {
    const std::vector<double> results = results_of<double>(function.id, {a, b});
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double expected = function.library(a[i], b[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(results[i]));
      } else {
        EXPECT_DOUBLE_EQ(results[i], expected)
            << ufunc_info(function.id).name << " " << a[i] << " " << b[i];
        EXPECT_EQ(std::signbit(results[i]), std::signbit(expected));
      }
    }
  }
}

TEST(Math, SpecialValuesAreTheCLibrarys) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0.0,  -0.0,   infinity, -infinity, std::nan(""), 1.0,
                                   -1.0, 2.0,    -2.0,     1e-310,    1e308,        -1e308,
                                   710., -745.2, 1e22,     -1e22};
  const std::pair<UfuncId, double (*)(double)> functions[] = {
      {UfuncId::exp, std::exp},     {UfuncId::expm1, std::expm1},   {UfuncId::log, std::log},
      {UfuncId::log1p, std::log1p}, {UfuncId::sin, std::sin},       {UfuncId::cos, std::cos},
      {UfuncId::tan, std::tan},     {UfuncId::tanh, std::tanh},     {UfuncId::sinh, std::sinh},
      {UfuncId::arcsin, std::asin}, {UfuncId::arccosh, std::acosh}, {UfuncId::arctanh, std::atanh},
      {UfuncId::cbrt, std::cbrt}};
  for (const auto& [id, function] : functions) {
    const std::vector<double> results = results_of<double>(id, {values});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = function(values[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(results[i])) << ufunc_info(id).name << "(" << values[i] << ")";
      } else {
        EXPECT_DOUBLE_EQ(results[i], expected) << ufunc_info(id).name << "(" << values[i] << ")";
        EXPECT_EQ(std::signbit(results[i]), std::signbit(expected));
      }
    }
  }
}

}  // namespace
}  // namespace cupola::cpu
