#pragma once
// What a schedule depends on, as numbers: pending arrays with equal keys have equal schedules, of
// the arrays with the same numbers. A key is made by one walk, which searches nothing.

#include <cstdint>
#include <span>
#include <vector>

#include "base/containers/pointer_map.h"
#include "base/threads/spare.h"
#include "graph/schedule.h"

namespace cupola {

class ScheduleKey {
 public:
  // As Scheduler::add() and Scheduler::add_below() take them. The arrays outlive the key.
  ScheduleKey(std::span<const Array> arrays, Live live);
  ScheduleKey(std::span<const Array> sources, const KernelForm& form);
  ScheduleKey(const ScheduleKey&) = delete;
  ScheduleKey& operator=(const ScheduleKey&) = delete;

  // False: what is computed has no key, or nothing is pending.
  bool is_complete() const { return is_complete_; }
  std::span<const std::uint64_t> words() const { return found_->words; }
  // Arrays have numbers from 1 on. 0: it is none of the key's.
  std::uint32_t number_of(const ArrayState* array) const;
  const Array& array(std::uint32_t number) const { return *found_->arrays[number - 1].array; }
  // That of a pending array with this stream.
  std::uint32_t number_of_stream(const StreamState* stream) const;

 private:
  struct Found {
    const Array* array;
    std::uint32_t readings;  // below the roots
    bool is_pending;         // and no scalar
  };
  struct Buffers {
    std::vector<std::uint64_t> words;
    std::vector<Found> arrays;
    std::vector<const StreamState*> streams;
    std::vector<NodePointer> nodes;  // they have the arrays, but for the roots
    void clear();
  };

  void visit_roots(std::span<const Array> roots);
  void read(const Array& array);
  std::uint32_t visit(const Array& array);
  void add_stored(const Array& array);
  void add_node(const Array& array, const Node& node);
  void add_owners();
  std::uint64_t stream_of(const Array& array);
  void add_shape(const Dims& shape);
  void add_dims(const Dims& dims);
  void add(std::uint64_t word) { found_->words.push_back(word); }

  Spare<Buffers> found_;
  PointerMap<std::uint32_t> numbers_;
  const Dims* shape_ = nullptr;
  bool is_complete_ = true;
};

}  // namespace cupola
