#include "exec/observed_launch.h"

#include "exec/kernel_cache.h"

namespace cupola {

Work kernel_work(StreamState& stream, const Kernel& kernel, const LaunchArguments& arguments,
                 std::span<const Array> reads) {
  const KernelPlan* plan = plan_of(kernel);
  if (!plan) return {.kind = WorkKind::kernel, .name = "kernel", .stream = stream};
  const Traffic traffic = traffic_of(*plan, arguments, reads);
  return {.kind = WorkKind::kernel,
          .name = operations_text(*plan),
          .bytes_read = traffic.read,
          .bytes_written = traffic.written,
          .stream = stream};
}

Work named_work(StreamState& stream, std::string name, std::span<const Array> reads,
                std::span<const Array> writes) {
  Work work{.kind = WorkKind::kernel, .name = std::move(name), .stream = stream};
  for (const Array& array : reads) work.bytes_read += array.nbytes();
  for (const Array& array : writes) work.bytes_written += array.nbytes();
  return work;
}

}  // namespace cupola
