#include "memory/pool/arena.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "memory/pool/size_classes.h"
#include "memory/testing.h"

namespace cupola {
namespace {

using testing::kMiB;
using testing::new_stream;

// Segments are never touched: any addresses will do.
char* address(std::size_t bytes) { return reinterpret_cast<char*>(kMiB * 1024 + bytes); }

TEST(SizeClasses, CoverEveryRequestWithLittleWaste) {
  std::size_t previous = 0;
  for (std::size_t bytes = 1; bytes <= kLargestSmall; bytes += bytes < 20'000 ? 1 : 77) {
    const std::size_t size = block_bytes(bytes);
    ASSERT_GE(size, bytes);
    ASSERT_GE(size, previous);
    ASSERT_EQ(size % kBlockStep, 0u);
    ASSERT_EQ(block_bytes(size), size);
    ASSERT_LE(size, std::max(bytes + bytes / 8 + 1, bytes + kBlockStep));
    previous = size;
  }
  EXPECT_EQ(block_bytes(kLargestSmall + 1), kLargestSmall + kPage);
}

TEST(Arena, WhatIsLeftOfABlockServesTheNextRequest) {
  Arena arena;
  const StreamPointer stream = new_stream();
  void* first = arena.add_segment(address(0), 2 * kMiB, 1024, stream);
  EXPECT_EQ(first, address(0));
  EXPECT_EQ(arena.take(512, stream), address(1024));
  EXPECT_EQ(arena.take(4 * kMiB, stream), nullptr);
}

TEST(Arena, WholeSegmentsAreNeverCut) {
  Arena arena(4 * kMiB);
  const StreamPointer stream = new_stream();
  void* whole = arena.add_segment(address(0), 8 * kMiB, 8 * kMiB, stream);
  void* cut = arena.add_segment(address(64 * kMiB), 8 * kMiB, 2 * kMiB, stream);
  EXPECT_NE(arena.find_whole(whole), nullptr);
  EXPECT_EQ(arena.find_whole(cut), nullptr);
  arena.give(whole, stream);
  EXPECT_EQ(arena.find_whole(whole), nullptr);  // nobody has it
  EXPECT_EQ(arena.take(4 * kMiB, stream), nullptr);
  EXPECT_EQ(arena.take(3 * kMiB, stream), address(66 * kMiB));
  EXPECT_EQ(arena.take(8 * kMiB - 512, stream), whole);
  EXPECT_EQ(arena.find_whole(whole)->first->size, 8 * kMiB);
  arena.forget(arena.find_whole(whole));
  EXPECT_EQ(arena.segments().size(), 1u);
  EXPECT_FALSE(arena.give(whole, stream));
}

TEST(Arena, FreeNeighboursAreJoined) {
  Arena arena;
  const StreamPointer stream = new_stream();
  void* blocks[4] = {arena.add_segment(address(0), 64 * kMiB, 16 * kMiB, stream)};
  for (int i = 1; i < 4; ++i) blocks[i] = arena.take(16 * kMiB, stream);
  EXPECT_EQ(arena.take(16 * kMiB, stream), nullptr);
  for (const int i : {1, 3, 2, 0}) EXPECT_TRUE(arena.give(blocks[i], stream));
  EXPECT_EQ(arena.free_blocks(), 1u);
  EXPECT_EQ(arena.take(64 * kMiB, stream), address(0));
}

TEST(Arena, TheSmallestBlockThatFitsIsTaken) {
  Arena arena;
  const StreamPointer stream = new_stream();
  void* large = arena.add_segment(address(0), 32 * kMiB, 32 * kMiB, stream);
  void* small = arena.add_segment(address(64 * kMiB), 8 * kMiB, 8 * kMiB, stream);
  arena.give(large, stream);
  arena.give(small, stream);
  EXPECT_EQ(arena.take(6 * kMiB, stream), small);
}

TEST(Arena, VeryLargeBlocksAreSplitForSmallRequestsOnlyOnDemand) {
  Arena arena;
  const StreamPointer stream = new_stream();
  void* large = arena.add_segment(address(0), 4096 * kMiB, 4096 * kMiB, stream);
  arena.give(large, stream);
  EXPECT_EQ(arena.take(9 * kMiB, stream), nullptr);
  EXPECT_EQ(arena.take(1024 * kMiB, stream), large);
  arena.give(large, stream);
  EXPECT_EQ(arena.take_from_any(9 * kMiB).pointer, large);
}

TEST(Arena, SmallAndLargeBlocksDoNotShareSegments) {
  Arena arena;
  const StreamPointer stream = new_stream();
  void* large = arena.add_segment(address(0), 32 * kMiB, 32 * kMiB, stream);
  arena.give(large, stream);
  EXPECT_EQ(arena.take(512, stream), nullptr);
}

TEST(Arena, BlocksThatAreDividedAmongDevicesAreNeitherSplitNorUsedForMuchLess) {
  Arena arena;
  const StreamPointer stream = new_stream();
  void* divided = arena.add_segment(address(0), 64 * kMiB, 64 * kMiB, stream, true);
  arena.give(divided, stream);
  EXPECT_EQ(arena.take(32 * kMiB, stream), nullptr);
  EXPECT_EQ(arena.take_from_any(32 * kMiB).pointer, nullptr);
  EXPECT_EQ(arena.take(63 * kMiB, stream), divided);
  EXPECT_EQ(arena.free_blocks(), 0u);
  arena.give(divided, stream);
  void* other = arena.add_segment(address(128 * kMiB), 128 * kMiB, 96 * kMiB, stream);
  EXPECT_EQ(arena.take(32 * kMiB, stream), static_cast<char*>(other) + 96 * kMiB);
}

TEST(Arena, ABlockIsOnlyGivenOnce) {
  Arena arena;
  const StreamPointer stream = new_stream();
  void* block = arena.add_segment(address(0), 2 * kMiB, 512, stream);
  EXPECT_FALSE(arena.give(address(512), stream));  // free, or within a block
  EXPECT_TRUE(arena.give(block, stream));
  EXPECT_FALSE(arena.give(block, stream));
}

TEST(Arena, BlocksOfAnotherStreamAreTakenOnlyOnDemandOrWhenItsWorkIsDone) {
  Arena arena;
  const StreamPointer one = new_stream();
  const StreamPointer two = new_stream();
  void* block = arena.add_segment(address(0), 4 * kMiB, 4 * kMiB, one);
  arena.give(block, one);
  EXPECT_EQ(arena.take(4 * kMiB, two), nullptr);
  const Arena::Taken taken = arena.take_from_any(4 * kMiB);
  EXPECT_EQ(taken.pointer, block);
  EXPECT_EQ(taken.stream, one);
  arena.give(block, one);
  const auto lists = arena.waiting();
  ASSERT_EQ(lists.size(), 1u);
  arena.mark_complete(lists[0]);
  EXPECT_EQ(arena.take(4 * kMiB, two), block);
}

TEST(Arena, BlocksThatCameAfterTheQuestionAreNotComplete) {
  Arena arena;
  const StreamPointer one = new_stream();
  void* first = arena.add_segment(address(0), 8 * kMiB, 4 * kMiB, one);
  const auto lists = arena.waiting();
  ASSERT_EQ(lists.size(), 1u);
  arena.give(first, one);  // with work that the question did not cover
  arena.mark_complete(lists[0]);
  EXPECT_EQ(arena.take(4 * kMiB, new_stream()), nullptr);
}

TEST(Arena, OnlyWholeSegmentsAreReleased) {
  Arena arena;
  const StreamPointer one = new_stream();
  const StreamPointer two = new_stream();
  void* first = arena.add_segment(address(0), 4 * kMiB, 2 * kMiB, one);
  void* second = arena.take(2 * kMiB, one);
  arena.give(first, one);
  EXPECT_TRUE(arena.release().empty());
  arena.give(second, two);
  EXPECT_TRUE(arena.release(one->id()).empty());  // a part is of another stream
  const auto released = arena.release();
  ASSERT_EQ(released.size(), 1u);
  EXPECT_EQ(released[0].data, address(0));
  EXPECT_EQ(released[0].size, 4 * kMiB);
  EXPECT_EQ(released[0].streams.size(), 2u);
  EXPECT_EQ(arena.free_blocks(), 0u);
}

// Blocks of every segment lie side by side, and no two live ones overlap, whatever happens.
TEST(Arena, StaysWholeUnderRandomUse) {
  Arena arena;
  std::mt19937 random(7);
  const StreamPointer streams[2] = {new_stream(), new_stream()};
  std::map<char*, std::size_t> live;
  std::size_t next_segment = 0;
  for (int step = 0; step < 20'000; ++step) {
    const StreamPointer& stream = streams[random() % 2];
    if (random() % 2 == 0 && !live.empty()) {
      const auto victim =
          std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      ASSERT_TRUE(arena.give(victim->first, stream));
      live.erase(victim);
    } else {
      const std::size_t size = block_bytes(1 + random() % (random() % 8 == 0 ? 6 * kMiB : 60'000));
      auto* data = static_cast<char*>(arena.take(size, stream));
      if (!data) {
        const std::size_t bytes = size <= kLargestSmall ? 2 * kMiB : 16 * kMiB;
        data = static_cast<char*>(arena.add_segment(address(next_segment), bytes, size, stream));
        next_segment += bytes;
      }
      const auto after = live.lower_bound(data);
      if (after != live.end()) {
        ASSERT_LE(data + size, after->first);
      }
      if (after != live.begin()) {
        const auto before = std::prev(after);
        ASSERT_LE(before->first + before->second, data);
      }
      live.emplace(data, size);
    }
    if (step % 500 == 0) {
      const auto lists = arena.waiting();
      if (!lists.empty()) arena.mark_complete(lists[0]);
    }
  }
  for (const auto& [data, segment] : arena.segments()) {
    const char* expected = segment->data;
    for (const Block* block = segment->first; block; block = block->next) {
      ASSERT_EQ(block->data, expected);
      expected += block->size;
    }
    ASSERT_EQ(expected, segment->data + segment->size);
  }
  const std::size_t segments = arena.segments().size();
  for (const auto& [data, size] : live) arena.give(data, streams[0]);
  EXPECT_EQ(arena.release().size(), segments);
}

}  // namespace
}  // namespace cupola
