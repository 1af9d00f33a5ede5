#include "runtime/completion.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/stream_gate.h"

namespace cupola {
namespace {

using Gate = StreamGate;
using Clock = StreamGate::Clock;
using namespace std::chrono_literals;

class CompletionTest : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
    drain();
    before_ = in_flight();
  }
  Stream make_stream() { return Stream::create({GetParam(), 0}); }
  std::size_t new_things() const { return in_flight().things - before_.things; }
  std::size_t new_bytes() const { return in_flight().bytes - before_.bytes; }

 private:
  InFlight before_;
};

TEST_P(CompletionTest, IdleStreamsReleaseAtOnce) {
  const Stream stream = make_stream();
  stream.synchronize();
  bool released = false;
  retire(stream.state(), {[&] { released = true; }, 10});
  EXPECT_TRUE(released);
  EXPECT_EQ(new_things(), 0u);
}

TEST_P(CompletionTest, NothingIsReleasedBeforeItsStreamIsDone) {
  const Stream stream = make_stream();
  std::atomic<bool> released{false};
  {
    Gate gate(stream);
    retire(stream.state(), {[&] { released = true; }, 1000});
    EXPECT_EQ(new_things(), 1u);
    EXPECT_EQ(new_bytes(), 1000u);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(drain(*stream.state()).things, 0u);
      EXPECT_EQ(drain().things, 0u);
    }
    EXPECT_FALSE(released);
    gate.open();
    EXPECT_TRUE(eventually([&] { return released.load(); }));
  }
  EXPECT_TRUE(eventually([&] { return new_things() == 0 && new_bytes() == 0; }));
}

TEST_P(CompletionTest, DrainReleasesWhatIsDoneAndTellsWhat) {
  const Stream stream = make_stream();
  std::atomic<int> released{0};
  {
    Gate gate(stream);
    for (int i = 0; i < 5; ++i) retire(stream.state(), {[&] { ++released; }, 7});
  }
  // The reaper may have been faster with some of them.
  const InFlight drained = drain(*stream.state());
  EXPECT_EQ(drained.bytes, 7 * drained.things);
  EXPECT_TRUE(eventually([&] { return released == 5; }));
}

TEST_P(CompletionTest, AThingOfSeveralStreamsWaitsForTheLast) {
  const std::array streams{make_stream(), make_stream()};
  const std::array states{streams[0].state(), streams[1].state()};
  for (std::size_t last = 0; last < 2; ++last) {
    std::atomic<bool> released{false};
    Gate first_gate(streams[1 - last]);
    Gate last_gate(streams[last]);
    retire(states, {[&] { released = true; }, 50});
    EXPECT_EQ(new_things(), 1u);
    EXPECT_EQ(new_bytes(), 50u);
    first_gate.open();
    streams[1 - last].synchronize();
    for (int i = 0; i < 100; ++i) drain();
    EXPECT_FALSE(released);
    last_gate.open();
    EXPECT_TRUE(eventually([&] { return released.load(); }));
    EXPECT_TRUE(eventually([&] { return new_things() == 0; }));
  }
}

TEST_P(CompletionTest, AStuckStreamDelaysNoOther) {
  const Stream stuck = make_stream();
  const Stream stream = make_stream();
  std::atomic<bool> stuck_released{false};
  Gate gate(stuck);
  retire(stuck.state(), {[&] { stuck_released = true; }, 1});
  std::vector<Clock::duration> delays;
  for (int i = 0; i < 100; ++i) {
    std::atomic<bool> released{false};
    Clock::time_point released_at;
    Gate work(stream);
    retire(stream.state(), {[&] {
                              released_at = Clock::now();
                              released = true;
                            },
                            1});
    work.open();
    // Nothing here calls the library: who waits for a stream releases what is done.
    ASSERT_TRUE(eventually([&] { return released.load(); }));
    delays.push_back(released_at - work.opened_at());
  }
  EXPECT_FALSE(stuck_released);
  std::sort(delays.begin(), delays.end());
  // The promise is 1 ms in 99 of 100; the bench measures that. Here the machine may be busy.
  EXPECT_LT(delays[delays.size() / 2], 5ms);
  gate.open();
  EXPECT_TRUE(eventually([&] { return stuck_released.load(); }));
}

TEST_P(CompletionTest, ManyThingsNeedFewEvents) {
  const Stream stream = make_stream();
  std::atomic<int> released{0};
  constexpr int kThings = 100000;
  {
    Gate gate(stream);
    for (int i = 0; i < kThings; ++i) retire(stream.state(), {[&] { ++released; }, 1});
    EXPECT_EQ(new_things(), static_cast<std::size_t>(kThings));
    EXPECT_LE(in_flight().events, 1024u);
  }
  EXPECT_TRUE(eventually([&] { return released == kThings; }));
}

TEST_P(CompletionTest, ThingsMayRetireOthersWhenTheyGo) {
  const Stream stream = make_stream();
  std::atomic<int> released{0};
  {
    Gate gate(stream);
    retire(stream.state(), {[&] {
                              ++released;
                              retire(stream.state(), {[&] { ++released; }, 1});
                            },
                            1});
  }
  EXPECT_TRUE(eventually([&] { return released == 2; }));
}

TEST_P(CompletionTest, AThingMayBeTheLastOwnerOfItsStream) {
  std::atomic<bool> released{false};
  auto gate_stream = std::make_unique<Stream>(make_stream());
  auto stream = std::make_shared<Stream>(make_stream());
  {
    Gate gate(*gate_stream);
    stream->state()->wait_for(*gate_stream->state());
    retire(stream->state(), {[&released, stream] { released = true; }, 1});
    stream.reset();
  }
  EXPECT_TRUE(eventually([&] { return released.load(); }));
}

TEST_P(CompletionTest, SettlingWaitsForTheDevicesThings) {
  const Stream stream = make_stream();
  std::atomic<bool> released{false};
  Gate gate(stream);
  retire(stream.state(), {[&] { released = true; }, 3});
  std::thread opener([&] { gate.open(); });
  settle(stream.device());
  // The reaper may be about to release it.
  EXPECT_TRUE(eventually([&] { return released.load(); }));
  opener.join();
}

TEST_P(CompletionTest, SettlingWaitsForWhatOthersAreReleasing) {
  const Stream stream = make_stream();
  std::atomic<bool> begun{false}, may_end{false}, ended{false};
  Gate gate(stream);
  retire(stream.state(), {[&] {
                            begun = true;
                            while (!may_end) std::this_thread::yield();
                            ended = true;
                          },
                          10});
  std::thread other([&] {
    while (!begun) drain(*stream.state());
  });
  gate.open();
  while (!begun) std::this_thread::yield();
  std::thread opener([&] {
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    may_end = true;
  });
  settle(stream.device());
  EXPECT_TRUE(ended);
  opener.join();
  other.join();
}

TEST_P(CompletionTest, ThreadsRetireAndDrainAtOnce) {
  std::atomic<int> released{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Stream stream = make_stream();
      for (int i = 0; i < 300; ++i) {
        stream.state()->driver().run_on_host([] {}, stream.state()->handle());
        retire(stream.state(), {[&] { ++released; }, 1});
        if (i % 7 == 0) drain();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(eventually([&] { return released == 4 * 300; }));
  EXPECT_TRUE(eventually([&] { return new_things() == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Platforms, CompletionTest,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
