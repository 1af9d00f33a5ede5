#include "exec/observation/observed_launch.h"

#include <algorithm>

#include "exec/launch/kernel_cache.h"
#include "exec/observation/launch_log.h"

namespace cupola {

namespace {

// Null for kernels that are not elementwise, or change no operand.
const void* updated_by(const KernelPlan& plan, const LaunchArguments& arguments) {
  if (plan.kind() != PlanKind::map || plan.outputs.size() != 1) return nullptr;
  if (plan.outputs[0].store != StoreKind::plain) return nullptr;
  const void* const target = arguments.outputs[0].pointer;
  const bool is_read =
      std::any_of(arguments.inputs.begin(), arguments.inputs.end(),
                  [target](const OperandArgument& input) { return input.pointer == target; });
  return is_read ? target : nullptr;
}

}  // namespace

Work kernel_work(StreamState& stream, const Kernel& kernel, const LaunchArguments& arguments,
                 std::span<const Array> reads) {
  const KernelPlan* plan = plan_of(kernel);
  if (!plan) return {.kind = WorkKind::kernel, .name = "kernel", .stream = stream};
  const Traffic traffic = traffic_of(*plan, arguments, reads);
  return {.kind = WorkKind::kernel,
          .name = operations_text(*plan),
          .bytes_read = traffic.read,
          .bytes_written = traffic.written,
          .stream = stream,
          .updated = updated_by(*plan, arguments)};
}

Work named_work(StreamState& stream, std::string name, std::span<const Array> reads,
                std::span<const Array> writes) {
  if (is_logging_launches()) log_launch(name, reads, writes);
  Work work{.kind = WorkKind::kernel, .name = std::move(name), .stream = stream};
  for (const Array& array : reads) work.bytes_read += array.nbytes();
  for (const Array& array : writes) work.bytes_written += array.nbytes();
  return work;
}

}  // namespace cupola
