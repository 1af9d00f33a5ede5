// The loops of sorting, of every instruction set that this machine has, beside std::stable_sort.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "codegen/device/device.cuh"
#include "platforms/cpu/kernels/sort_tables.h"

namespace cupola::cpu {
namespace {

namespace device = cupola_device;

struct Set {
  const char* name;
  void (*add)(SortTable&);
};

// Those that have the functions; none where VQSort is not built in.
std::vector<Set> sets() {
  std::vector<Set> found;
  [[maybe_unused]] const auto add = [&](const Set& set) {
    SortTable table;
    set.add(table);
    if (table.of[static_cast<std::size_t>(DType::int32)].key_bytes > 0) found.push_back(set);
  };
#if defined(CUPOLA_CPU_HAS_AVX2) || defined(CUPOLA_CPU_HAS_AVX512)
  __builtin_cpu_init();
#endif
#ifdef CUPOLA_CPU_HAS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    add({"avx2", add_sort_kernels_avx2});
  }
#endif
#ifdef CUPOLA_CPU_HAS_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    add({"avx512", add_sort_kernels_avx512});
  }
#endif
  return found;
}

constexpr std::int64_t kCounts[] = {0, 1, 2, 3, 8, 17, 64, 100, 255, 256, 257, 1000, 5000};

// Values of all bits, some of which are equal, zeros of both signs, or NaN.
template <typename T>
std::vector<T> values(std::int64_t count) {
  using Word = device::unsigned_t<T>;
  std::mt19937_64 random(static_cast<std::uint64_t>(count) + sizeof(T));
  constexpr Word kTop = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  std::vector<T> result(static_cast<std::size_t>(count));
  for (T& value : result) {
    const auto bits = static_cast<Word>(random());
    const Word nan = static_cast<Word>(bits | ((kTop - 1) - ((kTop - 1) >> 11)));
    const Word chosen[] = {bits, bits, 0, kTop, nan, static_cast<Word>(bits % 3)};
    const Word word = chosen[random() % 6];
    std::memcpy(&value, &word, sizeof(T));
  }
  return result;
}

template <typename T>
std::vector<T> in_order(std::vector<T> values) {
  std::stable_sort(values.begin(), values.end(), [](const T& a, const T& b) {
    return device::ordered_bits(a) < device::ordered_bits(b);
  });
  return values;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

std::vector<std::uint64_t> room(std::int64_t keys) {
  return std::vector<std::uint64_t>(static_cast<std::size_t>(keys) + 1);
}

template <typename T>
void expect_sorted(const SortFunctions& functions) {
  for (const std::int64_t count : kCounts) {
    const std::vector<T> before = values<T>(count);
    auto keys = room(count), spare = room(count);
    std::vector<T> after(before.size());
    functions.encode(keys.data(), before.data(), count);
    functions.sort_stably(keys.data(), spare.data(), count);
    functions.decode(after.data(), keys.data(), count);
    EXPECT_TRUE(same_bits(after, in_order(before))) << count;
    functions.encode(keys.data(), before.data(), count);
    if (functions.has_ties(keys.data(), count)) continue;
    functions.sort(keys.data(), count);
    functions.decode(after.data(), keys.data(), count);
    EXPECT_TRUE(same_bits(after, in_order(before))) << count;
  }
}

// Bins of a row, one after the other, are in its order, and none is mixed with another.
template <typename T>
void expect_bins(const SortFunctions& functions) {
  constexpr int kBins = 16;
  constexpr std::int64_t kCount = 5000;
  const std::vector<T> before = values<T>(kCount);
  auto keys = room(kCount), samples = room(kCount), parted = room(kCount), bounds = room(kBins);
  functions.encode(keys.data(), before.data(), kCount);
  functions.encode(samples.data(), before.data(), kCount);
  functions.sort(samples.data(), kCount);
  functions.bound(bounds.data(), samples.data(), kCount, kBins);
  std::vector<std::uint8_t> bins(kCount);
  functions.find_bins(bins.data(), keys.data(), kCount, bounds.data(), kBins);

  std::int64_t next[kBins + 1] = {};
  for (const std::uint8_t bin : bins) {
    ASSERT_LT(bin, kBins);
    ++next[bin + 1];
  }
  for (int bin = 0; bin < kBins; ++bin) {
    EXPECT_LT(next[bin + 1], kCount / 2);
    next[bin + 1] += next[bin];
  }
  std::int64_t begins[kBins + 1];
  std::copy_n(next, kBins + 1, begins);
  functions.scatter(parted.data(), keys.data(), bins.data(), kCount, next);
  auto* const all = reinterpret_cast<char*>(parted.data());
  const auto size = static_cast<std::int64_t>(functions.key_bytes);
  for (int bin = 0; bin < kBins; ++bin) {
    functions.sort_stably(all + begins[bin] * size, samples.data(), begins[bin + 1] - begins[bin]);
  }
  std::vector<T> after(before.size());
  functions.decode(after.data(), parted.data(), kCount);
  EXPECT_TRUE(same_bits(after, in_order(before)));
}

template <typename T>
void expect_all(DType dtype) {
  for (const Set& set : sets()) {
    SCOPED_TRACE(set.name);
    SortTable table;
    set.add(table);
    const SortFunctions& functions = table.of[static_cast<std::size_t>(dtype)];
    EXPECT_EQ(functions.key_bytes, std::max<std::size_t>(4, sizeof(T)));
    expect_sorted<T>(functions);
    expect_bins<T>(functions);
  }
}

TEST(SortKernels, OrderIntegers) {
  expect_all<std::int16_t>(DType::int16);
  expect_all<std::uint16_t>(DType::uint16);
  expect_all<std::int32_t>(DType::int32);
  expect_all<std::uint32_t>(DType::uint32);
  expect_all<device::int64_t>(DType::int64);
  expect_all<device::uint64_t>(DType::uint64);
}

TEST(SortKernels, KeepZerosAndNanInOrder) {
  expect_all<device::float16>(DType::float16);
  expect_all<device::bfloat16>(DType::bfloat16);
  expect_all<float>(DType::float32);
  expect_all<double>(DType::float64);
}

bool is_nan(device::complex<float> a) { return a.re != a.re || a.im != a.im; }
bool is_nan(device::complex<double> a) { return a.re != a.re || a.im != a.im; }

// Rows with ties of every kind, and with none.
template <typename Part>
void expect_complex_sorted(DType dtype) {
  using Complex = device::complex<Part>;
  constexpr auto kDigits = static_cast<int>(2 * sizeof(Part) + 1);
  const auto comes_before = [](const Complex& a, const Complex& b) {
    for (int digit = kDigits - 1; digit >= 0; --digit) {
      const auto number = static_cast<std::uint8_t>(digit);
      const int of_a = device::sort_digit(a, number), of_b = device::sort_digit(b, number);
      if (of_a != of_b) return of_a < of_b;
    }
    return false;
  };
  for (const Set& set : sets()) {
    SCOPED_TRACE(set.name);
    SortTable table;
    set.add(table);
    const SortFunctions& functions = table.of[static_cast<std::size_t>(dtype)];
    ASSERT_EQ(functions.key_bytes, sizeof(Complex));
    for (const std::int64_t count : kCounts) {
      const std::vector<Part> parts = values<Part>(2 * count);
      for (const bool has_ties : {true, false}) {
        std::vector<Complex> before;
        for (std::int64_t i = 0; i < count; ++i) {
          const Complex each{parts[static_cast<std::size_t>(2 * i)],
                             parts[static_cast<std::size_t>(2 * i + 1)]};
          const bool is_plain = !is_nan(each) && each.re != 0 && each.im != 0;
          before.push_back(has_ties || is_plain ? each : Complex{Part(1), Part(-2)});
        }
        std::vector<Complex> expected = before, after = before;
        std::stable_sort(expected.begin(), expected.end(), comes_before);
        auto keys = room(2 * count), spare = room(2 * count);
        functions.encode(keys.data(), before.data(), count);
        EXPECT_TRUE(has_ties || !functions.has_ties(keys.data(), count)) << count;
        has_ties ? functions.sort_stably(keys.data(), spare.data(), count)
                 : functions.sort(keys.data(), count);
        functions.decode(after.data(), keys.data(), count);
        EXPECT_TRUE(same_bits(after, expected)) << count << ' ' << has_ties;
      }
    }
  }
}

TEST(SortKernels, OrderComplexNumbersByTheirParts) {
  expect_complex_sorted<float>(DType::complex64);
  expect_complex_sorted<double>(DType::complex128);
}

TEST(SortKernels, FindTiesOfComplexNumbers) {
  using Complex = device::complex<double>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    Complex a, b;
    bool ties;
  } cases[] = {{{0.0, 1}, {-0.0, 2}, true},    {{1, -0.0}, {2, 0.0}, true},
               {{nan, 1}, {1, 1}, true},       {{1, 1}, {1, -nan}, true},
               {{0.0, -0.0}, {0.0, 3}, false}, {{-0.0, 0.0}, {-0.0, 1}, false}};
  for (const Set& set : sets()) {
    SortTable table;
    set.add(table);
    const SortFunctions& functions = table.of[static_cast<std::size_t>(DType::complex128)];
    for (const auto& each : cases) {
      const Complex values[] = {each.a, each.b};
      auto keys = room(4);
      functions.encode(keys.data(), values, 2);
      EXPECT_EQ(functions.has_ties(keys.data(), 2), each.ties) << &each - cases;
    }
  }
}

// The partitions by digits sort them.
TEST(SortKernels, LeaveOtherTypesAlone) {
  for (const Set& set : sets()) {
    SortTable table;
    set.add(table);
    for (const DType dtype : {DType::bool_, DType::int8, DType::uint8}) {
      EXPECT_EQ(table.of[static_cast<std::size_t>(dtype)].key_bytes, 0u);
    }
  }
}

}  // namespace
}  // namespace cupola::cpu
