#include "exec/launch/launcher.h"

#include "base/counters.h"
#include "driver/registry.h"
#include "exec/evaluation/deferral.h"
#include "exec/launch/kernel_cache.h"
#include "exec/launch/known_launch.h"
#include "exec/observation/launch_log.h"
#include "exec/observation/observed_launch.h"

namespace cupola {

namespace {

// Where the kernel is loaded, while the stream waits for nothing.
const std::shared_ptr<StreamState>& stream_to_launch_on(const std::shared_ptr<Kernel>& kernel,
                                                        const Array& written) {
  const std::shared_ptr<StreamState>& stream = current_stream(written.device());
  stream->driver().load(kernel, stream->device().index());
  return stream;
}

bool launches_known(const LaunchKey& key, std::span<const Array> targets) {
  KnownLaunch* const known = find_known(key);
  if (!known) return false;
  KernelUse use(known->kernel(), ArrayPointers(key.arrays()), targets, known->may_mirror());
  use.launch(known->arguments(key, targets, use.mirror_memory()));
  return true;
}

std::vector<Array> targets_of(std::span<const Write> writes) {
  std::vector<Array> targets;
  targets.reserve(writes.size());
  for (const Write& write : writes) targets.push_back(write.target);
  return targets;
}

}  // namespace

void launch_writes(std::span<const Write> writes) {
  const std::vector<Array> targets = targets_of(writes);
  const LaunchKey key(writes);
  if (launches_known(key, targets)) return;
  const PlannedLaunch planned = plan_map(writes);
  remember(key, planned, launch(planned));
}

void launch_reduction(const Array& reduction, const Array& target, const Array& result) {
  const LaunchKey key(reduction, result, target, pointer_of(target));
  if (launches_known(key, {&target, 1})) return;
  const PlannedLaunch planned =
      plan_reduction(reduction, target, is_same(reduction, result) ? Array() : result);
  remember(key, planned, launch(planned));
}

void launch_rows(std::span<const Write> writes, const RowSpace& rows) {
  const std::vector<Array> targets = targets_of(writes);
  const LaunchKey key(writes, rows);
  if (launches_known(key, targets)) return;
  const PlannedLaunch planned = plan_rows(writes, rows);
  remember(key, planned, launch(planned));
}

std::shared_ptr<Kernel> kernel_of(const PlannedLaunch& planned) {
  const Dims& extents = planned.arguments.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return nullptr;
  const std::shared_ptr<StreamState>& stream = current_stream(planned.writes.front().device());
  return find_kernel(stream->driver(), stream->device().index(), planned.plan);
}

KernelUse::KernelUse(const std::shared_ptr<Kernel>& kernel, ArrayPointers reads,
                     std::span<const Array> writes, bool may_mirror)
    : kernel_(kernel),
      reads_(reads),
      writes_(writes),
      stream_(stream_to_launch_on(kernel, writes.front())),
      mirror_(may_mirror ? make_mirror(*stream_, writes.front()) : nullptr),
      use_(stream_, reads, writes) {}

void KernelUse::launch(const LaunchArguments& arguments) {
  const ObservedWork observed([&] {
    if (const KernelPlan* plan = plan_of(*kernel_); plan && is_logging_launches()) {
      log_launch(*plan, arguments, reads_, writes_);
    }
    return kernel_work(*stream_, *kernel_, arguments);
  });
  stream_->driver().launch(kernel_, arguments, stream_->handle());
  count(Counter::launches);
  use_.record();
  if (mirror_) set_mirror(writes_.front().state().storage->uses, mirror_);  // locked by use_
}

std::shared_ptr<Kernel> launch(const PlannedLaunch& planned) {
  const std::shared_ptr<Kernel> kernel = kernel_of(planned);
  if (!kernel) return kernel;
  std::vector<const Array*> reads;
  for (const Array& array : planned.reads) reads.push_back(&array);
  KernelUse use(kernel, ArrayPointers(reads), planned.writes, may_mirror(planned.plan));
  LaunchArguments arguments = planned.arguments;
  arguments.mirror = use.mirror_memory();
  use.launch(arguments);
  return kernel;
}

bool may_mirror(const KernelPlan& plan) {
  return is_reduction(plan.kind()) || (plan.kind() == PlanKind::rows && plan.outputs.size() == 1 &&
                                       plan.outputs[0].operand.per_row);
}

void launch_matmul(const MatmulProblem& problem, const Array& a, const Array& b, const Array& c) {
  const std::shared_ptr<StreamState>& stream = current_stream(c.device());
  compute_readers(c);
  const Array reads[] = {a, b};
  OrderedUse use(stream, reads, {&c, 1});
  const ObservedWork observed([&] {
    Work work = named_work(*stream, "matmul", reads, {&c, 1});
    work.is_matrix_vector = (problem.m == 1) != (problem.n == 1) && problem.k > 1;
    return work;
  });
  stream->driver().matmul(problem, stream->handle());
  use.record();
}

void launch_fft(const FftProblem& problem, const Array& in, const Array& out) {
  const std::shared_ptr<StreamState>& stream = current_stream(out.device());
  compute_readers(out);
  OrderedUse use(stream, {&in, 1}, {&out, 1});
  const ObservedWork observed([&] { return named_work(*stream, "fft", {&in, 1}, {&out, 1}); });
  stream->driver().fft(problem, stream->handle());
  use.record();
}

bool can_transform_columns(const FftProblem& problem, const Array& a) {
  return current_stream(a.device())->driver().can_transform_columns(problem);
}

void launch_factor(const FactorProblem& problem, std::span<const Array> arrays) {
  const std::shared_ptr<StreamState>& stream = current_stream(arrays.front().device());
  OrderedUse use(stream, std::span<const Array>{}, arrays);
  const ObservedWork observed(
      [&] { return named_work(*stream, std::string(name_of(problem.kind)), {}, arrays); });
  stream->driver().factor(problem, stream->handle());
  use.record();
}

std::int64_t most_selected(const Array& rows) {
  const Driver& driver = current_stream(rows.device())->driver();
  return driver.most_selected(rows.dtype(), rows.shape().back());
}

bool parts_rows(const Array& rows) {
  const Driver& driver = current_stream(rows.device())->driver();
  return driver.parts_rows(rows.dtype());
}

void launch_select(const SelectProblem& problem, const Array& in, const Array& ranks,
                   std::span<const Array> outputs) {
  const std::shared_ptr<StreamState>& stream = current_stream(outputs.front().device());
  const Array reads[] = {in, ranks};
  OrderedUse use(stream, reads, outputs);
  const ObservedWork observed([&] { return named_work(*stream, "select", reads, outputs); });
  stream->driver().select(problem, stream->handle());
  use.record();
}

}  // namespace cupola
