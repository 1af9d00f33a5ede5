#include "cupola/sharing.h"

#include <fcntl.h>

#include <chrono>
#include <future>
#include <limits>
#include <string>
#include <vector>

#include "base/testing/message_of.h"
#include "core/array_state.h"
#include "cupola/ops/elementwise.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "ops/test_support.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

using test::counting;
using test::cpu;
using test::expect_values;
using testing::message_of;

SharedPlace duplicate(SharedPlace place) {
  place.descriptor = fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0);
  return place;
}

TEST(Sharing, CopiesWhatIsNotSharedAndNothingElse) {
  const Array a = counting<float>({2, 3});
  EXPECT_FALSE(is_shared(a));
  const Array shared = share(a);
  EXPECT_TRUE(is_shared(shared));
  expect_values(shared, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(is_same(share(shared), shared));
  const Array view = transpose(shared);
  EXPECT_TRUE(is_same(share(view), view));
}

TEST(Sharing, KeepsColumnMajorOrderAndPacksOtherViews) {
  const Array a = counting<double>({3, 4});
  EXPECT_TRUE(is_f_contiguous(share(transpose(a))));
  expect_values(share(transpose(a)), {4, 3}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  EXPECT_TRUE(is_c_contiguous(share(flip(a, Dims{1}))));
}

TEST(Sharing, ArraysWithoutElementsNeedNoMemory) {
  const Array empty = counting<float>({0, 3});
  EXPECT_TRUE(is_shared(empty));
  EXPECT_TRUE(is_same(share(empty), empty));
  EXPECT_THROW(shared_place(empty), ValueError);
  EXPECT_EQ(empty_shared(DType::float32, {3, 0}, cpu()).shape(), (Dims{3, 0}));
}

TEST(Sharing, APlaceLeadsToTheSameElements) {
  const Array a = share(counting<std::int32_t>({4, 5}));
  const Array part = flip(transpose(a), Dims{0});
  const Array found = attach_shared(duplicate(shared_place(part)), DType::int32, {5, 4}, cpu());
  EXPECT_TRUE(is_same_view(found, part));
  const Array read_only =
      attach_shared(duplicate(shared_place(part)), DType::int32, {5, 4}, cpu(), false);
  EXPECT_FALSE(read_only.writable());
}

TEST(Sharing, PlacesOutsideTheBlockAreRefused) {
  const Array a = share(counting<std::int32_t>({4}));
  const SharedPlace place = shared_place(a);
  const auto refuses = [&](SharedPlace wrong, const Dims& shape) {
    const std::string text =
        message_of<ValueError>([&] { attach_shared(wrong, DType::int32, shape, cpu()); });
    EXPECT_NE(text.find("do not lie in a block"), std::string::npos) << text;
  };
  SharedPlace wrong = place;
  wrong.offset = -1;
  refuses(wrong, {4});
  wrong.offset = static_cast<std::int64_t>(place.block_bytes / 4) - 3;
  refuses(wrong, {4});
  wrong = place;
  wrong.strides = {1, 1};
  refuses(wrong, {4});
  EXPECT_GE(fcntl(place.descriptor, F_GETFD), 0);
}

TEST(Sharing, APlaceIsToldWhenTheWorkOnItIsDone) {
  const Array a = share(counting<float>({1000}));
  const Array source = counting<float>({1000});
  wait(a);
  wait(source);
  const Stream stream = Stream::create(cpu());
  const Stream previous = Stream::current(cpu());
  std::future<SharedPlace> place;
  {
    StreamGate gate(stream);
    stream.use();
    assign(a, source);
    previous.use();
    place = std::async(std::launch::async, [&] { return shared_place(a); });
    EXPECT_EQ(place.wait_for(std::chrono::milliseconds(30)), std::future_status::timeout);
  }
  EXPECT_EQ(place.get().block_bytes % 4096, 0u);
}

TEST(Sharing, SizesThatNoDeviceHasAreErrors) {
  EXPECT_THROW(empty_shared(DType::float64, {-1}, cpu()), ValueError);
  EXPECT_THROW(empty_shared(DType::float64, {std::numeric_limits<std::int64_t>::max()}, cpu()),
               ValueError);
  EXPECT_THROW(empty_shared(DType::float64, {std::int64_t{1} << 55}, cpu()), OutOfMemoryError);
  EXPECT_THROW(empty_shared(DType::float64, {4}, Device(PlatformKind::cpu, 99)), DeviceError);
}

}  // namespace
}  // namespace cupola
