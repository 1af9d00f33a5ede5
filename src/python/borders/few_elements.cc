// Few elements on their way between Python, NumPy and arrays.

#include <memory>
#include <optional>

#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "exec/host/host_access.h"
#include "python/bindings.h"
#include "python/functions/direct_function.h"
#include "python/values/number_lists.h"
#include "runtime/stream.h"

namespace cupola::python {

namespace {

// array() of numbers, lists of few of them and arrays, new and on their device or the current one.
// None: it is for the function itself.
nb::object array_of_few(nb::handle object, nb::handle dtype) {
  const auto wanted = optional_dtype_from(dtype);
  if (const NdArray* const array = wanted ? nullptr : find_plain_array(object)) {
    return wrap(copy(array->array(), 'K'));
  }
  if (is_exactly_numpy_array(object) && !wanted) {
    return wrap(upload(object, current_device(), 'K', {}));
  }
  if (!wanted && is_plain_number(object)) {
    return wrap(array_from_anything(object, current_device()));
  }
  const auto numbers = numbers_from(object, wanted);
  return numbers ? wrap(array_of(*numbers, current_device())) : nb::none();
}

// Whether so few elements lie in the host's memory, and nobody has to wait for them.
bool are_few(nb::handle arrays, nb::handle most) {
  auto left = nb::cast<std::int64_t>(most);
  std::optional<Device> looked_at;
  for (nb::handle object : arrays) {
    const Array array = array_from(object);
    const Device device = array.device();
    left -= array.size();
    if (left < 0 || !host_shares_memory(device)) return false;
    if (device == looked_at) continue;
    const std::shared_ptr<StreamState> stream = current_stream(device);
    if (stream->is_capturing() || !stream->is_idle()) return false;
    looked_at = device;
  }
  return true;
}

nb::object are_few_object(nb::handle arrays, nb::handle most) {
  return nb::bool_(are_few(arrays, most));
}

}  // namespace

void bind_few_elements(nb::module_& m) {
  DirectFunction<array_of_few>::define(
      m, {"array_of_few", "(object: Any, dtype: DTypeLike = None) -> ndarray | None", ""});
  DirectFunction<are_few_object>::define(
      m, {"are_few", "(arrays: Sequence[ndarray], most: int) -> bool", ""});
}

}  // namespace cupola::python
