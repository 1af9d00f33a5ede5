// Streams and events on the fake driver: those of others, times that there are not, and faults of
// several devices.

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "base/process/interrupt.h"
#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FakeStreams : public OnFakeCuda {};

TEST_F(FakeStreams, ThoseOfOthersMustBeOfTheDevice) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_, 1);
    void* const native = driver_->native_handle(stream);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->adopt_stream(0, native); }),
                HasSubstr("is one of device GPU-00000002-0000-0000-0000-000000000000, not of "
                          "cuda:0 (GPU-00000001-"));
    fake_.fail_call("cuStreamGetCtx", CUDA_ERROR_INVALID_HANDLE);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->adopt_stream(1, native); }),
                AllOf(HasSubstr("is no stream of this process: cuStreamGetCtx on cuda:1")));
    fake_.fail_call("cuCtxGetDevice", CUDA_ERROR_INVALID_CONTEXT);
    fake_.watch_calls();
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->adopt_stream(1, native); }),
                HasSubstr("cuCtxGetDevice on cuda:1"));
    EXPECT_THAT(fake_.take_calls({"cuCtxPushCurrent", "cuCtxPopCurrent"}),
                ElementsAre("cuCtxPushCurrent", "cuCtxPopCurrent"));
    const StreamHandle adopted = driver_->adopt_stream(1, native);
    EXPECT_EQ(driver_->native_handle(adopted), native);
    fake_.watch_calls();
    driver_->destroy_stream(adopted);
    EXPECT_THAT(fake_.take_calls({"cuStreamDestroy"}), IsEmpty());
  });
}

TEST_F(FakeStreams, ThatCannotBeMadeAreErrors) {
  on_fake_cuda([this] {
    fake_.fail_call("cuStreamCreateWithPriority", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THROW(driver_->create_stream(0), OutOfMemoryError);
    fake_.fail_call("cuEventCreate", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->create_event(0); }),
                HasSubstr("cuEventCreate on cuda:0"));
    driver_->destroy_stream(driver_->create_stream(0));
    driver_->destroy_event(driver_->create_event(0));
  });
}

TEST_F(FakeStreams, EventsThatAreNotOverHaveNoTime) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const native = driver_->native_handle(stream);
    const EventHandle first = driver_->create_event(0, {.timing = true});
    const EventHandle last = driver_->create_event(0, {.timing = true});
    driver_->record(first, stream);
    fake_.hold(native);
    driver_->record(last, stream);
    EXPECT_THAT(message_of<ValueError>([&] { driver_->elapsed_milliseconds(first, last); }),
                HasSubstr("the last one is not complete; synchronize it first"));
    fake_.release(native);
    EXPECT_EQ(driver_->elapsed_milliseconds(first, last), 0.0);
    for (const EventHandle each : {first, last}) driver_->destroy_event(each);
  });
}

TEST_F(FakeStreams, EventsOfSeveralProcessesAreDestroyedAndOthersKept) {
  on_fake_cuda([this] {
    fake_.watch_calls();
    driver_->destroy_event(driver_->create_event(0));
    driver_->destroy_event(driver_->create_event(0));
    EXPECT_THAT(fake_.take_calls({"cuEventCreate", "cuEventDestroy"}),
                ElementsAre("cuEventCreate"));
    for (int i = 0; i < 2; ++i)
      driver_->destroy_event(driver_->create_event(0, {.interprocess = true}));
    EXPECT_THAT(fake_.take_calls({"cuEventCreate", "cuEventDestroy"}),
                ElementsAre("cuEventCreate", "cuEventDestroy", "cuEventCreate", "cuEventDestroy"));
  });
}

// More than a new owner asks, so that it must find its own among them.
constexpr int kMany = 200;

TEST_F(FakeStreams, OnesOfAnotherKindHideNoCachedOnes) {
  on_fake_cuda([this] {
    const StreamOptions kinds[] = {{.priority = 0}, {.priority = -1}, {.non_blocking = false}};
    const auto make_many = [&](const StreamOptions& options, int device) {
      std::vector<StreamHandle> streams;
      for (int i = 0; i < kMany; ++i) streams.push_back(driver_->create_stream(device, options));
      for (const StreamHandle each : streams) driver_->destroy_stream(each);
    };
    const auto make_events = [&](const EventOptions& options, int device) {
      std::vector<EventHandle> events;
      for (int i = 0; i < kMany; ++i) events.push_back(driver_->create_event(device, options));
      for (const EventHandle each : events) driver_->destroy_event(each);
    };
    const auto make_all = [&] {
      for (const int device : {1, 0}) {
        for (const StreamOptions& kind : kinds) make_many(kind, device);
        for (const bool timing : {true, false}) make_events({.timing = timing}, device);
      }
    };
    make_all();
    fake_.watch_calls();
    make_all();
    EXPECT_THAT(fake_.take_calls({"cuStreamCreateWithPriority", "cuEventCreate"}), IsEmpty());
  });
}

TEST_F(FakeStreams, BusyOnesHideNoIdleOnes) {
  on_fake_cuda([this] {
    std::vector<StreamHandle> streams;
    for (int i = 0; i < kMany; ++i) streams.push_back(driver_->create_stream(0));
    std::vector<void*> held;
    for (const StreamHandle each : std::span(streams).first(kMany / 2)) {
      held.push_back(driver_->native_handle(each));
      fake_.hold(held.back());
    }
    for (const StreamHandle each : streams) driver_->destroy_stream(each);
    fake_.watch_calls();
    for (int i = 0; i < kMany; ++i) driver_->destroy_stream(driver_->create_stream(0));
    // The first may ask those only that are busy.
    EXPECT_LE(fake_.take_calls({"cuStreamCreateWithPriority"}).size(), 32u);
    for (void* const each : held) fake_.release(each);
  });
}

TEST_F(FakeStreams, AFaultTellsOfThoseBefore) {
  on_fake_cuda([this] {
    const FakeStream first(driver_, 0), second(driver_, 1);
    fake_.fail_device(1, CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->synchronize(second); }),
                AllOf(HasSubstr("cuStreamSynchronize on cuda:1"),
                      ::testing::Not(HasSubstr("had failed before"))));
    fake_.fail_device(0, CUDA_ERROR_ECC_UNCORRECTABLE);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->synchronize(first); }),
                AllOf(HasSubstr("cuStreamSynchronize on cuda:0"),
                      HasSubstr("; cuda:1 had failed before: cuStreamSynchronize on cuda:1: "
                                "CUDA_ERROR_ILLEGAL_ADDRESS")));
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->clear_fault(0); }),
                HasSubstr("cuda:0 cannot be made usable again in this process"));
  });
}

// What ends waits of the thread that sets it: Ctrl-C in Python's main thread.
struct Interrupted {};
thread_local bool may_be_interrupted = false;
std::atomic<int> checks{0};

class Interrupts {
 public:
  // The check throws when it is called for the third time.
  Interrupts() {
    may_be_interrupted = true;
    checks = 0;
    set_interrupt_check(
        [] {
          if (may_be_interrupted && ++checks == 3) throw Interrupted{};
        },
        [] { return may_be_interrupted; });
  }
  ~Interrupts() { may_be_interrupted = false; }
};

TEST_F(FakeStreams, WaitsForThemAreInterrupted) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const native = driver_->native_handle(stream);
    const EventHandle event = driver_->create_event(0);
    void* const memory = driver_->allocate(0, 64, MemoryKind::device);
    char host[64] = {};
    fake_.hold(native);
    driver_->record(event, stream);
    const std::function<void()> waits[] = {
        [&] { driver_->synchronize(stream); },
        [&] { driver_->synchronize(event); },
        [&] { driver_->copy_to_host(host, memory, sizeof host, stream); },
    };
    for (const auto& wait : waits) {
      const Interrupts interrupts;
      fake_.watch_calls();
      EXPECT_THROW(wait(), Interrupted);
      EXPECT_EQ(checks, 3);
      EXPECT_THAT(fake_.take_calls({"cuMemcpyDtoHAsync_v2", "cuMemcpyDtoHAsync"}), IsEmpty());
    }
    fake_.release(native);
    const Interrupts interrupts;
    for (const auto& wait : waits) wait();
    EXPECT_EQ(checks, 0);
    driver_->destroy_event(event);
    driver_->deallocate(0, memory, 64, MemoryKind::device);
  });
}

TEST_F(FakeStreams, MainThreadsDoNotWaitInTheDriver) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const Interrupts interrupts;
    fake_.watch_calls();
    driver_->synchronize(stream);
    EXPECT_THAT(fake_.take_calls({"cuStreamSynchronize", "cuStreamQuery"}),
                ElementsAre("cuStreamQuery"));
  });
}

TEST_F(FakeStreams, OtherThreadsWaitInTheDriver) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const Interrupts interrupts;
    fake_.watch_calls();
    std::thread([&] { driver_->synchronize(stream); }).join();
    {
      const Uninterruptible until_done;
      driver_->synchronize(stream);
    }
    EXPECT_THAT(fake_.take_calls({"cuStreamSynchronize", "cuStreamQuery"}),
                ElementsAre("cuStreamSynchronize", "cuStreamSynchronize"));
  });
}

}  // namespace
}  // namespace cupola::cuda
