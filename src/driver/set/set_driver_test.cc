#include "driver/set/set_driver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <mutex>
#include <numeric>

#include "base/counters.h"
#include "base/testing/environment_variables.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "driver/testing/launch_builder.h"

namespace cupola {
namespace {

using testing::EnvironmentVariables;
using testing::LaunchBuilder;

// A set of three emulated devices with a driver of its own.
class SetDriverTest : public ::testing::Test {
 protected:
  explicit SetDriverTest(const char* peers = "") {
    variables_.set("CUPOLA_CPU_PEERS", peers);
    platform_.reset(create_cpu_driver());
    sets_ = std::make_unique<SetDriver>(*platform_);
    stream_ = sets_->create_stream(set_);
  }
  ~SetDriverTest() override {
    sets_->synchronize(stream_);
    sets_->destroy_stream(stream_);
    for (const auto& [data, bytes] : blocks_) {
      sets_->deallocate(set_, data, bytes, MemoryKind::device);
    }
    for (int device = 0; device < 4; ++device) {
      const MemoryInfo memory = platform_->memory_info(device);
      EXPECT_EQ(memory.free, memory.total) << device;
    }
  }

  std::int32_t* allocate(std::size_t count, const PlacementRule& rule) {
    const std::size_t bytes = count * sizeof(std::int32_t);
    void* const data = sets_->allocate_placed(set_, bytes, rule);
    blocks_.emplace_back(data, bytes);
    return static_cast<std::int32_t*>(data);
  }
  std::int32_t* allocate(std::size_t count) { return allocate(count, {}); }
  std::int32_t* upload(const std::vector<std::int32_t>& values, const PlacementRule& rule = {}) {
    std::int32_t* const data = allocate(values.size(), rule);
    sets_->copy_from_host(data, values.data(), values.size() * sizeof(std::int32_t), stream_);
    return data;
  }
  std::vector<std::int32_t> read(const void* data, std::size_t count) {
    std::vector<std::int32_t> values(count);
    sets_->copy_to_host(values.data(), data, count * sizeof(std::int32_t), stream_);
    return values;
  }
  void launch(const LaunchBuilder& builder) {
    const auto kernel = sets_->build(builder.plan, set_);
    sets_->launch(kernel, builder.arguments, stream_);
  }

  EnvironmentVariables variables_{{"CUPOLA_CPU_DEVICES", "4"},
                                  {"CUPOLA_CPU_DEVICE_MEMORY", "4M,8M,12M,4M"},
                                  {"CUPOLA_CPU_STRIPE_BYTES", "64"},
                                  {"CUPOLA_CPU_MAP_TILE", "64"},
                                  {"CUPOLA_STRIPE_THRESHOLD", "128"}};
  std::unique_ptr<Driver> platform_;
  std::unique_ptr<SetDriver> sets_;
  const int set_ = Device::parse("cpu:0-2").index();
  StreamHandle stream_ = nullptr;
  std::vector<std::pair<void*, std::size_t>> blocks_;
};

std::vector<std::int32_t> counting(std::size_t count, std::int32_t first = 0) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_F(SetDriverTest, MemoryLiesWhereTheMembersHaveRoom) {
  const std::int32_t* data = allocate(6 * 1024);
  const std::vector<Piece> pieces = sets_->pieces(data, 6 * 1024 * 4);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].bytes, 4096u);
  EXPECT_EQ(pieces[1].bytes, 8192u);
  EXPECT_EQ(pieces[2].bytes, 12288u);
  EXPECT_EQ(sets_->describe(data + 5000).device, set_);
  EXPECT_EQ(platform_->describe(data + 5000).device, 2);
  EXPECT_TRUE(sets_->pieces(&pieces, 8).empty());
  const std::vector<Piece> inner = sets_->pieces(data + 1023, 8);
  ASSERT_EQ(inner.size(), 2u);
  EXPECT_EQ(inner[1].device, 1);
}

TEST_F(SetDriverTest, SmallMemoryIsTheFirstMembers) {
  void* const data = sets_->allocate(set_, 100, MemoryKind::device);
  EXPECT_EQ(platform_->describe(data).device, 0);
  sets_->deallocate(set_, data, 100, MemoryKind::device);
}

TEST_F(SetDriverTest, CopiesAndFillsCrossTheCuts) {
  const std::vector<std::int32_t> values = counting(5000, 7);
  std::int32_t* const data = upload(values);
  EXPECT_EQ(read(data, 5000), values);
  std::int32_t* const other = allocate(5000, {PlacementRule::Kind::even, {}, {}, 0});
  sets_->copy(other, set_, data, set_, 20000, stream_);
  EXPECT_EQ(read(other, 5000), values);
  sets_->fill_bytes(other + 10, 0, 4900 * 4, stream_);
  std::vector<std::int32_t> expected = values;
  std::fill(expected.begin() + 10, expected.begin() + 4910, 0);
  EXPECT_EQ(read(other, 5000), expected);
}

TEST_F(SetDriverTest, CopiesReachOtherDevices) {
  const std::vector<std::int32_t> values = counting(5000);
  std::int32_t* const data = upload(values);
  void* const there = platform_->allocate(3, 20000, MemoryKind::device);
  sets_->copy(there, 3, data, set_, 20000, stream_);
  sets_->fill_bytes(data, 1, 20000, stream_);
  sets_->copy(data, set_, there, 3, 20000, stream_);
  EXPECT_EQ(read(data, 5000), values);
  platform_->deallocate(3, there, 20000, MemoryKind::device);
}

TEST_F(SetDriverTest, LaunchesAreDividedAndRight) {
  const std::vector<std::int32_t> values = counting(5000);
  std::int32_t* const data = upload(values);
  std::int32_t* const sum = allocate(1);
  const std::uint64_t before = value_of(Counter::divided_launches);
  LaunchBuilder twice({5000});
  const int x = twice.load(DType::int32, data);
  twice.store(twice.ufunc(UfuncId::add, {x, x}), data);
  launch(twice);
  LaunchBuilder total({5000});
  total.plan.own = ReducePlan{{.ufunc = UfuncId::add, .accumulator = DType::int32}, 1};
  total.store(total.load(DType::int32, data), sum, {0});
  launch(total);
  EXPECT_EQ(read(sum, 1)[0], 4999 * 5000);
  EXPECT_EQ(read(data, 5000)[4999], 2 * 4999);
  EXPECT_GE(value_of(Counter::divided_launches) - before, 1u);
}

TEST_F(SetDriverTest, MemoryOfOneMemberKeepsTheWorkOnOne) {
  void* const there = platform_->allocate(0, 20000, MemoryKind::device);
  std::int32_t* const data = upload(counting(5000));
  const std::uint64_t before = value_of(Counter::gathered_launches);
  LaunchBuilder copy({5000});
  copy.store(copy.load(DType::int32, data), there);
  launch(copy);
  EXPECT_EQ(read(there, 5000), counting(5000));
  EXPECT_EQ(value_of(Counter::gathered_launches) - before, 1u);
  platform_->deallocate(0, there, 20000, MemoryKind::device);
}

class Gate {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

// Everything on the set's stream waits for what is before it, whichever member does it.
TEST_F(SetDriverTest, TheStreamIsInOrder) {
  std::int32_t* const data = allocate(5000);
  Gate gate;
  std::vector<std::int32_t> values = counting(5000);
  sets_->run_on_host([&] { gate.wait(); }, stream_);
  sets_->copy_from_host_async(data, values.data(), 20000, stream_);
  LaunchBuilder twice({5000});
  const int x = twice.load(DType::int32, data);
  twice.store(twice.ufunc(UfuncId::add, {x, x}), data);
  launch(twice);
  std::vector<std::int32_t> result(5000);
  sets_->copy_to_host_async(result.data(), data, 20000, stream_);
  const EventHandle event = sets_->create_event(set_);
  sets_->record(event, stream_);
  EXPECT_FALSE(sets_->is_complete(event));
  EXPECT_FALSE(sets_->is_idle(stream_));
  EXPECT_EQ(result[4999], 0);
  values[4999] = 10;
  gate.open();
  sets_->synchronize(event);
  EXPECT_EQ(result[4999], 20);
  EXPECT_EQ(result[1], 2);
  sets_->destroy_event(event);
}

TEST_F(SetDriverTest, ManyTransfersInARowArrive) {
  std::vector<std::int32_t> values = counting(20000);
  std::int32_t* const data = allocate(20000);
  for (std::size_t first = 0; first < 20000; first += 100) {
    sets_->copy_from_host_async(data + first, values.data() + first, 400, stream_);
  }
  // Meets what was sent before.
  std::vector<std::int32_t> other(5000, 3);
  sets_->copy_from_host_async(data + 7000, other.data(), 20000, stream_);
  std::vector<std::int32_t> result(20000);
  for (std::size_t first = 0; first < 20000; first += 500) {
    sets_->copy_to_host_async(result.data() + first, data + first, 2000, stream_);
  }
  sets_->synchronize(stream_);
  std::copy(other.begin(), other.end(), values.begin() + 7000);
  EXPECT_EQ(result, values);
}

// Pieces of one large transfer, the first member's too, go beside each other: none comes after what
// the lead has to do when the first one is on its way.
TEST_F(SetDriverTest, PiecesOfAllMembersGoBesideEachOther) {
  const std::vector<std::int32_t> values = counting(std::size_t{3} << 19, 1);
  std::int32_t* const data = allocate(values.size());
  const std::vector<Piece> pieces = sets_->pieces(data, values.size() * 4);
  ASSERT_EQ(pieces.size(), 3u);
  const auto send_half = [&](const Piece& piece, bool is_second) {
    char* const target = piece.data + (is_second ? piece.bytes / 2 : 0);
    const auto first = static_cast<std::size_t>(target - reinterpret_cast<char*>(data)) / 4;
    sets_->copy_from_host(target, &values[first], piece.bytes / 2, stream_);
  };
  const StreamHandle lead = SetStream::of(stream_).lead_to_look_at();
  send_half(pieces[0], false);
  Gate gate;
  platform_->run_on_host([&] { gate.wait(); }, lead);
  auto sent = std::async(std::launch::async, [&] {
    send_half(pieces[1], false);
    send_half(pieces[0], true);
    send_half(pieces[2], false);
  });
  EXPECT_EQ(sent.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  gate.open();
  sent.get();
  EXPECT_EQ(read(data, pieces[0].bytes / 4),
            std::vector(values.begin(), values.begin() + static_cast<long>(pieces[0].bytes / 4)));
}

TEST_F(SetDriverTest, TooMuchChangesNothing) {
  EXPECT_THROW(sets_->allocate(set_, 25 << 20, MemoryKind::device), OutOfMemoryError);
  PlacementRule cut{PlacementRule::Kind::cuts, {}, {5 << 20, 6 << 20}, 0};
  EXPECT_THROW(sets_->allocate_placed(set_, 7 << 20, cut), OutOfMemoryError);
  EXPECT_EQ(sets_->memory_info(set_).free, sets_->memory_info(set_).total);
}

TEST_F(SetDriverTest, TellsOfAllMembers) {
  EXPECT_EQ(sets_->memory_info(set_).total, std::size_t{24} << 20);
  EXPECT_EQ(sets_->properties(set_).uuid, "cpu-0,cpu-1,cpu-2");
  EXPECT_TRUE(sets_->can_access_peer(set_, 3));
  EXPECT_EQ(sets_->fault(set_), nullptr);
}

class BadPairTest : public SetDriverTest {
 protected:
  BadPairTest() : SetDriverTest("1-2:none") {}
};

TEST_F(BadPairTest, NothingIsAllocated) {
  EXPECT_THROW(sets_->allocate(set_, 1000, MemoryKind::device), PeerAccessError);
  const int good = Device::parse("cpu:0-1").index();
  void* const data = sets_->allocate(good, 1000, MemoryKind::device);
  sets_->deallocate(good, data, 1000, MemoryKind::device);
}

}  // namespace
}  // namespace cupola
