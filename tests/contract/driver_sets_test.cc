// What only sets of devices have: division of memory and work, members. It says, too, that the
// other suites divide what they do on sets.

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counters.h"
#include "cupola/error.h"
#include "driver/set/set_driver.h"
#include "driver/testing/launch_builder.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using testing::LaunchBuilder;

class SetContract : public contract::DriverContract {
 protected:
  SetDriver& sets() { return set_driver(GetParam().platform); }
  Driver& platform() { return cupola::driver(GetParam().platform); }
  // So many that every member has some.
  std::size_t most_elements() {
    return 8 * members().size() * sets().stripe_granularity(device()) / sizeof(std::int32_t) + 9999;
  }
  void double_all(std::int32_t* data, std::size_t count) {
    LaunchBuilder builder({static_cast<std::int64_t>(count)});
    const int x = builder.load(DType::int32, data);
    builder.store(builder.ufunc(UfuncId::add, {x, x}), data);
    driver().launch(build(builder.plan), builder.arguments, stream());
  }
  bool counts_launch(std::int32_t* data, std::size_t count) {
    const std::uint64_t before = value_of(Counter::divided_launches);
    double_all(data, count);
    return value_of(Counter::divided_launches) == before + 1;
  }
};

TEST_P(SetContract, MemoryAndWorkAreDivided) {
  std::vector<std::int32_t> values(most_elements());
  std::iota(values.begin(), values.end(), 1);
  std::int32_t* const data = upload(values);
  const std::vector<Piece> pieces = sets().pieces(data, values.size() * sizeof(std::int32_t));
  ASSERT_EQ(pieces.size(), members().size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].device, members()[i]);
    EXPECT_EQ(platform().describe(pieces[i].data).device, members()[i]);
  }
  EXPECT_TRUE(counts_launch(data, values.size()));
  for (std::int32_t& value : values) value *= 2;
  EXPECT_EQ(read<std::int32_t>(data, values.size()), values);
}

// A thousand elements of the other suites are several pieces on emulated devices.
TEST_P(SetContract, WhatIsSmallIsDivided) {
  if (!is_cpu()) GTEST_SKIP() << "pieces of GPUs are larger";
  const std::vector<std::int32_t> values(1000, 3);
  std::int32_t* const data = upload(values);
  EXPECT_EQ(sets().pieces(data, 4000).size(), members().size());
  EXPECT_TRUE(counts_launch(data, values.size()));
  EXPECT_EQ(read<std::int32_t>(data, values.size()), std::vector<std::int32_t>(1000, 6));
}

// Each member reads what another one has made.
TEST_P(SetContract, MembersWaitForOneAnother) {
  const std::size_t count = most_elements();
  const auto elements = static_cast<std::int64_t>(count);
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  std::int32_t* const data = upload(values);
  std::int32_t* const reversed = upload(std::vector<std::int32_t>(count, 0));
  LaunchBuilder twice({elements}), reverse({elements});
  const int x = twice.load(DType::int32, data);
  twice.store(twice.ufunc(UfuncId::add, {x, x}), data);
  const int y = reverse.load(DType::int32, data + count - 1, {-1});
  reverse.store(reverse.ufunc(UfuncId::negative, {y}), reversed);
  const auto doubles = build(twice.plan), reverses = build(reverse.plan);
  for (int round = 0; round < 20; ++round) {
    queued([&] {
      driver().launch(doubles, twice.arguments, stream());
      driver().launch(reverses, reverse.arguments, stream());
    });
    std::vector<std::int32_t> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<std::int32_t>(2U * static_cast<std::uint32_t>(values[i]));
      expected[count - 1 - i] =
          static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(values[i]));
    }
    ASSERT_EQ(read<std::int32_t>(reversed, count), expected) << round;
  }
}

TEST_P(SetContract, TellsOfAllMembers) {
  MemoryInfo memory;
  for (const int member : members()) memory.total += platform().memory_info(member).total;
  EXPECT_EQ(driver().memory_info(device()).total, memory.total);
  const DeviceProperties properties = driver().properties(device());
  EXPECT_EQ(properties.total_memory, memory.total);
  EXPECT_EQ(std::ranges::count(properties.uuid, ','), std::ssize(members()) - 1);
  EXPECT_EQ(driver().attributes(device()), platform().attributes(members().front()));
}

TEST_P(SetContract, OtherMemoryIsTheFirstMembers) {
  void* const managed = driver().allocate(device(), 4096, MemoryKind::managed);
  EXPECT_EQ(platform().describe(managed).kind, PointerKind::managed);
  driver().deallocate(device(), managed, 4096, MemoryKind::managed);
  const SharedMemory shared = driver().create_shared(device(), 4096);
  EXPECT_EQ(driver().describe(shared.pointer).device, members().front());
  driver().unmap_shared(device(), shared);
  void* const block = driver().allocate_async(4096, stream());
  EXPECT_EQ(driver().describe(block).device, members().front());
  driver().deallocate_async(block, 4096, stream());
}

TEST_P(SetContract, AFaultOfAnyMemberIsTheSets) {
  if (!is_cpu()) GTEST_SKIP() << "a failed GPU stays so until the process ends";
  std::int32_t* const data = upload(std::vector<std::int32_t>(1000, 1));
  for (const int member : members()) {
    StreamHandle own = platform().create_stream(member);
    platform().run_on_host([] { throw std::runtime_error("from the work"); }, own);
    while (!platform().is_idle(own)) std::this_thread::yield();
    EXPECT_NE(driver().fault(device()), nullptr);
    const auto use_all = [&] {
      driver().fill_bytes(data, 1, 4000, stream());
      driver().synchronize(stream());
    };
    EXPECT_THROW(use_all(), std::runtime_error);
    driver().clear_fault(device());
    EXPECT_EQ(driver().fault(device()), nullptr);
    platform().destroy_stream(own);
    EXPECT_NO_THROW(use_all());
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, SetContract, ::testing::ValuesIn(contract::kSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
