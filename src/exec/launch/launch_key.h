#pragma once
// What the plan of a launch depends on, as numbers: launches with equal keys have equal plans, and
// equal arguments but for addresses, the values of scalars, as far as equal ones stay equal, and,
// where everything is row-major of one shape, the size. A key is made without making the plan.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/containers/pointer_map.h"
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
  ~LaunchKey();
  LaunchKey(const LaunchKey&) = delete;
  LaunchKey& operator=(const LaunchKey&) = delete;

  // False: launches of this kind have no keys.
  bool is_complete() const { return is_complete_; }
  std::span<const std::uint64_t> words() const;
  std::uint64_t hash() const;
  // All arrays are row-major of one shape, with this many elements: the only extent.
  bool is_flat() const { return is_flat_; }
  std::int64_t size() const { return size_; }
  // What is read, each view once, and the scalars, both in the order in which a plan has them.
  std::span<const Array* const> arrays() const;
  std::span<const Scalar* const> scalars() const;

 private:
  struct Buffers;

  void begin(const Dims& space, const Device& device);
  void visit(const Array& array);
  bool has_key(const Node& node) const;
  void add_axes(const Dims& axes);
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

  std::unique_ptr<Buffers> buffers_;
  PointerMap<std::uint32_t> numbers_;
  std::uint32_t visited_ = 0;
  const Dims* space_ = nullptr;
  std::int64_t size_ = 0;
  bool is_complete_ = true;
  bool is_flat_ = true;
  bool reduces_ = false;
  bool has_rows_ = false;
};

}  // namespace cupola
