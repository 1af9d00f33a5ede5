// sort, argsort, lexsort, searchsorted.

#include "cupola/ops/sort.h"

#include "cupola/error.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

// What `compute` returns; others may run meanwhile.
template <typename Function>
nb::object computed(const Function& compute) {
  Array result;
  {
    Unlocked unlocked;
    result = compute();
  }
  return wrap(std::move(result));
}

nb::object sort_of(nb::handle a, nb::handle axis) {
  const Array array = array_like_from(a);
  const auto along = optional_index_from(axis);
  return computed([&] { return sort(array, along); });
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
  return computed([&] { return argsort(array, along); });
}

nb::object select_ranks_of(nb::handle rows, nb::handle ranks) {
  const Array array = array_from(rows), places = array_from(ranks);
  return computed([&] { return select_ranks(array, places); });
}

nb::object partition_of(nb::handle a, const std::vector<std::int64_t>& kth, nb::handle axis) {
  const Array array = array_like_from(a);
  const auto along = optional_index_from(axis);
  return computed([&] { return partition(array, kth, along); });
}

void partition_in_place_of(nb::handle a, const std::vector<std::int64_t>& kth, nb::handle axis) {
  const Array array = array_from(a);
  const std::int64_t along = index_from(axis);
  Unlocked unlocked;
  partition_in_place(array, kth, along);
}

nb::object argpartition_of(nb::handle a, const std::vector<std::int64_t>& kth, nb::handle axis) {
  const Array array = array_like_from(a);
  const auto along = optional_index_from(axis);
  return computed([&] { return argpartition(array, kth, along); });
}

nb::object lexsort_of(nb::handle keys, nb::handle axis) {
  const std::vector<Array> arrays = arrays_from(keys);
  const std::int64_t along = index_from(axis);
  return computed([&] { return lexsort(arrays, along); });
}

nb::object searchsorted_of(nb::handle a, nb::handle v, bool right) {
  const Array sorted = array_from(a);
  const Array values = array_from(v);
  return computed(
      [&] { return searchsorted(sorted, values, right ? SearchSide::right : SearchSide::left); });
}

}  // namespace

void bind_sorting(nb::module_& m) {
  m.def("sort", sort_of, nb::arg("a").none(), nb::arg("axis").none() = -1);
  m.def("sort_in_place", sort_in_place_of, nb::arg("a").none(), nb::arg("axis").none() = -1);
  m.def("argsort", argsort_of, nb::arg("a").none(), nb::arg("axis").none() = -1);
  m.def("select_ranks", select_ranks_of, nb::arg("rows").none(), nb::arg("ranks").none());
  m.def("partition", partition_of, nb::arg("a").none(), nb::arg("kth"),
        nb::arg("axis").none() = -1);
  m.def("partition_in_place", partition_in_place_of, nb::arg("a").none(), nb::arg("kth"),
        nb::arg("axis").none() = -1);
  m.def("argpartition", argpartition_of, nb::arg("a").none(), nb::arg("kth"),
        nb::arg("axis").none() = -1);
  m.def("lexsort", lexsort_of, nb::arg("keys").none(), nb::arg("axis").none() = -1);
  m.def("searchsorted", searchsorted_of, nb::arg("a").none(), nb::arg("v").none(),
        nb::arg("right") = false);
}

}  // namespace cupola::python
