// Positions that a busy device is still to compute: nothing waits for them, and what is wrong with
// them is thrown where values are observed.
#include <gmock/gmock.h>

#include <optional>
#include <thread>

#include "base/counters.h"
#include "base/testing/message_of.h"
#include "cupola/cupola.h"
#include "exec/evaluation/evaluator.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

using cupola::testing::message_of;
using ::testing::HasSubstr;

class LateBoundsTest : public ::testing::Test {
 protected:
  LateBoundsTest() { synchronize(device_); }
  ~LateBoundsTest() override { EXPECT_NO_THROW(synchronize(device_)) << "told already"; }

  // first .. first + 9; what uses its elements comes after the gate.
  Array positions_from(std::int64_t first) const {
    return evaluate(
        add(arange(Scalar(0), Scalar(10), Scalar(1), DType::int64, device_), Scalar(first)));
  }
  std::int64_t total(const Array& array) const { return item(sum(array)).get<std::int64_t>(); }

  const Device device_{PlatformKind::cpu, 0};
  const Array line_ = evaluate(arange(Scalar(0), Scalar(20), Scalar(1), DType::int64, device_));
};

TEST_F(LateBoundsTest, NobodyWaitsForPositionsWithinBounds) {
  std::optional<StreamGate> gate(Stream::current(device_));
  const Array positions = positions_from(-15);
  const Array picked = get_index(line_, {positions});
  const Array again = take(line_, positions);
  set_index(line_, {positions}, Scalar(100));
  gate.reset();
  EXPECT_EQ(total(picked), 95);
  EXPECT_EQ(total(again), 95);
  EXPECT_EQ(total(line_), 1095);
}

TEST_F(LateBoundsTest, WhatIsOutOfBoundsIsThrownOnceWhereItIsRead) {
  std::optional<StreamGate> gate(Stream::current(device_));
  const Array picked = get_index(line_, {positions_from(11)});
  const Array low = get_index(line_, {positions_from(-21)});
  gate->open();
  EXPECT_EQ(message_of<IndexError>([&] { picked.to_vector<std::int64_t>(); }),
            "index 20 is out of bounds for axis 0 with size 20");
  EXPECT_EQ(total(line_), 190);
  EXPECT_EQ(total(low), 19 + 36);  // the first one wraps
}

TEST_F(LateBoundsTest, AnAssignmentThrowsWhereItsStreamIsWaitedFor) {
  {
    const StreamGate gate(Stream::current(device_));
    set_index(line_, {positions_from(-21)}, Scalar(0));
    EXPECT_NO_THROW(positions_from(0));
  }
  EXPECT_THROW(total(line_), IndexError);
  const Stream stream = Stream::current(device_);
  std::optional<StreamGate> gate(stream);
  set_index(line_, {positions_from(15)}, Scalar(0));
  gate->open();
  EXPECT_THROW(stream.synchronize(), IndexError);
  EXPECT_NO_THROW(stream.synchronize());
}

TEST_F(LateBoundsTest, WhoeverReadsThemIsTold) {
  Array picked;
  std::thread([&] {
    const StreamGate gate(Stream::current(device_));
    picked = evaluate(get_index(line_, {positions_from(15)}));
    std::thread([&] {
      // A thread that takes a stream over takes no errors over.
      EXPECT_EQ(total(evaluate(add(line_, Scalar(1)))), 210);
    }).join();
  }).join();
  std::thread([&] { EXPECT_EQ(total(evaluate(add(line_, Scalar(1)))), 210); }).join();
  EXPECT_EQ(total(line_), 190);
  const Array doubled = evaluate(multiply(picked, Scalar(2)));
  EXPECT_THROW(total(doubled), IndexError);
  EXPECT_NO_THROW(total(picked));
}

TEST_F(LateBoundsTest, WhatTheHostKnowsIsThrownAtOnce) {
  const Array given = from_vector<std::int64_t>({0, 25}, device_);
  const Array sorted = argsort(line_);
  const StreamGate gate(Stream::current(device_));
  const Array busy = positions_from(0);
  EXPECT_THROW(get_index(line_, {given}), IndexError);
  const Array first_twice = broadcast_to(get_index(given, {Slice{0, 1, 1}}), {2});
  EXPECT_NO_THROW(get_index(line_, {first_twice}));  // 25 is not among them
  const Array own = argsort(busy);
  const auto launches = value_of(Counter::launches);
  evaluate(get_index(line_, {own}));
  EXPECT_EQ(value_of(Counter::launches), launches + 1);
  evaluate(get_index(line_, {busy}));
  EXPECT_GE(value_of(Counter::launches), launches + 3);  // one that checks
  EXPECT_EQ(evaluate(get_index(line_, {sorted})).size(), 20);
}

TEST_F(LateBoundsTest, ChoicesAreCheckedSo) {
  std::optional<StreamGate> gate(Stream::current(device_));
  const Array choices[] = {line_, line_};
  const Array selector = reshape(positions_from(-1), {10, 1});
  const Array chosen = choose(selector, choices);
  gate->open();
  EXPECT_THAT(message_of<ValueError>([&] { total(chosen); }), HasSubstr("invalid entry"));
}

}  // namespace
}  // namespace cupola
