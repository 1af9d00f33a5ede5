#include "exec/user_kernels/raw_arguments.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "core/array_state.h"
#include "cupola/error.h"

namespace cupola {

namespace {

// One argument beside what is known of its parameter.
struct Place {
  const RawParameters& parameters;
  std::size_t index;

  // Null where the type is not known.
  const KernelParameter* parameter() const {
    return parameters.signature ? &parameters.signature->parameters[index] : nullptr;
  }
  std::optional<std::size_t> size() const {
    if (parameters.sizes) return (*parameters.sizes)[index];
    return std::nullopt;
  }
  // "argument 2 of scale (float* x)".
  std::string text() const {
    const KernelParameter* known = parameter();
    return fmt::format("argument {} of {}{}", index + 1, parameters.name,
                       known ? fmt::format(" ({})", known->text) : "");
  }
};

std::string text_of(const RawParameters& parameters) {
  return parameters.signature ? parameters.signature->to_string(parameters.name) : parameters.name;
}

void check_count(const RawParameters& parameters, std::size_t given) {
  std::optional<std::size_t> wanted;
  if (parameters.signature) wanted = parameters.signature->parameters.size();
  if (parameters.sizes) wanted = parameters.sizes->size();
  if (!wanted || *wanted == given) return;
  throw TypeError(fmt::format("{} takes {} argument{}, {} {} given", text_of(parameters), *wanted,
                              *wanted == 1 ? "" : "s", given, given == 1 ? "was" : "were"));
}

// A signature that the machine code contradicts was not read right: macros may have changed it.
RawParameters trusted(const RawParameters& parameters) {
  if (!parameters.signature || !parameters.sizes) return parameters;
  const auto& read = parameters.signature->parameters;
  bool agrees = read.size() == parameters.sizes->size();
  for (std::size_t i = 0; agrees && i < read.size(); ++i) {
    const std::size_t bytes = (*parameters.sizes)[i];
    agrees = read[i].is_pointer ? bytes == sizeof(void*)
                                : !read[i].dtype || bytes == item_size(*read[i].dtype);
  }
  return agrees ? parameters : RawParameters{parameters.name, std::nullopt, parameters.sizes};
}

void check_array(const Place& place, const Array& array, bool allow_strided, bool is_typed) {
  const KernelParameter* parameter = place.parameter();
  if (parameter && !parameter->is_pointer) {
    throw TypeError(
        fmt::format("{} is a value, but an array of {} was given; a.item() reads one "
                    "element",
                    place.text(), name_of(array.dtype())));
  }
  if (place.size().value_or(sizeof(void*)) != sizeof(void*)) {
    throw TypeError(fmt::format("{} has {} bytes and is no pointer, but an array of {} was given",
                                place.text(), *place.size(), name_of(array.dtype())));
  }
  if (is_typed && parameter && parameter->dtype && *parameter->dtype != array.dtype()) {
    throw TypeError(
        fmt::format("{} points to {}, but an array of {} was given; convert it with "
                    "astype('{}')",
                    place.text(), name_of(*parameter->dtype), name_of(array.dtype()),
                    name_of(*parameter->dtype)));
  }
  if (!allow_strided && !is_c_contiguous(array) && !is_f_contiguous(array)) {
    throw ValueError(fmt::format(
        "{}: the view of shape {} with strides {} (elements) is not contiguous; copy it with "
        "cupola.ascontiguousarray, or give allow_strided=True to pass the address of its first "
        "element",
        place.text(), to_string(array.shape()), to_string(strides_of(array))));
  }
  if (!array.writable() && !(parameter && parameter->is_const)) {
    throw ValueError(
        fmt::format("{}: the array is read-only and the kernel may write it; declare "
                    "the parameter const T*, or copy the array",
                    place.text()));
  }
}

const char* kind_text(const Scalar& value) {
  switch (kind_of(value.dtype())) {
    case DTypeKind::boolean:
      return "bool";
    case DTypeKind::unsigned_integer:
    case DTypeKind::signed_integer:
      return "int";
    case DTypeKind::floating:
      return "float";
    case DTypeKind::complex:
      return "complex";
  }
  __builtin_unreachable();
}

std::string type_text(const Scalar& value) {
  return value.weak_kind() ? fmt::format("Python {}", kind_text(value))
                           : std::string(name_of(value.dtype()));
}

bool may_become(const Scalar& value, DType dtype) {
  const auto kind_rank = [](DType type) {  // integers of either sign are one kind
    if (is_integer(type)) return 1;
    return type == DType::bool_ ? 0 : is_floating(type) ? 2 : 3;
  };
  return kind_rank(value.dtype()) <= kind_rank(dtype);
}

// Integers must fit, of whatever type they come.
void check_range(const Place& place, const Scalar& value, DType dtype) {
  if (!is_integer(dtype) || !is_integer(value.dtype())) return;
  const bool is_negative = kind_of(value.dtype()) == DTypeKind::signed_integer &&
                           value.cast(DType::int64).get<std::int64_t>() < 0;
  const Scalar wide = is_negative ? Scalar::weak(value.cast(DType::int64).get<std::int64_t>())
                                  : Scalar::weak(value.cast(DType::uint64).get<std::uint64_t>());
  try {
    wide.cast(dtype);
  } catch (const OverflowError&) {
    throw OverflowError(
        fmt::format("{}: {} does not fit {}", place.text(), value.to_string(), name_of(dtype)));
  }
}

Scalar converted(const Place& place, const Scalar& value, DType dtype) {
  if (!may_become(value, dtype)) {
    throw TypeError(fmt::format("{} is a value of {}, but a {} was given ({})", place.text(),
                                name_of(dtype), type_text(value), value.to_string()));
  }
  check_range(place, value, dtype);
  return value.cast(dtype);
}

// The type of a parameter of which only the bytes are known: the value's kind at that width.
DType of_width(const Place& place, const Scalar& value, std::size_t bytes) {
  const DTypeKind kind = kind_of(value.dtype());
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (kind_of(dtype) == kind && item_size(dtype) == bytes && dtype != DType::bfloat16) {
      return dtype;
    }
  }
  throw TypeError(
      fmt::format("{} has {} bytes, which no {} has", place.text(), bytes, kind_text(value)));
}

Scalar value_of(const Place& place, const Scalar& value) {
  const KernelParameter* parameter = place.parameter();
  if (parameter && parameter->is_pointer) {
    if (is_integer(value.dtype()) && item_size(value.dtype()) == sizeof(void*)) return value;
    throw TypeError(
        fmt::format("{} is a pointer, but a {} was given", place.text(), type_text(value)));
  }
  if (parameter && parameter->dtype) return converted(place, value, *parameter->dtype);
  const std::optional<std::size_t> bytes = place.size();
  if (!bytes || *bytes == item_size(value.dtype())) return value;
  if (value.weak_kind()) return converted(place, value, of_width(place, value, *bytes));
  throw TypeError(fmt::format("{} has {} bytes, but a {} of {} was given", place.text(), *bytes,
                              type_text(value), item_size(value.dtype())));
}

void check_bytes(const Place& place, const RawBytes& value) {
  const KernelParameter* parameter = place.parameter();
  std::optional<std::size_t> wanted = place.size();
  if (!wanted && parameter && parameter->dtype && !parameter->is_pointer) {
    wanted = item_size(*parameter->dtype);
  }
  if (parameter && parameter->is_pointer) {
    throw TypeError(
        fmt::format("{} is a pointer, but {} bytes were given; copy them to the device "
                    "with an array",
                    place.text(), value.bytes.size()));
  }
  if (wanted && *wanted != value.bytes.size()) {
    throw TypeError(fmt::format("{} has {} bytes, but {} were given", place.text(), *wanted,
                                value.bytes.size()));
  }
}

void check_pointer(const Place& place) {
  const KernelParameter* parameter = place.parameter();
  if ((parameter && !parameter->is_pointer) ||
      place.size().value_or(sizeof(void*)) != sizeof(void*)) {
    throw TypeError(fmt::format("{} is no pointer, but an address was given", place.text()));
  }
}

void check_view(const Place& place, const Array& array, std::size_t bytes) {
  const KernelParameter* parameter = place.parameter();
  if ((!parameter || !parameter->is_pointer) && place.size().value_or(bytes) == bytes) return;
  throw TypeError(
      fmt::format("{} is no CArray<T, {}> of <cupy/carray.cuh>, but the cstruct of an array of "
                  "shape {} was given",
                  place.text(), array.rank(), to_string(array.shape())));
}

// What CArray has: address, size, extents, and strides in bytes.
std::vector<std::int64_t> words_of(const Array& array) {
  const void* const pointer = array.size() > 0 ? pointer_of(array) : nullptr;
  std::vector<std::int64_t> words{static_cast<std::int64_t>(std::bit_cast<std::intptr_t>(pointer)),
                                  array.size()};
  words.insert(words.end(), array.shape().begin(), array.shape().end());
  const auto bytes = static_cast<std::int64_t>(item_size(array.dtype()));
  for (const std::int64_t stride : strides_of(array)) words.push_back(stride * bytes);
  return words;
}

}  // namespace

const Array* array_of(const RawArgument& argument) {
  if (const auto* array = std::get_if<Array>(&argument)) return array;
  if (const auto* view = std::get_if<RawView>(&argument)) return &view->array;
  const auto* memory = std::get_if<RawMemory>(&argument);
  return memory ? &memory->array : nullptr;
}

PackedArguments::PackedArguments(const RawParameters& given, std::span<const RawArgument> arguments,
                                 bool allow_strided) {
  check_count(given, arguments.size());
  const RawParameters parameters = trusted(given);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Place place{parameters, i};
    if (const auto* view = std::get_if<RawView>(&arguments[i])) {
      const std::vector<std::int64_t> words = words_of(view->array);
      check_view(place, view->array, words.size() * sizeof(words[0]));
      (view->array.writable() ? writes_ : reads_).push_back(view->array);
      add(words.data(), words.size() * sizeof(words[0]));
    } else if (const Array* array = array_of(arguments[i])) {
      check_array(place, *array, allow_strided, std::holds_alternative<Array>(arguments[i]));
      const KernelParameter* parameter = place.parameter();
      (parameter && parameter->is_const ? reads_ : writes_).push_back(*array);
      const void* pointer = array->size() > 0 ? pointer_of(*array) : nullptr;
      add(&pointer, sizeof pointer);
    } else if (const auto* scalar = std::get_if<Scalar>(&arguments[i])) {
      const Scalar value = value_of(place, *scalar);
      add(value.data(), item_size(value.dtype()));
    } else if (const auto* pointer = std::get_if<RawPointer>(&arguments[i])) {
      check_pointer(place);
      add(&pointer->address, sizeof pointer->address);
    } else {
      const auto& bytes = std::get<RawBytes>(arguments[i]);
      check_bytes(place, bytes);
      add(bytes.bytes.data(), bytes.bytes.size());
    }
  }
  for (const std::size_t offset : offsets_) pointers_.push_back(values_.data() + offset);
}

void PackedArguments::add(const void* value, std::size_t bytes) {
  offsets_.push_back(values_.size());
  values_.resize(values_.size() + bytes / sizeof(Block) + 1);
  if (bytes > 0) std::memcpy(values_.data() + offsets_.back(), value, bytes);
}

std::vector<MemoryRange> PackedArguments::memory(const RawParameters& parameters,
                                                 std::span<const RawArgument> arguments) const {
  std::vector<MemoryRange> ranges;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const Array* const array = array_of(arguments[i])) {
      const Storage& storage = *array->state().storage;
      const bool is_wide = array->dtype() == DType::int64 || array->dtype() == DType::uint64;
      ranges.push_back(
          {storage.data(), storage.bytes(),
           fmt::format("the memory of {}, {} bytes", Place{parameters, i}.text(), storage.bytes()),
           is_wide});
    } else if (const auto* pointer = std::get_if<RawPointer>(&arguments[i])) {
      if (pointer->address != 0) ranges.push_back({nullptr, ~std::size_t{0}, "", false});
    }
  }
  return ranges;
}

}  // namespace cupola
