#include "platforms/cpu/streams/stream_copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace cupola::cpu {
namespace {

TEST(StreamCopy, WritesWhatIsAskedForAndNothingElse) {
  std::vector<unsigned char> source(1000);
  std::iota(source.begin(), source.end(), static_cast<unsigned char>(1));
  for (std::size_t offset : {0, 1, 16, 63, 64}) {
    for (std::size_t bytes : {0, 1, 62, 64, 65, 128, 700}) {
      std::vector<unsigned char> target(1000, 0);
      stream_copy(target.data() + offset, source.data() + 3, bytes);
      finish_stream_copies();
      for (std::size_t i = 0; i < target.size(); ++i) {
        const bool is_copied = i >= offset && i < offset + bytes;
        ASSERT_EQ(target[i], is_copied ? source[3 + i - offset] : 0) << offset << ' ' << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace cupola::cpu
