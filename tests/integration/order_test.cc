// Arrays that travel between threads, each with a stream of its own: no use overtakes another.

#include <barrier>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/cupola.h"

namespace cupola {
namespace {

class Order : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
  }
  Device device_{GetParam(), 0};
};

float first_element(const Array& a) { return item(max(a)).get<float>(); }

TEST_P(Order, AnotherThreadSeesTheFinishedValue) {
  for (int round = 0; round < 20; ++round) {
    Array a = full({1 << 18}, Scalar(1.0F), DType::float32, device_);
    std::thread producer([&] {
      for (int i = 0; i < 10; ++i) a = a + 1;
    });
    producer.join();
    EXPECT_EQ(first_element(a * 2), 22.0F);
  }
}

TEST_P(Order, ThreadsShareOneInput) {
  const Array a = full({1 << 16}, Scalar(3.0F), DType::float32, device_);
  std::vector<float> results(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      Array mine = a;
      for (std::size_t i = 0; i <= t; ++i) mine = mine + a;
      results[t] = first_element(mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t) {
    EXPECT_EQ(results[t], 3.0F * static_cast<float>(t + 2));
  }
}

TEST_P(Order, APendingValueIsWholeForEveryThread) {
  constexpr std::size_t kThreads = 6;
  const Array a = full({5000}, Scalar(0.0F), DType::float32, device_);
  for (int round = 1; round <= 30; ++round) {
    const auto value = static_cast<float>(round);
    const Array pending = a + value;
    std::vector<float> results(kThreads);
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        results[t] = t % 2 == 0 ? first_element(pending) : first_element(pending * 2) / 2;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(results, std::vector<float>(kThreads, value));
  }
}

TEST_P(Order, WritesWaitForReadsOnOtherStreams) {
  for (int round = 0; round < 20; ++round) {
    const Array a = full({1 << 18}, Scalar(1.0F), DType::float32, device_);
    Array copied;
    std::thread reader([&] { copied = a + 0; });
    reader.join();
    assign(a, 2.0);
    EXPECT_EQ(first_element(copied), 1.0F);
    EXPECT_EQ(first_element(a), 2.0F);
  }
}

TEST_P(Order, MemoryOfDroppedArraysIsReusedOnlyAfterItsUses) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto value = static_cast<float>(t);
      for (int i = 0; i < 50; ++i) {
        const Array sum = full({4096}, Scalar(value), DType::float32, device_) +
                          full({4096}, Scalar(value), DType::float32, device_);
        wrong[t] += first_element(sum) != 2 * value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

INSTANTIATE_TEST_SUITE_P(Platforms, Order, ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
