// `__signature__` of bound functions, which Python code computes (cupola/_array/signatures.py).

#include "python/bindings.h"

namespace cupola::python {
namespace {

// The classes of bound functions are the library's own (NB_DOMAIN) but closed to Python code.
void set_class_attribute(nb::handle kind, nb::handle name, nb::handle value) {
  if (!PyType_Check(kind.ptr())) refuse_type(kind, "kind", "a class");
  if (set_type_attribute(kind.ptr(), name.ptr(), value.ptr()) != 0) throw nb::python_error();
}

}  // namespace

void bind_signatures(nb::module_& m) {
  m.def("set_class_attribute", set_class_attribute, nb::arg("kind"), nb::arg("name"),
        nb::arg("value"));
}

}  // namespace cupola::python
