#pragma once
// The keyword arguments that all reductions share.

#include "python/bindings.h"

namespace cupola::python {

struct [[gnu::visibility("hidden")]] ReduceArguments {
  nb::handle axis;
  nb::handle dtype;
  nb::handle out;
  bool keepdims;
  nb::handle initial;
  nb::handle where;
};

// numpy._NoValue: the argument was not given.
nb::object no_value();
bool is_given(nb::handle argument);
ReduceOptions reduce_options(const Array& array, const ReduceArguments& arguments);
// With initial=None a sum of elements that all are -0.0 is -0.0 as well.
void start_from_nothing(const Array& array, nb::handle initial, ReduceOptions& options);
// Axis 0 and -1 of an array of rank 0 mean no axis, unless they stand in a tuple.
std::optional<Dims> reduce_axes(const Array& array, nb::handle axis);
std::optional<std::int64_t> single_axis(const Array& array, nb::handle axis);
// How many elements make one of the result.
std::int64_t count_along(const Array& array, const std::optional<Dims>& axes);

// Of a[mask], which no variable of the program has and whose elements nobody counted, the whole
// array and its mask, where that gives the same.
struct WholeReduction {
  Array values;
  ReduceOptions options;
};
std::optional<WholeReduction> whole_reduction(nb::handle a, const ReduceArguments& arguments);

}  // namespace cupola::python
