#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "cupola/cupola.h"
#include "exec/launch/at_once.h"
#include "exec/testing/deferring_test.h"
#include "runtime/observer.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

// While somebody looks on, the calling thread computes no few elements without a launch.
class AtOnceTest : public DeferringTest {
 protected:
  void SetUp() override {
    DeferringTest::SetUp();
    add_observer(onlooker);
  }
  void TearDown() override {
    remove_observer(onlooker);
    DeferringTest::TearDown();
  }

  static inline Observer onlooker;

  Array values(double value, DType dtype = DType::float32, std::int64_t count = 100) const {
    return full({count}, Scalar(value), dtype, device());
  }
};

// No array where it was not computed at once.
Array at_once(const Operand& a, const Operand& b, UfuncId ufunc = UfuncId::add) {
  const Operand operands[] = {a, b};
  const Array result = call_ufunc(ufunc, operands)[0];
  return evaluate_at_once(result) ? result : Array();
}

// Memory at hand for results.
void stock(const Array& like) {
  std::vector<Array> spare;
  for (int i = 0; i < 8; ++i) spare.push_back(empty_like(like));
}

// The first launch of a kernel by a thread goes the long way.
void warm(const Operand& a, const Operand& b, UfuncId ufunc = UfuncId::add) {
  const Operand operands[] = {a, b};
  const Array result = call_ufunc(ufunc, operands)[0];
  evaluate(result);
  stock(result);
}

double first_of(const Array& array) {
  return item(get_index(array, {std::int64_t{0}})).cast(DType::float64).get<double>();
}

TEST_P(AtOnceTest, KnownKernelsNeedNothingElse) {
  const Array a = values(1), b = values(2);
  EXPECT_FALSE(at_once(a, values(2, DType::int16)).has_value());  // nobody has launched it yet
  warm(a, b);
  const Array sum = at_once(a, b);
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(first_of(sum), 3);
  warm(a, 0.5);
  const Array more = at_once(a, 0.25);
  ASSERT_TRUE(more.has_value());
  EXPECT_EQ(first_of(more), 1.25);
  const Array less = at_once(2.0, b, UfuncId::subtract);
  EXPECT_FALSE(less.has_value());
}

TEST_P(AtOnceTest, EveryElementwiseKernelCanBeKnown) {
  const Array a = values(1), wide = values(2, DType::float64), whole = values(3, DType::int32);
  const Array rows = reshape(values(1), {10, 10}), columns = transpose(rows);
  const auto chain = [&](double factor) { return (a * factor + wide) * a; };
  for (const auto& [x, y] : {std::pair{a, wide}, {a, a}, {rows, columns}}) {
    warm(x, y);
    EXPECT_TRUE(at_once(x, y).has_value());
  }
  warm(whole, 1.5);
  EXPECT_EQ(first_of(at_once(whole, 2.5)), 5.5) << "a scalar that decides the type";
  const Array first = chain(1);
  evaluate(first);
  stock(first);
  const Array result = chain(5);
  ASSERT_TRUE(evaluate_at_once(result));
  EXPECT_EQ(first_of(result), 7);
}

TEST_P(AtOnceTest, WhatOthersHaveAPartOfGoesTheLongWay) {
  const Array a = values(1), b = values(2);
  warm(a, b);
  for (int i = 0; i < 2; ++i) {
    const Array part = a + b;
    const Array whole = part * part;
    EXPECT_FALSE(evaluate_at_once(whole));
    evaluate(whole);
  }
}

TEST_P(AtOnceTest, KnownReductionsToOneElementNeedNothingElse) {
  const Array a = values(3), square = reshape(values(2), {10, 10});
  const std::function<Array()> makers[] = {
      [&] { return cupola::sum(a); },
      [&] { return cupola::mean(transpose(square)); },
      [&] { return cupola::argmax(a); },
      [&] { return cupola::sqrt(cupola::sum(square) * 0.5); },
  };
  const double expected[] = {300, 2, 0, 10};
  for (std::size_t i = 0; i < std::size(makers); ++i) {
    const Array first = makers[i]();
    EXPECT_FALSE(evaluate_at_once(first)) << i;
    evaluate(first);
    stock(first);
    const Array again = makers[i]();
    ASSERT_TRUE(evaluate_at_once(again)) << i;
    EXPECT_EQ(item(again).cast(DType::float64).get<double>(), expected[i]) << i;
    EXPECT_EQ(item(again).cast(DType::float64).get<double>(), expected[i]) << "once more";
  }
}

TEST_P(AtOnceTest, ReductionsThatOthersHaveGoTheLongWay) {
  const Array a = values(3);
  for (int i = 0; i < 2; ++i) {
    const Array whole = cupola::sum(a);
    const Array half = whole * 0.5;
    EXPECT_FALSE(evaluate_at_once(half));
    evaluate(half);
    EXPECT_EQ(item(half).get<float>(), 150);
    EXPECT_EQ(item(whole).get<float>(), 300);
  }
}

TEST_P(AtOnceTest, WorkOfOtherStreamsIsWaitedForElsewhere) {
  const Array a = values(1), b = values(2);
  warm(a, b);
  const Stream other = Stream::create(device());
  StreamGate gate(other);
  const Stream own = Stream::current(device());
  other.use();
  assign(a, 5.0);
  own.use();
  EXPECT_FALSE(at_once(a, b).has_value());
  const Array sum = a + b;
  evaluate(sum);  // now the stream waits
  const Array again = at_once(a, b);
  ASSERT_TRUE(again.has_value());
  gate.open();
  EXPECT_EQ(first_of(sum), 7);
  EXPECT_EQ(first_of(again), 7);
}

TEST_P(AtOnceTest, WhatWasAskedForOnAnotherStreamGoesTheLongWay) {
  const Array a = values(1), b = values(2);
  const Stream other = Stream::create(device());
  const Stream own = Stream::current(device());
  other.use();
  warm(a, b);
  other.synchronize();
  const Array sum = a + b;
  own.use();
  EXPECT_FALSE(evaluate_at_once(sum)) << "memory at hand is that of the current stream";
  other.use();
  EXPECT_TRUE(evaluate_at_once(sum));
  own.use();
}

TEST_P(AtOnceTest, OthersWaitForItsReadsAndItsWrite) {
  const Array b = values(2, DType::float32, 1000);
  warm(values(1, DType::float32, 1000), b);
  const Stream own = Stream::current(device());
  const Stream other = Stream::create(device());
  for (int i = 0; i < 50; ++i) {
    const Array a = values(i, DType::float32, 1000);
    stock(a);
    // Once without: to load a kernel, a device may wait for all its streams.
    std::optional<StreamGate> gate;
    if (i > 0) gate.emplace(own);
    const Array sum = at_once(a, b);
    ASSERT_TRUE(sum.has_value());
    other.use();
    assign(a, -1.0);
    const Array more = sum + b;
    evaluate(more);
    own.use();
    if (gate) gate->open();
    EXPECT_EQ(first_of(sum), i + 2);
    EXPECT_EQ(first_of(more), i + 4);
  }
}

TEST_P(AtOnceTest, NothingIsLaunchedWhileFunctionsArePending) {
  const Array a = values(1), b = values(2);
  warm(a, b);
  std::atomic<bool> may_end{false};
  const Stream other = Stream::create(device());
  other.launch_host_function([&] { may_end.wait(false); });
  EXPECT_FALSE(at_once(a, b).has_value());
  may_end = true;
  may_end.notify_all();
  other.synchronize();
  EXPECT_TRUE(eventually([&] { return at_once(a, b).has_value(); }));
}

// A thread that cannot be kept waiting does not fill a stream that has come to a halt.
TEST_P(AtOnceTest, StreamsDoNotOverflow) {
  const Array a = values(1), b = values(2);
  warm(a, b);
  Stream::current(device()).synchronize();
  StreamGate gate(Stream::current(device()));
  int launched = 0;
  while (launched < 1000 && at_once(a, b).has_value()) ++launched;
  EXPECT_GT(launched, 100);
  EXPECT_LT(launched, 1000);
  gate.open();
  Stream::current(device()).synchronize();
  EXPECT_TRUE(at_once(a, b).has_value());
}

TEST_P(AtOnceTest, SeveralAreComputedWhoseOperandsNobodyElseHas) {
  warm(values(1), values(2));
  for (int round = 0; round < 3; ++round) {
    std::vector<Array> sums;
    for (int i = 0; i < 20; ++i) sums.push_back(values(i) + values(2));
    stock(sums.front());
    evaluate(sums);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(first_of(sums[static_cast<std::size_t>(i)]), i + 2);
  }
}

TEST_P(AtOnceTest, SeveralStopAtTheFirstThatGoesTheLongWay) {
  const Array a = values(1), b = values(2);
  warm(a, b);
  const Array sums[] = {a + b, b + b, a + values(2, DType::int16), a + a};
  EXPECT_FALSE(evaluate_at_once(sums)) << "nobody has launched the third yet";
  evaluate(sums);
  EXPECT_EQ(first_of(sums[1]), 4);
  EXPECT_EQ(first_of(sums[2]), 3);
  EXPECT_EQ(first_of(sums[3]), 2);
}

INSTANTIATE_TEST_SUITE_P(Platforms, AtOnceTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
