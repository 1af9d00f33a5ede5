#include "base/containers/added_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace cupola {
namespace {

struct Entry {
  int number;
  std::string text;
  std::atomic<int> uses{0};
};

TEST(AddedList, FindsWhatWasAdded) {
  AddedList<Entry> list;
  const auto is_two = [](const Entry& entry) { return entry.number == 2; };
  EXPECT_EQ(list.find(is_two), nullptr);
  list.add(1, "one");
  Entry& two = list.add(2, "two");
  list.add(3, "three");
  EXPECT_EQ(list.find(is_two), &two);
  std::vector<int> numbers;
  list.for_each([&](const Entry& entry) { numbers.push_back(entry.number); });
  EXPECT_EQ(numbers, (std::vector{3, 2, 1}));
}

TEST(AddedList, ThreadsLookWhileOneAdds) {
  AddedList<Entry> list;
  constexpr int kEntries = 1000;
  std::thread looking([&] {
    for (int most = 0; most < kEntries;) {
      int expected = -1;
      list.for_each([&](const Entry& entry) {
        if (expected < 0) most = expected = entry.number;
        EXPECT_EQ(entry.number, expected--);
        EXPECT_EQ(entry.text, std::to_string(entry.number));
      });
    }
  });
  for (int i = 1; i <= kEntries; ++i) list.add(i, std::to_string(i));
  looking.join();
}

}  // namespace
}  // namespace cupola
