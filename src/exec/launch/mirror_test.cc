#include "exec/launch/mirror.h"

#include <cstring>

#include <gtest/gtest.h>

#include "cupola/cupola.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/polled_memory.h"

namespace cupola {
namespace {

// An array whose element, by its mirror, is `value`, as work number 2 of its stream has left it.
class Mirrored {
 public:
  explicit Mirrored(float value)
      : array(full({}, Scalar(0.0F), DType::float32, Device(PlatformKind::cpu, 0))),
        stream(Stream::create(array.device())) {
    char* const memory = make_polled_slots(stream.state()->driver(), array.device()).front();
    std::memcpy(memory, &value, sizeof value);
    mirror = std::make_shared<Mirror>(array.device(), memory, sizeof value);
    stream.state()->advance();
    stream.state()->advance();
    mirror->write = {stream.state(), 2};
    uses().write = mirror->write;
    uses().mirror = mirror;
  }
  UseRecord& uses() const { return array.state().storage->uses; }

  const Array array;
  const Stream stream;
  std::shared_ptr<Mirror> mirror;
};

TEST(Mirror, HoldsTheElementUntilTheNextWrite) {
  const Mirrored mirrored(7);
  ASSERT_TRUE(read_mirror(mirrored.array).has_value());
  EXPECT_EQ(read_mirror(mirrored.array)->get<float>(), 7);
  assign(mirrored.array, 3.0);
  EXPECT_FALSE(read_mirror(mirrored.array).has_value());
}

TEST(Mirror, IsDroppedWithTheAddress) {
  const Mirrored mirrored(7);
  data_pointer(mirrored.array);
  EXPECT_FALSE(read_mirror(mirrored.array).has_value());
}

// Another thread's work has number 1, but was handed over after the kernel.
TEST(Mirror, TellsOfWorkThatWasHandedOverBeforeOnly) {
  const Mirrored mirrored(7);
  read_mirror(mirrored.array);
  EXPECT_FALSE(mirrored.stream.state()->is_known_complete(1));
  mirrored.mirror->earlier = 1;
  read_mirror(mirrored.array);
  EXPECT_TRUE(mirrored.stream.state()->is_known_complete(1));
  EXPECT_FALSE(mirrored.stream.state()->is_known_complete(2));
}

}  // namespace
}  // namespace cupola
