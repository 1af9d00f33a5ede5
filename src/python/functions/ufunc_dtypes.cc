// `ufunc.resolve_dtypes`: the types that a call would be computed in.

#include <optional>
#include <string>
#include <vector>

#include "core/logical_ufuncs.h"
#include "core/ufunc_signature.h"
#include "cupola/error.h"
#include "python/functions/ufunc.h"

namespace cupola::python {
namespace {

constexpr const char* kText = R"(The types in which operands of some types are computed.

Parameters
----------
dtypes : tuple
    An entry for each input and output: a dtype, or int, float or complex for such a number. Of an
    output, None: any.
signature : tuple or str, optional
    Types that are fixed, as in a call.
casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
    Which conversions are allowed.
reduction : bool, optional
    Of `reduce`: the first entry is its output and may be None.

Returns
-------
tuple of dtypes
    Of the inputs and outputs.

Raises
------
TypeError
    For an entry that is missing, types that are not supported, and forbidden conversions.

Examples
--------
>>> import cupola as cp
>>> cp.add.resolve_dtypes((cp.dtype("int8"), float, None))
(dtype('float64'), dtype('float64'), dtype('float64')))";

// Sums and products of integers narrower than 64 bits are computed in 64.
DType reduced_type(UfuncId id, DType type) {
  if (id != UfuncId::add && id != UfuncId::multiply) return type;
  if (type == DType::bool_ || kind_of(type) == DTypeKind::signed_integer) return DType::int64;
  return kind_of(type) == DTypeKind::unsigned_integer ? DType::uint64 : type;
}

void check_cast(const UfuncInfo& info, const char* what, DType from, DType to, Casting casting) {
  if (can_cast(from, to, casting)) return;
  throw TypeError("Cannot cast ufunc '" + std::string(info.name) + "' " + what + " from " +
                  std::string(name_of(from)) + " to " + std::string(name_of(to)));
}

nb::tuple resolve_dtypes(const Ufunc& self, nb::handle dtypes, nb::handle signature,
                         nb::handle casting, bool reduction) {
  const UfuncInfo& info = self.info();
  const auto inputs = static_cast<std::size_t>(info.input_count);
  const std::size_t count = inputs + static_cast<std::size_t>(info.output_count);
  if (reduction && (inputs != 2 || info.output_count != 1)) {
    throw ValueError("ufunc is not compatible with reduction operations.");
  }
  if (!PyTuple_Check(dtypes.ptr()) || nb::len(dtypes) != count) {
    throw TypeError("resolve_dtypes: The dtypes must be a tuple of `ufunc.nargs` length.");
  }
  std::vector<nb::object> entries;
  for (nb::handle entry : nb::iter(dtypes)) entries.push_back(nb::borrow(entry));
  if (reduction && !entries[2].is_none()) {
    throw TypeError("a reduction's output is the first of its dtypes, not the last");
  }
  const nb::object reduced_to = reduction ? entries[0] : nb::none();
  if (reduction && reduced_to.is_none()) entries[0] = entries[1];
  std::vector<OperandType> operands;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (entries[i].is_none()) {
      throw TypeError("All input dtypes must be provided (except the first one in reductions)");
    }
    operands.push_back(operand_type_from(entries[i]));
  }
  UfuncSignature fixed;
  if (!signature.is_none()) fixed = signature_from(info, signature);
  if (reduction && fixed.empty() && reduced_to.is_none()) {
    for (OperandType& each : operands) each.dtype = reduced_type(self.id, each.dtype);
  }
  const bool is_of_one_type = !reduction && operands.size() == 2 && !operands[0].weak &&
                              !operands[1].weak && operands[0].dtype == operands[1].dtype;
  if (is_logical(self.id) && fixed.empty() && !is_of_one_type) {
    for (OperandType& each : operands) each = {DType::bool_, std::nullopt};
  }
  const Casting rule = casting_from(casting);
  const UfuncLoop& loop = fixed.empty() ? resolve_ufunc(self.id, operands, std::nullopt, rule)
                                        : resolve_ufunc_with(self.id, operands, fixed, rule);
  if (reduction && loop.types[0] != loop.types[2]) {  // the output is combined with elements
    throw TypeError("No loop matching the specified signature and casting was found for ufunc " +
                    std::string(info.name));
  }
  if (!reduced_to.is_none()) {
    check_cast(info, "output", loop.types[2], dtype_from(reduced_to), rule);
  }
  nb::list result;
  for (std::size_t i = 0; i < count; ++i) {
    const DType type = loop.types[i];
    if (i >= inputs && !entries[i].is_none()) {
      check_cast(info, "output", type, dtype_from(entries[i]), rule);
    } else if (i < inputs && !operands[i].weak && !reduction) {
      check_cast(info, "input", operands[i].dtype, type, rule);
    }
    result.append(dtype_object(type));
  }
  return nb::tuple(result);
}

}  // namespace

OperandType operand_type_from(nb::handle object) {
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    return {DType::bool_, WeakKind::boolean};
  }
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    return {DType::int64, WeakKind::integer};
  }
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    return {DType::float64, WeakKind::floating};
  }
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyComplex_Type)) {
    return {DType::complex128, WeakKind::complex};
  }
  return {dtype_from(object), std::nullopt};
}

void bind_ufunc_dtypes(UfuncClass& cls) {
  cls.def("resolve_dtypes", resolve_dtypes, nb::arg("dtypes").none(), nb::kw_only(),
          nb::arg("signature").none() = nb::none(), nb::arg("casting").none() = "same_kind",
          nb::arg("reduction") = false, kText);
}

}  // namespace cupola::python
