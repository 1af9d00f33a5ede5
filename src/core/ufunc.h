#pragma once
// The table of universal functions. One row of cupola/opdefs/ufuncs.def is the only definition of
// an operation: from it come the type resolution, the CPU loops, the CUDA text, the C++ function,
// the Python object and the test row.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cupola/dtype.h"
#include "cupola/opdefs/ufunc_id.h"

namespace cupola {

// One supported combination of types: inputs first, then outputs.
struct UfuncLoop {
  std::array<DType, 4> types;
  std::uint8_t input_count;
  std::uint8_t output_count;
  DType input(int i) const { return types[static_cast<std::size_t>(i)]; }
  DType output(int i) const { return types[static_cast<std::size_t>(input_count + i)]; }
  friend bool operator==(const UfuncLoop&, const UfuncLoop&) = default;
};

// What an empty reduction gives, and where a reduction starts.
enum class Identity : std::uint8_t { none, zero, one, minus_one, minus_infinity, false_, true_ };

struct UfuncInfo {
  UfuncId id;
  std::string_view name;
  int input_count;
  int output_count;
  Identity identity;
  // Associative and commutative: a reduction may combine in any order.
  bool reorderable;
  // Text of the expression per output, in terms of a, b, c (the inputs, already of compute type).
  std::array<std::string_view, 2> expressions;
  std::span<const UfuncLoop> loops;
  std::string_view doc;
  // Float16 and BFloat16 reach the expression as they are, not widened to float.
  bool raw_halves;
};

// Whether a result depends on the position of its element alone, besides numbers.
constexpr bool is_random(UfuncId id) {
  return id >= UfuncId::random_uint32 && id <= UfuncId::exponential_float64;
}
// Whether a row's text is that of distributions.
constexpr bool is_distribution(UfuncId id) {
  return id >= UfuncId::random_gamma && id <= UfuncId::portable_exp;
}
// Operations of a few instructions; all others are long enough to keep a thread busy.
bool is_cheap(UfuncId id);

inline constexpr int kUfuncCount = 0
#define CUPOLA_UFUNC(NAME, ...) +1
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
    ;

// In the order of UfuncId.
std::span<const UfuncInfo> all_ufuncs();
// Without those of the library's own.
std::span<const UfuncInfo> public_ufuncs();
const UfuncInfo& ufunc_info(UfuncId id);
// Of the public ones, also by NumPy's aliases ("abs", "mod", "true_divide", "acos", "pow", ...).
std::optional<UfuncId> find_ufunc(std::string_view name);

// The other names under which NumPy has an operation.
struct UfuncAlias {
  std::string_view name;
  UfuncId id;
};
std::span<const UfuncAlias> ufunc_aliases();

// The type of an operand: a dtype, or the kind of a weak Python scalar.
struct OperandType {
  DType dtype;
  std::optional<WeakKind> weak;
};

// The first loop that takes the operands by safe casts (NumPy's rule with NEP 50), or, with
// `dtype` (the dtype= argument), the loop whose output is that type, the inputs being castable
// under `casting`. Throws TypeError that names the ufunc, the dtypes and `casting`.
const UfuncLoop& resolve_ufunc(UfuncId id, std::span<const OperandType> operands,
                               std::optional<DType> dtype = std::nullopt,
                               Casting casting = Casting::same_kind);

}  // namespace cupola
