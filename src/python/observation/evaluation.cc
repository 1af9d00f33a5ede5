// When pending arrays are computed.

#include "cupola/evaluation.h"

#include <vector>

#include "base/process/kernel_check.h"
#include "core/array_state.h"
#include "exec/launch/at_once.h"
#include "python/bindings.h"

namespace cupola::python {

void bind_evaluation(nb::module_& m) {
  m.def("evaluate", [](const nb::args& args) {
    std::vector<Array> arrays;
    for (nb::handle object : args) arrays.push_back(array_from(object));
    if (evaluate_at_once(arrays)) return;
    Unlocked unlocked;
    evaluate(arrays);
  });
  m.def(
      "is_pending", [](nb::handle object) { return !is_stored(array_from(object)); },
      nb::arg("array"));
  m.def("eager", [] {
    return deferral() == Deferral::of_many ? nb::object(nb::none()) : nb::bool_(is_eager());
  });
  m.def(
      "set_eager",
      [](nb::handle eager) {
        if (eager.is_none()) return set_deferral(Deferral::of_many);
        set_deferral(PyObject_IsTrue(eager.ptr()) == 1 ? Deferral::of_none : Deferral::of_all);
      },
      nb::arg("eager").none());
  m.def("checks_kernels", checks_kernels);
  m.def("set_checks_kernels", set_checks_kernels, nb::arg("on"));
}

}  // namespace cupola::python
