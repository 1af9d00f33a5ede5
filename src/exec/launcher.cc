#include "exec/launcher.h"

#include "driver/registry.h"
#include "exec/deferral.h"
#include "exec/kernel_cache.h"
#include "exec/mirror.h"
#include "exec/use_order.h"

namespace cupola {

std::shared_ptr<Kernel> kernel_of(const PlannedLaunch& planned) {
  const Dims& extents = planned.arguments.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return nullptr;
  const std::shared_ptr<StreamState>& stream = current_stream(planned.writes.front().device());
  return find_kernel(stream->driver(), stream->device().index(), planned.plan);
}

std::shared_ptr<Kernel> launch(const PlannedLaunch& planned) {
  std::shared_ptr<Kernel> kernel = kernel_of(planned);
  if (kernel) launch(kernel, planned);
  return kernel;
}

void launch(const std::shared_ptr<Kernel>& kernel, const PlannedLaunch& planned) {
  const std::shared_ptr<StreamState>& stream = current_stream(planned.writes.front().device());
  stream->driver().load(kernel, stream->device().index());  // while the stream waits for nothing
  OrderedUse use(stream, planned.reads, planned.writes);
  stream->driver().launch(kernel, planned.arguments, stream->handle());
  use.record();
}

void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
            const Array& read, const Array& written) {
  const std::shared_ptr<StreamState>& stream = current_stream(written.device());
  OrderedUse use(stream, {&read, 1}, {&written, 1});
  stream->driver().launch(kernel, arguments, stream->handle());
  use.record();
}

void launch_reduction(const std::shared_ptr<Kernel>& kernel, PlannedLaunch& planned) {
  if (!kernel) return;
  const Array& written = planned.writes.front();
  const std::shared_ptr<StreamState>& stream = current_stream(written.device());
  stream->driver().load(kernel, stream->device().index());  // while the stream waits for nothing
  const std::shared_ptr<Mirror> mirror =
      planned.plan.kind == PlanKind::reduce || planned.plan.kind == PlanKind::arg_reduce
          ? make_mirror(*stream, written)
          : nullptr;
  if (mirror) planned.arguments.mirror = mirror->memory;
  OrderedUse use(stream, planned.reads, planned.writes);
  stream->driver().launch(kernel, planned.arguments, stream->handle());
  use.record();
  if (!mirror) return;
  UseRecord& uses = written.state().storage->uses;  // locked as long as `use` lives
  mirror->write = uses.write;
  uses.mirror = mirror;
}

void launch_matmul(const MatmulProblem& problem, const Array& a, const Array& b, const Array& c) {
  const std::shared_ptr<StreamState>& stream = current_stream(c.device());
  compute_readers(c);
  const Array reads[] = {a, b};
  OrderedUse use(stream, reads, {&c, 1});
  stream->driver().matmul(problem, stream->handle());
  use.record();
}

}  // namespace cupola
