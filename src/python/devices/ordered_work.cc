// Work that other libraries, or the host, do with the memory of arrays, in the order of the arrays'
// other uses.

#include <vector>

#include "cupola/evaluation.h"
#include "exec/evaluation/deferral.h"
#include "exec/lending/lending.h"
#include "python/devices/streams.h"

namespace cupola::python {
namespace {

// Arrays that are pending read the memory as it is.
void prepare(std::span<const Array> reads, std::span<const Array> writes) {
  evaluate(reads);
  evaluate(writes);
  for (const Array& written : writes) compute_readers(written);
}

// Later work on the stream comes after all uses so far. Returns the platform's handle of it.
std::uintptr_t begin(nb::handle reads, nb::handle writes, nb::handle stream) {
  const std::vector<Array> sources = arrays_from(reads);
  const std::vector<Array> targets = arrays_from(writes);
  const Device device = (targets.empty() ? sources : targets).at(0).device();
  const Stream chosen = stream_from(stream, device);
  Unlocked unlocked;
  prepare(sources, targets);
  for (const Array& source : sources) order_after_uses(source, *chosen.state());
  for (const Array& target : targets) order_after_uses(target, *chosen.state());
  return reinterpret_cast<std::uintptr_t>(chosen.native_handle());
}

// Later uses come after the work that is on the stream now.
void end(nb::handle reads, nb::handle writes, nb::handle stream) {
  const std::vector<Array> sources = arrays_from(reads);
  const std::vector<Array> targets = arrays_from(writes);
  const Device device = (targets.empty() ? sources : targets).at(0).device();
  const Stream chosen = stream_from(stream, device);
  Unlocked unlocked;
  for (const Array& source : sources) note_return(source, chosen.state());
  for (const Array& target : targets) note_ready(target, chosen.state());
}

// Blocks until the host may read and write the memory.
void finish(nb::handle reads, nb::handle writes) {
  const std::vector<Array> sources = arrays_from(reads);
  const std::vector<Array> targets = arrays_from(writes);
  Unlocked unlocked;
  prepare(sources, targets);
  for (const Array& source : sources) finish_uses(source);
  for (const Array& target : targets) finish_uses(target);
}

}  // namespace

void bind_ordered_work(nb::module_& m) {
  m.def("begin_ordered_work", begin, nb::arg("reads"), nb::arg("writes"),
        nb::arg("stream") = nb::none());
  m.def("end_ordered_work", end, nb::arg("reads"), nb::arg("writes"),
        nb::arg("stream") = nb::none());
  m.def("finish_uses", finish, nb::arg("reads"), nb::arg("writes"));
}

}  // namespace cupola::python
