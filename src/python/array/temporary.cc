#include "python/array/temporary.h"

#include <dlfcn.h>

namespace cupola::python {

namespace {

// From Python 3.14 on, variables too are on the stack without a reference of their own, and this
// tells them apart; no header of the stable ABI has it.
using IsTemporary = int (*)(PyObject*);

IsTemporary find_is_temporary() {
  return reinterpret_cast<IsTemporary>(
      dlsym(RTLD_DEFAULT, "PyUnstable_Object_IsUniqueReferencedTemporary"));
}

}  // namespace

bool is_temporary(nb::handle object, Py_ssize_t owners) {
  static const IsTemporary asks_python = find_is_temporary();
  return asks_python ? asks_python(object.ptr()) != 0 : Py_REFCNT(object.ptr()) <= owners;
}

TemporaryOperand::TemporaryOperand(nb::handle operand, Py_ssize_t owners) {
  const NdArray* const found = find_array(operand);
  if (!found || found->is_uncounted()) return;
  if (!is_stored(found->array()) && is_temporary(operand, owners)) {
    passing_.emplace(found->array());
  }
}

}  // namespace cupola::python
