#pragma once
// Element types, their properties, and NumPy 2's rules for casting and promotion (NEP 50).

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cupola/float16.h"

namespace cupola {

// name, NumPy-like one-letter code, C++ type, kind
#define CUPOLA_FOR_EACH_DTYPE(X)                  \
  X(bool_, '?', bool, boolean)                    \
  X(int8, 'b', std::int8_t, signed_integer)       \
  X(uint8, 'B', std::uint8_t, unsigned_integer)   \
  X(int16, 'h', std::int16_t, signed_integer)     \
  X(uint16, 'H', std::uint16_t, unsigned_integer) \
  X(int32, 'i', std::int32_t, signed_integer)     \
  X(uint32, 'I', std::uint32_t, unsigned_integer) \
  X(int64, 'q', std::int64_t, signed_integer)     \
  X(uint64, 'Q', std::uint64_t, unsigned_integer) \
  X(float16, 'e', ::cupola::Float16, floating)    \
  X(bfloat16, 'E', ::cupola::BFloat16, floating)  \
  X(float32, 'f', float, floating)                \
  X(float64, 'd', double, floating)               \
  X(complex64, 'F', std::complex<float>, complex) \
  X(complex128, 'D', std::complex<double>, complex)

enum class DType : std::uint8_t {
#define CUPOLA_DTYPE_ENUM(NAME, CODE, TYPE, KIND) NAME,
  CUPOLA_FOR_EACH_DTYPE(CUPOLA_DTYPE_ENUM)
#undef CUPOLA_DTYPE_ENUM
};
inline constexpr int kDTypeCount = 15;

// Ordered: a Python scalar of a lower kind adapts to an array of the same or a higher kind.
enum class DTypeKind : std::uint8_t {
  boolean,
  unsigned_integer,
  signed_integer,
  floating,
  complex
};

// Bytes of one element.
std::size_t item_size(DType dtype);
DTypeKind kind_of(DType dtype);
// "float32", "bool", ...
std::string_view name_of(DType dtype);
// The code of CUPOLA_FOR_EACH_DTYPE: '?', 'b', ...
char code_of(DType dtype);
// By name ("float32") or by code; nothing if unknown.
std::optional<DType> find_dtype(std::string_view name);
std::optional<DType> find_dtype(char code);

inline bool is_integer(DType dtype) {
  const DTypeKind kind = kind_of(dtype);
  return kind == DTypeKind::signed_integer || kind == DTypeKind::unsigned_integer;
}
inline bool is_floating(DType dtype) { return kind_of(dtype) == DTypeKind::floating; }
inline bool is_complex(DType dtype) { return kind_of(dtype) == DTypeKind::complex; }
inline bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }
inline bool is_inexact(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

// complex64 -> float32, complex128 -> float64, all others unchanged.
DType real_dtype(DType dtype);
// float32 -> complex64 ...; integers and bool -> complex128; 16-bit floats -> complex64.
DType complex_dtype(DType dtype);

enum class Casting : std::uint8_t { no, equiv, safe, same_kind, unsafe_ };
// "no", "equiv", "safe", "same_kind", "unsafe". Throws ValueError.
Casting parse_casting(std::string_view name);
std::string_view name_of(Casting casting);

bool can_cast(DType from, DType to, Casting casting = Casting::safe);

// The smallest type to which both cast safely, as numpy.promote_types. bfloat16 stands beside
// float16: bool, int8, uint8 promote to it, float16 with bfloat16 gives float32.
DType promote_types(DType a, DType b);

// The type of a Python scalar in an operation with typed operands: it keeps only its kind.
enum class WeakKind : std::uint8_t { boolean, integer, floating, complex };

// numpy.result_type over typed operands and weak Python scalars. Throws ValueError when both
// lists are empty.
DType result_type(std::span<const DType> typed, std::span<const WeakKind> weak);

// C++ type -> DType.
template <typename T>
struct DTypeOf;
#define CUPOLA_DTYPE_OF(NAME, CODE, TYPE, KIND) \
  template <>                                   \
  struct DTypeOf<TYPE> {                        \
    static constexpr DType value = DType::NAME; \
  };
CUPOLA_FOR_EACH_DTYPE(CUPOLA_DTYPE_OF)
#undef CUPOLA_DTYPE_OF
template <typename T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

template <typename T>
struct TypeTag {
  using type = T;
};

// The one place that branches on a dtype: calls function(TypeTag<T>{}) with its C++ type.
template <typename Function>
decltype(auto) dispatch_dtype(DType dtype, Function&& function) {
  switch (dtype) {
#define CUPOLA_DTYPE_CASE(NAME, CODE, TYPE, KIND) \
  case DType::NAME:                               \
    return function(TypeTag<TYPE>{});
    CUPOLA_FOR_EACH_DTYPE(CUPOLA_DTYPE_CASE)
#undef CUPOLA_DTYPE_CASE
  }
  __builtin_unreachable();
}

}  // namespace cupola
