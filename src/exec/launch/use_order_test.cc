#include "exec/launch/use_order.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/child.h"
#include "exec/evaluation/evaluator.h"
#include "exec/transfers/host_read.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

class UseOrderTest : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
    array_ = allocate_array(DType::float32, Dims{16}, {GetParam(), 0});
  }
  Stream make_stream() { return Stream::create({GetParam(), 0}); }
  void use(const Stream& stream, bool is_write) {
    const std::span<const Array> one(&array_, 1);
    const std::span<const Array> none;
    OrderedUse use(stream.state(), is_write ? none : one, is_write ? one : none);
    stream.state()->driver().run_on_host([] {}, stream.state()->handle());
    use.record();
  }
  Array array_;
};

TEST_P(UseOrderTest, AReadWaitsForTheWrite) {
  const Stream writer = make_stream();
  const Stream reader = make_stream();
  StreamGate gate(writer);
  use(writer, true);
  use(reader, false);
  EXPECT_TRUE(is_held(reader));
}

TEST_P(UseOrderTest, AWriteWaitsForReadsOfTheWritersStreamAndOfOthers) {
  const Stream writer = make_stream();
  const Stream reader = make_stream();
  const Stream last = make_stream();
  use(writer, true);
  writer.synchronize();
  {
    StreamGate gate(writer);
    use(writer, false);
    use(last, true);
    EXPECT_TRUE(is_held(last));
  }
  last.synchronize();
  StreamGate gate(reader);
  use(reader, false);
  use(writer, true);
  EXPECT_TRUE(is_held(writer));
}

TEST_P(UseOrderTest, NobodyWaitsForWhatIsDoneOrForReads) {
  const Stream writer = make_stream();
  const Stream reader = make_stream();
  use(writer, true);
  writer.synchronize();
  StreamGate gate(writer);
  use(reader, false);  // not for what the writer does now
  EXPECT_TRUE(eventually([&] { return reader.is_idle(); }));
  use(writer, false);
  use(reader, false);
  EXPECT_TRUE(eventually([&] { return reader.is_idle(); }));
}

TEST_P(UseOrderTest, OneWaitServesAllThatCameBefore) {
  const Stream writer = make_stream();
  const Stream reader = make_stream();
  use(writer, true);
  use(reader, false);
  reader.synchronize();
  StreamGate gate(writer);
  use(reader, false);  // has waited for that write already
  EXPECT_TRUE(eventually([&] { return reader.is_idle(); }));
}

TEST_P(UseOrderTest, TheFirstUseOfMemoryComesAfterTheStreamThatItWasTakenOn) {
  const Device device(GetParam(), 0);
  const Stream before = Stream::current(device);
  const Stream home = make_stream();
  const Stream other = make_stream();
  StreamGate gate(home);
  home.use();
  array_ = allocate_array(DType::float32, Dims{16}, device);
  before.use();
  use(home, true);  // what work there still uses may have been in the same memory
  array_ = {};
  home.use();
  array_ = allocate_array(DType::float32, Dims{16}, device);
  before.use();
  use(other, true);
  EXPECT_TRUE(is_held(other));
  gate.open();
  EXPECT_TRUE(eventually([&] { return other.is_idle(); }));
}

TEST_P(UseOrderTest, ReadersThatAreDoneAreForgottenAndOthersAreNot) {
  const Stream writer = make_stream();
  const Stream waiting = make_stream();
  const Stream last = make_stream();
  use(writer, true);
  // CUDA makes no stream while another one waits, if it needs a channel for it.
  std::vector<Stream> readers;
  for (int i = 0; i < 200; ++i) readers.push_back(make_stream());
  for (const Stream& each : readers) use(each, false);
  use(last, true);
  last.synchronize();
  StreamGate gate(waiting);
  use(waiting, false);
  for (const Stream& reader : readers) {
    use(reader, false);
    reader.synchronize();
  }
  EXPECT_LE(array_.state().storage->uses.reads.size(), 16);
  use(last, true);
  EXPECT_TRUE(is_held(last));
}

TEST_P(UseOrderTest, AWriteWaitsForThreadsThatCopyToTheHostAndReadsDoNot) {
  const Stream copier = make_stream();
  auto copying = std::make_unique<HostRead>(*copier.state(), *array_.state().storage);
  use(make_stream(), false);
  std::atomic<bool> wrote{false};
  std::thread writer([&] {
    use(make_stream(), true);
    wrote = true;
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_FALSE(wrote);
  copying.reset();
  writer.join();
  EXPECT_TRUE(wrote);
}

// Between handing work over and recording it, as a fork may find a thread.
class Interrupted {
 public:
  Interrupted(const Stream& stream, const Array& target, std::uint8_t value)
      : thread_([this, stream, target, value] {
          OrderedUse use(stream.state(), {}, {&target, 1});
          stream.state()->driver().fill_bytes(target.state().storage->data(), value,
                                              static_cast<std::size_t>(target.nbytes()),
                                              stream.state()->handle());
          handed_over_ = true;
          end_.wait(false);
          use.record();
        }) {
    while (!handed_over_) std::this_thread::yield();
  }
  ~Interrupted() {
    end_ = true;
    end_.notify_all();
    thread_.join();
  }

 private:
  std::atomic<bool> handed_over_{false};
  std::atomic<bool> end_{false};
  std::thread thread_;
};

TEST(UseOrderFork, AChildComesAfterWhatThreadsWereHandingOver) {
  const Device device(PlatformKind::cpu, 0);
  const Array array = allocate_array(DType::uint8, Dims{1 << 20}, device);
  const Stream lost = Stream::create(device);
  const Stream stream = Stream::create(device);
  StreamGate gate(lost);
  ASSERT_TRUE(eventually([&] { return gate.holds(); }));  // else the child comes to hold it
  const Interrupted interrupted(lost, array, 1);
  const auto write_later = [&] {
    void* const data = array.state().storage->data();
    {
      OrderedUse use(stream.state(), {}, {&array, 1});
      stream.state()->driver().fill_bytes(data, 2, 1, stream.state()->handle());
      use.record();
    }
    stream.synchronize();
    lost.synchronize();
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    return bytes[0] == 2 && bytes[1] == 1;
  };
  EXPECT_EQ(status_of_child(write_later), 0);
}

INSTANTIATE_TEST_SUITE_P(Platforms, UseOrderTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
