#include "platforms/cpu/interpreter/strided.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "platforms/cpu/kernels/move_tables.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kShortRow = 16;

struct Bytes16 {
  std::uint64_t words[2];
};

// Calls function(T{}) with a type of `item_size` bytes that may stand for any element.
template <typename Function>
void with_item(std::size_t item_size, const Function& function) {
  switch (item_size) {
    case 1:
      return function(std::uint8_t{});
    case 2:
      return function(std::uint16_t{});
    case 4:
      return function(std::uint32_t{});
    case 8:
      return function(std::uint64_t{});
    default:
      return function(Bytes16{});
  }
}

// Walks the rows of a space from a flat index on.
class RowCursor {
 public:
  RowCursor(const Dims& extents, const Dims& strides, std::int64_t flat)
      : extents_(extents), strides_(strides) {
    for (int d = extents.rank() - 1; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      position_[i] = flat % extents[i];
      flat /= extents[i];
      offset_ += position_[i] * strides[i];
    }
  }
  std::int64_t offset() const { return offset_; }
  std::int64_t left_in_row() const {
    const std::size_t last = extents_.size() - 1;
    return extents_[last] - position_[last];
  }
  // `count` <= left_in_row().
  void advance(std::int64_t count) {
    std::size_t d = extents_.size() - 1;
    position_[d] += count;
    offset_ += count * strides_[d];
    while (position_[d] == extents_[d] && d > 0) {
      offset_ += strides_[d - 1] - extents_[d] * strides_[d];
      position_[d] = 0;
      ++position_[--d];
    }
  }

 private:
  const Dims& extents_;
  const Dims& strides_;
  std::array<std::int64_t, kMaxRank> position_;
  std::int64_t offset_ = 0;
};

template <typename Function>
void for_rows(const Dims& extents, const Dims& strides, std::int64_t flat, std::int64_t count,
              const Function& function) {
  if (extents.empty()) return function(0, 0, count);
  RowCursor cursor(extents, strides, flat);
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t part = std::min(cursor.left_in_row(), count - done);
    function(cursor.offset(), done, part);
    cursor.advance(part);
    done += part;
  }
}

}  // namespace

void move_bytes(void* target, const void* source, std::size_t bytes) {
  constexpr std::size_t kShort = 512;
  const auto* const to = static_cast<const char*>(target);
  const auto* const from = static_cast<const char*>(source);
  if (bytes < kShort || (to < from + bytes && from < to + bytes)) {
    std::memmove(target, source, bytes);
  } else {
    move_functions().copy(target, source, bytes);
  }
}

void gather_row(void* target, const void* source, std::int64_t stride, std::int64_t count,
                std::size_t item_size) {
  if (stride == 1) return move_bytes(target, source, static_cast<std::size_t>(count) * item_size);
  if (stride == 0) return fill_row(target, source, count, item_size);
  if (count >= kShortRow && stride == -1) {
    return move_functions().reverse[std::countr_zero(item_size)](target, source, count);
  }
  if (count >= kShortRow && stride == 2) {
    return move_functions().every_other[std::countr_zero(item_size)](target, source, count);
  }
  with_item(item_size, [&](auto item) {
    using T = decltype(item);
    auto* to = static_cast<T*>(target);
    const auto* from = static_cast<const T*>(source);
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
  });
}

void transpose_block(void* target, std::int64_t pitch, const void* source, std::int64_t row_stride,
                     std::int64_t column_stride, std::int64_t rows, std::int64_t columns,
                     std::size_t item_size) {
  if (row_stride == 1) {
    const std::int64_t column = column_stride * static_cast<std::int64_t>(item_size);
    return move_functions().transpose[std::countr_zero(item_size)](target, pitch, source, column,
                                                                   rows, columns);
  }
  with_item(item_size, [&](auto item) {
    using T = decltype(item);
    constexpr std::int64_t kSide = 16;  // rows whose lines stay in the first cache meanwhile
    for (std::int64_t first = 0; first < columns; first += kSide) {
      const std::int64_t end = std::min(first + kSide, columns);
      for (std::int64_t top = 0; top < rows; top += kSide) {
        const std::int64_t bottom = std::min(top + kSide, rows);
        for (std::int64_t c = first; c < end; ++c) {
          const T* from = static_cast<const T*>(source) + c * column_stride;
          char* to = static_cast<char*>(target) + c * static_cast<std::int64_t>(sizeof(T));
          for (std::int64_t r = top; r < bottom; ++r) {
            *reinterpret_cast<T*>(to + r * pitch) = from[r * row_stride];
          }
        }
      }
    }
  });
}

void scatter_row(void* target, const void* source, std::int64_t stride, std::int64_t count,
                 std::size_t item_size) {
  if (stride == 1) {
    return move_bytes(target, source, static_cast<std::size_t>(count) * item_size);
  }
  with_item(item_size, [&](auto item) {
    using T = decltype(item);
    auto* to = static_cast<T*>(target);
    const auto* from = static_cast<const T*>(source);
    for (std::int64_t i = 0; i < count; ++i) to[i * stride] = from[i];
  });
}

void fill_row(void* target, const void* source, std::int64_t count, std::size_t item_size) {
  move_functions().fill[std::countr_zero(item_size)](target, source, count);
}

void gather_indexed(void* target, const void* source, const std::int64_t* indices,
                    std::int64_t count, std::size_t item_size) {
  move_functions().gather[std::countr_zero(item_size)](target, source, indices, count);
}

void gather_counted(void* target, const void* source, const std::int64_t* indices,
                    std::int64_t zero, std::int64_t extent, std::int64_t count,
                    std::size_t item_size) {
  move_functions().gather_counted[std::countr_zero(item_size)](target, source, indices, zero,
                                                               extent, count);
}

void scatter_indexed(void* target, const void* source, const std::int64_t* indices,
                     const bool* predicate, std::int64_t count, std::size_t item_size) {
  with_item(item_size, [&](auto item) {
    using T = decltype(item);
    auto* to = static_cast<T*>(target);
    const auto* from = static_cast<const T*>(source);
    for (std::int64_t i = 0; i < count; ++i) {
      if (predicate == nullptr || predicate[i]) to[indices[i]] = from[i];
    }
  });
}

std::int64_t strided_offset(const Dims& extents, const Dims& strides, std::int64_t flat) {
  std::int64_t offset = 0;
  for (std::size_t d = extents.size(); d-- > 0;) {
    offset += flat % extents[d] * strides[d];
    flat /= extents[d];
  }
  return offset;
}

namespace {

// Rows of kRow equal elements, `next` elements apart.
template <int kRow, typename T>
T* repeat_elements(T* target, const T* from, std::int64_t next, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r, target += kRow) {
    const T value = from[r * next];
    for (int i = 0; i < kRow; ++i) target[i] = value;
  }
  return target;
}

// Null where there are more elements.
template <typename T>
auto find_repeat(std::int64_t row) -> T* (*)(T*, const T*, std::int64_t, std::int64_t) {
  switch (row) {
    case 2:
      return repeat_elements<2, T>;
    case 3:
      return repeat_elements<3, T>;
    case 4:
      return repeat_elements<4, T>;
    default:
      return nullptr;
  }
}

// Rows of a few elements, without a call for each.
template <typename T>
void gather_short_rows(T* target, const T* base, const Dims& extents, const Dims& strides,
                       std::int64_t flat, std::int64_t count) {
  const std::size_t last = extents.size() - 1;
  const std::int64_t row = extents[last], step = strides[last], next = strides[last - 1];
  const auto copy = [&](const T* from, std::int64_t elements) {
    for (std::int64_t i = 0; i < elements; ++i) *target++ = from[i * step];
    flat += elements;
    count -= elements;
  };
  const auto repeat = step == 0 ? find_repeat<T>(row) : nullptr;
  while (count > 0) {
    const T* const from = base + strided_offset(extents, strides, flat);
    const std::int64_t begun = flat % row;
    if (begun != 0 || count < row) {
      copy(from, std::min(row - begun, count));
      continue;
    }
    const std::int64_t rows =
        std::min(extents[last - 1] - flat / row % extents[last - 1], count / row);
    if (repeat != nullptr) {
      target = repeat(target, from, next, rows);
      flat += rows * row;
      count -= rows * row;
      continue;
    }
    for (std::int64_t r = 0; r < rows; ++r) copy(from + r * next, row);
  }
}

}  // namespace

void gather_range(void* target, const void* base, const Dims& extents, const Dims& strides,
                  std::int64_t flat, std::int64_t count, std::size_t item_size) {
  const auto size = static_cast<std::int64_t>(item_size);
  const std::int64_t stride = extents.empty() ? 0 : strides.back();
  if (extents.size() > 1 && extents.back() <= kShortRow) {
    return with_item(item_size, [&](auto item) {
      using T = decltype(item);
      gather_short_rows(static_cast<T*>(target), static_cast<const T*>(base), extents, strides,
                        flat, count);
    });
  }
  for_rows(extents, strides, flat, count,
           [&](std::int64_t offset, std::int64_t done, std::int64_t part) {
             gather_row(static_cast<char*>(target) + done * size,
                        static_cast<const char*>(base) + offset * size, stride, part, item_size);
           });
}

void gather_turned(void* target, const void* base, const Dims& extents, const Dims& strides,
                   const Dims& turns, std::int64_t flat, std::int64_t count,
                   std::size_t item_size) {
  const auto size = static_cast<std::int64_t>(item_size);
  const std::size_t last = extents.size() - 1;
  while (count > 0) {
    std::int64_t offset = 0, rest = flat, left = 0;
    for (std::size_t d = last + 1; d-- > 0;) {
      const std::int64_t at = rest % extents[d];
      rest /= extents[d];
      const bool is_behind = turns[d] > 0 && at >= turns[d];
      offset += (is_behind ? at - extents[d] : at) * strides[d];
      if (d == last) left = (at < turns[d] ? turns[d] : extents[d]) - at;
    }
    const std::int64_t part = std::min(left, count);
    gather_row(target, static_cast<const char*>(base) + offset * size, strides[last], part,
               item_size);
    target = static_cast<char*>(target) + part * size;
    flat += part;
    count -= part;
  }
}

void scatter_range(void* base, const void* source, const Dims& extents, const Dims& strides,
                   std::int64_t flat, std::int64_t count, std::size_t item_size) {
  const auto size = static_cast<std::int64_t>(item_size);
  const std::int64_t stride = extents.empty() ? 0 : strides.back();
  for_rows(extents, strides, flat, count,
           [&](std::int64_t offset, std::int64_t done, std::int64_t part) {
             scatter_row(static_cast<char*>(base) + offset * size,
                         static_cast<const char*>(source) + done * size, stride, part, item_size);
           });
}

}  // namespace cupola::cpu
