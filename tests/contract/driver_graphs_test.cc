// Captures and graphs, on every platform that is usable here; see driver/testing/graph_contract.h.

#include "cupola/error.h"
#include "driver/testing/graph_contract.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;
using testing::GraphContract;

#define CUPOLA_GRAPH_TEST(NAME)                                       \
  TEST_P(DriverContract, NAME) {                                      \
    if (is_set()) GTEST_SKIP() << "streams of sets are not captured"; \
    GraphContract(driver(), device()).NAME();                         \
  }
CUPOLA_FOR_EACH_GRAPH_CONTRACT(CUPOLA_GRAPH_TEST)
#undef CUPOLA_GRAPH_TEST

TEST_P(DriverContract, StreamsOfSetsAreNotCaptured) {
  if (!is_set()) GTEST_SKIP() << "streams of devices are captured";
  EXPECT_EQ(GraphContract::status_of([&] { driver().begin_capture(stream()); }), 900);
  EXPECT_FALSE(driver().is_capturing(stream()));
  EXPECT_EQ(GraphContract::status_of([&] { driver().end_capture(stream()); }), 401);
}

}  // namespace
}  // namespace cupola
