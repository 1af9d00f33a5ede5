#include "exec/evaluation/dry_run.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counters.h"
#include "cupola/cupola.h"
#include "exec/launch/kernel_cache.h"
#include "exec/testing/deferring_test.h"

namespace cupola {
namespace {

using Arrays = std::vector<Array>;

// What a program holds when it asks, and which of it it asks for.
struct Program {
  Arrays held;
  Arrays asked;
};

class DryRunTest : public DeferringTest {
 protected:
  Array matrix() const {
    return evaluate(reshape(
        arange(Scalar(0.0), Scalar(600000.0), Scalar(1.0), DType::float64, device()), {600, 1000}));
  }
};

// Each once, in the order of their first launches.
std::vector<KernelPlan> different(const std::vector<KernelPlan>& plans) {
  std::vector<KernelPlan> result;
  for (const KernelPlan& plan : plans) {
    if (std::find(result.begin(), result.end(), plan) == result.end()) result.push_back(plan);
  }
  return result;
}

// On a thread of its own, which knows no kernels, and records each plan at least once.
std::vector<KernelPlan> evaluated_plans(const Arrays& arrays) {
  std::vector<KernelPlan> plans;
  std::thread([&] {
    const PlanRecorder recorder(plans);
    evaluate(arrays);
  }).join();
  return plans;
}

std::vector<std::function<Program(const Array&)>> programs() {
  const auto chain = [](const Array& a) { return Program{{}, {(a * 2.0 + 1.0) / (a + a)}}; };
  const auto held_on_the_way = [](const Array& a) {
    const Array sum = a + 1.0;
    return Program{{sum}, {sum * sum}};
  };
  const auto reduction_with_both_sides = [](const Array& a) {
    return Program{{}, {sqrt(sum(a * a, {.axes = Dims{1}}) + 1.0)}};
  };
  const auto rows_and_reductions = [](const Array& a) {
    const Array scaled = a * 3.0;
    const Array means = mean(scaled, {.axes = Dims{0}});
    return Program{{}, {(scaled - means) / sqrt(means)}};
  };
  const auto held_reduction = [](const Array& a) {
    const Array total = sum(a + 1.0);
    return Program{{total}, {total * 2.0, a * total}};
  };
  const auto one_below_the_other = [](const Array& a) {
    const Array first = a * 2.0;
    const Array second = first + 1.0;
    return Program{{first}, {first, second}};
  };
  const auto one_above_the_other = [](const Array& a) {
    const Array first = a * 2.0;
    const Array second = first + 1.0;
    return Program{{first}, {second, first, second}};
  };
  const auto scan_of_reductions = [](const Array& a) {
    return Program{{}, {cumsum(max(a - 0.5, {.axes = Dims{1}}))}};
  };
  const auto shared_below_materialized_inputs = [](const Array& a) {
    const Array base = a * 0.5;
    const Array column = sum(base, {.axes = Dims{0}});
    const Array again = sum(base * column, {.axes = Dims{0}});
    return Program{{}, {again * column + base}};
  };
  const auto long_chain = [](const Array& a) {
    Array value = a;
    for (int i = 0; i < 120; ++i) value = value + static_cast<double>(i);
    return Program{{}, {value}};
  };
  return {chain,
          held_on_the_way,
          reduction_with_both_sides,
          rows_and_reductions,
          held_reduction,
          one_below_the_other,
          one_above_the_other,
          scan_of_reductions,
          shared_below_materialized_inputs,
          long_chain};
}

TEST_P(DryRunTest, TellsExactlyThePlansThatAreThenLaunched) {
  const Array a = matrix();
  int number = 0;
  for (const auto& make : programs()) {
    SCOPED_TRACE(number++);
    const Program program = make(a);
    const std::vector<DryRunLaunch> launches = dry_run_of(program.asked).launches;
    const std::uint64_t before = value_of(Counter::launches);
    const std::vector<KernelPlan> plans = different(evaluated_plans(program.asked));
    EXPECT_EQ(launches.size(), value_of(Counter::launches) - before);
    std::vector<KernelPlan> told;
    for (const DryRunLaunch& launch : launches) told.push_back(launch.plan);
    EXPECT_TRUE(different(told) == plans);
    EXPECT_TRUE(dry_run_of(program.asked).launches.empty());
  }
}

TEST_P(DryRunTest, ChangesNothing) {
  const Array a = matrix();
  const Array between = a + matrix() + matrix();  // is stored by a kernel of its own
  const Array result = sum(between + a, {.axes = Dims{0}});
  const auto compilations = value_of(Counter::compilations);
  const auto readers = a.state().storage->pending_readers.load();
  const auto uses = a.state().storage->uses.read_by_writer;
  EXPECT_EQ(dry_run_of({&result, 1}).launches.size(), 2U);
  EXPECT_FALSE(is_stored(between));
  EXPECT_FALSE(is_stored(result));
  EXPECT_EQ(value_of(Counter::compilations), compilations);
  EXPECT_EQ(a.state().storage->pending_readers.load(), readers);
  EXPECT_EQ(a.state().storage->uses.read_by_writer, uses);
}

TEST_P(DryRunTest, ArraysInItHaveTheLayoutsOfTheRealOnes) {
  const Array turned = transpose(matrix());
  const Array result = turned + 1.0;
  const std::vector<DryRunLaunch> launches = dry_run_of({&result, 1}).launches;
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(strides_of(launches[0].writes[0]), strides_of(evaluate(result)));
}

INSTANTIATE_TEST_SUITE_P(Platforms, DryRunTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
