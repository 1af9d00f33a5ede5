// P3.6 on a link of known speed: it is busy nearly all the time in which pageable memory is copied,
// since threads prepare pieces while others are on their way.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "exec/transfers/copy_threads.h"
#include "exec/transfers/staging.h"
#include "platforms/cpu/device/cpu_driver.h"
#include "runtime/stream.h"

namespace cupola {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kBytes = 96 * kMiB;
constexpr Seconds kTimeOfMiB(0.0005);  // 2 GB/s

// What goes to and from pinned memory takes its time, in which the processor has nothing to do.
class SlowLink final : public cpu::CpuDriver {
 public:
  SlowLink() : CpuDriver(cpu::Settings{1, std::size_t{1} << 30}) {}

  void copy_from_pinned_async(void* target, const void* source, std::size_t bytes,
                              StreamHandle stream) override {
    send(target, source, bytes, stream);
  }
  void copy_to_host_async(void* target, const void* source, std::size_t bytes,
                          StreamHandle stream) override {
    send(target, source, bytes, stream);
  }

  void begin() {
    const std::lock_guard lock(mutex_);
    threads_.clear();
    on_the_way_ = most_on_the_way_ = 0;
    busy_ = Seconds(0);
  }
  // Since begin(): those that handed pieces over, the most pieces at a time, and how long it
  // worked.
  std::size_t threads() const { return threads_.size(); }
  std::size_t most_on_the_way() const { return most_on_the_way_; }
  Seconds busy() const { return busy_; }

 private:
  void send(void* target, const void* source, std::size_t bytes, StreamHandle stream) {
    {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      most_on_the_way_ = std::max(most_on_the_way_, ++on_the_way_);
    }
    run_on_host([=, this] { pass(target, source, bytes); }, stream);
  }
  void pass(void* target, const void* source, std::size_t bytes) {
    const Clock::time_point start = Clock::now();
    std::this_thread::sleep_for(kTimeOfMiB * (static_cast<double>(bytes) / kMiB));
    std::memcpy(target, source, bytes);
    const std::lock_guard lock(mutex_);
    --on_the_way_;
    busy_ += Clock::now() - start;
  }

  std::mutex mutex_;
  std::set<std::thread::id> threads_;
  std::size_t on_the_way_ = 0;
  std::size_t most_on_the_way_ = 0;
  Seconds busy_{0};
};

class LinkSpeed : public ::testing::Test {
 protected:
  // Calls copy(stream) a few times, until the link was busy as it should be: machines may be, too.
  template <typename Copy>
  void expect_full_use(const Copy& copy) {
    const bool shares = copy_threads(12) > 1;
    double best = 0;
    std::size_t most_threads = 0;
    bool overlaps = false;
    for (int i = 0; i < 10 && (best < kEnough || !overlaps || (shares && most_threads < 2)); ++i) {
      link_.begin();
      const Clock::time_point start = Clock::now();
      copy(*stream_);
      stream_->synchronize();
      best = std::max(best, link_.busy() / Seconds(Clock::now() - start));
      most_threads = std::max(most_threads, link_.threads());
      overlaps = overlaps || link_.most_on_the_way() > link_.threads();
    }
    EXPECT_EQ(most_threads > 1, shares);
    EXPECT_TRUE(overlaps) << "each thread has several pieces on their way";
    EXPECT_GE(best, kEnough) << "part of the time in which the link was busy";
  }

  static constexpr double kEnough = 0.8;
  // Never destroyed, as its pinned memory is not.
  static SlowLink& slow_link() {
    static SlowLink* const link = new SlowLink;
    return *link;
  }
  SlowLink& link_ = slow_link();
  std::shared_ptr<StreamState> stream_ =
      std::make_shared<StreamState>(link_, Device(PlatformKind::cpu, 0));
  std::vector<char> host_ = std::vector<char>(kBytes, 'h');
  std::vector<char> device_ = std::vector<char>(kBytes, 'd');
};

TEST_F(LinkSpeed, OfLargeCopiesToTheDevice) {
  expect_full_use(
      [&](StreamState& stream) { stage_from_host(stream, device_.data(), host_.data(), kBytes); });
  EXPECT_EQ(device_, host_);
}

TEST_F(LinkSpeed, OfLargeCopiesToTheHost) {
  expect_full_use(
      [&](StreamState& stream) { stage_to_host(stream, host_.data(), device_.data(), kBytes); });
  EXPECT_EQ(host_, device_);
}

}  // namespace
}  // namespace cupola
