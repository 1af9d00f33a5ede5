#pragma once
// For tests: on every platform, results stay pending whatever the environment says.

#include <gtest/gtest.h>

#include "cupola/evaluation.h"
#include "cupola/runtime.h"

namespace cupola {

// While it lives.
class AllWaits {
 public:
  AllWaits() { set_deferral(Deferral::of_all); }
  ~AllWaits() { set_deferral(before_); }
  AllWaits(const AllWaits&) = delete;
  AllWaits& operator=(const AllWaits&) = delete;

 private:
  const Deferral before_ = deferral();
};

class DeferringTest : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
  }
  Device device() const { return {GetParam(), 0}; }

 private:
  const AllWaits all_waits_;
};

}  // namespace cupola
