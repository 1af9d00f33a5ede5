// Memory besides plain blocks, on every platform that is usable here and on sets: stream-ordered
// blocks, host memory of others, what addresses are, managed memory.

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::Gate;

class DriverMemory : public contract::DriverContract {};

constexpr std::size_t kPage = 4096;

// Page-aligned memory that the platform did not hand out.
struct Pages {
  explicit Pages(std::size_t bytes) : data(std::aligned_alloc(kPage, bytes)) {
    std::memset(data, 0, bytes);
  }
  ~Pages() { std::free(data); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* at(std::size_t offset) const { return static_cast<char*>(data) + offset; }
  void* data;
};

TEST_P(DriverMemory, AsyncBlocksWorkInStreamOrder) {
  constexpr std::size_t kBytes = 100'000;
  for (std::uint8_t value = 1; value < 50; ++value) {
    void* block = driver().allocate_async(kBytes, stream());
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0u);
    driver().fill_bytes(block, value, kBytes, stream());
    const auto bytes = read<std::uint8_t>(block, kBytes);
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(kBytes, value));
    driver().deallocate_async(block, kBytes, stream());
  }
  driver().synchronize(stream());
  driver().trim_async(device());
}

TEST_P(DriverMemory, AsyncReleaseIsAfterTheWorkBefore) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  void* target = allocate(kBytes);
  void* block = driver().allocate_async(kBytes, stream());
  Gate gate;
  driver().fill_bytes(block, 9, kBytes, stream());
  driver().run_on_host([&gate] { gate.wait(); }, stream());
  driver().copy(target, device(), block, device(), kBytes, stream());
  driver().deallocate_async(block, kBytes, stream());  // returns although the copy has not run
  EXPECT_FALSE(driver().is_idle(stream()));
  gate.open();
  EXPECT_EQ(read<std::uint8_t>(target, kBytes), std::vector<std::uint8_t>(kBytes, 9));
}

TEST_P(DriverMemory, AsyncExhaustionIsAnErrorThatChangesNothing) {
  const std::size_t total = driver().memory_info(device()).total;
  EXPECT_THROW(driver().allocate_async(total + (std::size_t{1} << 40), stream()), OutOfMemoryError);
  void* block = driver().allocate_async(4096, stream());
  driver().deallocate_async(block, 4096, stream());
  driver().synchronize(stream());
}

TEST_P(DriverMemory, AddressesAreDescribed) {
  constexpr std::size_t kBytes = 10'000;
  const std::pair<MemoryKind, PointerKind> kinds[] = {{MemoryKind::device, PointerKind::device},
                                                      {MemoryKind::pinned, PointerKind::pinned},
                                                      {MemoryKind::managed, PointerKind::managed}};
  for (const auto& [asked, expected] : kinds) {
    void* block = driver().allocate(device(), kBytes, asked);
    for (const std::size_t offset : {std::size_t{0}, kBytes - 1}) {
      const PointerInfo info = driver().describe(static_cast<char*>(block) + offset);
      EXPECT_EQ(info.kind, expected);
      if (expected == PointerKind::device) {
        EXPECT_EQ(info.device, device());
      }
      if (expected == PointerKind::pinned) {
        EXPECT_EQ(info.device, -1);
      }
    }
    driver().deallocate(device(), block, kBytes, asked);
  }
}

TEST_P(DriverMemory, MemoryOfOthersIsUnknown) {
  const Pages pages(kPage);
  int local = 0;
  for (const void* address :
       {static_cast<const void*>(pages.data), static_cast<const void*>(&local),
        static_cast<const void*>(nullptr)}) {
    EXPECT_EQ(driver().describe(address).kind, PointerKind::unknown);
    EXPECT_EQ(driver().describe(address).device, -1);
  }
}

TEST_P(DriverMemory, HostMemoryOfOthersIsPinnedAndUnpinned) {
  const Pages pages(4 * kPage);
  driver().pin_host(device(), pages.data, 4 * kPage);
  EXPECT_EQ(driver().describe(pages.at(3 * kPage)).kind, PointerKind::pinned);
  std::memset(pages.data, 5, 4 * kPage);
  void* block = allocate(4 * kPage);
  driver().copy_from_host(block, pages.data, 4 * kPage, stream());
  EXPECT_EQ(read<std::uint8_t>(block, 4 * kPage), std::vector<std::uint8_t>(4 * kPage, 5));
  driver().unpin_host(pages.data);
  EXPECT_EQ(driver().describe(pages.data).kind, PointerKind::unknown);
  driver().pin_host(device(), pages.data, 4 * kPage);  // again
  driver().unpin_host(pages.data);
}

TEST_P(DriverMemory, PinningTwiceIsRefused) {
  const Pages pages(4 * kPage);
  driver().pin_host(device(), pages.at(kPage), 2 * kPage);
  for (const std::size_t first : {std::size_t{0}, kPage, 2 * kPage}) {
    EXPECT_THROW(driver().pin_host(device(), pages.at(first), 2 * kPage), ValueError) << first;
  }
  EXPECT_EQ(driver().describe(pages.at(kPage)).kind, PointerKind::pinned);
  driver().unpin_host(pages.at(kPage));
}

TEST_P(DriverMemory, ManagedMemoryTakesAdviceAndPrefetches) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  void* block = driver().allocate(device(), kBytes, MemoryKind::managed);
  driver().fill_bytes(block, 3, kBytes, stream());
  for (const MemoryAdvice advice :
       {MemoryAdvice::read_mostly, MemoryAdvice::unset_read_mostly,
        MemoryAdvice::preferred_location, MemoryAdvice::unset_preferred_location,
        MemoryAdvice::accessed_by, MemoryAdvice::unset_accessed_by}) {
    driver().advise(block, kBytes, advice, device());
  }
  driver().prefetch(block, kBytes, kHostLocation, stream());
  driver().prefetch(block, kBytes, device(), stream());
  EXPECT_EQ(read<std::uint8_t>(block, kBytes), std::vector<std::uint8_t>(kBytes, 3));
  driver().deallocate(device(), block, kBytes, MemoryKind::managed);
}

TEST_P(DriverMemory, OnlyManagedMemoryTakesAdviceAndPrefetches) {
  void* block = allocate(4096);
  EXPECT_THROW(driver().advise(block, 4096, MemoryAdvice::read_mostly, device()), ValueError);
  EXPECT_THROW(driver().prefetch(block, 4096, device(), stream()), ValueError);
}

INSTANTIATE_TEST_SUITE_P(Platforms, DriverMemory, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
