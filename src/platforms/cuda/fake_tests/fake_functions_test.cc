// Functions beside streams on the fake driver: what waits for them, and that no kernel is loaded
// while something does.

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "driver/beside.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Calls kOrdered{"cuLaunchHostFunc", "cuStreamWaitValue32", "cuMemsetD8Async"};

class FakeFunctions : public OnFakeCuda {
 protected:
  // A function that is over when the result is called.
  Driver::Done begin(StreamHandle stream) {
    Driver::Done done;
    driver_->run_beside([&done](Driver::Done given) { done = std::move(given); }, stream);
    return done;
  }
};

TEST_F(FakeFunctions, TheStreamWaitsOnceSomethingComesAfter) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const block = driver_->allocate(0, 16, MemoryKind::device);
    fake_.watch_calls();
    const Driver::Done done = begin(stream);
    EXPECT_THAT(fake_.take_calls(kOrdered), ElementsAre("cuLaunchHostFunc"));
    EXPECT_FALSE(driver_->is_idle(stream));
    std::atomic<int> seen{-1};
    std::thread helper([&] {
      std::this_thread::sleep_for(milliseconds(50));
      seen = *static_cast<unsigned char*>(block);
      done();
    });
    *static_cast<unsigned char*>(block) = 3;
    driver_->fill_bytes(block, 9, 16, stream);  // the fake does it once the word is there
    helper.join();
    EXPECT_EQ(seen, 3);
    EXPECT_EQ(*static_cast<unsigned char*>(block), 9);
    EXPECT_THAT(fake_.take_calls(kOrdered),
                ElementsAre("cuStreamWaitValue32 1", "cuMemsetD8Async"));
    EXPECT_TRUE(driver_->is_idle(stream));
    // The wait is over for what comes later.
    driver_->fill_bytes(block, 1, 16, stream);
    EXPECT_THAT(fake_.take_calls(kOrdered), ElementsAre("cuMemsetD8Async"));
    driver_->deallocate(0, block, 16, MemoryKind::device);
  });
}

TEST_F(FakeFunctions, WhatIsOverIsNotWaitedFor) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const block = driver_->allocate(0, 16, MemoryKind::device);
    begin(stream)();
    fake_.watch_calls();
    driver_->fill_bytes(block, 1, 16, stream);
    EXPECT_THAT(fake_.take_calls(kOrdered), ElementsAre("cuMemsetD8Async"));
    EXPECT_TRUE(driver_->is_idle(stream));
    driver_->deallocate(0, block, 16, MemoryKind::device);
  });
}

TEST_F(FakeFunctions, TheNumbersOfAWordGoOnWithTheNextStream) {
  on_fake_cuda([this] {
    // Adopted streams give their words back.
    const auto native = [&] { return driver_->create_stream(0); };
    const StreamHandle own = native();
    for (const char* wait : {"cuStreamWaitValue32 1", "cuStreamWaitValue32 2"}) {
      const StreamHandle adopted = driver_->adopt_stream(0, driver_->native_handle(own));
      fake_.watch_calls();
      const Driver::Done done = begin(adopted);
      // Others may put work there at any time, so that it waits at once.
      EXPECT_THAT(fake_.take_calls(kOrdered), ElementsAre("cuLaunchHostFunc", wait));
      done();
      driver_->synchronize(adopted);
      driver_->destroy_stream(adopted);
    }
    driver_->destroy_stream(own);
  });
}

TEST_F(FakeFunctions, AStreamThatIsLentWaitsAtOnce) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const Driver::Done first = begin(stream);
    fake_.watch_calls();
    driver_->native_handle(stream);
    EXPECT_THAT(fake_.take_calls(kOrdered), ElementsAre("cuStreamWaitValue32 1"));
    first();
    const Driver::Done second = begin(stream);
    EXPECT_THAT(fake_.take_calls(kOrdered),
                ElementsAre("cuLaunchHostFunc", "cuStreamWaitValue32 2"));
    second();
    driver_->synchronize(stream);
  });
}

TEST_F(FakeFunctions, SynchronizingWaitsOnTheHost) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const Driver::Done done = begin(stream);
    std::atomic<bool> is_over{false};
    fake_.watch_calls();
    std::thread helper([&] {
      std::this_thread::sleep_for(milliseconds(50));
      is_over = true;
      done();
    });
    driver_->synchronize(stream);
    EXPECT_TRUE(is_over);
    helper.join();
    EXPECT_THAT(fake_.take_calls(kOrdered), IsEmpty());
  });
}

TEST_F(FakeFunctions, AFunctionThatIsNotQueuedIsNotWaitedFor) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const block = driver_->allocate(0, 16, MemoryKind::device);
    fake_.fail_call("cuLaunchHostFunc", CUDA_ERROR_NOT_PERMITTED);
    bool has_run = false;
    EXPECT_THAT(message_of<DeviceError>([&] {
                  driver_->run_beside([&](const Driver::Done&) { has_run = true; }, stream);
                }),
                HasSubstr("cuLaunchHostFunc on cuda:0"));
    EXPECT_FALSE(has_run);
    EXPECT_TRUE(driver_->is_idle(stream));
    fake_.watch_calls();
    driver_->fill_bytes(block, 1, 16, stream);
    EXPECT_THAT(fake_.take_calls(kOrdered), ElementsAre("cuMemsetD8Async"));
    begin(stream)();
    driver_->synchronize(stream);
    driver_->deallocate(0, block, 16, MemoryKind::device);
  });
}

TEST_F(FakeFunctions, AWaitThatIsNotQueuedIsStillOwed) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const block = driver_->allocate(0, 16, MemoryKind::device);
    *static_cast<unsigned char*>(block) = 3;
    const Driver::Done done = begin(stream);
    fake_.fail_call("cuStreamWaitValue32", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THROW(driver_->fill_bytes(block, 9, 16, stream), DeviceError);
    EXPECT_EQ(*static_cast<unsigned char*>(block), 3);
    EXPECT_FALSE(driver_->is_idle(stream));
    std::thread helper([&] {
      std::this_thread::sleep_for(milliseconds(20));
      done();
    });
    fake_.watch_calls();
    driver_->fill_bytes(block, 9, 16, stream);
    helper.join();
    EXPECT_THAT(fake_.take_calls(kOrdered),
                ElementsAre("cuStreamWaitValue32 1", "cuMemsetD8Async"));
    driver_->deallocate(0, block, 16, MemoryKind::device);
  });
}

TEST_F(FakeFunctions, KernelsAreLoadedWhenNoStreamWaits) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_), other(driver_);
    const auto function = driver_->build_module({.text = "a kernel"})->function("kernel");
    const Driver::Done done = begin(stream);
    driver_->native_handle(stream);  // so that it waits
    std::atomic<bool> is_over{false}, was_over{false};
    fake_.watch_calls();
    std::thread helper([&] {
      function->launch({}, {}, other);
      was_over = is_over.load();
    });
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_THAT(fake_.take_calls({"cuModuleLoadDataEx"}), IsEmpty());
    is_over = true;
    done();
    helper.join();
    EXPECT_TRUE(was_over);
    EXPECT_THAT(fake_.take_calls({"cuModuleLoadDataEx", "cuLaunchKernel"}),
                ElementsAre("cuModuleLoadDataEx", "cuLaunchKernel"));
    EXPECT_FALSE(driver_->is_loading());
  });
}

TEST_F(FakeFunctions, AFunctionLoadsNoKernelWhileItsStreamWaitsForIt) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_), other(driver_);
    const auto function = driver_->build_module({.text = "a kernel"})->function("kernel");
    const Driver::Done done = begin(stream);
    driver_->native_handle(stream);
    const auto use = [&] { function->launch({}, {}, other); };
    {
      const BesideStream beside(PlatformKind::cuda, stream);
      EXPECT_THAT(message_of<LaunchError>(use),
                  HasSubstr("is used for the first time on cuda:0 by a function on whose end"));
    }
    EXPECT_FALSE(driver_->is_loading());
    done();
    driver_->synchronize(stream);
    const BesideStream beside(PlatformKind::cuda, stream);
    fake_.watch_calls();
    use();
    EXPECT_THAT(fake_.take_calls({"cuLaunchKernel"}), ElementsAre("cuLaunchKernel"));
  });
}

}  // namespace
}  // namespace cupola::cuda
