#include "exec/evaluation/runner.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/counters.h"
#include "cupola/cupola.h"
#include "exec/evaluation/evaluator.h"
#include "exec/testing/deferring_test.h"
#include "graph/views.h"

namespace cupola {
namespace {

class Schedules : public DeferringTest {
 protected:
  Array matrix() const {
    return evaluate(reshape(
        arange(Scalar(0.0), Scalar(60000.0), Scalar(1.0), DType::float64, device()), {300, 200}));
  }
};

Schedule schedule_of(const Array& array) {
  Scheduler scheduler(free_operations);
  scheduler.add({&array, 1}, Live::may_be_left);
  return scheduler.take();
}

std::vector<Task::Kind> kinds_of(const Schedule& schedule) {
  std::vector<Task::Kind> kinds;
  for (const Task& task : schedule.tasks) kinds.push_back(task.kind);
  return kinds;
}

TEST_P(Schedules, HaveTasksInTheOrderOfTheLaunches) {
  using enum Task::Kind;
  const Array a = matrix();
  const Array lengths = sqrt(sum(a * a, {.axes = Dims{1}, .keepdims = true}));
  EXPECT_EQ(kinds_of(schedule_of(a / lengths)), std::vector{rows});
  // Not within one expression: its intermediate results would be there until its end.
  const Array largest = max(exp(a * 1e-5));
  EXPECT_EQ(kinds_of(schedule_of(largest)), std::vector{reduction});
  const Array column = sum(a, {.axes = Dims{0}});
  EXPECT_EQ(kinds_of(schedule_of((a - column) * column)), (std::vector{reduction, map}));
  EXPECT_TRUE(kinds_of(schedule_of(a)).empty());
}

TEST_P(Schedules, ChangeNothing) {
  const Array a = matrix();
  const Array base = a * 3.0;
  const auto owners = [&] { return base.handle().use_count(); };
  const Array column = sum(base, {.axes = Dims{0}});
  const Array value = get_index(exp(a + column), {Slice{1, 7}}) + get_index(base, {Slice{0, 6}});
  const NodePointer node = node_of(value);
  const long before = owners();
  for (int i = 0; i < 3; ++i) EXPECT_GE(schedule_of(value).tasks.size(), 2U);
  EXPECT_EQ(owners(), before);
  EXPECT_EQ(node_of(value), node);
  EXPECT_FALSE(is_stored(base));
}

// The kernel that reads the sources is none of the tasks, and has to find views as it would be
// planned with.
TEST_P(Schedules, ViewsBelowSourcesAreRewrittenAfterTheLastTask) {
  const Array a = matrix();
  const auto source = [&] { return get_index(a + 1.0, {Slice{0, 5}}) * 2.0; };
  const Array value = source();
  Scheduler scheduler(free_operations);
  const KernelForm form{.space = value.shape(), .has_rolls = true};
  EXPECT_TRUE(scheduler.add_below({&value, 1}, form).materialized_inputs.empty());
  Schedule schedule = scheduler.take();
  EXPECT_TRUE(schedule.tasks.empty());
  ASSERT_EQ(schedule.rewrites.size(), 1U);
  run(std::move(schedule), true);
  const Array target = evaluate(zeros(value.shape(), DType::float64, device()));
  const std::uint64_t launches = value_of(Counter::launches);
  write(value, target);
  EXPECT_LE(value_of(Counter::launches) - launches, 1U);
  EXPECT_EQ(target.to_vector<double>(), source().to_vector<double>());
}

// What reads them elsewhere looks for their memory.
TEST_P(Schedules, ViewsAreStoredWithTheirArrays) {
  const Array a = matrix();
  const Array total = sum(a);
  const Array view = reshape(total, {1});
  evaluate(view);
  EXPECT_TRUE(is_stored(view));
  const Array largest = max(a);
  const Array rolled = make_roll(reshape(largest, {1}), Dims{0});
  const Array target = evaluate(zeros({1}, DType::float64, device()));
  write(rolled, target);
  EXPECT_EQ(target.to_vector<double>(), std::vector{59999.0});
}

TEST_P(Schedules, AreStaleWhenOthersHaveStoredAReduction) {
  const Array a = matrix();
  const Array mean = [&] {
    const Array sums = sum(a * 2.0, {.axes = Dims{1}});
    return sqrt(sums) / 200.0;
  }();
  Schedule schedule = schedule_of(mean);
  ASSERT_EQ(kinds_of(schedule), std::vector{Task::Kind::reduction});
  evaluate(Array(schedule.tasks.front().reductions.front().lock()));  // as another thread would
  EXPECT_THROW(run(std::move(schedule), false), StaleSnapshot);
  EXPECT_FALSE(is_stored(mean));
  EXPECT_EQ(mean.to_vector<double>(),
            (sqrt(sum(a * 2.0, {.axes = Dims{1}})) / 200.0).to_vector<double>());
}

TEST_P(Schedules, ComputeNothingThatOthersHaveStored) {
  const Array a = matrix();
  const Array column = sum(a, {.axes = Dims{0}});
  const Array value = (a - column) * column;
  Schedule schedule = schedule_of(value);
  evaluate(value);
  const std::uint64_t launches = value_of(Counter::launches);
  run(std::move(schedule), false);
  EXPECT_EQ(value_of(Counter::launches), launches);
}

INSTANTIATE_TEST_SUITE_P(Platforms, Schedules,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
