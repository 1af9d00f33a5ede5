#pragma once
// What is to be launched so that pending arrays are stored: data, in the order of the launches.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/fusion.h"
#include "graph/views.h"

namespace cupola {

// What becomes of arrays that somebody has and that a kernel computes on its way: all are stored,
// or those that are as easily computed again are left pending.
enum class Live : std::uint8_t { stored, may_be_left };

// Schedules own none of their arrays: those above them do.
std::vector<WeakArray> weak(std::span<const Array> arrays);
// Those that are still there.
std::vector<Array> alive(std::span<const WeakArray> arrays);

// One kernel.
struct Task {
  enum class Kind : std::uint8_t {
    map,        // elementwise or rolled arrays of one space
    reduction,  // a reduction or scan, or what is made of one and scalars
    rows        // reductions of rows, and what is made of them
  };
  // Why an array that it reads has been stored by a task of its own.
  struct Cut {
    WeakArray array;
    CutReason reason;
  };

  Kind kind;
  // What it stores, each once: live outputs on the way, then what is wanted of it.
  std::vector<WeakArray> outputs{};
  std::size_t wanted = 1;
  // The reductions among what it computes: of rows all those that the outputs are made of.
  std::vector<WeakArray> reductions{};
  RowSpace rows{};
  std::vector<WeakArray> left{};  // pending afterwards
  std::vector<Cut> cuts{};
  std::vector<Rewrite> rewrites{};        // before it
  std::vector<WeakArray> views{};         // stored before it, with their arrays
  std::shared_ptr<StreamState> stream{};  // null: the current one
};

struct Schedule {
  std::vector<Task> tasks;
  // After them.
  std::vector<Rewrite> rewrites;
  std::vector<WeakArray> views;
};

// Makes a schedule. Pure: nothing is computed, and no array changes.
class Scheduler {
 public:
  // How many short operations are free for arrays of so many elements (KernelForm).
  using FreeOperations = int (*)(const Device& device, std::int64_t elements);
  explicit Scheduler(FreeOperations free_operations) : free_operations_(free_operations) {}

  // Arrays of one or of several kernels, and what is pending below them.
  void add(std::span<const Array> arrays, Live live);
  // What cannot be a part of a kernel of these sources. Returns what it is to store and to leave.
  Region add_below(std::span<const Array> sources, KernelForm form);

  Schedule take();

 private:
  class OnStreamOf;

  void add_one(const Array& array, Live live);
  void add_map(std::span<const Array> roots, Live live);
  void add_reduction(Array reduction, const Array& result, Live live);
  bool add_rows(std::span<const Array> roots, Live live);
  bool add_as_rows(std::span<const Array> arrays, Live live);
  bool are_one_kernel(std::span<const Array> arrays);
  void add_inputs(const Region& region, Live live);
  Region clear_region(std::span<const Array> roots, KernelForm form, Live live);
  std::vector<Array> clear_inputs(const Array& reduction, Live live);
  std::optional<RowGroup> clear_row_group(std::span<const Array> roots, Live live);
  std::vector<Array> with_siblings(const Array& array);
  int free_operations_if(Live live, const Array& root, const Dims& space) const;
  void emit(Task task, std::span<const Array> outputs);
  // As it is after the tasks so far. Most schedules are one task, after which nobody asks.
  Snapshot& snapshot();

  const FreeOperations free_operations_;
  Snapshot snapshot_;  // see snapshot()
  std::size_t seen_tasks_ = 0;
  std::vector<Rewrite> rewrites_;
  std::vector<Task::Cut> cuts_;
  std::shared_ptr<StreamState> stream_;
  std::vector<Task> tasks_;
};

}  // namespace cupola
