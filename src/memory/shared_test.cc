#include "memory/shared.h"

#include <fcntl.h>

#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/child.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "memory/buffer.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

const Device kDevice(PlatformKind::cpu, 0);
constexpr std::size_t kLarge = std::size_t{8} << 20;

std::size_t free_memory() { return driver(PlatformKind::cpu).memory_info(0).free; }

SharedBlock duplicate(const SharedBlock& block) {
  return {block.identity, block.bytes, fcntl(block.descriptor, F_DUPFD_CLOEXEC, 0)};
}

TEST(Shared, ALargeRequestGetsABlockOfItsOwnThatGoesWithItsStorage) {
  const std::size_t before = free_memory();
  {
    const SharedSlice slice = allocate_shared(kDevice, kLarge);
    EXPECT_EQ(slice.offset, 0u);
    const auto block = shared_block_of(*slice.storage);
    ASSERT_TRUE(block);
    EXPECT_GE(block->bytes, kLarge);
    EXPECT_EQ(free_memory(), before - block->bytes);
  }
  EXPECT_EQ(free_memory(), before);
}

TEST(Shared, SmallRequestsGetApartPartsOfABlock) {
  const SharedSlice first = allocate_shared(kDevice, 100);
  const SharedSlice second = allocate_shared(kDevice, 100);
  EXPECT_EQ(first.storage, second.storage);
  EXPECT_GE(second.offset, first.offset + 100);
  EXPECT_EQ(second.offset % 256, 0u);
}

TEST(Shared, ThreadsNeverGetTheSamePart) {
  using Part = std::pair<const void*, std::size_t>;
  std::vector<std::vector<SharedSlice>> slices(4);
  std::vector<std::thread> threads;
  for (auto& mine : slices) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 200; ++i) mine.push_back(allocate_shared(kDevice, 60'000));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<Part> parts;
  for (const auto& mine : slices) {
    for (const SharedSlice& slice : mine) {
      EXPECT_LE(slice.offset + 60'000, slice.storage->bytes());
      parts.emplace(slice.storage->data(), slice.offset);
    }
  }
  EXPECT_EQ(parts.size(), 800u);
}

TEST(Shared, ABlockIsOneStorageHoweverOftenItArrives) {
  const SharedSlice slice = allocate_shared(kDevice, kLarge);
  const SharedBlock block = *shared_block_of(*slice.storage);
  const SharedBlock again = duplicate(block);
  EXPECT_EQ(attach_shared_block(kDevice, again), slice.storage);
  EXPECT_LT(fcntl(again.descriptor, F_GETFD), 0);  // closed
  SharedBlock other = duplicate(block);
  other.identity[0] ^= 1;
  const auto storage = attach_shared_block(kDevice, other);
  EXPECT_NE(storage, slice.storage);
  static_cast<char*>(slice.storage->data())[5] = 'x';
  EXPECT_EQ(static_cast<char*>(storage->data())[5], 'x');
}

TEST(Shared, OtherStorageIsNoBlock) {
  char bytes[64];
  const auto storage = borrow_storage(kDevice, bytes, sizeof bytes, nullptr, true);
  EXPECT_FALSE(shared_block_of(*storage));
}

TEST(Shared, ItGoesAfterTheLastUse) {
  const std::size_t before = free_memory();
  const Stream stream = Stream::create(kDevice);
  StreamState& state = *stream.state();
  StreamGate gate(stream);
  {
    const SharedSlice slice = allocate_shared(kDevice, kLarge);
    state.driver().fill_bytes(slice.storage->data(), 1, kLarge, state.handle());
    slice.storage->uses.write = {stream.state(), state.advance()};
  }
  EXPECT_LT(free_memory(), before);
  gate.open();
  EXPECT_TRUE(eventually([&] { return free_memory() == before; }));
}

TEST(Shared, BeyondTheBudgetIsAnErrorWithTheAccount) {
  const std::size_t before = free_memory();
  try {
    allocate_shared(kDevice, before + kLarge);
    ADD_FAILURE() << "no error";
  } catch (const OutOfMemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory on cpu:0"), std::string::npos);
  }
  EXPECT_GE(free_memory(), before);  // the pools may have given up what they kept
}

TEST(Shared, AForkedChildHandsOutOtherParts) {
  const SharedSlice slice = allocate_shared(kDevice, 100);
  EXPECT_EQ(status_of_working_child(
                [&] { return allocate_shared(kDevice, 100).storage != slice.storage; }),
            0);
  EXPECT_EQ(allocate_shared(kDevice, 100).storage, slice.storage);
}

}  // namespace
}  // namespace cupola
