#include "memory/buffer.h"

#include <atomic>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "runtime/completion.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

constexpr std::size_t kStorage = std::size_t{5} << 20;

class BufferTest : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
    device_.emplace(GetParam(), 0);
    home_.emplace(Stream::create(*device_));
    other_.emplace(Stream::create(*device_));
    settle(*device_);  // what tests before left in flight is no part of what is used
  }
  std::shared_ptr<Storage> allocate() {
    return allocate_storage(*device_, kStorage, home_->state());
  }
  std::size_t used() { return device_pool(*device_).statistics().used; }
  static void write_on(const Stream& stream, Storage& storage) {
    StreamState& state = *stream.state();
    state.driver().fill_bytes(storage.data(), 1, storage.bytes(), state.handle());
    storage.uses.write = {stream.state(), state.advance()};
  }
  static void read_on(const Stream& stream, Storage& storage) {
    storage.uses.reads.push_back({stream.state(), stream.state()->advance()});
  }

  std::optional<Device> device_;
  std::optional<Stream> home_, other_;
};

TEST_P(BufferTest, FreeingMakesNoStreamWait) {
  StreamGate gate(*other_);
  std::shared_ptr<Storage> storage = allocate();
  read_on(*other_, *storage);
  storage.reset();
  std::atomic<bool> home_went_on{false};
  home_->state()->driver().run_on_host([&] { home_went_on = true; }, home_->state()->handle());
  home_->synchronize();  // while the other stream is stuck
  EXPECT_TRUE(home_went_on);
  EXPECT_FALSE(other_->is_idle());
}

TEST_P(BufferTest, MemoryIsNotReusedWhileAStreamReadsIt) {
  device_pool(*device_).trim();
  const std::size_t before = used();
  StreamGate gate(*other_);
  std::shared_ptr<Storage> storage = allocate();
  const void* data = storage->data();
  read_on(*other_, *storage);
  storage.reset();
  EXPECT_GT(used(), before);
  EXPECT_NE(allocate()->data(), data);
  gate.open();
  EXPECT_TRUE(eventually([&] { return used() == before; }));
}

TEST_P(BufferTest, UsesThatAreKnownToBeDoneHoldNothing) {
  const std::size_t before = used();
  std::shared_ptr<Storage> storage = allocate();
  write_on(*other_, *storage);
  other_->synchronize();
  StreamGate gate(*other_);  // later work is no use of the storage
  storage.reset();
  EXPECT_EQ(used(), before);
}

TEST_P(BufferTest, TheOwnerOfForeignMemoryStaysUntilAllStreamsAreDone) {
  std::atomic<bool> released{false};
  char memory[16];
  auto owner = std::shared_ptr<void>(memory, [&](void*) { released = true; });
  StreamGate home_gate(*home_);
  StreamGate other_gate(*other_);
  auto storage = borrow_storage(*device_, memory, sizeof memory, std::move(owner), true);
  storage->uses.write = {home_->state(), home_->state()->advance()};
  read_on(*other_, *storage);
  storage.reset();  // waits for nothing
  EXPECT_FALSE(released);
  home_gate.open();
  home_->synchronize();
  drain();
  EXPECT_FALSE(released);
  other_gate.open();
  EXPECT_TRUE(eventually([&] { return released.load(); }));
}

TEST_P(BufferTest, MemoryInFlightIsWaitedForBeforeThereIsNone) {
  if (GetParam() == PlatformKind::cuda) GTEST_SKIP() << "takes all of a GPU";
  Driver& driver = home_->state()->driver();
  device_pool(*device_).trim();
  const std::size_t most = driver.memory_info(0).free / 4 * 3;
  if (most > std::size_t{8} << 30) GTEST_SKIP() << "needs a device with a small memory";
  auto storage = allocate_storage(*device_, most, home_->state());
  StreamGate gate(*other_);
  read_on(*other_, *storage);
  storage.reset();
  std::thread opener([&] { gate.open(); });
  EXPECT_NO_THROW(allocate_storage(*device_, most, home_->state()));
  opener.join();
}

INSTANTIATE_TEST_SUITE_P(Platforms, BufferTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
