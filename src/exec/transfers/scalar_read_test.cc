#include "exec/transfers/scalar_read.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/cupola.h"
#include "runtime/stream.h"

namespace cupola {
namespace {

Scalar read(const Array& array) { return read_scalar(evaluate(array)); }

class ScalarReadTest : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
  }
  Device device() const { return {GetParam(), 0}; }
};

TEST_P(ScalarReadTest, EveryDtypeArrives) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const Array array = full({1, 1}, Scalar(1.0F), dtype, device());
    // Polled last: on a CPU device that orders no later read after the write.
    EXPECT_EQ(read(array).cast(DType::int64).get<std::int64_t>(), 1) << name_of(dtype);
    EXPECT_EQ(read_by_polling(array).cast(DType::int64).get<std::int64_t>(), 1) << name_of(dtype);
  }
}

// What a slot holds before the value comes is a value like others.
TEST_P(ScalarReadTest, ValuesThatLookLikeNoneArrive) {
  const Array wide = full({}, Scalar(std::uint32_t{0xA5A5A5A5}), DType::uint32, device());
  EXPECT_EQ(read_by_polling(wide).get<std::uint32_t>(), 0xA5A5A5A5);
  const Array narrow = full({}, Scalar(std::uint8_t{0xA5}), DType::uint8, device());
  EXPECT_EQ(read_by_polling(narrow).get<std::uint8_t>(), 0xA5);
}

TEST_P(ScalarReadTest, ElementsOfViewsArrive) {
  const Array line = arange(Scalar(0), Scalar(100), Scalar(1), DType::int64, device());
  for (const std::int64_t i : {0, 1, 50, 99}) {
    const Array element = get_index(line, {i});
    EXPECT_EQ(read_by_polling(element).get<std::int64_t>(), i);
  }
}

TEST_P(ScalarReadTest, TheLastWriteIsRead) {
  const Array array = full({}, Scalar(0.0), DType::float64, device());
  for (int i = 1; i < 50; ++i) {
    assign(array, static_cast<double>(i));
    ASSERT_EQ(read_by_polling(array).get<double>(), i);
  }
}

// A result that is mirrored in host memory is read there, as long as it is the last write.
TEST_P(ScalarReadTest, ReducedValuesAreTheLastOnesWritten) {
  const Array line = arange(Scalar(0.0), Scalar(100.0), Scalar(1.0), DType::float32, device());
  for (int i = 0; i < 300; ++i) {  // more than there are slots in a block
    assign(get_index(line, {0}), static_cast<double>(i));
    const Array sum = reduce_ufunc(UfuncId::add, line);
    const Array most = reduce_ufunc(UfuncId::maximum, line);
    ASSERT_EQ(read(sum).get<float>(), 4950.0F + static_cast<float>(i));
    ASSERT_EQ(read(sum).get<float>(), 4950.0F + static_cast<float>(i));
    ASSERT_EQ(read(most).get<float>(), std::max(99.0F, static_cast<float>(i)));
    assign(sum, -1.0);
    ASSERT_EQ(read(sum).get<float>(), -1.0F);
  }
}

TEST_P(ScalarReadTest, WhoHasTheAddressMayWriteThere) {
  const Array line = arange(Scalar(0), Scalar(100), Scalar(1), DType::int32, device());
  reduce_ufunc(UfuncId::add, line, {.dtype = DType::int32});  // the kernel is known
  const Array sum = reduce_ufunc(UfuncId::add, line, {.dtype = DType::int32});
  const Array other = full({}, Scalar(std::int32_t{7}), DType::int32, device());
  const Stream stream = Stream::current(device());
  stream.state()->driver().copy(data_pointer(sum), 0, data_pointer(other), 0, 4,
                                stream.state()->handle());
  EXPECT_EQ(read(sum).get<std::int32_t>(), 7);
}

TEST_P(ScalarReadTest, ThreadsReadAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(6, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto value = static_cast<float>(t * 100 + static_cast<std::size_t>(i));
        const Array array = full({}, Scalar(value), DType::float32, device());
        wrong[t] += read_by_polling(array).get<float>() != value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(6, 0));
}

INSTANTIATE_TEST_SUITE_P(Platforms, ScalarReadTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
