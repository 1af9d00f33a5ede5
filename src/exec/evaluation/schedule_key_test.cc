#include "exec/evaluation/schedule_key.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "cupola/cupola.h"
#include "exec/evaluation/allocation.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/known_schedule.h"
#include "exec/testing/deferring_test.h"
#include "runtime/live_streams.h"
#include "runtime/on_stream.h"

namespace cupola {
namespace {

Device cpu() { return {PlatformKind::cpu, 0}; }

// Expressions of few kinds, so that many of them have equal keys.
class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {
    for (StreamPointer& stream : streams_) stream = make_stream(cpu());
    const OnStream first(cpu(), streams_[0]);
    memory_ = from_vector(std::vector<float>(4096, 1.0F), cpu());
  }

  // Forgets what it has of the one before.
  std::vector<Array> roots() {
    values_.clear();
    held_.clear();
    values_.push_back(leaf());
    for (int i = 1 + below(5); i > 0; --i) {
      const OnStream stream(cpu(), some_stream());
      add(step());
    }
    std::vector<Array> chosen{values_.back()};
    if (below(4) == 0) chosen.push_back(values_[values_.size() / 2]);
    for (const Array& value : values_) {
      if (below(3) == 0) held_.push_back(value);
    }
    values_.clear();
    return chosen;
  }
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

 private:
  Array some() {
    return values_[static_cast<std::size_t>(below(static_cast<int>(values_.size())))];
  }
  void add(Array value) {
    if (below(3) == 0) defer(value);
    if (below(12) == 0) value.state().is_left = true;
    values_.push_back(std::move(value));
  }
  Array step() {
    const Array value = values_.back();
    switch (below(8)) {
      case 0:
        return value * (below(2) + 0.5);
      case 1:
        return value + some();
      case 2:
        return sum(value, {.axes = Dims{below(2)}, .keepdims = true});
      case 3:
        return max(value, {.axes = Dims{1}, .keepdims = true});
      case 4:
        return cumsum(value, below(2));
      case 5:
        return make_roll(leaf(), {below(2), below(2)});
      case 6:
        return value + sum(value, {.axes = Dims{1}, .keepdims = true});
      default:
        return exp(value) - leaf();
    }
  }
  // Views of one shape, in few layouts.
  Array leaf() {
    const std::int64_t first = 512 * below(3);
    const Array part = get_index(memory_, {Slice{first, first + kSide * kSide, std::nullopt}});
    const Array square = reshape(part, {kSide, kSide});
    if (below(4) == 0) return transpose(square);
    if (below(4) > 0) return square;
    const OnStream other(cpu(), some_stream());
    const Array computed = square + 1;
    defer(computed);
    evaluate(computed);
    return computed;
  }
  const StreamPointer& some_stream() { return streams_[below(4) == 0 ? 1 : 0]; }

  static constexpr std::int64_t kSide = 20;
  std::mt19937 random_;
  std::array<StreamPointer, 2> streams_;
  Array memory_;
  std::vector<Array> values_, held_;
};

bool are_same(const std::vector<WeakArray>& a, const std::vector<WeakArray>& b) {
  return std::ranges::equal(a, b, [](const WeakArray& one, const WeakArray& other) {
    return one.lock() == other.lock();
  });
}

void expect_same(const Schedule& found, const Schedule& made) {
  ASSERT_EQ(found.tasks.size(), made.tasks.size());
  for (std::size_t i = 0; i < found.tasks.size(); ++i) {
    const Task& a = found.tasks[i];
    const Task& b = made.tasks[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.wanted, b.wanted);
    EXPECT_EQ(a.stream, b.stream);
    EXPECT_EQ(a.rows.space, b.rows.space);
    EXPECT_EQ(a.rows.axes, b.rows.axes);
    EXPECT_EQ(a.rows.is_outer, b.rows.is_outer);
    EXPECT_TRUE(are_same(a.outputs, b.outputs));
    EXPECT_TRUE(are_same(a.reductions, b.reductions));
    EXPECT_TRUE(are_same(a.left, b.left));
  }
}

class ScheduleKeyTest : public ::testing::Test {
  const AllWaits all_waits_;
};

TEST_F(ScheduleKeyTest, EqualKeysHaveEqualSchedules) {
  RandomExpressions random(1);
  std::map<std::vector<std::uint64_t>, KnownSchedule> known;
  std::map<Task::Kind, int> kinds;
  int repeated = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::vector<Array> roots = random.roots();
    const Live live = random.below(2) == 0 ? Live::stored : Live::may_be_left;
    const ScheduleKey key(roots, live);
    if (!key.is_complete()) continue;
    Scheduler scheduler(free_operations);
    scheduler.add(roots, live);
    const Schedule made = scheduler.take();
    const std::vector<std::uint64_t> words(key.words().begin(), key.words().end());
    const auto found = known.find(words);
    if (found == known.end()) {
      const auto learned = KnownSchedule::of(key, made, {});
      ASSERT_TRUE(learned);
      known.emplace(words, *learned);
      continue;
    }
    ++repeated;
    for (const Task& task : made.tasks) ++kinds[task.kind];
    ASSERT_NO_FATAL_FAILURE(expect_same(found->second.schedule_of(key), made));
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(repeated, 2000);
  EXPECT_EQ(kinds.size(), 3);
  for (const auto& [kind, times] : kinds) EXPECT_GT(times, 100) << static_cast<int>(kind);
}

TEST_F(ScheduleKeyTest, EqualKeysOfSourcesHaveEqualRegions) {
  RandomExpressions random(2);
  std::map<std::vector<std::uint64_t>, KnownSchedule> known;
  int repeated = 0;
  int with_arrays = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::vector<Array> sources{random.roots().front()};
    const KernelForm form{.space = sources.front().shape(),
                          .stores_live_outputs = random.below(2) == 0,
                          .has_rolls = true,
                          .free_operations = 32 * random.below(2)};
    const ScheduleKey key(sources, form);
    if (!key.is_complete()) continue;
    Scheduler scheduler(free_operations);
    const Region region = scheduler.add_below(sources, form);
    const Schedule made = scheduler.take();
    const std::vector<std::uint64_t> words(key.words().begin(), key.words().end());
    const auto found = known.find(words);
    if (found == known.end()) {
      const auto learned = KnownSchedule::of(key, made, region);
      ASSERT_TRUE(learned);
      known.emplace(words, *learned);
      continue;
    }
    ++repeated;
    with_arrays += region.live_outputs.empty() ? 0 : 1;
    const Region again = found->second.region_of(key);
    EXPECT_TRUE(are_same(weak(again.live_outputs), weak(region.live_outputs)));
    EXPECT_TRUE(are_same(weak(again.left), weak(region.left)));
    ASSERT_NO_FATAL_FAILURE(expect_same(found->second.schedule_of(key), made));
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(repeated, 2000);
  EXPECT_GT(with_arrays, 50);
}

Array rows(std::int64_t count) { return zeros({count, 20}, DType::float32, cpu()); }

Array softmax(const Array& x) {
  const ReduceOptions over_rows{.axes = Dims{1}, .keepdims = true};
  const Array e = exp(x - max(x, over_rows));
  return e / sum(e, over_rows);
}

std::vector<std::uint64_t> words_of(const Array& root) {
  const ScheduleKey key({&root, 1}, Live::may_be_left);
  EXPECT_TRUE(key.is_complete());
  return {key.words().begin(), key.words().end()};
}

TEST_F(ScheduleKeyTest, TellsWhoHasAnArray) {
  const Array x = rows(10);
  evaluate(x);
  const auto made_of = [&](bool is_held) {
    Array part = x + 1;
    const Array root = part * 2;
    if (!is_held) part = {};
    return words_of(root);
  };
  EXPECT_EQ(made_of(true), made_of(true));
  EXPECT_EQ(made_of(false), made_of(false));
  EXPECT_NE(made_of(true), made_of(false));
}

TEST_F(ScheduleKeyTest, ViewsAndSiblingsHaveNone) {
  const Array x = rows(10);
  evaluate(x);
  const Array view = transpose(x + 1);
  EXPECT_FALSE(ScheduleKey({&view, 1}, Live::stored).is_complete());
  const Array fraction = modf(x + 0.5)[0];
  EXPECT_FALSE(ScheduleKey({&fraction, 1}, Live::stored).is_complete());
  EXPECT_FALSE(ScheduleKey({&x, 1}, Live::stored).is_complete());
}

// A stored array has a stream, too, which is no part of the key.
TEST_F(ScheduleKeyTest, StreamsAreThoseOfPendingArrays) {
  const StreamPointer streams[] = {make_stream(cpu()), make_stream(cpu())};
  const auto on = [&](int number, const auto& make) {
    const OnStream stream(cpu(), streams[number]);
    return Array(make());
  };
  std::optional<KnownSchedule> known;
  for (int turn = 0; turn < 2; ++turn) {
    const Array read = on(turn, [] { return rows(10) + 1; });
    evaluate(read);
    const Array summed = on(0, [] { return cumsum(rows(10), 0); });
    const Array root = on(1, [&] { return read + summed; });
    const ScheduleKey key({&root, 1}, Live::stored);
    Scheduler scheduler(free_operations);
    scheduler.add({&root, 1}, Live::stored);
    const Schedule made = scheduler.take();
    if (turn == 0) known = KnownSchedule::of(key, made, {});
    ASSERT_TRUE(known);
    ASSERT_EQ(made.tasks.size(), 2);
    expect_same(known->schedule_of(key), made);
  }
}

// The third turn of a loop takes its schedule from the second.
TEST_F(ScheduleKeyTest, ThreadsKnowWhatTheyMadeTwice) {
  for (int turn = 0; turn < 4; ++turn) {
    const Array x = rows(20000);
    evaluate(x);
    const Array y = softmax(x);
    const ScheduleKey key({&y, 1}, Live::may_be_left);
    ASSERT_TRUE(key.is_complete());
    EXPECT_EQ(find_known(key) != nullptr, turn >= 2) << turn;
    evaluate(y);
    EXPECT_FLOAT_EQ(max(y).item<float>(), 0.05F);
  }
}

}  // namespace
}  // namespace cupola
