#include "exec/launcher.h"

#include "driver/registry.h"
#include "exec/kernel_cache.h"
#include "exec/mirror.h"
#include "exec/use_order.h"

namespace cupola {

std::shared_ptr<Kernel> launch(const PlannedLaunch& planned) {
  const Dims& extents = planned.arguments.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return nullptr;
  const std::shared_ptr<StreamState>& stream = current_stream(planned.writes.front().device());
  std::shared_ptr<Kernel> kernel =
      find_kernel(stream->driver(), stream->device().index(), planned.plan);
  launch(kernel, planned);
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

void launch_reduction(const std::shared_ptr<Kernel>& kernel, LaunchArguments& arguments,
                      const Array& read, const Array& written) {
  const std::shared_ptr<StreamState>& stream = current_stream(written.device());
  const std::shared_ptr<Mirror> mirror = make_mirror(*stream, written);
  if (mirror) arguments.mirror = mirror->memory;
  OrderedUse use(stream, {&read, 1}, {&written, 1});
  stream->driver().launch(kernel, arguments, stream->handle());
  use.record();
  if (!mirror) return;
  UseRecord& uses = written.state().storage->uses;  // locked as long as `use` lives
  mirror->write = uses.write;
  uses.mirror = mirror;
}

void launch_matmul(const MatmulProblem& problem, const Array& a, const Array& b, const Array& c) {
  const std::shared_ptr<StreamState>& stream = current_stream(c.device());
  const Array reads[] = {a, b};
  OrderedUse use(stream, reads, {&c, 1});
  stream->driver().matmul(problem, stream->handle());
  use.record();
}

}  // namespace cupola
