#include "exec/evaluation/deferral.h"

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counters.h"
#include "core/array_state.h"
#include "cupola/cupola.h"
#include "exec/testing/deferring_test.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

constexpr std::int64_t kCount = 10'000;

class Deferral : public DeferringTest {
 protected:
  Array full_of(double value) const {
    return full({kCount}, Scalar(value), DType::float64, device());
  }
  static double last_of(const Array& array) {
    return item(get_index(array, {-1})).to_complex().real();
  }
};

TEST_P(Deferral, WhatNobodyHoldsIsNeverStored) {
  const Array a = full_of(3), b = full_of(4);
  const std::weak_ptr<ArrayState> between = (a + b).handle();
  EXPECT_TRUE(between.expired());
  Array product;
  std::weak_ptr<ArrayState> inside;
  {
    const Array sum = a + b;
    inside = sum.handle();
    product = sum * a;
  }
  EXPECT_FALSE(inside.expired());  // as a part of the product
  EXPECT_FALSE(is_stored(product));
  EXPECT_EQ(last_of(product), 21);
  EXPECT_TRUE(is_stored(product));
  EXPECT_TRUE(inside.expired());
}

// What a[mask] is: the last element of an array, when it is computed.
class LastElement final : public UnshapedResult {
 public:
  explicit LastElement(const Array& array)
      : read_(std::make_unique<const Computation>(std::vector<Array>{array})) {}
  void compute() override {
    if (read_) value = item(get_index(read_->inputs[0], {-1})).to_complex().real();
    read_ = nullptr;
  }
  std::vector<Array> inputs() const override {
    return read_ ? read_->inputs : std::vector<Array>{};
  }
  double value = 0;

 private:
  std::unique_ptr<const Computation> read_;
};

TEST_P(Deferral, WhatHasNoShapeIsComputedBeforeItsArrayIsWritten) {
  const Array a = full_of(3), other = full_of(8);
  const auto last = std::make_shared<LastElement>(a);
  defer(last, device());
  assign(other, 9);
  EXPECT_EQ(last->value, 0);
  assign(a, 4);
  EXPECT_EQ(last->value, 3);
  EXPECT_EQ(last_of(a), 4);
}

TEST_P(Deferral, WhatHasNoShapeIsComputedWhereItsStreamIsWaitedFor) {
  const Array pending = full_of(3) * full_of(5);
  const auto last = std::make_shared<LastElement>(pending);
  defer(last, device());
  defer(std::make_shared<LastElement>(pending), device());  // nobody has it
  synchronize(device());
  EXPECT_EQ(last->value, 15);
}

TEST_P(Deferral, WhatIsHeldOnTheWayIsStoredByTheSameKernel) {
  const Array a = full_of(3), b = full_of(4);
  const Array sum = a + b;
  const Array product = sum * a;
  evaluate(product);
  EXPECT_TRUE(is_stored(sum));
  EXPECT_EQ(sum.state().storage->uses.write.sequence, product.state().storage->uses.write.sequence);
  EXPECT_EQ(last_of(sum), 7);
  EXPECT_EQ(last_of(product), 21);
}

TEST_P(Deferral, WhatOnlyAnUpdateHasIsLeftPending) {
  const Operand held(full_of(3) * full_of(4));
  Array a = full_of(5);
  a += held;
  EXPECT_FALSE(is_stored(held.array()));
  EXPECT_EQ(last_of(a), 17);
  EXPECT_EQ(last_of(held.array()), 12);
  const Array named = full_of(3) * full_of(4);
  a += named;
  EXPECT_TRUE(is_stored(named));
}

// However it is read: in step, at other places, through a smaller array.
TEST_P(Deferral, WhatOnlyAnUpdateHasKeepsWhatWasOverwritten) {
  const Array numbers = arange(0.0, 10'000.0, 1.0, DType::float64, device());
  const std::array<Array (*)(const Array&), 4> functions{
      [](const Array& a) { return a * 2.0; },
      [](const Array& a) { return flip(a) * 2.0; },
      [](const Array& a) {
        return get_index(a, {Slice{7, 8, 1}}) + 1.0;
      },
      [](const Array& a) { return cumsum(a) - a; },
  };
  for (const auto& function : functions) {
    const Array before = copy(function(numbers));
    Array a = copy(numbers);
    const Operand held(function(a));
    a += held;
    EXPECT_EQ(held.array().to_vector<double>(), before.to_vector<double>());
    EXPECT_EQ(a.to_vector<double>(), (numbers + before).to_vector<double>());
  }
}

TEST_P(Deferral, WritesComeAfterThoseWhoReadBefore) {
  const Array a = full_of(3);
  const Array twice = a + a;
  const Array more = twice * a;  // reads `a` by itself and by `twice`
  assign(a, 100.0);
  EXPECT_TRUE(is_stored(twice));
  EXPECT_TRUE(is_stored(more));
  EXPECT_EQ(last_of(twice), 6);
  EXPECT_EQ(last_of(more), 18);
}

// The reader read a pending array, which was stored later.
TEST_P(Deferral, WritesToWhatWasPendingComeAfterItsReaders) {
  const Array a = full_of(3);
  const Array twice = a + a;
  const Array more = twice * a;
  assign(twice, 100.0);
  EXPECT_EQ(last_of(more), 18);
  EXPECT_EQ(last_of(twice), 100);
}

TEST_P(Deferral, TheRightHandSideOfAWriteIsPartOfIt) {
  const Array a = full_of(3), b = full_of(4);
  const Array other = b * b;
  assign(a, a * b);
  EXPECT_FALSE(is_stored(other));  // reads nothing that is written
  EXPECT_EQ(last_of(a), 12);
  const Array kept = a + b;
  assign(a, kept);  // held by others, who want what it was
  EXPECT_EQ(last_of(a), 16);
  EXPECT_EQ(last_of(kept), 16);
}

TEST_P(Deferral, ReadersThroughViewsCountToo) {
  const Array a = full_of(3);
  const Array half = get_index(a, {Slice{.start = kCount / 2}});
  const Array doubled = half + half;
  assign(get_index(a, {Slice{.start = 10}}), 50.0);
  EXPECT_EQ(last_of(doubled), 6);
}

TEST_P(Deferral, ViewsShareMemory) {
  const Array a = full_of(3), b = full_of(4);
  const Array sum = a + b;
  const Array part = get_index(sum, {Slice{.start = 10}});
  EXPECT_FALSE(is_stored(part));
  const Array doubled = part + part;
  evaluate(doubled);
  assign(part, 50.0);
  EXPECT_EQ(last_of(sum), 50);
  EXPECT_EQ(last_of(doubled), 14);
}

TEST_P(Deferral, WhatAViewDoesNotSelectIsNotComputed) {
  const Array a = full_of(3), b = full_of(4);
  std::weak_ptr<ArrayState> inside;
  Array result;
  {
    const Array sum = a + b;
    inside = sum.handle();
    result = get_index(sum, {Slice{.start = 10, .step = 2}}) * get_index(b, {0});
  }
  EXPECT_FALSE(inside.expired());
  evaluate(result);  // loads the kernel
  const std::uint64_t before = value_of(Counter::launches);
  const Array again = get_index(a + b, {Slice{.start = 10, .step = 2}}) * get_index(b, {0});
  evaluate(again);
  EXPECT_EQ(value_of(Counter::launches), before + 1);
  EXPECT_TRUE(inside.expired());
  EXPECT_EQ(last_of(result), 28);
  EXPECT_EQ(last_of(again), 28);
}

TEST_P(Deferral, ThreadsMayMeetInOneView) {
  const Array a = full_of(3), b = full_of(4);
  for (int round = 0; round < 20; ++round) {
    std::vector<Array> results;
    {
      const Array part = get_index(a + b, {Slice{.start = 10}});
      const Array below = get_index(part, {Slice{.step = 3}});
      for (double factor : {2, 3}) {
        results.push_back(part * factor);
        results.push_back(below * factor);
        results.push_back(get_index(part + factor, {Slice{.start = 5}}) * factor);
      }
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (std::size_t j = 0; j < results.size(); ++j) {
          evaluate(results[(j + static_cast<std::size_t>(i)) % results.size()]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t j = 0; j < results.size(); ++j) {
      const double factor = j < 3 ? 2 : 3;
      EXPECT_EQ(last_of(results[j]), (j % 3 == 2 ? 7 + factor : 7) * factor);
    }
  }
}

TEST_P(Deferral, CastsOnTheWayHappen) {
  const Array wide = full({kCount}, Scalar(std::int64_t{1} << 40), DType::int64, device());
  const Array back = astype(astype(wide, DType::int32), DType::int64);
  EXPECT_EQ(last_of(back), 0);
}

TEST_P(Deferral, SynchronizingComputes) {
  const Array a = full_of(3);
  const Array twice = a + a;
  Stream::current(device()).synchronize();
  EXPECT_TRUE(is_stored(twice));
  const Array again = a + a;
  Event().record(Stream::current(device()));
  EXPECT_TRUE(is_stored(again));
}

TEST_P(Deferral, EachIsComputedOnTheStreamItWasAskedForOn) {
  const Array a = full_of(3);
  const Stream own = Stream::current(device());
  const Stream other = Stream::create(device());
  other.use();
  const Array twice = a + a;
  own.use();
  StreamGate gate(other);
  evaluate(twice);
  EXPECT_FALSE(other.state()->is_idle());
  EXPECT_EQ(twice.state().storage->uses.write.stream->id(), other.id());
  gate.open();
  EXPECT_EQ(last_of(twice), 6);
}

TEST_P(Deferral, ViewsOfExposedMemoryAreReadAtTheCall) {
  const Array a = full_of(3);
  const Array sum = a + a;
  const Array part = get_index(sum, {Slice{.start = 10}});
  data_pointer(sum);
  const Array doubled = part + part;
  EXPECT_TRUE(is_stored(doubled));
  EXPECT_EQ(last_of(doubled), 12);
}

TEST_P(Deferral, ExposedMemoryIsReadAtTheCall) {
  const Array a = full_of(3);
  const Array before = a + a;
  data_pointer(a);
  EXPECT_TRUE(is_stored(before));
  EXPECT_TRUE(is_stored(a + a));
  EXPECT_TRUE(is_stored(sum(a)));
}

TEST_P(Deferral, LongChainsAreCutAndReleased) {
  Array chain = full_of(0);
  const Array one = full_of(1);
  for (int i = 0; i < 1000; ++i) chain = chain + one;
  EXPECT_EQ(last_of(chain), 1000);
  for (int i = 0; i < 1000; ++i) chain = chain + one;  // never asked for
}

TEST_P(Deferral, WideGraphsAreComputedInParts) {
  const Array a = full_of(1);
  std::vector<Array> all;
  for (int i = 0; i < 200; ++i) all.push_back(a * static_cast<double>(i));
  Array total = all.front();
  for (const Array& each : all) total = total + each;
  EXPECT_EQ(last_of(total), 199 * 100);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(last_of(all[static_cast<std::size_t>(i)]), i);
}

TEST_P(Deferral, ReductionsTakeWhatIsBelowAndAboveThem) {
  const Array a = full_of(3), b = full_of(1);
  const Array m = mean((a - b) * (a - b));
  EXPECT_FALSE(is_stored(m));
  EXPECT_EQ(item(m).to_complex().real(), 4);
  const Array rows = reshape(evaluate(a + b), {100, 100});
  const Array means = mean(rows * rows, {.axes = Dims{0}});
  EXPECT_EQ(last_of(means), 16);
  const Array total = sum(rows);
  const Array shifted = total + 1.0;
  evaluate(shifted);
  EXPECT_TRUE(is_stored(total));  // held: it is not only a step on the way
  EXPECT_EQ(item(total).to_complex().real(), 40'000);
  EXPECT_EQ(item(shifted).to_complex().real(), 40'001);
}

TEST_P(Deferral, ThreadsThatAskForTheSameGetTheSame) {
  for (int round = 0; round < 50; ++round) {
    const Array a = full_of(3), b = full_of(4);
    const Array sum = a + b;
    const Array product = sum * b;
    const Array more = sum - product;
    std::vector<std::thread> threads;
    std::vector<double> found(6);
    for (std::size_t t = 0; t < found.size(); ++t) {
      threads.emplace_back([&, t] {
        found[t] = last_of(t % 3 == 0 ? sum : t % 3 == 1 ? product : more);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(found, (std::vector<double>{7, 28, -21, 7, 28, -21}));
  }
}

TEST_P(Deferral, EagerComputesAtTheCall) {
  set_deferral(cupola::Deferral::of_none);
  const Array a = full_of(3);
  EXPECT_TRUE(is_stored(a + a));
  EXPECT_TRUE(is_stored(mean(a)));
}

INSTANTIATE_TEST_SUITE_P(Platforms, Deferral,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
