#include "ops/indexing/index_host.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "exec/evaluation/allocation.h"
#include "exec/host/host_access.h"
#include "exec/host/host_copy.h"
#include "exec/host/host_element.h"
#include "ops/few_elements.h"
#include "ops/operands.h"

namespace cupola {

namespace {

// Index arrays of one shape for the first dimensions of an array; each place that they choose has
// elements that are neighbours.
struct Picked {
  std::vector<const Array*> positions;  // integers, stored, row-major
  Dims shape;                           // of the result
  std::int64_t places = 0;
  std::int64_t elements = 0;  // at each place
};

bool is_plain_index(const Array& array) {
  return is_integer(array.dtype()) && array.rank() > 0 && is_there(array) && is_c_contiguous(array);
}

std::optional<Picked> picked_by(const Array& a, const Index& index) {
  Picked picked;
  const std::size_t dimensions = index.size();
  if (dimensions == 0 || dimensions > a.shape().size()) return std::nullopt;
  if (!std::holds_alternative<Array>(index.front())) return std::nullopt;
  if (a.device().is_set() || !host_shares_memory(a.device())) return std::nullopt;
  for (const IndexTerm& term : index) {
    const auto* positions = std::get_if<Array>(&term);
    if (positions == nullptr || positions->device() != a.device()) return std::nullopt;
    if (!is_plain_index(*positions)) return std::nullopt;
    if (!picked.positions.empty() && positions->shape() != picked.positions.front()->shape()) {
      return std::nullopt;
    }
    picked.positions.push_back(positions);
  }
  if (!is_there(a)) return std::nullopt;
  const std::span<const std::int64_t> extents = a.shape(), strides = strides_of(a);
  const Dims rest(extents.subspan(dimensions));
  if (!is_c_contiguous(rest, Dims(strides.subspan(dimensions)))) return std::nullopt;
  picked.shape = picked.positions.front()->shape();
  picked.places = picked.positions.front()->size();
  picked.elements = element_count(rest);
  for (const std::int64_t extent : rest) picked.shape.push_back(extent);
  const bool is_little = picked.places > 0 && picked.elements > 0 &&
                         picked.places <= kMaxOnHost / picked.elements &&
                         picked.shape.rank() <= kMaxRank;
  return is_little ? std::optional(std::move(picked)) : std::nullopt;
}

template <typename T>
bool add_offsets(const Array& positions, std::int64_t extent, std::int64_t stride,
                 std::span<std::int64_t> offsets) {
  const T* const at = static_cast<const T*>(pointer_of(positions));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto given = static_cast<std::int64_t>(at[i]);
    const std::int64_t position = given < 0 && std::is_signed_v<T> ? given + extent : given;
    if (position < 0 || position >= extent) return false;
    offsets[i] += position * stride;
  }
  return true;
}

bool add_offsets_of_any(const Array& positions, std::int64_t extent, std::int64_t stride,
                        std::span<std::int64_t> offsets) {
  switch (positions.dtype()) {
    case DType::int8:
      return add_offsets<std::int8_t>(positions, extent, stride, offsets);
    case DType::int16:
      return add_offsets<std::int16_t>(positions, extent, stride, offsets);
    case DType::int32:
      return add_offsets<std::int32_t>(positions, extent, stride, offsets);
    case DType::int64:
      return add_offsets<std::int64_t>(positions, extent, stride, offsets);
    case DType::uint8:
      return add_offsets<std::uint8_t>(positions, extent, stride, offsets);
    case DType::uint16:
      return add_offsets<std::uint16_t>(positions, extent, stride, offsets);
    case DType::uint32:
      return add_offsets<std::uint32_t>(positions, extent, stride, offsets);
    case DType::uint64:
      return add_offsets<std::uint64_t>(positions, extent, stride, offsets);
    default:
      return false;
  }
}

// In elements from the first one of `a`. Nothing: some are out of bounds.
std::optional<std::vector<std::int64_t>> offsets_of(const Picked& picked, const Array& a) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(picked.places), 0);
  for (std::size_t d = 0; d < picked.positions.size(); ++d) {
    const Array& positions = *picked.positions[d];
    const std::int64_t extent = a.shape()[d], stride = strides_of(a)[d];
    if (!add_offsets_of_any(positions, extent, stride, offsets)) return std::nullopt;
  }
  return offsets;
}

bool may_read_all(HostAccess& access, const Picked& picked) {
  return std::all_of(picked.positions.begin(), picked.positions.end(),
                     [&](const Array* positions) { return access.may_read(*positions); });
}

void take_places(char* target, const char* source, std::span<const std::int64_t> offsets,
                 std::size_t item, std::int64_t elements) {
  const auto step = static_cast<std::int64_t>(item);
  if (elements == 1) {
    return dispatch_item_size(item, [&](auto bytes) {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        std::memcpy(target + i * bytes, source + offsets[i] * step, bytes);
      }
    });
  }
  const std::size_t bytes = item * static_cast<std::size_t>(elements);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    std::memcpy(target + i * bytes, source + offsets[i] * step, bytes);
  }
}

void put_places(char* target, const char* source, std::span<const std::int64_t> offsets,
                std::size_t item, std::int64_t elements) {
  const std::size_t bytes = item * static_cast<std::size_t>(elements);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    std::memcpy(target + offsets[i] * static_cast<std::int64_t>(item), source + i * bytes, bytes);
  }
}

void put_number(char* target, const Scalar& number, std::span<const std::int64_t> offsets,
                std::int64_t elements) {
  dispatch_item_size(item_size(number.dtype()), [&](auto bytes) {
    for (const std::int64_t offset : offsets) {
      for (std::int64_t i = 0; i < elements; ++i) {
        std::memcpy(target + (offset + i) * static_cast<std::int64_t>(bytes), number.data(), bytes);
      }
    }
  });
}

// What is stored at the places: one element for all, or elements in their order.
struct Source {
  Scalar number;
  const char* elements = nullptr;
};

// Nothing: a kernel is to convert, repeat or order it.
std::optional<Source> source_of(HostAccess& access, const Array& a, const Dims& shape,
                                const Operand& value) {
  if (!value.is_array()) return Source{value.scalar().cast(a.dtype())};
  const Array& array = value.array();
  if (array.dtype() != a.dtype() || !is_stored(array) || may_overlap(array, a)) return std::nullopt;
  const bool is_one = array.size() == 1 && array.rank() <= 1;
  if (!is_one && (array.shape() != shape || !is_c_contiguous(array))) return std::nullopt;
  if (!access.may_read(array)) return std::nullopt;
  const char* const elements = static_cast<const char*>(pointer_of(array));
  if (is_one) return Source{Scalar::from_bytes(a.dtype(), elements)};
  return Source{Scalar(), elements};
}

std::span<const bool> elements_of_mask(const Array& mask) {
  return {static_cast<const bool*>(pointer_of(mask)), static_cast<std::size_t>(mask.size())};
}

// Whether both have few elements, row by row, where the host may look at them.
bool are_uniform_and_few(const Array& values, const Array& mask) {
  if (is_work_watched() || values.size() > kMaxOnHost || values.size() == 0) return false;
  if (values.device() != mask.device() || values.shape() != mask.shape()) return false;
  if (values.device().is_set() || !host_shares_memory(values.device())) return false;
  return is_there(values) && is_there(mask) && is_c_contiguous(values) && is_c_contiguous(mask);
}

void expand_elements(char* target, const Source& source, std::span<const bool> mask,
                     std::size_t item) {
  dispatch_item_size(item, [&](auto bytes) {
    const auto* from =
        source.elements ? source.elements : static_cast<const char*>(source.number.data());
    const std::size_t step = source.elements ? bytes : 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (!mask[i]) continue;
      std::memcpy(target + i * bytes, from, bytes);
      from += step;
    }
  });
}

void compress_elements(char* target, const char* values, std::span<const bool> mask,
                       std::size_t item) {
  dispatch_item_size(item, [&](auto bytes) {
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (!mask[i]) continue;
      std::memcpy(target, values + i * bytes, bytes);
      target += bytes;
    }
  });
}

}  // namespace

Array get_on_host(const Array& a, const Index& index) {
  if (is_work_watched()) return {};
  const std::optional<Picked> picked = picked_by(a, index);
  if (!picked) return {};
  HostAccess access;
  if (!access.may_read(a) || !may_read_all(access, *picked)) return {};
  const std::optional<std::vector<std::int64_t>> offsets = offsets_of(*picked, a);
  if (!offsets) return {};
  const Array result = find_array(a.dtype(), picked->shape, a.device());
  if (!result.has_value() || !access.may_write(result)) return {};
  take_places(static_cast<char*>(pointer_of(result)), static_cast<const char*>(pointer_of(a)),
              *offsets, item_size(a.dtype()), picked->elements);
  return result;
}

bool set_on_host(const Array& a, const Index& index, const Operand& value) {
  if (is_work_watched()) return false;
  const std::optional<Picked> picked = picked_by(a, index);
  if (!picked) return false;
  const bool reads_itself =
      std::any_of(picked->positions.begin(), picked->positions.end(),
                  [&](const Array* positions) { return may_overlap(*positions, a); });
  if (reads_itself || (value.is_array() && !is_there(value.array()))) return false;
  HostAccess access;  // nothing is computed from here on: that may need what is held
  if (!may_read_all(access, *picked)) return false;
  const std::optional<Source> source = source_of(access, a, picked->shape, value);
  const auto offsets = source ? offsets_of(*picked, a) : std::nullopt;
  if (!offsets || !access.may_write(a)) return false;
  char* const target = static_cast<char*>(pointer_of(a));
  if (source->elements == nullptr) {
    put_number(target, source->number, *offsets, picked->elements);
  } else {
    put_places(target, source->elements, *offsets, item_size(a.dtype()), picked->elements);
  }
  return true;
}

bool expand_on_host(const Array& a, const Array& mask, const Operand& value) {
  if (!are_uniform_and_few(a, mask) || may_overlap(mask, a)) return false;
  if (value.is_array() && !is_there(value.array())) return false;
  HostAccess access;  // as above
  if (!access.may_read(mask)) return false;
  const std::span<const bool> chosen = elements_of_mask(mask);
  const Dims shape{std::count(chosen.begin(), chosen.end(), true)};
  const std::optional<Source> source = source_of(access, a, shape, value);
  if (!source || !access.may_write(a)) return false;
  expand_elements(static_cast<char*>(pointer_of(a)), *source, chosen, item_size(a.dtype()));
  return true;
}

Array compress_on_host(const Array& values, const Array& mask) {
  if (!are_uniform_and_few(values, mask)) return {};
  HostAccess access;
  if (!access.may_read(values) || !access.may_read(mask)) return {};
  const std::span<const bool> chosen = elements_of_mask(mask);
  const std::int64_t count = std::count(chosen.begin(), chosen.end(), true);
  const Array result = find_array(values.dtype(), {count}, values.device());
  if (!result.has_value() || !access.may_write(result)) return {};
  compress_elements(static_cast<char*>(pointer_of(result)),
                    static_cast<const char*>(pointer_of(values)), chosen,
                    item_size(values.dtype()));
  return result;
}

}  // namespace cupola
