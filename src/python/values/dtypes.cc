// Promotion and casting rules for Python, with bfloat16.

#include <array>
#include <string>
#include <vector>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/evaluation.h"
#include "driver/registry.h"
#include "python/functions/direct_function.h"

namespace cupola::python {
namespace {

// A dtype or an array's dtype, or the kind of a Python number.
nb::object common_type(nb::handle items) {
  std::vector<DType> typed;
  std::vector<WeakKind> weak;
  for (nb::handle item : nb::iter(items)) {
    const bool number = PyLong_Check(item.ptr()) || PyFloat_CheckExact(item.ptr()) ||
                        PyComplex_CheckExact(item.ptr());
    if (number) {
      weak.push_back(*required_scalar_from(item).weak_kind());
    } else {
      typed.push_back(dtype_from(item));
    }
  }
  return dtype_object(result_type(typed, weak));
}

nb::object promoted(nb::handle first, nb::handle second) {
  if (first.is_none() || second.is_none()) {
    throw TypeError("did not understand one of the types; 'None' not accepted");
  }
  return dtype_object(promote_types(dtype_from(first), dtype_from(second)));
}

}  // namespace

namespace {

constexpr const char* kPromoteText = R"(The smallest dtype to which both can be cast safely.

Parameters
----------
type1, type2 : dtype

Returns
-------
numpy.dtype, or the dtype of bfloat16

Raises
------
TypeError
    For what is no dtype of arrays.

Examples
--------
>>> import cupola as cp
>>> cp.promote_types("int8", "uint8"), cp.promote_types("int64", "float32")
(dtype('int16'), dtype('float64')))";

}  // namespace

void bind_dtypes(nb::module_& m) {
  m.def("dtype", [](nb::handle object) { return dtype_object(dtype_from(object)); });
  m.def("result_type", common_type);
  DirectFunction<promoted>::define(
      m, {"promote_types", "(type1: DTypeLike, type2: DTypeLike) -> Any", kPromoteText});
  m.def("can_cast", [](nb::handle from, nb::handle to, nb::handle casting) {
    return can_cast(dtype_from(from), dtype_from(to), casting_from(casting));
  });
  m.def("may_share_memory", [](nb::handle a, nb::handle b) {
    const std::array<Array, 2> arrays{array_from(a), array_from(b)};
    {
      Unlocked unlocked;
      evaluate(arrays);
    }
    return may_overlap(arrays[0], arrays[1]);
  });
  m.def("set_blas_path", [](const std::string& path) { cupola_set_blas_path(path.c_str()); });
}

}  // namespace cupola::python
