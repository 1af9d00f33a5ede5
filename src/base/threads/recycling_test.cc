#include "base/threads/recycling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>
#include <vector>

namespace cupola {
namespace {

struct Counted {
  explicit Counted(int& alive_) : alive(alive_) { ++alive; }
  ~Counted() { --alive; }
  int& alive;
  std::array<std::uint64_t, 20> rest{};
};

#if !defined(__SANITIZE_ADDRESS__)
TEST(Recycling, TheNextObjectHasTheMemoryOfTheLast) {
  int alive = 0;
  auto first = make_recycled<Counted>(alive);
  const void* const place = first.get();
  first.reset();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(make_recycled<Counted>(alive).get(), place);
}
#endif

TEST(Recycling, BlocksInUseDoNotOverlap) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t bytes : {1, 63, 64, 65, 500, 1024, 1025, 5000}) {
      for (int i = 0; i < 200; ++i) {
        auto* const block = static_cast<unsigned char*>(take_block(bytes));
        std::fill_n(block, bytes, static_cast<unsigned char>(blocks.size()));
        blocks.emplace_back(block, bytes);
      }
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto [block, bytes] = blocks[i];
      EXPECT_EQ(std::count(block, block + bytes, static_cast<unsigned char>(i)),
                static_cast<std::ptrdiff_t>(bytes));
    }
    for (const auto& [block, bytes] : blocks) give_block(block, bytes);
    blocks.clear();
  }
}

TEST(Recycling, AnotherThreadMayDropThem) {
  int alive = 0;
  std::vector<std::shared_ptr<Counted>> made;
  for (int i = 0; i < 300; ++i) made.push_back(make_recycled<Counted>(alive));
  std::thread([&] { made.clear(); }).join();
  EXPECT_EQ(alive, 0);
}

// LeakSanitizer would find what a thread forgets at its end.
struct DroppedLate {
  std::shared_ptr<Counted> last;
};
thread_local DroppedLate dropped_late;

TEST(Recycling, ObjectsMayOutliveTheThreadsShelves) {
  int alive = 0;
  std::thread([&] {
    dropped_late.last = make_recycled<Counted>(alive);  // goes after what is made from here on
    for (int i = 0; i < 10; ++i) make_recycled<Counted>(alive);
  }).join();
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace cupola
