#include "exec/transfers/staging.h"

#include <chrono>
#include <future>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "exec/transfers/copy_threads.h"
#include "exec/transfers/staging_slots.h"
#include "memory/buffer.h"
#include "runtime/completion.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::chrono::seconds kPatience(20);  // with what shall not wait
// Less than a slot, whole slots, a last piece, many pieces of both kinds, more than a group.
constexpr std::size_t kSizes[] = {1, 100003, kMiB, 3 * kMiB + 17, 17 * kMiB, 45 * kMiB + 5};

class StagingTest : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
    device_.emplace(GetParam(), 0);
    stream_.emplace(Stream::create(*device_));
  }
  const std::shared_ptr<StreamState>& stream() const { return stream_->state(); }
  std::shared_ptr<Storage> allocate(std::size_t bytes) {
    return allocate_storage(*device_, bytes, stream());
  }
  static std::vector<char> pattern(std::size_t bytes) {
    std::vector<char> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      result[i] = static_cast<char>((i * 2654435761U) >> 13);
    }
    return result;
  }
  std::vector<char> read(const Storage& storage) {
    std::vector<char> result(storage.bytes());
    stream()->driver().copy_to_host(result.data(), storage.data(), result.size(),
                                    stream()->handle());
    return result;
  }
  void keep(std::shared_ptr<void> kept) {
    retire(stream(), {[kept] {}, 0});
  }

  std::optional<Device> device_;
  std::optional<Stream> stream_;
};

TEST_P(StagingTest, CopiesArriveWholeInBothDirections) {
  for (const std::size_t bytes : kSizes) {
    const std::vector<char> source = pattern(bytes);
    const auto storage = allocate(bytes);
    stage_from_host(*stream(), storage->data(), source.data(), bytes);
    ASSERT_EQ(read(*storage), source) << bytes;
    std::vector<char> target(bytes, 'x');
    stage_to_host(*stream(), target.data(), storage->data(), bytes);
    ASSERT_EQ(target, source) << bytes;
  }
}

TEST_P(StagingTest, QueuedCopiesArriveWholeInBothDirections) {
  for (const std::size_t bytes : kSizes) {
    const std::vector<char> source = pattern(bytes);
    std::vector<char> target(bytes, 'x');
    const auto storage = allocate(bytes);
    keep(queue_from_host(*stream(), storage->data(), source.data(), bytes));
    keep(queue_to_host(*stream(), target.data(), storage->data(), bytes));
    stream()->synchronize();
    ASSERT_EQ(target, source) << bytes;
  }
}

TEST_P(StagingTest, AQueuedCopyWaitsForNothing) {
  const std::size_t bytes = 40 * kMiB;
  const std::vector<char> source = pattern(bytes);
  std::vector<char> target(bytes, 'x');
  const auto storage = allocate(bytes);
  {
    StreamGate gate(*stream_);
    const auto queued = std::async(std::launch::async, [&] {
      keep(queue_from_host(*stream(), storage->data(), source.data(), bytes));
      keep(queue_to_host(*stream(), target.data(), storage->data(), bytes));
    });
    ASSERT_EQ(queued.wait_for(kPatience), std::future_status::ready) << "it waits for its stream";
    EXPECT_FALSE(stream_->is_idle());
    EXPECT_EQ(target.front(), 'x');
  }
  EXPECT_EQ(target, source);
}

TEST_P(StagingTest, ASourceMayChangeOnceItsSnapshotIsTaken) {
  std::vector<char> source(2 * kMiB, 'a');
  const auto storage = allocate(source.size());
  {
    StreamGate gate(*stream_);
    ASSERT_TRUE(try_stage_from_host(*stream(), storage->data(), source.data(), source.size()));
    std::fill(source.begin(), source.end(), 'b');
    EXPECT_FALSE(stream_->is_idle());
  }
  EXPECT_EQ(read(*storage), std::vector<char>(source.size(), 'a'));
}

TEST_P(StagingTest, ASlotIsNotReusedWhileAStreamReadsIt) {
  auto& slots = *new StagingSlots(4096, 2);  // never destroyed, as those of the library
  StreamGate gate(*stream_);
  char* first = nullptr;
  {
    StagingSlot slot = slots.take(*stream());
    first = slot.data();
    slot.mark(*stream());
  }
  StagingSlot second = slots.take(*stream());
  ASSERT_TRUE(second);
  EXPECT_NE(second.data(), first);
  EXPECT_FALSE(slots.take(*stream()));  // there are two
  EXPECT_TRUE(slots.take_or_make(*stream()));
  gate.open();
  stream_->synchronize();
  EXPECT_EQ(slots.take(*stream()).data(), first);
}

TEST_P(StagingTest, ThreadsStageAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const Stream own = Stream::create(*device_);
      const std::vector<char> source(3 * kMiB + t, static_cast<char>('a' + t));
      const auto storage = allocate_storage(*device_, source.size(), own.state());
      for (int i = 0; i < 5; ++i) {
        stage_from_host(*own.state(), storage->data(), source.data(), source.size());
        std::vector<char> target(source.size());
        stage_to_host(*own.state(), target.data(), storage->data(), target.size());
        wrong[t] += target != source;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

INSTANTIATE_TEST_SUITE_P(Platforms, StagingTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(CopyThreads, CopiesPastTheCacheAreExactAtAnyAlignment) {
  std::vector<char> source(300);
  std::iota(source.begin(), source.end(), char{0});
  for (std::size_t from = 0; from < 20; ++from) {
    for (std::size_t to = 0; to < 20; ++to) {
      for (const std::size_t bytes : {0, 1, 15, 16, 63, 64, 200}) {
        std::vector<char> target(300, 'x');
        copy_past_cache(target.data() + to, source.data() + from, bytes);
        std::vector<char> expected(300, 'x');
        std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                    expected.begin() + static_cast<std::ptrdiff_t>(to));
        ASSERT_EQ(target, expected);
      }
    }
  }
}

TEST(CopyThreads, HelpersShareTheWorkAndWhatTheyThrow) {
  std::atomic<int> next{0};
  std::atomic<int> done{0};
  run_with_helpers(3, [&] {
    while (next++ < 1000) ++done;
  });
  EXPECT_EQ(done, 1000);
  EXPECT_THROW(run_with_helpers(3, [] { throw std::runtime_error("no"); }), std::runtime_error);
  run_with_helpers(0, [&] { ++done; });
  EXPECT_EQ(done, 1001);
}

}  // namespace
}  // namespace cupola
