#include "base/threads/thread_owned.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace cupola {
namespace {

std::atomic<int> made{0};
std::atomic<int> destroyed{0};
std::atomic<int> value_at_end{0};

struct Owned {
  Owned() { ++made; }
  ~Owned() { ++destroyed; }
  int value = 1;
};

struct UsedAtEnd {
  ~UsedAtEnd() { value_at_end = ThreadOwned<Owned>::get().value; }
};
thread_local UsedAtEnd used_at_end;

struct UsesOwned {
  ~UsesOwned() { value_at_end = ThreadOwned<Owned>::get().value; }
};

class ThreadOwnedTest : public ::testing::Test {
 protected:
  void SetUp() override { made = destroyed = value_at_end = 0; }
};

TEST_F(ThreadOwnedTest, EachThreadHasOneUntilItsEnd) {
  std::thread([] {
    ThreadOwned<Owned>::get().value = 2;
    EXPECT_EQ(ThreadOwned<Owned>::get().value, 2);
    std::thread([] { EXPECT_EQ(ThreadOwned<Owned>::get().value, 1); }).join();
    EXPECT_EQ(destroyed, 1);
  }).join();
  EXPECT_EQ(made, 2);
  EXPECT_EQ(destroyed, 2);
}

TEST_F(ThreadOwnedTest, ThreadLocalDestructorsStillFindIt) {
  std::thread([] {
    static_cast<void>(&used_at_end);  // destroyed after what is made next
    ThreadOwned<Owned>::get().value = 3;
  }).join();
  EXPECT_EQ(value_at_end, 3);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(destroyed, 1);
}

TEST_F(ThreadOwnedTest, WhatIsAskedForAfterItsEndIsMadeAnew) {
  std::thread([] {
    ThreadOwned<UsesOwned>::get();  // destroyed after what is made next
    ThreadOwned<Owned>::get().value = 3;
  }).join();
  EXPECT_EQ(value_at_end, 1);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(destroyed, 2);
}

}  // namespace
}  // namespace cupola
