#include "cupola/dtype.h"

#include <fmt/format.h>

#include "cupola/error.h"

namespace cupola {
namespace {

struct DTypeProperties {
  std::string_view name;
  char code;
  DTypeKind kind;
  std::size_t item_size;
};

constexpr DTypeProperties kProperties[kDTypeCount] = {
#define CUPOLA_DTYPE_PROPERTIES(NAME, CODE, TYPE, KIND) \
  {#NAME, CODE, DTypeKind::KIND, sizeof(TYPE)},
    CUPOLA_FOR_EACH_DTYPE(CUPOLA_DTYPE_PROPERTIES)
#undef CUPOLA_DTYPE_PROPERTIES
};

const DTypeProperties& properties(DType dtype) {
  return kProperties[static_cast<std::size_t>(dtype)];
}

constexpr std::string_view kCastingNames[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

}  // namespace

std::size_t item_size(DType dtype) { return properties(dtype).item_size; }

DTypeKind kind_of(DType dtype) { return properties(dtype).kind; }

std::string_view name_of(DType dtype) {
  return dtype == DType::bool_ ? "bool" : properties(dtype).name;
}

char code_of(DType dtype) { return properties(dtype).code; }

std::optional<DType> find_dtype(std::string_view name) {
  if (name.size() == 1) return find_dtype(name[0]);
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (name == name_of(dtype)) return dtype;
  }
  return std::nullopt;
}

std::optional<DType> find_dtype(char code) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kProperties[i].code == code) return static_cast<DType>(i);
  }
  return std::nullopt;
}

DType real_dtype(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  if (dtype == DType::complex128) return DType::float64;
  return dtype;
}

DType complex_dtype(DType dtype) {
  if (is_complex(dtype)) return dtype;
  if (is_floating(dtype) && dtype != DType::float64) return DType::complex64;
  return DType::complex128;
}

Casting parse_casting(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kCastingNames); ++i) {
    if (kCastingNames[i] == name) return static_cast<Casting>(i);
  }
  throw ValueError(fmt::format(
      "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{}')", name));
}

std::string_view name_of(Casting casting) {
  return kCastingNames[static_cast<std::size_t>(casting)];
}

}  // namespace cupola
