#include "base/containers/hash_index.h"

#include <gtest/gtest.h>

namespace cupola {
namespace {

TEST(HashIndex, FindsTheFirstOfEqualThings) {
  // Hashes that many share, and of few places.
  for (const std::uint64_t hashes : {1U, 3U, 1000U}) {
    std::vector<std::size_t> things;
    HashIndex index;
    for (std::size_t i = 0; i < 600; ++i) {
      const std::size_t thing = i * 7 % 250;
      things.push_back(thing);
      const std::size_t found = index.find_or_add(
          thing % hashes, i, [&](std::size_t number) { return things[number] == thing; });
      EXPECT_EQ(found, i < 250 ? i : i % 250);
    }
    index.clear();
    EXPECT_EQ(index.find_or_add(0, 5, [](std::size_t) { return true; }), 5U);
  }
}

}  // namespace
}  // namespace cupola
