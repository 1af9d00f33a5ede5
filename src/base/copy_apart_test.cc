#include "base/copy_apart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/testing/sanitized.h"

namespace cupola {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPage = 4096;

class CopyApart : public ::testing::Test {
 protected:
  // Source and target, so many bytes after the begin of a page each.
  const unsigned char* source(std::size_t after) { return at_page(source_) + after; }
  unsigned char* target(std::size_t after) { return at_page(target_) + after; }

  // The least of many.
  Clock::duration time_of(std::size_t after, std::size_t bytes) {
    auto least = Clock::duration::max();
    for (int i = 0; i < 200; ++i) {
      const auto start = Clock::now();
      copy_apart(target(after), source(0), bytes);
      least = std::min(least, Clock::now() - start);
    }
    return least;
  }

 private:
  static unsigned char* at_page(std::vector<unsigned char>& memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (kPage - address % kPage) % kPage;
  }

  static std::vector<unsigned char> numbered() {
    std::vector<unsigned char> bytes(64 * kPage);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i % 251);
    return bytes;
  }

  std::vector<unsigned char> source_ = numbered(), target_ = numbered();
};

TEST_F(CopyApart, CopiesTheBytesAndNoOthers) {
  for (const std::size_t bytes : {0, 1, 127, 2047, 2048, 2049, 4096, 8191, 50000}) {
    for (const std::size_t after : {0, 1, 8, 16, 31, 32, 100}) {
      for (const std::size_t from : {0, 24}) {
        unsigned char* const to = target(from + after) + kPage;
        std::memset(to - kPage, 0xEE, bytes + 2 * kPage);
        copy_apart(to, source(from), bytes);
        EXPECT_TRUE(std::equal(to, to + bytes, source(from))) << bytes << " bytes, " << after;
        EXPECT_EQ(std::count(to - kPage, to, 0xEE), kPage) << bytes << " bytes, " << after;
        EXPECT_EQ(std::count(to + bytes, to + bytes + kPage, 0xEE), kPage)
            << bytes << ", " << after;
      }
    }
  }
}

TEST_F(CopyApart, IsAsFastWhereTheTargetBeginsALittleAfterTheSource) {
  if (kIsSanitized) return;  // sanitizers have a copy of their own
  for (const std::size_t bytes : {8000, 64000, 200000}) {
    EXPECT_LT(time_of(8, bytes), 5 * time_of(256, bytes)) << bytes;
  }
}

}  // namespace
}  // namespace cupola
