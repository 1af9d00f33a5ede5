#include "platforms/cpu/interpreter/loops.h"

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
#include "platforms/cpu/interpreter/loops_test_support.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kElements = 333;

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
  Bytes bytes(static_cast<std::size_t>(kElements) * item_size(dtype));
  dispatch_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::mt19937 generator(seed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(kElements); ++i) {
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
  Bytes together(static_cast<std::size_t>(kElements) * size);
  Bytes alone(together.size());
  std::vector<const void*> pointers;
  for (const Bytes& bytes : values) pointers.push_back(bytes.data());
  loop(pointers.data(), together.data(), kElements);
  for (std::size_t i = 0; i < static_cast<std::size_t>(kElements); ++i) {
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
  Bytes expected(static_cast<std::size_t>(kElements) * size), got(expected.size());
  for (std::size_t first = 0; first < 40; ++first) {
    const Bytes one(values[of].data() + first * item, values[of].data() + (first + 1) * item);
    Bytes all;
    for (std::int64_t i = 0; i < kElements; ++i) all.insert(all.end(), one.begin(), one.end());
    pointers[of] = all.data();
    find_loop(id, number, 0)(pointers, expected.data(), kElements);
    pointers[of] = one.data();
    by_scalar(pointers, got.data(), kElements);
    for (std::size_t i = 0; i < static_cast<std::size_t>(kElements); ++i) {
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

template <typename... Types, typename Function>
void for_types(const Function& function) {
  (function(std::type_identity<Types>{}), ...);
}

// Blocks whose numbers are small are divided in another way.
template <typename T>
void expect_divisions(const std::vector<T>& values) {
  std::vector<T> a, b;
  for (const T x : values) {
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const std::vector<T> quotients = results_of<T>(UfuncId::floor_divide, {a, b});
  const std::vector<T> rests = results_of<T>(UfuncId::remainder, {a, b});
  for (std::size_t i = 0; i < a.size(); ++i) {
    __extension__ typedef __int128 Wide;
    Wide quotient = 0, rest = 0;
    if (b[i] != 0) {
      quotient = Wide{a[i]} / b[i];
      rest = Wide{a[i]} % b[i];
      if (rest != 0 && (rest < 0) != (b[i] < 0)) {
        quotient -= 1;
        rest += b[i];
      }
    }
    ASSERT_EQ(quotients[i], static_cast<T>(quotient)) << +a[i] << " / " << +b[i];
    ASSERT_EQ(rests[i], static_cast<T>(rest)) << +a[i] << " % " << +b[i];
  }
}

template <typename T>
std::vector<T> integers_up_to(T most) {
  std::vector<T> values;
  for (T step = 1; step > 0 && step <= most / 2; step = static_cast<T>(step * 2)) {
    for (const T value : {step, static_cast<T>(step - 1), static_cast<T>(most - step)}) {
      values.push_back(value);
      if (std::is_signed_v<T>) values.push_back(static_cast<T>(-value));
    }
  }
  values.push_back(most);
  return values;
}

TEST(Loops, DivisionsOfIntegersAreExact) {
  for_types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
            std::int64_t, std::uint64_t>([](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr T kMax = std::numeric_limits<T>::max();
    std::vector<T> values = integers_up_to<T>(kMax);
    values.push_back(std::numeric_limits<T>::lowest());
    expect_divisions<T>(values);
    if constexpr (sizeof(T) == 8) {
      expect_divisions<T>(integers_up_to<T>((T{1} << 51) - 1));
      expect_divisions<T>(integers_up_to<T>(T{1} << 51));
      expect_divisions<T>(integers_up_to<T>(1000));
    }
  });
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
      Bytes out(static_cast<std::size_t>(kElements) * item_size(target));
      const void* input = values.data();
      find_cast(source, target)(&input, out.data(), kElements);
      for (std::size_t i = 0; i < static_cast<std::size_t>(kElements); ++i) {
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

}  // namespace
}  // namespace cupola::cpu
