// Programs that compute in exit handlers, and in destructors of variables that live until the end.

#include <cstdio>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "cupola/cupola.h"

namespace cupola {
namespace {

constexpr PlatformKind kPlatform = PlatformKind::cpu;

// Every cache of a thread is used: streams, devices, launches, positions, single elements.
double compute() {
  set_current_device(Device(kPlatform, 0));
  const Array a = arange(Scalar(0.0), Scalar(5000.0), Scalar(1.0), DType::float64);
  const Array index = arange(Scalar(0), Scalar(100), Scalar(1), DType::int64);
  return item(sum(take(a + 1.0, index) * 2.0)).get<double>();
}

void expect_computed() {
  for (int i = 0; i < 3; ++i) {
    if (compute() != 10100.0) std::_Exit(3);
  }
  std::fputs("computed\n", stderr);
}

[[noreturn]] void compute_and_exit() {
  compute();
  std::exit(0);
}

struct ComputesAtEnd {
  ~ComputesAtEnd() { expect_computed(); }
};

class ExitTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ExitTest, ExitHandlersCompute) {
  EXPECT_EXIT(
      {
        std::atexit(expect_computed);
        compute_and_exit();
      },
      ::testing::ExitedWithCode(0), "computed");
}

TEST_F(ExitTest, StaticDestructorsCompute) {
  EXPECT_EXIT(
      {
        static const ComputesAtEnd at_end;
        compute_and_exit();
      },
      ::testing::ExitedWithCode(0), "computed");
}

TEST_F(ExitTest, ThreadLocalDestructorsCompute) {
  EXPECT_EXIT(
      {
        thread_local const ComputesAtEnd at_end;
        static_cast<void>(&at_end);
        compute_and_exit();
      },
      ::testing::ExitedWithCode(0), "computed");
  std::thread([] {
    thread_local const ComputesAtEnd at_end;
    static_cast<void>(&at_end);
    compute();
  }).join();
}

}  // namespace
}  // namespace cupola
