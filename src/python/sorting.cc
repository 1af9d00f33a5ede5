// sort, argsort, lexsort, searchsorted.

#include "cupola/ops/sort.h"

#include "cupola/error.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

nb::object sort_of(nb::handle a, nb::handle axis) {
  const Array array = array_like_from(a);
  const auto along = optional_index_from(axis);
  Array result;
  {
    Unlocked unlocked;
    result = sort(array, along);
  }
  return wrap(std::move(result));
}

void sort_in_place_of(nb::handle a, nb::handle axis) {
  const Array array = array_from(a);
  const std::int64_t along = index_from(axis);
  Unlocked unlocked;
  sort_in_place(array, along);
}

nb::object argsort_of(nb::handle a, nb::handle axis) {
  const Array array = array_like_from(a);
  const auto along = optional_index_from(axis);
  Array result;
  {
    Unlocked unlocked;
    result = argsort(array, along);
  }
  return wrap(std::move(result));
}

nb::object lexsort_of(nb::handle keys, nb::handle axis) {
  const std::vector<Array> arrays = arrays_from(keys);
  const std::int64_t along = index_from(axis);
  Array result;
  {
    Unlocked unlocked;
    result = lexsort(arrays, along);
  }
  return wrap(std::move(result));
}

nb::object searchsorted_of(nb::handle a, nb::handle v, bool right) {
  const Array sorted = array_from(a);
  const Array values = array_from(v);
  Array result;
  {
    Unlocked unlocked;
    result = searchsorted(sorted, values, right ? SearchSide::right : SearchSide::left);
  }
  return wrap(std::move(result));
}

}  // namespace

void bind_sorting(nb::module_& m) {
  m.def("sort", sort_of, nb::arg("a").none(), nb::arg("axis").none() = -1);
  m.def("sort_in_place", sort_in_place_of, nb::arg("a"), nb::arg("axis").none() = -1);
  m.def("argsort", argsort_of, nb::arg("a").none(), nb::arg("axis").none() = -1);
  m.def("lexsort", lexsort_of, nb::arg("keys"), nb::arg("axis").none() = -1);
  m.def("searchsorted", searchsorted_of, nb::arg("a"), nb::arg("v"), nb::arg("right") = false);
}

}  // namespace cupola::python
