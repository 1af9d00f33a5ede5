// Casting and promotion of element types, NumPy 2's rules (NEP 50), with bfloat16 beside float16.

#include <algorithm>
#include <vector>

#include "cupola/dtype.h"
#include "cupola/error.h"

namespace cupola {
namespace {

// Bits of the integers that a floating type represents for promotion: NumPy lets 64-bit integers
// count as safe in float64, and bfloat16 is given float16's place.
int safe_integer_bits(DType floating) {
  const DType real = real_dtype(floating);
  if (real == DType::float64) return 64;
  return real == DType::float32 ? 16 : 8;
}

int bits_of(DType dtype) { return static_cast<int>(8 * item_size(dtype)); }

bool integer_casts_safely(DType from, DType to) {
  if (is_inexact(to)) return bits_of(from) <= safe_integer_bits(to);
  const bool from_signed = kind_of(from) == DTypeKind::signed_integer;
  const bool to_signed = kind_of(to) == DTypeKind::signed_integer;
  if (from_signed == to_signed) return bits_of(from) <= bits_of(to);
  return to_signed && bits_of(from) < bits_of(to);
}

bool inexact_casts_safely(DType from, DType to) {
  if (!is_inexact(to) || (is_complex(from) && !is_complex(to))) return false;
  const DType from_real = real_dtype(from);
  const DType to_real = real_dtype(to);
  return from_real == to_real || item_size(from_real) < item_size(to_real);
}

bool casts_safely(DType from, DType to) {
  if (from == to || from == DType::bool_) return true;
  if (to == DType::bool_) return false;
  return is_integer(from) ? integer_casts_safely(from, to) : inexact_casts_safely(from, to);
}

DType default_dtype(WeakKind kind) {
  switch (kind) {
    case WeakKind::boolean:
      return DType::bool_;
    case WeakKind::integer:
      return DType::int64;
    case WeakKind::floating:
      return DType::float64;
    case WeakKind::complex:
      return DType::complex128;
  }
  __builtin_unreachable();
}

// `typed` adapted to a Python scalar of `weak` kind.
DType promote_weak(DType typed, WeakKind weak) {
  switch (weak) {
    case WeakKind::boolean:
      return typed;
    case WeakKind::integer:
      return typed == DType::bool_ ? DType::int64 : typed;
    case WeakKind::floating:
      return is_inexact(typed) ? typed : DType::float64;
    case WeakKind::complex:
      return complex_dtype(typed);
  }
  __builtin_unreachable();
}

}  // namespace

bool can_cast(DType from, DType to, Casting casting) {
  switch (casting) {
    case Casting::no:
    case Casting::equiv:
      return from == to;
    case Casting::safe:
      return casts_safely(from, to);
    case Casting::same_kind:
      return casts_safely(from, to) || kind_of(from) <= kind_of(to);
    case Casting::unsafe_:
      return true;
  }
  __builtin_unreachable();
}

DType promote_types(DType a, DType b) {
  if (casts_safely(a, b)) return b;
  if (casts_safely(b, a)) return a;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto candidate = static_cast<DType>(i);
    if (casts_safely(a, candidate) && casts_safely(b, candidate)) return candidate;
  }
  return DType::complex128;
}

DType result_type(std::span<const DType> typed, std::span<const WeakKind> weak) {
  if (typed.empty() && weak.empty()) {
    throw ValueError("at least one array or dtype is required");
  }
  if (typed.empty()) return default_dtype(*std::max_element(weak.begin(), weak.end()));
  // The highest kind decides first: int8, uint16 and float32 together are float32, though int8 and
  // uint16 alone are int32.
  std::vector<DType> ordered(typed.begin(), typed.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](DType a, DType b) { return kind_of(a) > kind_of(b); });
  DType result = ordered.front();
  for (const DType dtype : ordered) result = promote_types(result, dtype);
  if (weak.empty()) return result;
  return promote_weak(result, *std::max_element(weak.begin(), weak.end()));
}

}  // namespace cupola
