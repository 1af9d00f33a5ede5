#include "platforms/cpu/simt/grid_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "cupola/error.h"
#include "platforms/cpu/simt/block_runner.h"

namespace cupola::cpu {

namespace {

constexpr std::size_t kMaxAside = 64;

// On GPUs a block that has ended lets those that wait for the grid wait for ever.
void check_all_wait(const KernelLaunch& launch, const std::deque<BlockRunner>& runners,
                    const std::vector<bool>& has_ended) {
  const auto ended = std::find(has_ended.begin(), has_ended.end(), true);
  const auto waits = std::find(has_ended.begin(), has_ended.end(), false);
  if (ended == has_ended.end() || waits == has_ended.end()) return;
  const BlockRunner& waiting = runners[static_cast<std::size_t>(waits - has_ended.begin())];
  const BlockRunner& other = runners[static_cast<std::size_t>(ended - has_ended.begin())];
  throw LaunchError(fmt::format(
      "{}: a barrier of the grid{} that not all blocks reach: block {} waits there, block {} has "
      "ended",
      launch.name, waiting.grid_barrier(), waiting.index_text(), other.index_text()));
}

}  // namespace

void run_cooperative(const KernelLaunch& launch) {
  const auto& grid = launch.geometry.grid;
  std::deque<BlockRunner> runners(std::size_t{grid[0]} * grid[1] * grid[2]);
  std::vector<bool> has_ended(runners.size());
  // What a block has there while others run.
  std::vector<std::vector<std::byte>> kept(runners.size());
  for (std::size_t i = 0; i < runners.size(); ++i) {
    runners[i].begin(launch, static_cast<std::int64_t>(i));
  }
  const std::span<std::byte> shared = launch.fixed_shared();
  for (bool is_waiting = true; is_waiting;) {
    is_waiting = false;
    bool is_spinning = false;
    for (std::size_t i = 0; i < runners.size(); ++i) {
      if (has_ended[i]) continue;
      if (runners[i].waits_for_grid()) continue;
      std::copy(kept[i].begin(), kept[i].end(), shared.begin());
      has_ended[i] = runners[i].go_on();
      is_waiting = is_waiting || !has_ended[i];
      is_spinning = is_spinning || (!has_ended[i] && runners[i].is_spinning());
      kept[i].assign(shared.begin(), shared.end());
    }
    if (is_spinning) continue;
    check_all_wait(launch, runners, has_ended);
    for (BlockRunner& runner : runners) runner.release_grid();
  }
}

namespace {

struct Aside {
  std::unique_ptr<BlockRunner> runner;
  std::vector<std::byte> shared;  // what the block has there while others run
};

// Lets the blocks that were put aside go on, one after the other; those that end leave.
void resume(const KernelLaunch& launch, std::vector<Aside>& aside) {
  const std::span<std::byte> shared = launch.fixed_shared();
  std::erase_if(aside, [&](Aside& each) {
    std::copy(each.shared.begin(), each.shared.end(), shared.begin());
    if (each.runner->go_on()) return true;
    each.shared.assign(shared.begin(), shared.end());
    return false;
  });
}

void run_claimed(const KernelLaunch& launch, BlockQueue& queue, std::int64_t wanted) {
  thread_local std::unique_ptr<BlockRunner> spare;
  std::vector<Aside> aside;
  while (!queue.has_failed) {
    const bool may_begin = aside.empty() ? wanted > 0 : aside.size() < kMaxAside;
    const std::int64_t number = may_begin ? queue.next++ : queue.count;
    if (number < queue.count) {
      --wanted;
      std::unique_ptr<BlockRunner> runner =
          spare ? std::move(spare) : std::make_unique<BlockRunner>();
      runner->begin(launch, number);
      if (runner->go_on()) {
        spare = std::move(runner);
      } else {
        const std::span<std::byte> shared = launch.fixed_shared();
        aside.push_back({std::move(runner), {shared.begin(), shared.end()}});
      }
    } else if (aside.empty()) {
      return;
    } else {
      std::this_thread::yield();
    }
    if (!aside.empty()) resume(launch, aside);
  }
}

}  // namespace

void run_blocks(const KernelLaunch& launch, BlockQueue& queue, std::int64_t wanted) {
  try {
    run_claimed(launch, queue, wanted);
  } catch (...) {
    queue.has_failed = true;
    throw;
  }
}

}  // namespace cupola::cpu
