#include "memory/pressure/spill.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "memory/buffer.h"
#include "memory/testing.h"
#include "runtime/completion.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

using testing::cpu_device;
using testing::new_stream;
using testing::OnePool;

constexpr std::size_t kBlock = std::size_t{2} << 20;

// A pool with room for two blocks.
class Spill : public ::testing::Test {
 protected:
  Spill() { pool_->set_limit(2 * kBlock); }
  // Whoever releases its last block has given its memory back before the next test looks.
  ~Spill() override {
    pool_.reset();
    settle();
    EXPECT_TRUE(eventually([this] { return pool_is_gone_->load(); }));
    pinned_pool(cpu_device()).set_limit(0);
  }

  std::shared_ptr<Storage> allocate(std::size_t bytes = kBlock) {
    const AllocatorScope scope(std::make_shared<OnePool>(pool_));
    return allocate_storage(cpu_device(), bytes, home_.state());
  }
  static void fill(const Stream& stream, Storage& storage, std::uint8_t value) {
    StreamState& state = *stream.state();
    const std::lock_guard lock(storage.mutex);
    state.driver().fill_bytes(storage.data(), value, storage.bytes(), state.handle());
    storage.uses.write = {stream.state(), state.advance()};
  }
  std::shared_ptr<Storage> filled(std::uint8_t value) {
    auto storage = allocate();
    fill(home_, *storage, value);
    return storage;
  }
  static void bring(const std::shared_ptr<Storage>& storage) {
    Storage* const one = storage.get();
    bring_home(SpillTurn(), {&one, 1});
  }
  static bool spill(const std::shared_ptr<Storage>& storage) {
    return make_room(SpillTurn(), *storage->residence->core);
  }
  // All of it, as a stream of its own sees it.
  static bool holds(Storage& storage, std::uint8_t value) {
    const Stream stream = Stream::create(cpu_device());
    stream.state()->wait_for(*storage.uses.write.stream, storage.uses.write.sequence);
    std::vector<std::uint8_t> seen(storage.bytes());
    stream.state()->driver().copy_to_host(seen.data(), storage.data(), seen.size(),
                                          stream.state()->handle());
    return seen == std::vector<std::uint8_t>(seen.size(), value);
  }

  static std::shared_ptr<Pool> make_pool(std::shared_ptr<std::atomic<bool>> is_gone) {
    auto range = std::make_shared<DeviceRange>(driver(PlatformKind::cpu), cpu_device());
    return {new Pool(std::move(range), PoolOptions{true}), [is_gone](Pool* pool) {
              delete pool;
              *is_gone = true;
            }};
  }

  const std::shared_ptr<std::atomic<bool>> pool_is_gone_ =
      std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<Pool> pool_ = make_pool(pool_is_gone_);
  const Stream home_ = Stream::create(cpu_device());
};

TEST_F(Spill, AnAllocationMovesTheLeastRecentlyUsed) {
  const auto a = filled(1), b = filled(2);
  void* const address = a->data();
  note_use(*a);
  const auto c = filled(3);
  EXPECT_FALSE(is_away(*a));
  EXPECT_TRUE(is_away(*b));
  bring(b);
  EXPECT_TRUE(is_away(*a));
  EXPECT_TRUE(holds(*b, 2));
  bring(a);
  EXPECT_EQ(a->data(), address);
  EXPECT_TRUE(holds(*a, 1));
  EXPECT_TRUE(is_away(*c) || is_away(*b));
}

TEST_F(Spill, ManySmallerArraysMoveToo) {
  constexpr std::size_t kSmaller = std::size_t{128} << 10;
  std::vector<std::shared_ptr<Storage>> all;
  for (std::size_t i = 0; i < 2 * kBlock / kSmaller; ++i) {
    all.push_back(allocate(kSmaller));
    fill(home_, *all.back(), static_cast<std::uint8_t>(i));
  }
  const auto large = filled(200);
  EXPECT_EQ(pool_->spill_counts().away, kBlock / kSmaller);
  bring(all.front());
  EXPECT_TRUE(holds(*all.front(), 0));
}

TEST_F(Spill, UsesOnAllStreamsAreWaitedFor) {
  const Stream other = Stream::create(cpu_device());
  const auto a = filled(1);
  home_.synchronize();
  StreamGate gate(other);
  fill(other, *a, 2);
  std::atomic<bool> moved{false};
  std::thread mover([&] { moved = spill(a); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(moved);
  gate.open();
  mover.join();
  EXPECT_TRUE(moved);
  EXPECT_TRUE(is_away(*a));
  bring(a);
  EXPECT_TRUE(holds(*a, 2));
}

TEST_F(Spill, BytesAreCounted) {
  const auto a = filled(1), b = filled(2), c = filled(3);
  EXPECT_EQ(pool_->spill_counts().away, 1u);
  EXPECT_EQ(pool_->spill_counts().bytes_away, kBlock);
  EXPECT_EQ(pool_->statistics().used, 2 * kBlock);
  bring(a);
  const SpillCounts counts = pool_->spill_counts();
  EXPECT_EQ(counts.out, 2u);
  EXPECT_EQ(counts.bytes_out, 2 * kBlock);
  EXPECT_EQ(counts.in, 1u);
  EXPECT_EQ(counts.bytes_in, kBlock);
  EXPECT_EQ(counts.away, 1u);
  EXPECT_EQ(pool_->statistics().used, 2 * kBlock);
}

TEST_F(Spill, WhatGoesWhileItIsAwayLeavesNothing) {
  settle();  // what other tests had
  device_pool(cpu_device()).trim();
  const std::size_t free = driver(PlatformKind::cpu).memory_info(0).free;
  {
    auto a = filled(1);
    const auto b = filled(2), c = filled(3);
    EXPECT_TRUE(is_away(*a));
    a.reset();
    EXPECT_EQ(pool_->spill_counts().bytes_away, 0u);
    EXPECT_EQ(pool_->statistics().used, 2 * kBlock);
  }
  settle();
  pool_->trim();
  EXPECT_EQ(pool_->statistics().used, 0u);
  EXPECT_EQ(pool_->statistics().segments, 0u);
  EXPECT_EQ(driver(PlatformKind::cpu).memory_info(0).free, free);
}

// Addresses that are released are those of the next allocation, which comes at once.
class AddressesAgain final : public RangeResource {
 public:
  explicit AddressesAgain(std::function<void()> then) : then_(std::move(then)) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override {
    if (!released_) return range_.allocate(bytes, stream);
    range_.map(released_, plan(bytes));
    return std::exchange(released_, nullptr);
  }
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override {
    range_.deallocate(pointer, bytes, stream);
  }
  ResourceProperties properties() const override { return range_.properties(); }
  std::vector<StripedPart> parts_of(const void* pointer, std::size_t bytes) const override {
    return range_.parts_of(pointer, bytes);
  }
  std::vector<StripedPart> plan(std::size_t bytes) const override { return range_.plan(bytes); }
  void unmap(void* pointer, std::span<const StripedPart> parts) noexcept override {
    range_.unmap(pointer, parts);
  }
  void map(void* pointer, std::span<const StripedPart> parts) override {
    range_.map(pointer, parts);
  }
  void release(void* pointer, std::size_t) noexcept override {
    released_ = pointer;
    then_();
  }

 private:
  DeviceRange range_{driver(PlatformKind::cpu), cpu_device()};
  std::function<void()> then_;
  void* released_ = nullptr;
};

TEST_F(Spill, AddressesOfWhatWentAwayServeAnotherAtOnce) {
  std::shared_ptr<Storage> next;
  pool_ = std::make_shared<Pool>(std::make_shared<AddressesAgain>([&] { next = filled(2); }),
                                 PoolOptions{true});
  {
    auto a = filled(1);
    void* const address = a->data();
    ASSERT_TRUE(spill(a));
    a.reset();
    ASSERT_EQ(next->data(), address);
  }
  ASSERT_TRUE(next->residence->core->is_movable(next->data()));
  EXPECT_EQ(pool_->statistics().used, kBlock);
  EXPECT_EQ(pool_->statistics().segments, 1u);
  EXPECT_TRUE(spill(next));
  bring(next);
  EXPECT_TRUE(holds(*next, 2));
}

TEST_F(Spill, FreeBlocksGoFirst) {
  const auto a = filled(1);
  filled(2);
  const auto b = allocate(kBlock / 2 + kBlock / 4);  // no free block is so small
  EXPECT_EQ(pool_->spill_counts().out, 0u);
  EXPECT_FALSE(is_away(*a));
}

TEST_F(Spill, SmallOnesShareTheirMemoryAndStay) {
  const auto small = allocate(1000);
  EXPECT_EQ(small->residence, nullptr);
}

TEST_F(Spill, WhatStaysIsNotMoved) {
  const auto a = filled(1), b = filled(2);
  a->residence->stays = true;
  const auto c = filled(3);
  EXPECT_FALSE(is_away(*a));
  b->residence->stays = c->residence->stays = true;
  EXPECT_THROW(bring(b), OutOfMemoryError);
  EXPECT_THROW(allocate(), OutOfMemoryError);
  EXPECT_TRUE(holds(*a, 1));
}

TEST_F(Spill, OperandsAreNotMovedForOneAnother) {
  const auto a = filled(1), b = filled(2), c = filled(3);
  Storage* const all[] = {a.get(), b.get(), c.get()};
  try {
    bring_home(SpillTurn(), all);
    FAIL() << "three are there at once";
  } catch (const OutOfMemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("1 arrays of 2097152 bytes are spilled"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(pool_->spill_counts().away, 1u);
  Storage* const two[] = {a.get(), c.get()};
  bring_home(SpillTurn(), two);
  EXPECT_TRUE(holds(*a, 1));
  EXPECT_TRUE(holds(*c, 3));
}

TEST_F(Spill, WithoutPinnedMemoryNothingIsLost) {
  const auto a = filled(1), b = filled(2);
  pinned_pool(cpu_device()).trim();
  pinned_pool(cpu_device()).set_limit(1);
  EXPECT_THROW(allocate(), OutOfMemoryError);
  EXPECT_EQ(pool_->spill_counts().out, 0u);
  EXPECT_TRUE(holds(*a, 1));
  EXPECT_TRUE(holds(*b, 2));
}

TEST_F(Spill, HostReadersAreWaitedFor) {
  const auto a = filled(1), b = filled(2);
  {
    const std::lock_guard lock(a->mutex);
    a->host_readers.enter();
  }
  const auto c = filled(3);
  EXPECT_FALSE(is_away(*a));
  EXPECT_TRUE(is_away(*b));
  const std::lock_guard lock(a->mutex);
  a->host_readers.leave();
}

TEST_F(Spill, ThreadsThatMakeRoomAtOnceAllFindIt) {
  constexpr int kThreads = 4;
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, &failed, i] {
      try {
        std::vector<std::shared_ptr<Storage>> held;
        for (int turn = 0; turn < 50; ++turn) {
          held.push_back(allocate());
          if (turn % 3 == i % 3) bring(held.front());
          if (held.size() > 3) held.erase(held.begin());
        }
      } catch (const OutOfMemoryError&) {
        ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace cupola
