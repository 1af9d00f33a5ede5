#include "graph/pending_work.h"
#include "graph/readers.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "graph/fusion.h"
#include "graph/readings.h"
#include "graph/testing.h"

namespace cupola {
namespace {

constexpr double kOnDevice = 2e12, kOnHost = 1e10;  // bytes per second

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Array stored_bytes(std::int64_t bytes) { return testing::stored({bytes}, DType::int8); }

Array sum(const Array& a, const Array& b) { return make_ufunc(UfuncId::add, {a, b}); }

Array chain_of(const Array& a, const Array& b, int steps) {
  Array value = a;
  for (int i = 0; i < steps; ++i) value = sum(value, b);
  return value;
}

TEST(PendingWork, CountsWhatIsReadOnceAndWhatSomebodyHas) {
  const Array a = stored_bytes(1000), b = stored_bytes(1000);
  const Array first = sum(a, b), second = sum(first, a);
  std::vector<Array> pending{second};
  EXPECT_EQ(find_pending_work(pending).steps, 2);
  EXPECT_EQ(find_pending_work(pending).live_bytes, 1000);
  EXPECT_EQ(find_pending_work(pending).bytes, 3000);
  pending.insert(pending.begin(), first);
  EXPECT_EQ(find_pending_work(pending).steps, 2);
  EXPECT_EQ(find_pending_work(pending).live_bytes, 2000);
  EXPECT_EQ(find_live(pending).size(), 2u);
}

TEST(PendingWork, ArraysThatOnlyOthersHaveAreNotHeld) {
  const Array a = stored_bytes(1000);
  std::vector<Array> pending{sum(a, a)};
  pending.push_back(sum(pending.front(), a));
  const Array last = pending.back();
  const PendingWork work = find_pending_work(pending);
  EXPECT_EQ(work.steps, 2);
  EXPECT_EQ(work.live_bytes, 1000);
  ASSERT_EQ(find_live(pending).size(), 1u);
  EXPECT_TRUE(is_same(find_live(pending).front(), last));
}

TEST(PendingWork, WhatIsBetweenKernelsGoesThroughMemory) {
  const Array a = stored_bytes(1000);
  const Array root = sum(make_roll(sum(a, a), {3}), a);
  const PendingWork work = find_pending_work({&root, 1});
  EXPECT_EQ(work.bytes, 1000 + 2 * 1000 + work.live_bytes);
  EXPECT_EQ(work.steps, 3);
  EXPECT_EQ(work.borders, 1);
}

TEST(PendingWork, SmallWorkWaits) {
  const Array a = stored_bytes(4096), b = stored_bytes(4096);
  const Array few = chain_of(a, b, 100);
  EXPECT_FALSE(is_worth_a_cut(find_pending_work({&few, 1}), kOnDevice));
  EXPECT_FALSE(is_worth_a_cut(find_pending_work({&few, 1}), kOnHost));
}

TEST(PendingWork, NothingWaitsForever) {
  const Array a = stored_bytes(8), b = stored_bytes(8);
  const Array many = chain_of(a, b, kMaxNodesPerKernel);
  EXPECT_TRUE(is_worth_a_cut(find_pending_work({&many, 1}), kOnDevice));
  EXPECT_TRUE(is_worth_a_cut(find_pending_work({&many, 1}), kOnHost));
}

TEST(PendingWork, NothingIsJoinedAcrossManyBorders) {
  Array value = stored_bytes(8);
  for (int i = 0; i < 30; ++i) value = sum(make_roll(value, {3}), value);
  EXPECT_TRUE(is_worth_a_cut(find_pending_work({&value, 1}), kOnHost));
}

TEST(PendingWork, WhatSeveralStepsReadIsNotJoinedWithoutEnd) {
  const Array a = stored_bytes(8);
  Array value = a;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(find_pending_work({&value, 1}).shared, std::max(i - 1, 0));
    EXPECT_EQ(is_worth_a_cut(find_pending_work({&value, 1}), kOnHost), i > 40);
    value = sum(sum(value, a), value);
  }
}

// The more is to be read, and the less has to be read again, the sooner it is done.
TEST(PendingWork, MuchWorkForLittleResultIsNotLeftToAnIdleDevice) {
  std::vector<Array> operands;
  for (int i = 0; i < 30; ++i) operands.push_back(stored_bytes(8 * kMiB));
  Array value = operands.front();
  for (const Array& operand : operands) value = sum(value, operand);
  value = chain_of(value, operands.front(), 100);
  std::vector<Array> pending{value};
  EXPECT_TRUE(is_worth_a_cut(find_pending_work(pending), kOnDevice));
  // A host's memory takes longer for a result than its processor for 100 steps.
  EXPECT_FALSE(is_worth_a_cut(find_pending_work(pending), kOnHost));
  for (std::size_t i = 0; i < 30; ++i) pending.push_back(sum(value, operands[i]));
  const std::vector<Array> results = pending;  // the program's
  EXPECT_FALSE(is_worth_a_cut(find_pending_work(pending), kOnDevice));
}

KernelForm form_of(const Array& root) {
  return {.space = root.shape(), .stores_live_outputs = true, .has_rolls = true};
}

TEST(Regions, LongExpressionsAreOneKernel) {
  const Array a = stored_bytes(64), b = stored_bytes(64);
  const Array root = chain_of(a, b, 400);
  EXPECT_TRUE(find_region({&root, 1}, form_of(root)).materialized_inputs.empty());
  const Array longer = chain_of(a, b, kMaxNodesPerKernel + 10);
  EXPECT_EQ(find_region({&longer, 1}, form_of(longer)).materialized_inputs.size(), 1u);
}

TEST(Regions, ArgumentsFitIntoALaunch) {
  const Array a = stored_bytes(64);
  Array root = a;
  for (int i = 0; i < 300; ++i) {
    root = sum(root, make_scalar(Scalar(static_cast<std::int8_t>(i)), {}, root.device()));
  }
  EXPECT_EQ(find_region({&root, 1}, form_of(root)).materialized_inputs.size(), 1u);
}

TEST(Regions, SourcesOfRollsAreStoredFirst) {
  const Array a = stored_bytes(64);
  const Array source = sum(a, a);
  const Array root = sum(source, make_roll(source, {5}));
  const Region region = find_region({&root, 1}, form_of(root));
  ASSERT_EQ(region.materialized_inputs.size(), 1u);
  EXPECT_TRUE(is_same(region.materialized_inputs.front(), source));
  const Array stored_source = sum(a, make_roll(a, {5}));
  EXPECT_TRUE(find_region({&stored_source, 1}, form_of(root)).materialized_inputs.empty());
  EXPECT_EQ(find_region({&stored_source, 1}, {.space = root.shape()}).materialized_inputs.size(),
            1u);
}

TEST(Rolls, OfRollsAreOne) {
  const Array a = stored_bytes(64);
  const NodePointer node = node_of(make_roll(make_roll(a, {60}), {9}));
  EXPECT_EQ(node->shifts, Dims({5}));
  EXPECT_TRUE(is_same(node->inputs[0], a));
}

TEST(Readers, AreFoundThroughOthers) {
  const Array a = stored_bytes(64), b = stored_bytes(64);
  const Array of_a = sum(a, a), of_b = sum(b, b);
  const Array of_both = sum(sum(of_b, of_b), of_a), again = sum(of_b, b);
  const std::vector<Array> pending{of_a, of_b, of_both, again, a};
  const std::vector<Array> readers = find_readers(pending, *a.state().storage);
  ASSERT_EQ(readers.size(), 2u);
  EXPECT_TRUE(is_same(readers[0], of_a));
  EXPECT_TRUE(is_same(readers[1], of_both));
  EXPECT_EQ(find_readers(pending, *b.state().storage).size(), 3u);
}

TEST(Mates, AreOfOneShape) {
  const Array a = stored_bytes(64), b = stored_bytes(32);
  const std::vector<Array> pending{sum(a, a), sum(b, b), sum(a, sum(a, a)), make_roll(a, {3})};
  const std::vector<std::vector<Array>> mates = find_mates(pending);
  ASSERT_EQ(mates.size(), 2u);
  EXPECT_EQ(mates[0].size(), 3u);
  EXPECT_EQ(mates[1].size(), 1u);
}

}  // namespace
}  // namespace cupola
