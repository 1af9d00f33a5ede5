#include "memory/history.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "memory/testing.h"

namespace cupola {
namespace {

using testing::CountedPool;
using testing::cpu_device;
using testing::new_stream;
using Action = MemoryEvent::Action;

Site here() {
  return std::make_shared<std::vector<Frame>>(std::vector<Frame>{{"function", "file.py", 7}});
}

struct Recording {
  explicit Recording(std::size_t most = 1000) {
    set_site_finder(here);
    start_recording(most, true);
  }
  ~Recording() {
    stop_recording();
    set_site_finder(nullptr);
  }
};

TEST(History, RecordsBlocksAndSegmentsWithTheirSites) {
  CountedPool counted;
  const StreamPointer stream = new_stream();
  {
    const Recording recording;
    void* block = counted.pool->allocate(1000, stream);
    counted.pool->deallocate(block, 1000, stream);
    counted.pool->trim();
    const auto events = recorded_events();
    std::vector<Action> actions;
    for (const MemoryEvent& event : events) actions.push_back(event.action);
    EXPECT_EQ(actions, (std::vector{Action::segment_alloc, Action::alloc, Action::free,
                                    Action::segment_free}));
    ASSERT_EQ(events.size(), 4u);
    EXPECT_EQ(events[1].address, reinterpret_cast<std::uintptr_t>(block));
    EXPECT_EQ(events[1].bytes, 1000u);
    EXPECT_EQ(events[1].stream, stream->id());
    ASSERT_TRUE(events[2].site);
    EXPECT_EQ(events[2].site->front().line, 7);
    EXPECT_EQ(events[1].reserved - events[3].reserved, std::size_t{2} << 20);
  }
  counted.pool->deallocate(counted.pool->allocate(1000, stream), 1000, stream);
  EXPECT_EQ(recorded_events().size(), 4u);  // no longer recorded
}

TEST(History, ForgetsTheOldest) {
  CountedPool counted;
  const StreamPointer stream = new_stream();
  const Recording recording(10);
  for (int i = 0; i < 20; ++i) {
    counted.pool->deallocate(counted.pool->allocate(1000, stream), 1000, stream);
  }
  EXPECT_EQ(recorded_events().size(), 10u);
  EXPECT_EQ(recorded_events().back().action, Action::free);
}

TEST(History, UnderABarrierTheSiteIsThatOfTheBarrier) {
  CountedPool counted;
  const StreamPointer stream = new_stream();
  const Recording recording;
  void* block = nullptr;
  {
    const InterpreterBarrier barrier;
    set_site_finder([]() -> Site {
      ADD_FAILURE() << "the interpreter was entered";
      return nullptr;
    });
    block = counted.pool->allocate(1000, stream);
  }
  ASSERT_TRUE(recorded_events().back().site);
  EXPECT_EQ(recorded_events().back().site->front().function, "function");
  counted.pool->deallocate(block, 1000, stream);
}

TEST(Snapshot, ShowsLiveAndFreeBlocksWithoutGaps) {
  CountedPool counted;
  const StreamPointer stream = new_stream();
  const Recording recording;
  void* live = counted.pool->allocate(3000, stream);
  void* freed = counted.pool->allocate(5000, stream);
  counted.pool->deallocate(freed, 5000, stream);
  const auto segments = snapshot_segments();
  const auto mine = std::find_if(segments.begin(), segments.end(), [&](const auto& segment) {
    const auto address = reinterpret_cast<std::uintptr_t>(live);
    return segment.address <= address && address < segment.address + segment.bytes;
  });
  ASSERT_NE(mine, segments.end());
  EXPECT_EQ(mine->device, cpu_device());
  EXPECT_EQ(mine->stream, stream->id());
  EXPECT_TRUE(mine->is_small);
  std::uintptr_t next = mine->address;
  for (const BlockSnapshot& block : mine->blocks) {
    EXPECT_EQ(block.address, next);
    next += block.bytes;
    EXPECT_EQ(block.is_live, block.address == reinterpret_cast<std::uintptr_t>(live));
    EXPECT_EQ(block.site != nullptr, block.is_live);
  }
  EXPECT_EQ(next, mine->address + mine->bytes);
  counted.pool->deallocate(live, 3000, stream);
}

}  // namespace
}  // namespace cupola
