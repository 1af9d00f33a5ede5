#pragma once
// What stands between the brackets of a[...], and what that gives. Included by array.h.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "cupola/array.h"

namespace cupola {

// start:stop:step. Slice{} is all, Slice{2, 5} 2:5, Slice{.step = -1} the reverse.
struct Slice {
  std::optional<std::int64_t> start{}, stop{}, step{};
};
struct NewAxis {};
struct Ellipsis {};

// An Array is an integer or boolean index array (bool of rank 0 included).
class IndexTerm : public std::variant<std::int64_t, Slice, NewAxis, Ellipsis, Array> {
 public:
  template <std::integral T>
  requires(!std::same_as<T, bool>) IndexTerm(T position)
      : variant(static_cast<std::int64_t>(position)) {}
  IndexTerm(Slice slice) : variant(slice) {}
  IndexTerm(NewAxis axis) : variant(axis) {}
  IndexTerm(Ellipsis ellipsis) : variant(ellipsis) {}
  IndexTerm(Array indices) : variant(std::move(indices)) {}
  IndexTerm(const Selection& indices);
  // Not inline: g++ 12 takes terms without an array for ones with an uninitialized array.
  IndexTerm(const IndexTerm& other);
  IndexTerm(IndexTerm&& other) noexcept;
  IndexTerm& operator=(const IndexTerm& other);
  IndexTerm& operator=(IndexTerm&& other) noexcept;
  ~IndexTerm();
};

// A term, or a list of them: {0, Slice{1, 3}, Ellipsis{}}.
class Index : public std::vector<IndexTerm> {
 public:
  Index() = default;
  Index(std::initializer_list<IndexTerm> terms) : vector(terms) {}
  template <std::convertible_to<IndexTerm> T>
  Index(T term) : vector{IndexTerm(std::move(term))} {}
  Index(const Selection& indices) : vector{IndexTerm(indices)} {}
};

// a[index], before it is known whether it is read or written. Read, it is the array that
// get_index() gives: a view for positions and slices, a copy for index arrays, made anew at each
// use: keep it as `Array row = a[0]`. Assigned to, it writes to the elements of `a`.
class Selection : public ArrayMethods<Selection> {
 public:
  Selection(Array base, Index index) : base_(std::move(base)), index_(std::move(index)) {}
  Selection(const Selection&) = delete;

  // What is selected from, and by what.
  const Array& base() const { return base_; }
  const Index& index() const { return index_; }
  Array array() const;
  operator Array() const { return array(); }
  DType dtype() const { return base_.dtype(); }
  Dims shape() const { return array().shape(); }
  int rank() const { return array().rank(); }
  std::int64_t size() const { return array().size(); }  // number of elements
  const Device& device() const { return base_.device(); }

  // a[index] = value: `value` broadcasts and is cast as by astype.
  void operator=(const Operand& value) const&&;
  void operator=(const Selection& value) const&&;
  void operator+=(const Operand& b) const;
  void operator-=(const Operand& b) const;
  void operator*=(const Operand& b) const;
  void operator/=(const Operand& b) const;
  void operator%=(const Operand& b) const;
  void operator&=(const Operand& b) const;
  void operator|=(const Operand& b) const;
  void operator^=(const Operand& b) const;
  void operator<<=(const Operand& b) const;
  void operator>>=(const Operand& b) const;

 private:
  bool is_view() const;
  Array base_;
  Index index_;
};

// Over the first axis of an array.
class ArrayIterator {
 public:
  using value_type = Array;
  using difference_type = std::ptrdiff_t;
  ArrayIterator() = default;
  // TypeError for an array without axes.
  explicit ArrayIterator(Array array);
  Array operator*() const;
  ArrayIterator& operator++() {
    ++position_;
    return *this;
  }
  ArrayIterator operator++(int) {
    ArrayIterator before = *this;
    ++position_;
    return before;
  }
  friend bool operator==(const ArrayIterator& a, const ArrayIterator& b) {
    return a.position_ == b.position_;
  }
  friend bool operator==(const ArrayIterator& a, std::default_sentinel_t) {
    return a.position_ == a.extent_;
  }

 private:
  Array array_;
  std::int64_t position_ = 0;
  std::int64_t extent_ = 0;
};

}  // namespace cupola
