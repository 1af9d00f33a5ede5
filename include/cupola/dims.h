#pragma once
// A short list of 64-bit extents, strides or axes; at most 64, as in NumPy.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace cupola {

inline constexpr int kMaxRank = 64;

class Dims {
 public:
  using value_type = std::int64_t;
  using iterator = value_type*;
  using const_iterator = const value_type*;

  Dims() = default;
  Dims(std::initializer_list<value_type> values) { assign(values.begin(), values.size()); }
  explicit Dims(std::span<const value_type> values) { assign(values.data(), values.size()); }
  Dims(std::size_t count, value_type value) {
    reserve(count);
    size_ = static_cast<std::uint32_t>(count);
    std::fill(begin(), end(), value);
  }
  Dims(const Dims& other) { copy(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) copy(other);
    return *this;
  }
  Dims(Dims&& other) noexcept { take(other); }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  int rank() const { return static_cast<int>(size_); }
  bool empty() const { return size_ == 0; }
  value_type* data() { return heap_ ? heap_.get() : inline_; }
  const value_type* data() const { return heap_ ? heap_.get() : inline_; }
  iterator begin() { return data(); }
  iterator end() { return data() + size_; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size_; }
  value_type& operator[](std::size_t i) { return data()[i]; }
  const value_type& operator[](std::size_t i) const { return data()[i]; }
  value_type& back() { return data()[size_ - 1]; }
  const value_type& back() const { return data()[size_ - 1]; }
  operator std::span<const value_type>() const { return {data(), size_}; }

  void push_back(value_type value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void insert(std::size_t position, value_type value) {
    resize(size_ + 1);
    std::memmove(data() + position + 1, data() + position,
                 (size_ - 1 - position) * sizeof(value_type));
    data()[position] = value;
  }
  void erase(std::size_t position) {
    std::memmove(data() + position, data() + position + 1,
                 (size_ - 1 - position) * sizeof(value_type));
    --size_;
  }
  // New entries are zero.
  void resize(std::size_t count) {
    reserve(count);
    if (count > size_) std::fill(data() + size_, data() + count, 0);
    size_ = static_cast<std::uint32_t>(count);
  }

  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    const value_type *const first = a.data(), *const second = b.data();
    for (std::uint32_t i = 0; i < a.size_; ++i) {  // most are too short for a call of memcmp()
      if (first[i] != second[i]) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kInline = 6;
  void reserve(std::size_t count) {
    if (count > capacity_) [[unlikely]]
      grow(count);
  }
  void grow(std::size_t count);
  void assign(const value_type* values, std::size_t count) {
    reserve(count);
    size_ = static_cast<std::uint32_t>(count);
    std::copy_n(values, count, data());
  }
  // All entries of a short list, whatever its size: a copy of so many bytes is no call.
  void copy_inline(const value_type* values) { std::memcpy(inline_, values, sizeof inline_); }
  void copy(const Dims& other) {
    if (heap_ || other.size_ > kInline) return assign(other.data(), other.size_);
    size_ = other.size_;
    copy_inline(other.data());
  }
  void take(Dims& other) noexcept {
    if (other.heap_ || heap_) [[unlikely]] {
      heap_ = std::move(other.heap_);
      capacity_ = other.capacity_;
      other.capacity_ = kInline;
    }
    size_ = other.size_;
    if (!heap_) copy_inline(other.inline_);
    other.size_ = 0;
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  value_type inline_[kInline] = {};  // the first size_ of them are entries
  std::unique_ptr<value_type[]> heap_;
};

// "(2, 3)", "(5,)", "()": as Python prints a tuple.
std::string to_string(const Dims& dims);

}  // namespace cupola
