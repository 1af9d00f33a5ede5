#include "base/threads/lazy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/child.h"

namespace cupola {
namespace {

TEST(Lazy, IsMadeOnce) {
  static constinit Lazy<const std::string> text;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  std::vector<const std::string*> seen(4);
  std::latch start(4);
  for (const std::string*& each : seen) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      each = &text.get([&] { return "number " + std::to_string(++made); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  for (const std::string* each : seen) EXPECT_EQ(each, seen.front());
  EXPECT_EQ(*seen.front(), "number 1");
}

TEST(Lazy, IsMadeByDefault) {
  static constinit Lazy<std::vector<int>> numbers;
  (*numbers).push_back(3);
  EXPECT_EQ((*numbers).size(), 1u);
}

TEST(Lazy, WhoThrowsHasMadeNothing) {
  static constinit Lazy<const int> number;
  EXPECT_THROW(number.get([]() -> int { throw std::runtime_error("not now"); }),
               std::runtime_error);
  EXPECT_EQ(number.get([] { return 7; }), 7);
}

TEST(Lazy, AChildMakesItsOwnWhereAThreadOfTheParentIsAtIt) {
  static constinit Lazy<const int> number;
  std::latch begun(1), may_end(1);
  std::thread maker([&] {
    number.get([&] {
      begun.count_down();
      may_end.wait();
      return 1;
    });
  });
  begun.wait();
  EXPECT_EQ(status_of_child([] { return number.get([] { return 2; }) == 2; }), 0);
  may_end.count_down();
  maker.join();
  EXPECT_EQ(number.get([] { return 3; }), 1);
}

}  // namespace
}  // namespace cupola
