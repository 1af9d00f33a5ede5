#include "exec/transfers/host_read.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "exec/evaluation/evaluator.h"
#include "exec/launch/use_order.h"

namespace cupola {
namespace {

TEST(HostRead, WritesWaitForItAndReadsDoNot) {
  const Array array = allocate_array(DType::float32, Dims{16}, {PlatformKind::cpu, 0});
  const Stream stream = Stream::create(array.device());
  std::atomic<bool> is_reading{true};
  std::atomic<bool> was_overtaken{false};
  std::thread writer;
  {
    const HostRead read(*stream.state(), *array.state().storage);
    OrderedUse(stream.state(), {&array, 1}, {}).record();
    std::atomic<bool> has_begun{false};
    writer = std::thread([&] {
      const Stream other = Stream::create(array.device());
      has_begun = true;
      OrderedUse(other.state(), {}, {&array, 1}).record();
      was_overtaken = is_reading.load();
    });
    while (!has_begun) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();  // time to do it wrongly
    is_reading = false;
  }
  writer.join();
  EXPECT_FALSE(was_overtaken);
}

}  // namespace
}  // namespace cupola
