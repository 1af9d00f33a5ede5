// Every kind of plan, launched on every platform that is usable here and on sets of its devices.
// All results are exact, so that they may not depend on where.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout.h"
#include "cupola/error.h"
#include "driver/testing/launch_builder.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;
using testing::LaunchBuilder;

class PlanContract : public DriverContract {
 protected:
  void run(const LaunchBuilder& builder) {
    const auto kernel = build(builder.plan);
    queued([&] { driver().launch(kernel, builder.arguments, stream()); });
  }
  void check_mask(const Dims& extents, const Dims& strides) {
    const std::int64_t n = element_count(extents);
    const auto host = integers(n);
    const std::int64_t* input = upload(host);
    const auto place = [&](std::int64_t i) {
      const std::int64_t row = extents.back();
      return static_cast<std::size_t>(
          extents.size() == 1 ? i : i / row * strides[0] + i % row * strides[1]);
    };
    std::vector<std::int64_t> ends, selected;
    std::vector<std::int64_t> filled = host;
    for (std::int64_t i = 0; i < n; ++i) {
      if (host[place(i)] > 100) {
        filled[place(i)] = static_cast<std::int64_t>(selected.size());
        selected.push_back(host[place(i)] + i);
      }
      if ((i + 1) % kMaskTile == 0 || i + 1 == n) ends.push_back(std::ssize(selected));
    }
    const auto mask = [&](LaunchBuilder& builder, int value) {
      return builder.ufunc(UfuncId::greater, {value, builder.scalar(Scalar(std::int64_t{100}))});
    };

    LaunchBuilder count(extents);
    auto* counts = static_cast<std::int64_t*>(allocate(ends.size() * sizeof(std::int64_t)));
    count.count(mask(count, count.load(DType::int64, input, strides)), counts);
    run(count);
    std::vector<std::int64_t> expected(ends.size());
    std::adjacent_difference(ends.begin(), ends.end(), expected.begin());
    EXPECT_EQ(read<std::int64_t>(counts, ends.size()), expected) << to_string(extents);

    LaunchBuilder compress(extents);
    auto* found = static_cast<std::int64_t*>(allocate((selected.size() + 1) * 8));
    const int x = compress.load(DType::int64, input, strides);
    const int predicate = mask(compress, x);
    compress.compress(compress.ufunc(UfuncId::add, {x, compress.index()}), predicate, upload(ends),
                      found);
    run(compress);
    EXPECT_EQ(read<std::int64_t>(found, selected.size()), selected) << to_string(extents);

    LaunchBuilder expand(extents);
    std::iota(selected.begin(), selected.end(), 0);
    if (selected.empty()) selected.push_back(0);  // memory to have an address
    std::int64_t* target = upload(host);
    const int wanted = mask(expand, expand.load(DType::int64, input, strides));
    expand.expand(DType::int64, upload(selected), wanted, upload(ends), target, strides);
    run(expand);
    EXPECT_EQ(read<std::int64_t>(target, host.size()), filled) << to_string(extents);
  }
  static std::vector<std::int64_t> integers(std::int64_t count) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::int64_t>(i * 2654435761u % 1000) - 500;
    }
    return values;
  }
};

TEST_P(PlanContract, MapFillsAndWorksInPlaceInStreamOrder) {
  const std::int64_t n = 300000;
  auto* memory = static_cast<double*>(allocate(static_cast<std::size_t>(n) * sizeof(double)));
  LaunchBuilder fill({n});
  fill.store(fill.scalar(Scalar(1.0)), memory);
  run(fill);
  LaunchBuilder twice({n});
  const int x = twice.load(DType::float64, memory);
  twice.store(twice.ufunc(UfuncId::add, {x, x}), memory);
  const auto kernel = build(twice.plan);
  for (int i = 0; i < 10; ++i) driver().launch(kernel, twice.arguments, stream());
  EXPECT_EQ(read<double>(memory, static_cast<std::size_t>(n)),
            std::vector<double>(static_cast<std::size_t>(n), 1024.0));
}

TEST_P(PlanContract, MapOverStridesIndicesAndCasts) {
  const auto host = integers(60);
  const std::int64_t* input = upload(host);
  auto* output = static_cast<float*>(allocate(60 * sizeof(float)));
  LaunchBuilder builder({5, 12});
  const int transposed = builder.load(DType::int64, input, {1, 5});
  const int numbered = builder.ufunc(UfuncId::add, {transposed, builder.index()});
  builder.store(builder.cast(numbered, DType::float32), output);
  run(builder);
  const auto result = read<float>(output, 60);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(result[i],
              static_cast<float>(host[i / 12 + i % 12 * 5] + static_cast<std::int64_t>(i)));
  }
}

TEST_P(PlanContract, MapSelectsAndGathers) {
  const auto host = integers(100);
  const std::int64_t* table = upload(host);
  auto* output = static_cast<std::int64_t*>(allocate(1000 * sizeof(std::int64_t)));
  LaunchBuilder builder({1000});
  const int offset = builder.ufunc(UfuncId::remainder,
                                   {builder.index(), builder.scalar(Scalar(std::int64_t{100}))});
  const int value = builder.gather(DType::int64, table, offset);
  const int zero = builder.scalar(Scalar(std::int64_t{0}));
  builder.store(builder.select(builder.ufunc(UfuncId::less, {value, zero}), zero, value), output);
  run(builder);
  const auto result = read<std::int64_t>(output, 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(result[i], std::max<std::int64_t>(host[i % 100], 0));
  }
}

TEST_P(PlanContract, ScatterKeepsTheLast) {
  std::vector<std::int64_t> offsets(20000);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int64_t>(i * 13 % 700);
  auto* output = static_cast<std::int64_t*>(allocate(700 * sizeof(std::int64_t)));
  LaunchBuilder builder({20000});
  const int offset = builder.load(DType::int64, upload(offsets));
  builder.scatter(builder.index(), output, offset);
  run(builder);
  std::vector<std::int64_t> expected(700);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    expected[static_cast<std::size_t>(offsets[i])] = static_cast<std::int64_t>(i);
  }
  EXPECT_EQ(read<std::int64_t>(output, 700), expected);
}

// Counts by tiles, then what a mask selects, then back; over strides, and values of an expression.
TEST_P(PlanContract, MasksSelectAndAreFilled) {
  for (const Dims& extents : {Dims{1}, Dims{1023}, Dims{1024}, Dims{1025}, Dims{70, 300}}) {
    for (const bool turned : {false, true}) {
      check_mask(extents,
                 turned && extents.size() > 1 ? Dims{1, extents[0]} : testing::row_major(extents));
    }
  }
}

TEST_P(PlanContract, CombineCountsEveryElement) {
  std::vector<std::int64_t> offsets(20000);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i % 7);
  std::int64_t* output = upload(std::vector<std::int64_t>(7, 100));
  LaunchBuilder builder({20000});
  const int offset = builder.load(DType::int64, upload(offsets));
  builder.combine_at(UfuncId::add, builder.index(), output, offset);
  run(builder);
  std::vector<std::int64_t> expected(7, 100);
  for (std::size_t i = 0; i < offsets.size(); ++i) expected[i % 7] += static_cast<std::int64_t>(i);
  EXPECT_EQ(read<std::int64_t>(output, 7), expected);
}

TEST_P(PlanContract, TalliesCountEveryElement) {
  for (const std::int64_t places : {std::int64_t{1}, std::int64_t{7}, kMaxTallied}) {
    std::vector<std::int64_t> offsets(50000), expected(static_cast<std::size_t>(places), -100);
    std::int64_t* output = upload(expected);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      offsets[i] = static_cast<std::int64_t>(i * 7919) % places;
      // Negative ones, and more than a word of four bytes holds.
      expected[static_cast<std::size_t>(offsets[i])] +=
          (static_cast<std::int64_t>(i) - 20000) * std::int64_t{1'000'000'007};
    }
    LaunchBuilder builder({static_cast<std::int64_t>(offsets.size())});
    const int offset = builder.load(DType::int64, upload(offsets));
    const int factor = builder.scalar(Scalar(std::int64_t{1'000'000'007}));
    const int shift = builder.scalar(Scalar(std::int64_t{20000}));
    const int shifted = builder.ufunc(UfuncId::subtract, {builder.index(), shift});
    builder.tally(builder.ufunc(UfuncId::multiply, {shifted, factor}), output, offset, places);
    run(builder);
    EXPECT_EQ(read<std::int64_t>(output, expected.size()), expected) << places;
  }
}

struct Shape {
  std::int64_t kept;
  std::int64_t reduced;
};
constexpr Shape kShapes[] = {{1, 1}, {1, 100000}, {1000, 3}, {3, 1000}, {70, 70}};

TEST_P(PlanContract, ReduceBothAxes) {
  for (const auto [kept, reduced] : kShapes) {
    const auto host = integers(kept * reduced);
    const std::int64_t* input = upload(host);
    for (const Dims& strides : {Dims{reduced, 1}, Dims{1, kept}}) {
      for (const UfuncId id : {UfuncId::add, UfuncId::maximum, UfuncId::subtract}) {
        auto* output =
            static_cast<double*>(allocate(static_cast<std::size_t>(kept) * sizeof(double)));
        LaunchBuilder builder({kept, reduced});
        builder.store(builder.load(DType::int64, input, strides), output, {1, 0});
        builder.reduce(PlanKind::reduce, id, 1, DType::float64);
        run(builder);
        const auto result = read<double>(output, static_cast<std::size_t>(kept));
        for (std::int64_t k = 0; k < kept; ++k) {
          std::int64_t expected = host[static_cast<std::size_t>(k * strides[0])];
          for (std::int64_t r = 1; r < reduced; ++r) {
            const std::int64_t value =
                host[static_cast<std::size_t>(k * strides[0] + r * strides[1])];
            if (id == UfuncId::add) expected += value;
            if (id == UfuncId::subtract) expected -= value;
            if (id == UfuncId::maximum) expected = std::max(expected, value);
          }
          ASSERT_EQ(result[static_cast<std::size_t>(k)], static_cast<double>(expected));
        }
      }
    }
  }
}

TEST_P(PlanContract, ArgReduceFindsTheFirst) {
  for (const auto [kept, reduced] : kShapes) {
    const auto host = integers(kept * reduced);
    auto* output =
        static_cast<std::int64_t*>(allocate(static_cast<std::size_t>(kept) * sizeof(std::int64_t)));
    LaunchBuilder builder({kept, reduced});
    builder.store(builder.load(DType::int64, upload(host)), output, {1, 0});
    builder.reduce(PlanKind::arg_reduce, UfuncId::minimum, 1, DType::int64);
    run(builder);
    const auto result = read<std::int64_t>(output, static_cast<std::size_t>(kept));
    for (std::int64_t k = 0; k < kept; ++k) {
      const auto row = host.begin() + k * reduced;
      ASSERT_EQ(result[static_cast<std::size_t>(k)], std::min_element(row, row + reduced) - row);
    }
  }
}

TEST_P(PlanContract, ScanKeepsPrefixes) {
  for (const auto [kept, reduced] : kShapes) {
    const auto host = integers(kept * reduced);
    auto* output = static_cast<std::int64_t*>(allocate(host.size() * sizeof(std::int64_t)));
    LaunchBuilder builder({kept, reduced});
    builder.store(builder.load(DType::int64, upload(host)), output);
    builder.reduce(PlanKind::scan, UfuncId::add, 1, DType::int64);
    run(builder);
    auto expected = host;
    for (std::int64_t k = 0; k < kept; ++k) {
      const auto row = expected.begin() + k * reduced;
      std::partial_sum(row, row + reduced, row);
    }
    ASSERT_EQ(read<std::int64_t>(output, host.size()), expected);
  }
}

TEST_P(PlanContract, SegmentReduce) {
  const auto host = integers(2000);
  const std::vector<std::int64_t> first{0, 3, 500, 999};
  const std::vector<std::int64_t> last{3, 500, 501, 1000};
  auto* output = static_cast<std::int64_t*>(allocate(8 * sizeof(std::int64_t)));
  LaunchBuilder builder({2, 4});
  builder.store(builder.load(DType::int64, upload(host), {1000, 1}), output, {4, 1});
  builder.indexed(DType::int64, upload(first));
  builder.indexed(DType::int64, upload(last));
  builder.reduce(PlanKind::segment_reduce, UfuncId::add, 1, DType::int64);
  run(builder);
  const auto result = read<std::int64_t>(output, 8);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto row = host.begin() + static_cast<std::int64_t>(i / 4) * 1000;
    EXPECT_EQ(result[i], std::accumulate(row + first[i % 4], row + last[i % 4], std::int64_t{0}));
  }
}

TEST_P(PlanContract, NothingToDoDoesNothing) {
  LaunchBuilder builder({0});
  builder.store(builder.scalar(Scalar(1.0)), nullptr);
  run(builder);
  driver().synchronize(stream());
}

TEST_P(PlanContract, MatmulOfEveryTypeAndOrder) {
  const auto run_type = [&](auto example) {
    using T = decltype(example);
    const std::int64_t m = 5, n = 7, k = 3, batch = 2;
    std::vector<T> a(static_cast<std::size_t>(batch * m * k));
    std::vector<T> b(static_cast<std::size_t>(k * n));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(static_cast<float>(i % 5));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(static_cast<float>(i % 3) - 1.0f);
    auto* c = static_cast<T*>(allocate(static_cast<std::size_t>(batch * m * n) * sizeof(T)));
    // a transposed in memory, b row-major and the same for both products.
    MatmulProblem problem{dtype_of<T>, m, n, k, upload(a), upload(b), c,   1,
                          m,           n, 1, n, {batch},   {m * k},   {0}, {m * n}};
    driver().matmul(problem, stream());
    const auto result = read<T>(c, static_cast<std::size_t>(batch * m * n));
    const auto real = [](T value) {
      if constexpr (requires { value.real(); }) {
        return static_cast<double>(value.real());
      } else {
        return static_cast<double>(static_cast<float>(value));
      }
    };
    for (std::int64_t i = 0; i < batch * m * n; ++i) {
      double expected = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        expected += real(a[static_cast<std::size_t>(i / (m * n) * m * k + l * m + i / n % m)]) *
                    real(b[static_cast<std::size_t>(l * n + i % n)]);
      }
      ASSERT_EQ(real(result[static_cast<std::size_t>(i)]), expected) << i;
    }
  };
  try {
    run_type(float{});
    run_type(double{});
    run_type(std::complex<float>{});
    run_type(std::complex<double>{});
    run_type(Float16{});
    run_type(BFloat16{});
  } catch (const LibraryError& error) {
    GTEST_SKIP() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, PlanContract, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
