#include "driver/set/past_work.h"

#include <gtest/gtest.h>

#include <set>

namespace cupola {
namespace {

class PastWorkTest : public ::testing::Test {
 protected:
  PastWorkTest() { past_.begin(next()); }

  PastWork::Point next() {
    EventHandle event = past_.take_spare();
    if (event == nullptr) event = reinterpret_cast<EventHandle>(&events_[made_++]);
    return {++number_, event};
  }
  TouchedMemory range(std::size_t first, std::size_t end, bool writes) const {
    return {memory_ + first, memory_ + end, writes};
  }
  std::uint64_t add(const std::vector<TouchedMemory>& memory) {
    past_.add(memory, next());
    return number_;
  }
  std::uint64_t met_by(const TouchedMemory& memory) { return past_.met_by({&memory, 1}).number; }

  char memory_[1 << 16];
  char events_[64];
  std::size_t made_ = 0;
  std::uint64_t number_ = 0;
  PastWork past_;
};

TEST_F(PastWorkTest, WhatMeetsNothingComesAfterTheBeginning) {
  EXPECT_EQ(met_by(range(0, 1, true)), 1u);
  add({range(10, 20, true)});
  EXPECT_EQ(met_by(range(0, 10, true)), 1u);
  EXPECT_EQ(met_by(range(20, 30, true)), 1u);
}

TEST_F(PastWorkTest, ReadersMeetWritersOnly) {
  const std::uint64_t read = add({range(0, 10, false)});
  EXPECT_EQ(met_by(range(5, 6, false)), 1u);
  EXPECT_EQ(met_by(range(5, 6, true)), read);
  const std::uint64_t written = add({range(100, 110, true)});
  EXPECT_EQ(met_by(range(109, 120, false)), written);
  EXPECT_EQ(met_by(range(109, 120, true)), written);
}

TEST_F(PastWorkTest, TheLatestThatIsMetCounts) {
  add({range(0, 10, true)});
  const std::uint64_t second = add({range(0, 10, true)});
  add({range(20, 30, true)});
  EXPECT_EQ(met_by(range(0, 10, false)), second);
}

// Old work is told of together: what meets some of it comes after all of that, and nothing is lost.
TEST_F(PastWorkTest, NothingIsForgotten) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < 40; ++i) {
    numbers.push_back(add({range(i * 100, i * 100 + 10, true)}));
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_GE(met_by(range(j * 100 + 5, j * 100 + 6, false)), numbers[j]);
    }
    EXPECT_EQ(met_by(range(i * 100, i * 100 + 1, false)), numbers[i]);
    EXPECT_EQ(met_by(range(i * 100 + 10, i * 100 + 11, true)), 1u);
  }
}

// Pieces of one long copy lie one behind the other.
TEST_F(PastWorkTest, ManyRangesThatAdjoinAreOne) {
  for (std::size_t i = 0; i < 500; ++i) add({range(i * 10, i * 10 + 10, true)});
  EXPECT_EQ(met_by(range(5000, 5001, true)), 1u);
  EXPECT_GT(met_by(range(0, 1, true)), 1u);
}

TEST_F(PastWorkTest, TooManyRangesAreAll) {
  for (std::size_t i = 0; i < 200; ++i) add({range(i * 100, i * 100 + 10, true)});
  EXPECT_GT(met_by(range(60000, 60001, true)), 1u);
  EXPECT_LT(met_by(range(60000, 60001, true)), number_);
}

TEST_F(PastWorkTest, EventsAreUsedAgain) {
  for (std::size_t i = 0; i < 200; ++i) add({range(i * 100, i * 100 + 10, true)});
  EXPECT_LT(made_, 10u);
  past_.begin(next());
  EXPECT_EQ(met_by(range(0, 1, false)), number_);
  std::set<EventHandle> all;
  for (const EventHandle event : past_.take_all()) all.insert(event);
  EXPECT_EQ(all.size(), made_);
}

}  // namespace
}  // namespace cupola
