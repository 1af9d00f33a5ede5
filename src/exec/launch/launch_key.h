#pragma once
// What the plan of a launch depends on, as numbers: launches with equal keys have equal plans, and
// equal arguments but for addresses, the values of scalars, as far as equal ones stay equal, and,
// where everything is row-major of one shape, the size. A key is made without making the plan.

#include <cstdint>
#include <span>
#include <vector>

#include "base/containers/hash_index.h"
#include "base/containers/pointer_map.h"
#include "base/threads/spare.h"
#include "codegen/planner.h"

namespace cupola {

class LaunchKey {
 public:
  // As plan_map(), plan_rows() and plan_reduction() take them. The arrays outlive the key.
  explicit LaunchKey(std::span<const Write> writes);
  // Of one write of all elements, into row-major memory that starts there.
  LaunchKey(const Array& value, const void* target);
  LaunchKey(std::span<const Write> writes, const RowSpace& rows);
  // Of a reduction, as `result`, into memory that starts at `address` and has the shape and strides
  // of `placed`.
  LaunchKey(const Array& reduction, const Array& result, const Array& placed, const void* address);
  LaunchKey(const LaunchKey&) = delete;
  LaunchKey& operator=(const LaunchKey&) = delete;

  // False: launches of this kind have no keys.
  bool is_complete() const { return is_complete_; }
  std::span<const std::uint64_t> words() const { return buffers_->words; }
  // All arrays are row-major of one shape, with this many elements: the only extent.
  bool is_flat() const { return is_flat_; }
  std::int64_t size() const { return size_; }
  // What is read, each view once, and the scalars, both in the order in which a plan has them.
  std::span<const Array* const> arrays() const { return buffers_->arrays; }
  std::span<const Scalar* const> scalars() const { return buffers_->scalars; }
  // Whether anything else has a pending array that is read.
  bool has_live() const;

 private:
  struct Visit {
    const Array* array;
    bool is_pending = false;     // and no scalar
    std::uint32_t readings = 0;  // by others of them
  };
  struct Buffers {
    std::vector<std::uint64_t> words;
    std::vector<const Array*> arrays;
    std::vector<const Scalar*> scalars;
    HashIndex known_scalars;
    std::vector<NodePointer> nodes;  // what the pointers above point into
    std::vector<Visit> visits;       // by number
    void clear();
  };

  void begin(const Dims& space, const Device& device);
  std::uint32_t visit(const Array& array);
  std::uint32_t add_visit(const Array& array);
  void add_node(const Array& array, NodePointer pointer);
  bool has_key(const Node& node) const;
  void add_operation(const Node& node, DType dtype);
  void add_scalar(const Scalar& scalar);
  void add_leaf(const Array& array);
  void add_layout(const Array& pending);
  void add_target(const Array& target);
  void place_target(DType dtype, const void* address);
  // After everything was visited. True: the shapes and strides of targets are to follow.
  bool add_form();
  void add_dims(const Array& array);
  void add_dims(const Dims& dims);
  void add(std::uint64_t word);
  bool is_row_major(const Array& array) const;

  Spare<Buffers> buffers_;
  PointerMap<std::uint32_t> numbers_;
  const Dims* space_ = nullptr;
  std::int64_t size_ = 0;
  bool is_complete_ = true;
  bool is_flat_ = true;
  bool reduces_ = false;
  bool has_rows_ = false;
};

}  // namespace cupola
