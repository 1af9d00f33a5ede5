// Streams, the null stream, events and host functions, on every platform that is usable here.

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counters.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "runtime/live_streams.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

class Streams : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "the platform is not usable here";
  }
  Device device() const { return Device(GetParam(), 0); }
  std::set<std::uint64_t> live_ids() const {
    std::set<std::uint64_t> ids;
    for (const auto& stream : live_streams(device())) ids.insert(stream->id());
    return ids;
  }
};

TEST_P(Streams, AreMadeOnThePlatformWhenFirstUsed) {
  const std::uint64_t before = value_of(Counter::streams);
  std::vector<Stream> streams;
  for (int i = 0; i < 10; ++i) streams.push_back(Stream::create(device()));
  streams[0].synchronize();
  EXPECT_TRUE(streams[1].is_idle());
  EXPECT_EQ(value_of(Counter::streams), before);
  streams[2].launch_host_function([] {});
  streams[2].synchronize();
  EXPECT_EQ(value_of(Counter::streams), before + 1);
}

TEST_P(Streams, IdentitiesAreNeverReused) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(seen.insert(Stream::create(device()).id()).second);
}

TEST_P(Streams, HostFunctionsHoldUpTheirStreamOnly) {
  const Stream stream = Stream::create(device());
  const Stream other = Stream::create(device());
  std::atomic<bool> open{false};
  std::atomic<int> order{0};
  stream.launch_host_function([&] {
    while (!open) std::this_thread::yield();
    order = 1;
  });
  int seen = -1;
  stream.launch_host_function([&] { seen = order; });
  other.launch_host_function([] {});
  other.synchronize();
  EXPECT_FALSE(stream.is_idle());
  open = true;
  stream.synchronize();
  EXPECT_EQ(seen, 1);
}

TEST_P(Streams, AStreamThatIsDroppedFinishesItsFunctions) {
  std::atomic<int> ran{0};
  {
    const Stream stream = Stream::create(device());
    for (int i = 0; i < 10; ++i) stream.launch_host_function([&ran] { ++ran; });
  }
  EXPECT_TRUE(eventually([&] { return ran == 10; }));
}

TEST_P(Streams, TheNullStreamIsThatOfAllThreadsAndOfBlockingStreams) {
  const Stream blocking = Stream::create(device(), {.non_blocking = false});
  const Stream apart = Stream::create(device(), {.non_blocking = true});
  const NullStream null(device());
  StreamGate apart_gate(apart);
  EXPECT_TRUE(null.is_idle());
  Event event;
  {
    StreamGate gate(blocking);
    EXPECT_FALSE(null.is_idle());
    event.record(null.gathered());
    EXPECT_FALSE(event.is_complete());
    gate.open();
    null.synchronize();  // while `apart` is stuck
  }
  event.synchronize();
  EXPECT_TRUE(null.is_idle());
  EXPECT_FALSE(apart.is_idle());
}

TEST_P(Streams, ToChooseOneMakesNoDefaultStream) {
  const Stream chosen = Stream::create(device());
  std::thread([&] {
    const std::set<std::uint64_t> before = live_ids();
    const auto outside = choose_stream(device(), chosen.state());
    EXPECT_EQ(outside, nullptr);
    EXPECT_EQ(Stream::current(device()).id(), chosen.id());
    choose_stream(device(), outside);
    // Streams of threads that have ended may go meanwhile.
    const std::set<std::uint64_t> after = live_ids();
    EXPECT_TRUE(std::includes(before.begin(), before.end(), after.begin(), after.end()));
    EXPECT_NE(Stream::current(device()).id(), chosen.id());
  }).join();
}

TEST_P(Streams, EventsBelongToTheDeviceOfTheirFirstRecord) {
  Event event({.timing = true});
  EXPECT_FALSE(event.device().has_value());
  EXPECT_TRUE(event.is_complete());
  const Stream stream = Stream::create(device());
  stream.wait_for(event);  // never recorded: nothing to wait for
  event.record(stream);
  EXPECT_EQ(event.device(), device());
  if (device_count(GetParam()) > 1) {
    const Stream other = Stream::create(Device(GetParam(), 1));
    EXPECT_THROW(event.record(other), DeviceError);
    other.wait_for(event);
    other.synchronize();
  }
  stream.synchronize();
  EXPECT_GE(elapsed_milliseconds(event, event), 0.0);
}

TEST_P(Streams, ForeignStreamsAreFollowedByEvents) {
  if (GetParam() == PlatformKind::cpu) {
    EXPECT_THROW(Stream::adopt(device(), nullptr), DeviceError);
    return;
  }
  auto owner = std::make_shared<Stream>(Stream::create(device()));
  const Stream foreign = Stream::adopt(device(), owner->native_handle(), owner);
  EXPECT_EQ(Stream::adopt(device(), owner->native_handle()).id(), foreign.id());
  const std::weak_ptr<Stream> watch = owner;
  const Stream later = Stream::create(device());
  {
    StreamGate gate(*owner);
    foreign.state()->advance();  // as after a use
    later.state()->wait_for(*foreign.state());
    EXPECT_FALSE(later.is_idle());
    gate.open();
  }
  later.synchronize();
  owner.reset();
  EXPECT_FALSE(watch.expired());  // kept by the stream that was adopted
  EXPECT_TRUE(foreign.state()->is_native_alive());
}

INSTANTIATE_TEST_SUITE_P(Platforms, Streams,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& platform) { return std::string(name_of(platform.param)); });

}  // namespace
}  // namespace cupola
