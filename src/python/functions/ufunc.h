#pragma once
// The object behind `cupola.add` and all other universal functions.

#include <span>

#include "core/ufunc.h"
#include "cupola/ops/ufunc_signature.h"
#include "python/bindings.h"

namespace cupola::python {

struct Ufunc {
  UfuncId id;
  vectorcallfunc vectorcall = nullptr;  // where the class says that it is: ufunc_calls.cc
  const UfuncInfo& info() const { return ufunc_info(id); }
};
using UfuncClass = nb::class_<Ufunc>;

// An int or a float, of no derived class.
inline bool is_python_number(nb::handle object) {
  return PyFloat_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr());
}

// An operand of a call: beside an array, or alone where `beside` is null.
Operand ufunc_operand_from(const UfuncInfo& info, nb::handle object, const Array* beside);
nb::object call_with_arguments(const Ufunc& self, const nb::args& args, const nb::kwargs& kwargs);
// A function of one output, without options; throws for others.
Array call_plain(UfuncId id, std::span<const Operand> operands);
// True (everywhere) gives no array.
Array where_from(nb::handle object);
// The types that `signature=` fixes: a tuple with an entry per operand, or text like "ff->f".
UfuncSignature signature_from(const UfuncInfo& info, nb::handle object);
// A dtype, or what a number of Python's class bool, int, float or complex is.
OperandType operand_type_from(nb::handle object);
// Of the class, once its calls are bound.
nb::object make_ufunc_object(UfuncId id);
void bind_ufunc_calls(UfuncClass& cls);
void bind_ufunc_methods(UfuncClass& cls);
void bind_ufunc_dtypes(UfuncClass& cls);

}  // namespace cupola::python
