// Captures and graphs, on every platform that is usable here; see driver/testing/graph_contract.h.

#include <atomic>
#include <utility>

#include "cupola/error.h"
#include "driver/testing/graph_contract.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;
using contract::Gate;
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

// What a stream and an event were used for leaves nothing with them.
TEST_P(DriverContract, OtherDevicesWaitForStreamsAndEventsThatWereCaptured) {
  if (is_set()) GTEST_SKIP() << "streams of sets are not captured";
  if (driver().device_count() < 2) GTEST_SKIP() << "there is one device only";
  StreamHandle elsewhere = driver().create_stream(device() == 0 ? 1 : 0);
  for (const bool is_ended : {true, false}) {
    StreamHandle begun = driver().create_stream(device()),
                 joined = driver().create_stream(device());
    EventHandle there = driver().create_event(device()), back = driver().create_event(device());
    driver().begin_capture(begun);
    driver().record(there, begun);
    driver().wait(joined, there);
    driver().record(back, joined);
    driver().wait(begun, back);
    if (is_ended) {
      driver().end_capture(begun);
    } else {
      driver().destroy_stream(std::exchange(begun, driver().create_stream(device())));
    }
    for (const auto& [stream, event] : {std::pair(begun, there), std::pair(joined, back)}) {
      Gate gate;
      driver().run_on_host([&gate] { gate.wait(); }, stream);
      driver().record(event, stream);
      driver().wait(elsewhere, event);
      std::atomic<bool> is_after{false};
      driver().run_on_host([&is_after] { is_after = true; }, elsewhere);
      EXPECT_FALSE(is_after);
      gate.open();
      driver().synchronize(elsewhere);
      EXPECT_TRUE(is_after);
      driver().synchronize(stream);
    }
    for (EventHandle each : {there, back}) driver().destroy_event(each);
    for (StreamHandle each : {begun, joined}) driver().destroy_stream(each);
  }
  driver().destroy_stream(elsewhere);
}

}  // namespace
}  // namespace cupola
