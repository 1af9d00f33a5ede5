#include "base/process/interrupt.h"

#include <gtest/gtest.h>

#include <chrono>

namespace cupola {
namespace {

using Clock = std::chrono::steady_clock;

struct Interrupted {};

// Each check throws, in this thread, for the life of this object.
class Interrupts {
 public:
  Interrupts() {
    set_interrupt_check([] { throw Interrupted{}; }, [] { return true; });
  }
  ~Interrupts() { set_interrupt_check(nullptr, nullptr); }
};

TEST(Interrupt, NothingIsInterruptedWithoutACheck) {
  EXPECT_FALSE(is_interruptible());
  check_interrupt();
}

TEST(Interrupt, AWaitEndsWithItsReason) {
  int asked = 0;
  wait_until([&] { return ++asked == 3; });
  EXPECT_EQ(asked, 3);
}

TEST(Interrupt, AWaitIsCheckedEachPeriod) {
  const Interrupts interrupts;
  EXPECT_TRUE(is_interruptible());
  const auto begin = Clock::now();
  EXPECT_THROW(wait_until([] { return false; }), Interrupted);
  EXPECT_GE(Clock::now() - begin, kInterruptPeriod);
}

TEST(Interrupt, ShortWaitsAreNotChecked) {
  const Interrupts interrupts;
  wait_until([] { return true; });
}

TEST(Interrupt, NothingIsInterruptedBeforeMemoryIsFreed) {
  const Interrupts interrupts;
  {
    const Uninterruptible outer;
    const Uninterruptible inner;
    EXPECT_FALSE(is_interruptible());
    check_interrupt();
  }
  EXPECT_TRUE(is_interruptible());
  EXPECT_THROW(check_interrupt(), Interrupted);
}

}  // namespace
}  // namespace cupola
