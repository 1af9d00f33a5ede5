#pragma once
// The blocks of a launch, on one thread of the host: a block's threads are fibres that take turns
// where they wait for each other. One that never waits costs a call.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "driver/module.h"
#include "platforms/cpu/simt/fibre.h"
#include "platforms/cpu/simt/memory_checker.h"
#include "platforms/cpu/simt/warp.h"

namespace cupola::cpu {

// What all blocks of a launch have in common; it outlives them.
struct KernelLaunch {
  std::string name;
  cupola_simt::KernelEntry entry;
  LaunchGeometry geometry;
  void* const* arguments;
  // " (file:line)" of an address in the kernel's code; empty where unknown.
  std::function<std::string(const void*)> line_of;
  // Where the calling thread of the host has the block's shared memory of known size.
  std::function<std::span<std::byte>()> fixed_shared;
  bool is_checked = false;       // the code tells of each use of memory
  std::vector<MemoryRange> own;  // memory of the code itself
};

class BlockRunner {
 public:
  BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;
  // One block, until it waits for others of the grid (false) or has ended (true). Throws
  // LaunchError for a kernel that cannot end, and for what it reports by itself.
  void begin(const KernelLaunch& launch, std::int64_t number);
  bool go_on();
  // Why it waits: its threads poll memory that another block writes, or are at the grid's barrier.
  bool is_spinning() const { return is_spinning_; }
  bool waits_for_grid() const { return at_grid_ != 0 && at_grid_ + ended_ == threads_.size(); }
  // All threads that wait for the grid go on when go_on() is called next.
  void release_grid();
  // Which block of the grid it is, as "(0, 1, 2)".
  std::string index_text() const;
  // Where in the kernel its threads wait for the grid, as " (file:line)".
  std::string grid_barrier() const;

 private:
  using Thread = cupola_simt::Thread;
  // Where a thread of the block is. Those after `ready` wait.
  enum class State : std::uint8_t { unstarted, running, ready, at_block, at_warp, at_grid, ended };
  struct ThreadState {
    State state = State::unstarted;
    std::uint32_t fibre = 0;
    const void* place = nullptr;  // in the kernel, where it waits
    cupola_simt::BlockOp op{};
    int result = 0, voters = 0;  // of the barrier
  };

  static BlockRunner& of(Thread* thread) { return *static_cast<BlockRunner*>(thread->runner); }
  static void fibre_main(Fibre* fibre);
  static const cupola_simt::Services kServices;
  static int at_block_barrier(Thread* self, cupola_simt::BlockOp op, int value);
  static unsigned long long at_warp_operation(Thread* self, cupola_simt::WarpOp op,
                                              unsigned int mask, unsigned long long value,
                                              unsigned int source);
  static void at_grid_barrier(Thread* self);
  static void yield(Thread* self);
  static void fail(Thread* self, const char* what);
  static void access(Thread* self, const void* place, unsigned long bytes,
                     cupola_simt::Access access, const void* caller);

  void check_stacks();
  void begin_thread(Thread& thread, std::uint32_t fibre);
  void end_thread(Thread* thread);
  void release_block();
  void release_lanes(std::size_t warp, std::uint32_t lanes);
  void suspend(Thread* self);
  void* next();
  bool resolve_active_masks();
  void make_ready(std::size_t thread);
  void check_barrier(Thread* self, const void* place);
  void check_end(Thread* self);
  void stop(Thread* self, const std::string& what, const void* place);
  [[noreturn]] void leave(std::string error);
  std::string with_place(const Thread& self, const std::string& what) const;
  void suspect(const Thread& self, const std::string& what);
  bool is_suspicion_due();
  std::string description(std::size_t thread) const;
  std::string deadlock() const;

  const KernelLaunch* launch_ = nullptr;
  FibreStacks stacks_;
  void* scheduler_ = nullptr;
  std::vector<std::uint32_t> free_;  // fibres
  std::size_t fibres_begun_ = 0;
  std::vector<ThreadState> threads_;
  std::vector<WarpState> warps_;
  std::deque<std::uint32_t> ready_;
  std::uint32_t started_ = 0, ended_ = 0;
  cupola_simt::Extents block_{};
  int arrived_ = 0, votes_ = 0;  // at the block's barrier
  std::uint32_t at_grid_ = 0;
  std::uint32_t turns_ = 0;  // left to others since something else happened
  bool is_spinning_ = false;
  std::uint32_t epoch_ = 0;  // barriers of the block so far
  MemoryChecker checker_;
  std::string error_;
  // What is an error unless the same interval between barriers shows another, which explains it.
  struct Suspicion {
    std::string error;
    std::uint32_t epoch = 0;
    int uses = 0;  // of memory until it is an error all the same
  };
  Suspicion suspicion_;
  std::uint64_t uses_ = 0;  // of memory, where they are checked
  struct alignas(128) Line {
    std::byte bytes[128];
  };
  std::vector<Line> shared_;
};

}  // namespace cupola::cpu
