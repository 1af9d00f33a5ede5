#include "memory/resources/adaptors.h"

#include <cstring>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "memory/resources/debug.h"
#include "memory/testing.h"

namespace cupola {
namespace {

using testing::cpu_device;
using testing::new_stream;

ResourcePointer leaf() {
  return std::make_shared<DeviceResource>(driver(PlatformKind::cpu), cpu_device());
}

TEST(Limit, HoldsAndTellsTheNumbers) {
  Limit limit(leaf(), 1000);
  void* block = limit.allocate(600, nullptr);
  try {
    limit.allocate(500, nullptr);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("500"), std::string::npos);
    EXPECT_NE(text.find("600 of the 1000"), std::string::npos);
  }
  limit.deallocate(block, 600, nullptr);
  limit.deallocate(limit.allocate(1000, nullptr), 1000, nullptr);
  EXPECT_EQ(limit.used(), 0u);
}

TEST(Limit, BelowWhatIsInUseHandsOutNothing) {
  Limit limit(leaf(), 1000);
  void* block = limit.allocate(600, nullptr);
  limit.set_limit(100);
  EXPECT_THROW(limit.allocate(1, nullptr), OutOfMemoryError);
  limit.deallocate(block, 600, nullptr);
  limit.deallocate(limit.allocate(100, nullptr), 100, nullptr);
}

TEST(Statistics, CountsBytesBlocksAndFailures) {
  Statistics statistics(std::make_shared<Limit>(leaf(), 5000));
  void* one = statistics.allocate(1000, nullptr);
  void* two = statistics.allocate(3000, nullptr);
  EXPECT_THROW(statistics.allocate(3000, nullptr), OutOfMemoryError);
  statistics.deallocate(one, 1000, nullptr);
  const Statistics::Counts counts = statistics.counts();
  EXPECT_EQ(counts.bytes, 3000u);
  EXPECT_EQ(counts.peak_bytes, 4000u);
  EXPECT_EQ(counts.blocks, 1u);
  EXPECT_EQ(counts.allocations, 2u);
  EXPECT_EQ(counts.failures, 1u);
  statistics.deallocate(two, 3000, nullptr);
}

TEST(Log, TellsEveryCallInOrder) {
  std::vector<Log::Entry> entries;
  Log log(std::make_shared<Limit>(leaf(), 1000),
          [&](const Log::Entry& entry) { entries.push_back(entry); });
  const StreamPointer stream = new_stream();
  void* block = log.allocate(10, stream);
  EXPECT_THROW(log.allocate(2000, nullptr), OutOfMemoryError);
  log.deallocate(block, 10, stream);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].action, Log::Entry::Action::allocate);
  EXPECT_EQ(entries[0].pointer, block);
  EXPECT_EQ(entries[0].stream, stream->id());
  EXPECT_EQ(entries[1].action, Log::Entry::Action::failure);
  EXPECT_EQ(entries[1].bytes, 2000u);
  EXPECT_EQ(entries[2].action, Log::Entry::Action::deallocate);
}

TEST(Tracking, KnowsWhereLiveBlocksWereAskedFor) {
  int line = 0;
  Tracking tracking(leaf(), [&] { return "line " + std::to_string(++line); });
  void* one = tracking.allocate(10, nullptr);
  void* two = tracking.allocate(20, nullptr);
  tracking.deallocate(one, 10, nullptr);
  const auto live = tracking.live();
  ASSERT_EQ(live.size(), 1u);
  EXPECT_EQ(live[0].pointer, two);
  EXPECT_EQ(live[0].bytes, 20u);
  EXPECT_EQ(live[0].site, "line 2");
  tracking.deallocate(two, 20, nullptr);
}

TEST(Fault, FailsTheKthRequestOnly) {
  Fault fault(leaf(), 2);
  void* one = fault.allocate(10, nullptr);
  EXPECT_THROW(fault.allocate(10, nullptr), OutOfMemoryError);
  void* two = fault.allocate(10, nullptr);
  fault.deallocate(one, 10, nullptr);
  fault.deallocate(two, 10, nullptr);
}

TEST(Poison, MarksNewAndFreedMemory) {
  const auto held = std::make_shared<HostResource>(cpu_device());
  // Keeps freed memory readable, as a pool does.
  class Keeping final : public Adaptor {
   public:
    using Adaptor::Adaptor;
    void deallocate(void*, std::size_t, const StreamPointer&) noexcept override {}
  };
  Poison poison(std::make_shared<Keeping>(held));
  for (const StreamPointer& stream : {StreamPointer(), new_stream()}) {
    auto* block = static_cast<std::uint8_t*>(poison.allocate(1000, stream));
    if (stream) stream->synchronize();
    EXPECT_EQ(std::vector<std::uint8_t>(block, block + 1000),
              std::vector<std::uint8_t>(1000, Poison::kNew));
    poison.deallocate(block, 1000, stream);
    if (stream) stream->synchronize();
    EXPECT_EQ(std::vector<std::uint8_t>(block, block + 1000),
              std::vector<std::uint8_t>(1000, Poison::kFreed));
    held->deallocate(block, 1000, stream);
  }
}

class GuardTest : public ::testing::Test {
 protected:
  void expect_report(const std::string& part) {
    try {
      guard_.deallocate(guard_.allocate(8, nullptr), 8, nullptr);
      FAIL() << "nothing was found";
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
    guard_.deallocate(guard_.allocate(8, nullptr), 8, nullptr);  // told once
  }
  Guard guard_{leaf()};
};

TEST_F(GuardTest, WritesBeyondTheEndAreFound) {
  auto* block = static_cast<char*>(guard_.allocate(100, nullptr));
  block[103] = 1;
  guard_.deallocate(block, 100, nullptr);
  expect_report("4 bytes beyond its end");
}

TEST_F(GuardTest, WritesBeforeTheBlockAreFound) {
  auto* block = static_cast<char*>(guard_.allocate(100, nullptr));
  block[-1] = 1;
  guard_.deallocate(block, 100, nullptr);
  expect_report("before the block");
}

TEST_F(GuardTest, FreeingTwiceOrWhatIsForeignIsFound) {
  void* block = guard_.allocate(100, nullptr);
  guard_.deallocate(block, 100, nullptr);
  guard_.deallocate(block, 100, nullptr);
  expect_report("freed twice");
  int foreign = 0;
  guard_.deallocate(&foreign, sizeof foreign, nullptr);
  expect_report("freed twice, or it comes from elsewhere");
}

TEST_F(GuardTest, RightUsesAreSilent) {
  auto* block = static_cast<char*>(guard_.allocate(100, nullptr));
  std::memset(block, 1, 100);
  guard_.deallocate(block, 100, nullptr);
  guard_.deallocate(guard_.allocate(1, nullptr), 1, nullptr);
}

}  // namespace
}  // namespace cupola
