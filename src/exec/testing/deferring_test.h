#pragma once
// For tests: on every platform, results stay pending whatever the environment says.

#include <gtest/gtest.h>

#include "cupola/evaluation.h"
#include "cupola/runtime.h"

namespace cupola {

class DeferringTest : public testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
    set_deferral(Deferral::of_all);
  }
  void TearDown() override { set_deferral(before_); }
  Device device() const { return {GetParam(), 0}; }

 private:
  const Deferral before_ = deferral();
};

}  // namespace cupola
