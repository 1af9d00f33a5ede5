// A fork while functions of the user begin and end.

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/child.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

TEST(HostFunctionsFork, AForkPassesWhileFunctionsBegin) {
  const Device device(PlatformKind::cpu, 0);
  std::atomic<bool> stop{false};
  std::atomic<int> others{0};  // not on the threads' stacks, which a child does not have
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const Stream stream = Stream::create(device);
      while (!stop) {
        for (int j = 0; j < 20; ++j) stream.launch_host_function([&others] { ++others; });
        stream.synchronize();
      }
    });
  }
  const Stream own = Stream::create(device);
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> ran{0};
    own.launch_host_function([&ran] { ++ran; });
    const auto launch_another = [&] {
      std::atomic<bool> ran_here{false};
      own.launch_host_function([&ran_here] { ran_here = true; });
      own.synchronize();
      return ran_here && ran <= 1;
    };
    ASSERT_EQ(status_of_child(launch_another), 0) << "fork " << i;
    own.synchronize();
    ASSERT_EQ(ran, 1);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cupola
