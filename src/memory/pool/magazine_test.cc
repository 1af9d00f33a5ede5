#include "memory/pool/magazine.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cupola {
namespace {

TEST(Magazine, GivesBackWhatFits) {
  Magazine magazine;
  char blocks[3];
  EXPECT_EQ(magazine.take(512), nullptr);
  EXPECT_TRUE(magazine.put(&blocks[0], 512));
  EXPECT_TRUE(magazine.put(&blocks[1], 1024));
  EXPECT_TRUE(magazine.put(&blocks[2], std::size_t{5} << 20));
  EXPECT_EQ(magazine.blocks(), 3u);
  EXPECT_EQ(magazine.take(1024), &blocks[1]);
  EXPECT_EQ(magazine.take(1024), nullptr);
  EXPECT_EQ(magazine.take((std::size_t{5} << 20) + 512), nullptr);
  EXPECT_EQ(magazine.take(std::size_t{5} << 20), &blocks[2]);
  EXPECT_EQ(magazine.take(512), &blocks[0]);
  EXPECT_EQ(magazine.balance(), 0);
}

TEST(Magazine, IsFullAfterAFew) {
  Magazine magazine;
  std::vector<char> blocks(100);
  std::size_t kept = 0;
  while (kept < blocks.size() && magazine.put(&blocks[kept], 512)) ++kept;
  EXPECT_GE(kept, 2u);
  EXPECT_LT(kept, blocks.size());
  std::size_t large = 0;
  while (large < blocks.size() && magazine.put(&blocks[large], (large + 3) << 20)) ++large;
  EXPECT_LT(large, blocks.size());
  std::size_t stolen = 0;
  magazine.steal([&](void*) { ++stolen; });
  EXPECT_EQ(stolen, kept + large);
  EXPECT_EQ(magazine.blocks(), 0u);
  EXPECT_EQ(magazine.take(512), nullptr);
  EXPECT_TRUE(magazine.put(&blocks[0], 512));
}

// A block is in one pair of hands at a time, whoever takes it.
TEST(Magazine, RobbersAndOwnerNeverShareABlock) {
  Magazine magazine;
  constexpr std::size_t kBlocks = 64;
  struct Held {
    std::atomic<int> holders{0};
    int touched = 0;  // guarded by being held
  };
  std::vector<Held> blocks(kBlocks);
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  std::vector<std::atomic<Held*>> returned(kBlocks);  // by robbers, for the owner to put again
  for (std::size_t i = 0; i < kBlocks; ++i) returned[i] = &blocks[i];
  const auto hold = [&](void* pointer) {
    Held& held = *static_cast<Held*>(pointer);
    wrong += held.holders.fetch_add(1, std::memory_order_relaxed) != 0;
    ++held.touched;
    held.holders.fetch_sub(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> robbers;
  for (int t = 0; t < 2; ++t) {
    robbers.emplace_back([&] {
      while (!done.load()) {
        magazine.steal([&](void* pointer) {
          hold(pointer);
          Held* held = static_cast<Held*>(pointer);
          returned[static_cast<std::size_t>(held - blocks.data())].store(held);
        });
      }
    });
  }
  const auto size_of = [](std::size_t i) { return i % 8 == 0 ? (i + 2) << 20 : (i % 4 + 1) * 512; };
  for (int round = 0; round < 2000; ++round) {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      Held* held = returned[i].exchange(nullptr);
      if (!held) continue;
      hold(held);
      if (!magazine.put(held, size_of(i))) returned[i].store(held);
    }
    for (std::size_t i = 0; i < kBlocks; i += 3) {
      if (void* pointer = magazine.take(size_of(i))) {
        hold(pointer);
        Held* held = static_cast<Held*>(pointer);
        returned[static_cast<std::size_t>(held - blocks.data())].store(held);
      }
    }
  }
  done = true;
  for (std::thread& robber : robbers) robber.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cupola
