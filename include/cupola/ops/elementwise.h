#pragma once
// Universal functions and what is built from them. Operands broadcast and promote as in NumPy 2;
// C++ numbers are weak scalars: they adapt to the arrays (float32 array + 2.0 is float32).
//
// Errors: ValueError for shapes that do not broadcast, TypeError for unsupported dtypes,
// CastingError for refused casts, DeviceError for operands on different devices.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cupola/array.h"
#include "cupola/axes.h"
#include "cupola/operand.h"
#include "cupola/scalar.h"

namespace cupola {

enum class UfuncId : std::uint16_t;

struct UfuncOptions {
  std::vector<Array> out{};      // empty, or one per output; an entry may be no array
  Array where{};                 // bool; elements where false keep out's value
  std::optional<DType> dtype{};  // of the computation, as NumPy's dtype=
  Casting casting = Casting::same_kind;
  char order = 'K';
  std::optional<Device> device{};  // when no operand is an array; default: the current device
};

// One array per output (the given `out` where there was one). Nothing is changed when it throws.
std::vector<Array> call_ufunc(UfuncId ufunc, std::span<const Operand> operands,
                              const UfuncOptions& options = {});

// The same for a ufunc of one output.
Array apply_ufunc(UfuncId ufunc, std::span<const Operand> operands);

struct ReduceOptions {
  Axes axes{};  // all when absent
  bool keepdims = false;
  std::optional<DType> dtype{};  // of accumulation and result
  Array out{};
  Array where{};  // bool, broadcasts against the input
  std::optional<Operand> initial{};
};

// The methods of a ufunc with two inputs and one output, as NumPy's ufunc.reduce, .accumulate,
// .outer, .at and .reduceat.
Array reduce_ufunc(UfuncId ufunc, const Array& a, const ReduceOptions& options = {});
Array accumulate_ufunc(UfuncId ufunc, const Array& a, std::int64_t axis = 0,
                       std::optional<DType> dtype = std::nullopt, const Array& out = {});
Array outer_ufunc(UfuncId ufunc, const Operand& a, const Operand& b,
                  const UfuncOptions& options = {});
// Also for ufuncs with one input (`b` absent). `indices` is an index as in index.h with one
// integer array or one boolean array for the first dimension.
void at_ufunc(UfuncId ufunc, const Array& a, const Array& indices,
              const std::optional<Operand>& b = std::nullopt);
Array reduceat_ufunc(UfuncId ufunc, const Array& a, const Array& indices, std::int64_t axis = 0,
                     std::optional<DType> dtype = std::nullopt, const Array& out = {});

// numpy.where(condition, x, y).
Array where(const Operand& condition, const Operand& x, const Operand& y);
// numpy.clip; a bound may be absent.
Array clip(const Operand& a, const std::optional<Operand>& low, const std::optional<Operand>& high,
           const UfuncOptions& options = {});

// A copy of another dtype and order; `copy` false returns `a` itself where nothing changes.
Array astype(const Array& a, DType dtype, Casting casting = Casting::unsafe_, char order = 'K',
             bool copy = true);
Array copy(const Array& a, char order = 'C');
// target[...] = value, with broadcasting. Throws ValueError when target is not writable.
void assign(const Array& target, const Operand& value, Casting casting = Casting::same_kind,
            const Array& where = {});

}  // namespace cupola
