#include "memory/resources/kept_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "memory/testing.h"

namespace cupola {
namespace {

using testing::kMiB;

TEST(KeptPages, TheNextOfThatSizeGetsThem) {
  char* const memory = static_cast<char*>(take_pages(8 * kMiB));
  ASSERT_NE(memory, nullptr);
  EXPECT_GE(size_of_pages(memory), 8 * kMiB);
  std::memset(memory, 1, 8 * kMiB);
  const std::size_t before = kept_pages();
  give_pages(memory);
  EXPECT_EQ(kept_pages(), before + 8 * kMiB);
  void* const again = take_pages(8 * kMiB - 100);
  EXPECT_EQ(again, memory);
  EXPECT_EQ(kept_pages(), before);
  give_pages(again);
}

TEST(KeptPages, MuchSmallerRequestsDoNotWasteThem) {
  void* const large = take_pages(64 * kMiB);
  give_pages(large);
  void* const small = take_pages(10 * kMiB);
  EXPECT_NE(small, large);
  give_pages(small);
}

TEST(KeptPages, ThereIsALimit) {
  // Untouched, so that they cost addresses only.
  const std::size_t physical = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<void*> all;
  for (int i = 0; i < 12; ++i) {
    if (void* memory = take_pages(physical / 24)) all.push_back(memory);
  }
  ASSERT_FALSE(all.empty());
  for (void* memory : all) give_pages(memory);
  EXPECT_GT(kept_pages(), 0u);
  EXPECT_LT(kept_pages(), all.size() * physical / 48);
}

TEST(KeptPages, WhatCannotBeIsNull) {
  EXPECT_EQ(take_pages(std::size_t{1} << 62), nullptr);
  EXPECT_EQ(take_pages(SIZE_MAX), nullptr);
  give_pages(nullptr);
}

}  // namespace
}  // namespace cupola
