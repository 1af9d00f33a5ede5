// Vector clocks, the shadow of memory, and the arena.

#include "platforms/cpu/adversary/shadow.h"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "platforms/cpu/adversary/arena.h"
#include "platforms/cpu/adversary/random.h"

namespace cupola::cpu::adversary {
namespace {

OperationPointer operation(StreamNumber stream, std::uint64_t sequence) {
  return std::make_shared<const Operation>(Operation{"work", {stream, sequence}});
}

Clock clock(std::initializer_list<Moment> moments) {
  Clock result;
  for (const Moment& moment : moments) result.advance(moment);
  return result;
}

TEST(Clock, IncludesWhatComesBeforeOnTheSameStream) {
  const Clock known = clock({{2, 5}, {1, 3}});
  EXPECT_TRUE(known.includes({2, 5}));
  EXPECT_TRUE(known.includes({2, 1}));
  EXPECT_FALSE(known.includes({2, 6}));
  EXPECT_FALSE(known.includes({3, 1}));
}

TEST(Clock, JoinsAndReduces) {
  Clock known = clock({{1, 3}, {2, 5}});
  known.join(clock({{1, 2}, {2, 7}, {4, 1}}));
  EXPECT_TRUE(known.includes({1, 3}));
  EXPECT_TRUE(known.includes({2, 7}));
  EXPECT_TRUE(known.includes({4, 1}));
  known.reduce(clock({{2, 7}, {4, 3}, {1, 2}}));
  EXPECT_EQ(known.size(), 1u);
  EXPECT_TRUE(known.includes({1, 3}));
}

TEST(Shadow, FindsWritesAfterReadsAndReadsAfterWrites) {
  Shadow shadow;
  EXPECT_FALSE(shadow.write({100, 200}, operation(1, 1), {}));
  const auto read = shadow.read({150, 160}, operation(2, 1), {});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->earlier_writes);
  EXPECT_EQ(read->earlier->moment, (Moment{1, 1}));
  const auto write = shadow.write({155, 300}, operation(1, 2), clock({{1, 1}}));
  ASSERT_TRUE(write);
  EXPECT_FALSE(write->earlier_writes);
  EXPECT_EQ(write->range.first, 155u);
  EXPECT_EQ(write->range.last, 160u);
}

TEST(Shadow, OrderedAccessesAreFine) {
  Shadow shadow;
  EXPECT_FALSE(shadow.write({0, 100}, operation(1, 1), {}));
  EXPECT_FALSE(shadow.read({0, 50}, operation(2, 1), clock({{1, 1}})));
  EXPECT_FALSE(shadow.read({25, 100}, operation(3, 1), clock({{1, 1}})));
  EXPECT_TRUE(shadow.unfinished({0, 100}, clock({{1, 1}, {2, 1}})));
  EXPECT_FALSE(shadow.unfinished({0, 25}, clock({{1, 1}, {2, 1}})));
  EXPECT_FALSE(shadow.write({0, 100}, operation(4, 1), clock({{1, 1}, {2, 1}, {3, 1}})));
}

TEST(Shadow, ManyReadersAreAllRemembered) {
  Shadow shadow;
  for (StreamNumber stream = 1; stream <= 5; ++stream) {
    EXPECT_FALSE(shadow.read({0, 8}, operation(stream, 1), {}));
  }
  EXPECT_TRUE(shadow.write({0, 8}, operation(6, 1), clock({{1, 1}, {2, 1}, {3, 1}, {4, 1}})));
}

TEST(Shadow, NeighboursDoNotTouch) {
  Shadow shadow;
  EXPECT_FALSE(shadow.write({0, 10}, operation(1, 1), {}));
  EXPECT_FALSE(shadow.write({10, 20}, operation(2, 1), {}));
  EXPECT_FALSE(shadow.write({20, 30}, operation(3, 1), {}));
  EXPECT_FALSE(shadow.unfinished({30, 40}, {}));
}

TEST(Shadow, Forgets) {
  Shadow shadow;
  EXPECT_FALSE(shadow.write({0, 100}, operation(1, 1), {}));
  shadow.forget({40, 60});
  EXPECT_FALSE(shadow.unfinished({40, 60}, {}));
  EXPECT_TRUE(shadow.unfinished({0, 40}, {}));
  EXPECT_TRUE(shadow.unfinished({60, 100}, {}));
  shadow.forget(clock({{1, 1}}));
  EXPECT_EQ(shadow.size(), 0u);
}

// Against a byte-by-byte model.
TEST(Shadow, AgreesWithAModel) {
  Random random(1);
  constexpr std::size_t kBytes = 64;
  for (int round = 0; round < 200; ++round) {
    Shadow shadow;
    std::vector<std::set<StreamNumber>> reads(kBytes);
    std::vector<StreamNumber> writes(kBytes, 0);
    for (int step = 0; step < 20; ++step) {
      const auto stream = static_cast<StreamNumber>(1 + random.below(4));
      const Address first = random.below(kBytes);
      const Range range{first, first + random.below(kBytes - first + 1)};
      Clock before;
      std::set<StreamNumber> known{stream};
      before.advance({stream, 1});
      for (StreamNumber other = 1; other <= 4; ++other) {
        if (random.chance(0.7)) {
          known.insert(other);
          before.advance({other, 1});
        }
      }
      const bool is_write = random.chance(0.5);
      bool expected = false;
      for (Address at = range.first; at < range.last; ++at) {
        expected |= writes[at] != 0 && !known.contains(writes[at]);
        for (const StreamNumber reader : reads[at]) expected |= is_write && !known.contains(reader);
        if (is_write) {
          writes[at] = stream;
          reads[at].clear();
        } else {
          std::erase_if(reads[at], [&](StreamNumber reader) { return known.contains(reader); });
          reads[at].insert(stream);
        }
      }
      const auto found = is_write ? shadow.write(range, operation(stream, 1), before)
                                  : shadow.read(range, operation(stream, 1), before);
      ASSERT_EQ(found.has_value(), expected) << "round " << round << " step " << step;
    }
  }
}

Range range_at(void* pointer, std::size_t bytes) {
  const auto first = reinterpret_cast<Address>(pointer);
  return {first, first + bytes};
}

TEST(Arena, PoisonsAndReusesAtOnce) {
  Arena arena(std::size_t{1} << 20);
  auto* first = static_cast<unsigned char*>(arena.allocate(1000));
  auto* second = static_cast<unsigned char*>(arena.allocate(1000));
  EXPECT_EQ(reinterpret_cast<Address>(first) % 256, 0u);
  EXPECT_EQ(first[999], Arena::kNew);
  std::memset(first, 1, 1000);
  EXPECT_TRUE(arena.free(first));
  EXPECT_EQ(first[0], Arena::kFreed);
  EXPECT_EQ(first[999], Arena::kFreed);
  EXPECT_FALSE(arena.free(first));
  EXPECT_FALSE(arena.free(second + 256));
  EXPECT_EQ(arena.allocate(900), first);
}

TEST(Arena, KnowsWhatIsLive) {
  Arena arena(std::size_t{1} << 20);
  auto* block = static_cast<char*>(arena.allocate(1000));
  int local = 0;
  EXPECT_EQ(arena.state_of(range_at(block, 1000)), Arena::State::live);
  EXPECT_EQ(arena.state_of(range_at(block + 500, 500)), Arena::State::live);
  EXPECT_EQ(arena.state_of(range_at(block, 1001)), Arena::State::dead);
  EXPECT_EQ(arena.state_of(range_at(&local, 4)), Arena::State::foreign);
  arena.free(block);
  EXPECT_EQ(arena.state_of(range_at(block, 1)), Arena::State::dead);
}

TEST(Arena, GivesEverythingOutAgain) {
  constexpr std::size_t kBytes = std::size_t{1} << 16;
  Arena arena(kBytes);
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> blocks;
    while (void* block = arena.allocate(1 + random.below(4000))) blocks.push_back(block);
    std::set<void*> distinct(blocks.begin(), blocks.end());
    EXPECT_EQ(distinct.size(), blocks.size());
    while (!blocks.empty()) {
      const std::size_t i = random.below(blocks.size());
      EXPECT_TRUE(arena.free(blocks[i]));
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    }
    void* whole = arena.allocate(kBytes);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(arena.allocate(1), nullptr);
    arena.free(whole);
  }
}

}  // namespace
}  // namespace cupola::cpu::adversary
