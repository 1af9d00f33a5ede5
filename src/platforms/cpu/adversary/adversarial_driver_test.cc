// The hostile platform: orders by seed, mistakes that it finds, calls that it fails.

#include "platforms/cpu/adversary/adversarial_driver.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/child.h"
#include "cupola/error.h"
#include "driver/testing/launch_builder.h"

namespace cupola::cpu::adversary {
namespace {

using cupola::testing::LaunchBuilder;

Settings hostile(std::uint64_t seed, std::string failures = {}) {
  Settings settings{2, std::size_t{1} << 24};
  settings.adversary = seed;
  settings.failures = std::move(failures);
  return settings;
}

class Adversary : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 1024;

  void SetUp() override {
    a_ = driver_.create_stream(0);
    b_ = driver_.create_stream(0);
    event_ = driver_.create_event(0);
    memory_ = driver_.allocate(0, kBytes, MemoryKind::device);
  }
  void TearDown() override {
    driver_.synchronize(a_);
    driver_.synchronize(b_);
    driver_.destroy_stream(a_);
    driver_.destroy_stream(b_);
    driver_.destroy_event(event_);
  }
  // Whether exactly one mistake was found so far, and its text has all the parts.
  ::testing::AssertionResult found(std::initializer_list<std::string> parts) {
    if (found_.size() != 1) return ::testing::AssertionFailure() << found_.size() << " reports";
    for (const std::string& part : parts) {
      if (found_[0].find(part) == std::string::npos) {
        return ::testing::AssertionFailure() << found_[0] << " does not contain " << part;
      }
    }
    return ::testing::AssertionSuccess();
  }

  std::vector<std::string> found_;
  AdversarialDriver driver_{hostile(3),
                            [this](const std::string& text) { found_.push_back(text); }};
  StreamHandle a_ = nullptr;
  StreamHandle b_ = nullptr;
  EventHandle event_ = nullptr;
  void* memory_ = nullptr;
};

TEST_F(Adversary, AMissingWaitIsARace) {
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  driver_.fill_bytes(memory_, 2, kBytes, b_);
  EXPECT_TRUE(found({"RaceError", "fill_bytes (number 1 of stream 1)",
                     "fill_bytes (number 1 of stream 2)", "1024 bytes"}));
}

TEST_F(Adversary, AMissingWaitIsARaceEvenIfTheWorkIsDone) {
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  driver_.synchronize(b_);
  driver_.copy_to_host(std::vector<char>(kBytes).data(), memory_, kBytes, b_);
  EXPECT_TRUE(found({"copy_to_host", "reads", "fill_bytes", "writes"}));
}

TEST_F(Adversary, EventsOrder) {
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  driver_.record(event_, a_);
  driver_.wait(b_, event_);
  driver_.fill_bytes(memory_, 2, kBytes, b_);
  EXPECT_TRUE(found_.empty());
  driver_.fill_bytes(memory_, 3, 1, a_);  // the other way round nothing orders
  EXPECT_EQ(found_.size(), 1u);
}

TEST_F(Adversary, AWaitForAnEarlierRecordIsNotEnough) {
  driver_.record(event_, a_);
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  driver_.wait(b_, event_);
  driver_.fill_bytes(memory_, 2, kBytes, b_);
  EXPECT_EQ(found_.size(), 1u);
}

TEST_F(Adversary, WhatTheHostWaitedForIsOver) {
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  driver_.synchronize(a_);
  driver_.fill_bytes(memory_, 2, kBytes, b_);
  driver_.record(event_, b_);
  while (!driver_.is_complete(event_)) {
  }
  driver_.fill_bytes(memory_, 3, kBytes, a_);
  while (!driver_.is_idle(a_)) {
  }
  driver_.deallocate(0, memory_, kBytes, MemoryKind::device);
  EXPECT_TRUE(found_.empty());
}

TEST_F(Adversary, WhatAHostFunctionComesAfterIsOver) {
  std::atomic<bool> ran{false};
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  driver_.run_on_host([&] { ran = true; }, a_);
  while (!ran) std::this_thread::yield();  // nobody calls the driver: it goes on by itself
  driver_.deallocate(0, memory_, kBytes, MemoryKind::device);
  EXPECT_TRUE(found_.empty());
}

TEST_F(Adversary, FreedMemoryIsNotToBeUsed) {
  driver_.deallocate(0, memory_, kBytes, MemoryKind::device);
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  EXPECT_TRUE(found({"fill_bytes", "freed or was never allocated"}));
}

TEST_F(Adversary, MemoryEndsWhereItWasAskedToEnd) {
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  EXPECT_TRUE(found_.empty());
  driver_.fill_bytes(static_cast<char*>(memory_) + 1, 1, kBytes, a_);
  EXPECT_EQ(found_.size(), 1u);
}

TEST_F(Adversary, MemoryInUseIsNotToBeFreed) {
  driver_.fill_bytes(memory_, 1, kBytes, a_);
  driver_.deallocate(0, memory_, kBytes, MemoryKind::device);
  EXPECT_TRUE(found({"deallocate", "fill_bytes", "may still write"}));
}

TEST_F(Adversary, MemoryIsFreedOnce) {
  driver_.deallocate(0, memory_, kBytes, MemoryKind::device);
  driver_.deallocate(0, memory_, kBytes, MemoryKind::device);
  EXPECT_TRUE(found({"no live block"}));
}

TEST_F(Adversary, StreamOrderedMemoryIsOrdered) {
  void* own = driver_.allocate_async(kBytes, a_);
  driver_.fill_bytes(own, 1, kBytes, a_);
  driver_.deallocate_async(own, kBytes, a_);
  driver_.synchronize(a_);
  EXPECT_TRUE(found_.empty());
  void* other = driver_.allocate_async(kBytes, a_);
  driver_.fill_bytes(other, 1, kBytes, b_);
  EXPECT_TRUE(found({"fill_bytes", "allocate_async"}));
  driver_.deallocate_async(other, kBytes, a_);
  EXPECT_EQ(found_.size(), 2u);
}

TEST_F(Adversary, DestroyedHandlesAreNotToBeUsed) {
  const Arena arena(4096);
  Checker checker(arena, [this](const std::string& text) { found_.push_back(text); });
  checker.add_event(event_);
  checker.add_stream(a_);
  checker.record(event_, a_);
  EXPECT_TRUE(found_.empty());
  checker.remove_event(event_);
  checker.remove_stream(a_);
  checker.record(event_, a_);
  EXPECT_EQ(found_.size(), 2u);
  checker.submit(a_, "copy", {});
  EXPECT_EQ(found_.size(), 3u);
}

// Adds 1 to 128 numbers, in two halves on streams of their own.
class AdversaryOfParts : public Adversary {
 protected:
  void SetUp() override {
    Adversary::SetUp();
    LaunchBuilder builder({128});
    const int x = builder.load(DType::float64, memory_);
    builder.store(builder.ufunc(UfuncId::add, {x, builder.scalar(Scalar(1.0))}), memory_);
    kernel_ = driver_.build(builder.plan, 0);
    arguments_ = builder.arguments;
  }
  void launch_halves() {
    driver_.launch_stage(kernel_, arguments_, 0, {0, 64}, nullptr, a_);
    driver_.launch_stage(kernel_, arguments_, 0, {64, 128}, nullptr, b_);
  }
  void wait(StreamHandle stream, StreamHandle before) {
    driver_.record(event_, before);
    driver_.wait(stream, event_);
  }

  std::shared_ptr<Kernel> kernel_;
  LaunchArguments arguments_;
};

TEST_F(AdversaryOfParts, PartsOfALaunchAreFreeOfEachOther) {
  launch_halves();
  wait(a_, b_);
  wait(b_, a_);
  launch_halves();
  EXPECT_TRUE(found_.empty());
}

TEST_F(AdversaryOfParts, WhatFollowsWaitsForAllParts) {
  launch_halves();
  driver_.fill_bytes(memory_, 1, kBytes, b_);  // before a's part, for all that is known
  EXPECT_TRUE(found({"kernel add (number 1 of stream 1)", "fill_bytes"}));
}

TEST_F(AdversaryOfParts, PartsWaitForTheLaunchBefore) {
  launch_halves();
  launch_halves();
  EXPECT_FALSE(found_.empty());
}

TEST_F(Adversary, KernelsAreNamedAndTheirStridesCount) {
  auto* values = static_cast<float*>(memory_);
  LaunchBuilder builder({8});
  const int x = builder.load(DType::float32, values, Dims{-2});
  builder.store(builder.ufunc(UfuncId::add, {x, x}), values + 100);
  builder.arguments.inputs[0].pointer = values + 14;
  const auto kernel = driver_.build(builder.plan, 0);
  driver_.launch(kernel, builder.arguments, a_);
  driver_.fill_bytes(values + 15, 1, 4, b_);  // beside what the kernel reads
  EXPECT_TRUE(found_.empty());
  driver_.fill_bytes(values, 1, 4, b_);
  EXPECT_TRUE(found({"kernel add", "reads"}));
}

// The order in which the work of four streams runs: each piece appends a digit to one number. No
// event orders most of it, so the races that are reported are meant.
std::string order_of(std::uint64_t seed) {
  AdversarialDriver driver(hostile(seed), [](const std::string&) {});
  std::vector<StreamHandle> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(driver.create_stream(i % 2));
  EventHandle event = driver.create_event(0);
  std::uint64_t number = 0;
  std::vector<std::pair<std::shared_ptr<Kernel>, LaunchArguments>> work;
  for (std::uint64_t digit = 0; digit < 4; ++digit) {
    LaunchBuilder builder({1});
    const int shifted = builder.ufunc(
        UfuncId::multiply,
        {builder.load(DType::uint64, &number), builder.scalar(Scalar(std::uint64_t{4}))});
    builder.store(builder.ufunc(UfuncId::add, {shifted, builder.scalar(Scalar(digit))}), &number);
    work.emplace_back(driver.build(builder.plan, 0), builder.arguments);
  }
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < 4; ++i) driver.launch(work[i].first, work[i].second, streams[i]);
    driver.record(event, streams[0]);
    driver.wait(streams[1], event);
    driver.synchronize(streams[2]);
  }
  for (StreamHandle stream : streams) driver.synchronize(stream);
  for (StreamHandle stream : streams) driver.destroy_stream(stream);
  driver.destroy_event(event);
  std::string order;
  for (int shift = 38; shift >= 0; shift -= 2) order += "abcd"[(number >> shift) & 3];
  return order;
}

TEST(Schedule, TheSeedGivesTheOrder) {
  std::set<std::string> orders;
  int differences = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string order = order_of(seed);
    EXPECT_EQ(std::count(order.begin(), order.end(), 'd'), 5) << order;
    orders.insert(order);
    differences += order != order_of(seed);
  }
  EXPECT_GE(orders.size(), 10u);
  // Only where the machine stops the program for a while an order may differ.
  EXPECT_LE(differences, 2);
}

TEST(Schedule, EventsAreRespected) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::string order = order_of(seed);
    int a = 0;
    int b = 0;
    for (const char letter : order) {
      a += letter == 'a';
      b += letter == 'b';
      EXPECT_LE(b, a + 1) << order;  // the (n+1)-th b comes after the n-th a
    }
  }
}

TEST(Schedule, ABlockedFunctionDoesNotStopOtherStreams) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    AdversarialDriver driver(hostile(seed));
    StreamHandle a = driver.create_stream(0);
    StreamHandle b = driver.create_stream(0);
    std::atomic<bool> open{false};
    driver.run_on_host([&] { open.wait(false); }, a);
    driver.run_on_host([] {}, b);
    driver.synchronize(b);
    EXPECT_FALSE(driver.is_idle(a));
    open = true;
    open.notify_all();
    driver.synchronize(a);
    driver.destroy_stream(a);
    driver.destroy_stream(b);
  }
}

TEST(Schedule, SomeSeedsHoldAllWorkBack) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    AdversarialDriver driver(hostile(seed));
    StreamHandle stream = driver.create_stream(0);
    auto* memory = static_cast<unsigned char*>(driver.allocate(0, 8, MemoryKind::device));
    driver.fill_bytes(memory, 1, 8, stream);
    held += memory[0] == Arena::kNew;
    driver.synchronize(stream);
    EXPECT_EQ(memory[0], 1);
    driver.destroy_stream(stream);
  }
  EXPECT_GT(held, 5);
  EXPECT_LT(held, 20);
}

// What a thread waited for in the parent does not happen in the child, where its stack serves
// another thread.
TEST(AdversaryFork, LostCallersRaceWithNobody) {
  auto& driver = *new AdversarialDriver(hostile(3));  // handlers of forks last for ever
  driver.survive_forks();
  void* memory = driver.allocate(0, 64, MemoryKind::device);
  StreamHandle stream = driver.create_stream(0);
  std::atomic<bool> begun{false};
  std::atomic<bool> end{false};
  driver.run_on_host(
      [&] {
        begun = true;
        while (!end) std::this_thread::yield();
      },
      stream);
  while (!begun) std::this_thread::yield();
  char target[64] = {};
  driver.copy_to_caller(target, memory, sizeof target, stream);
  const auto overwrite = [&] {
    StreamHandle other = driver.create_stream(0);
    driver.copy_to_host_async(target, memory, sizeof target, other);
    driver.fill_bytes(memory, 1, 64, other);
    driver.synchronize(other);
    const char before = target[0];
    driver.synchronize(stream);
    return target[0] == before;
  };
  EXPECT_EQ(status_of_child(overwrite), 0);
  end = true;
  driver.synchronize(stream);
  driver.destroy_stream(stream);
}

TEST(Faults, TheChosenCallFailsOnce) {
  AdversarialDriver driver(hostile(1, "3"));
  StreamHandle stream = driver.create_stream(0);
  EventHandle event = driver.create_event(0);
  try {
    driver.allocate(0, 64, MemoryKind::device);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    EXPECT_STREQ(error.what(), "injected fault: allocate, call 3 of the platform");
  }
  driver.record(event, stream);
  EXPECT_EQ(driver.failed_calls(), 1u);
  driver.destroy_event(event);
  driver.destroy_stream(stream);
}

TEST(Faults, ARateFailsAboutThatMany) {
  Faults faults("1/10", 5);
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    try {
      faults.call("call");
    } catch (const DeviceError&) {
      ++failed;
    }
  }
  EXPECT_GT(failed, 50);
  EXPECT_LT(failed, 200);
  EXPECT_EQ(faults.failed(), static_cast<std::uint64_t>(failed));
}

TEST(Faults, OtherTextIsRefused) {
  for (const char* text : {"0", "1/0", "x", "1/", "-1", "2/3", " 1"}) {
    EXPECT_THROW(Faults(text, 1), ValueError) << text;
  }
}

}  // namespace
}  // namespace cupola::cpu::adversary
