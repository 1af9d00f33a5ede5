#include "driver/set/set_division.h"

#include <gtest/gtest.h>

#include <random>

namespace cupola {
namespace {

struct Operand {
  OperandArgument argument;
  OperandSpan span;
  Operand(Dims strides, std::int64_t item) : argument{nullptr, std::move(strides)} {
    span = {&argument, item, true};
  }
  Operand(const Operand&) = delete;
};

// Counts one element after the other; nothing where addresses fall.
std::optional<std::int64_t> counted(const Dims& extents, const Operand& operand,
                                    std::int64_t offset) {
  std::int64_t below = 0;
  std::int64_t last = -1;
  Dims at(extents.size(), 0);
  for (;;) {
    std::int64_t address = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      address += at[i] * operand.argument.strides[i] * operand.span.item;
    }
    if (address < last) return std::nullopt;
    last = address;
    if (address < offset) ++below;
    std::size_t axis = extents.size();
    while (axis-- > 0 && ++at[axis] == extents[axis]) at[axis] = 0;
    if (axis == static_cast<std::size_t>(-1)) return below;
  }
}

TEST(SetDivision, CountsElementsBelowAnAddress) {
  const Operand rows({8, 1}, 4);  // rows of 5 with gaps of 3
  const Dims extents{3, 5};
  EXPECT_EQ(elements_below(extents, rows.span, 0), 0);
  EXPECT_EQ(elements_below(extents, rows.span, 1), 1);
  EXPECT_EQ(elements_below(extents, rows.span, 20), 5);
  EXPECT_EQ(elements_below(extents, rows.span, 31), 5);
  EXPECT_EQ(elements_below(extents, rows.span, 33), 6);
  EXPECT_EQ(elements_below(extents, rows.span, 1000), 15);
  EXPECT_EQ(elements_below({5, 3}, Operand({1, 5}, 4).span, 8), std::nullopt);
  EXPECT_EQ(elements_below({4, 3}, Operand({1, 0}, 8).span, 8), 3);
  EXPECT_EQ(elements_below({4, 3}, Operand({0, 1}, 8).span, 8), std::nullopt);
}

TEST(SetDivision, CountsAsOneByOne) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; ++round) {
    Dims extents, strides;
    const std::size_t rank = 1 + random() % 3;
    for (std::size_t i = 0; i < rank; ++i) {
      extents.push_back(1 + static_cast<std::int64_t>(random() % 4));
      strides.push_back(static_cast<std::int64_t>(random() % 14));
    }
    const Operand operand(strides, std::int64_t{1} << random() % 4);
    const auto offset = static_cast<std::int64_t>(random() % 200);
    const auto found = elements_below(extents, operand.span, offset);
    const auto wanted = counted(extents, operand, offset);
    if (found) {
      EXPECT_EQ(found, wanted);
    }
    // Two rows that end and begin at one address would do, and are not known.
  }
}

TEST(SetDivision, EveryElementIsSomebodys) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 5000; ++round) {
    const Dims extents{1 + static_cast<std::int64_t>(random() % 7),
                       1 + static_cast<std::int64_t>(random() % 50)};
    const Operand operand(random() % 2 ? Dims{extents[1], 1} : Dims{1, extents[0]}, 8);
    std::vector<HeldStretch> stretches;
    std::int64_t end = 0;
    const std::int64_t whole = extents[0] * extents[1] * 8;
    while (end < whole) {
      end = std::min(whole, end + 1 + static_cast<std::int64_t>(random() % 300));
      stretches.push_back({random() % 3, end});
    }
    const auto work = divide(extents, operand.span, stretches);
    std::int64_t at = 0;
    for (const MemberWork& each : work) {
      EXPECT_EQ(each.part.first, at);
      EXPECT_GT(each.part.end, at);
      at = each.part.end;
    }
    EXPECT_EQ(at, extents[0] * extents[1]);
  }
}

TEST(SetDivision, CutsWhereThePagesAre) {
  const Operand operand({1}, 4);
  const std::vector<HeldStretch> stretches{{0, 64}, {1, 192}, {2, 400}};
  const auto work = divide({100}, operand.span, stretches);
  ASSERT_EQ(work.size(), 3u);
  EXPECT_EQ(work[0].part.end, 16);
  EXPECT_EQ(work[1].part.end, 48);
  EXPECT_EQ(work[2].part.end, 100);
}

TEST(SetDivision, ReductionsGoByTheirInput) {
  KernelPlan plan;
  plan.own = ReducePlan{.reduced_rank = 1};
  plan.rank = 2;
  plan.inputs = {{DType::float64, OperandLayout::contiguous}};
  plan.outputs = {{{DType::float64, OperandLayout::contiguous}}};
  LaunchArguments arguments;
  int memory[2];
  arguments.extents = {10, 100};
  arguments.inputs = {{&memory[0], {100, 1}}};
  arguments.outputs = {{&memory[1], {1, 0}}};
  EXPECT_EQ(operands_in_order(plan, arguments)[0].data(), reinterpret_cast<char*>(&memory[0]));
  arguments.inputs[0].strides = {1, 0};
  EXPECT_TRUE(operands_in_order(plan, arguments)[0].is_output);
}

TEST(SetDivision, SmallOperandsAreNoGuides) {
  // The sum of each of 4096 columns: the results are few, and lie in the elements' order.
  KernelPlan plan;
  plan.rank = 2;
  plan.inputs.push_back({DType::float32, OperandLayout::strided});
  plan.outputs.push_back({{DType::float32, OperandLayout::strided}});
  float memory = 0;
  LaunchArguments arguments;
  arguments.extents = {4096, 100000};
  arguments.inputs.push_back({&memory, {1, 4096}});
  arguments.outputs.push_back({&memory, {1, 0}});
  const std::vector<OperandSpan> operands = operands_in_order(plan, arguments);
  ASSERT_EQ(operands.size(), 1u);
  EXPECT_FALSE(operands[0].is_output);
}

}  // namespace
}  // namespace cupola
