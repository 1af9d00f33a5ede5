// Kernels that would run, as plain values; python/cupola/_observation/explain.py gives them their
// form.

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <vector>

#include "codegen/plan_description.h"
#include "core/layout.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"
#include "exec/evaluation/dry_run.h"
#include "exec/launch/kernel_cache.h"
#include "exec/observation/bandwidth.h"
#include "exec/observation/launch_log.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

std::string layout_text(const Array& array) {
  if (is_c_contiguous(array)) return "row-major";
  if (is_f_contiguous(array)) return "column-major";
  return "strides " + to_string(strides_of(array));
}

const char* access_text(OperandLayout layout) {
  switch (layout) {
    case OperandLayout::contiguous:
      return "contiguous";
    case OperandLayout::broadcast:
      return "broadcast";
    case OperandLayout::strided:
      return "strided";
    case OperandLayout::indexed:
      return "indexed";
  }
  __builtin_unreachable();
}

nb::dict operand_object(const Array& array, OperandLayout access, std::int64_t bytes) {
  nb::dict result;
  result["address"] = reinterpret_cast<std::uintptr_t>(pointer_of(array));
  result["shape"] = tuple_from(array.shape());
  result["dtype"] = name_of(array.dtype());
  result["layout"] = layout_text(array);
  result["access"] = access_text(access);
  result["bytes"] = bytes;
  return result;
}

// (kind, operation, dtype, values that it reads, operand or scalar)
nb::list steps_object(const KernelPlan& plan, std::span<const Step> steps) {
  nb::list result;
  for (const Step& step : steps) {
    nb::list args;
    for (const std::int16_t arg : arguments_of(plan, step)) args.append(arg);
    const char* kind = step.kind == StepKind::load     ? "load"
                       : step.kind == StepKind::gather ? "gather"
                       : step.kind == StepKind::scalar ? "scalar"
                       : step.kind == StepKind::index  ? "index"
                       : step.kind == StepKind::rank   ? "rank"
                                                       : "operation";
    result.append(nb::make_tuple(kind, operation_name(plan, step), name_of(step.dtype),
                                 nb::tuple(args), step.index));
  }
  return result;
}

// (device, share of the elements); None where that is not known before the kernel is built, and
// for a device that is no set.
nb::object members_object(const Device& device, const DryRunLaunch& planned) {
  const LaunchArguments& arguments = planned.arguments;
  const std::int64_t elements = element_count(arguments.extents);
  if (!device.is_set() || elements == 0) return nb::none();
  SetDriver& sets = set_driver(device.platform());
  if (!is_built(sets, device.index(), planned.plan)) return nb::none();
  const auto kernel = find_kernel(sets, device.index(), planned.plan);
  std::map<std::size_t, std::int64_t> shares;
  for (const MemberWork& work : sets.who_runs(*kernel, arguments, device.index())) {
    shares[work.member] += work.part.end - work.part.first;
  }
  nb::list result;
  for (const auto& [member, share] : shares) {
    result.append(nb::make_tuple(device.member(member),
                                 static_cast<double>(share) / static_cast<double>(elements)));
  }
  return result;
}

nb::dict kernel_object(const DryRunLaunch& planned) {
  const KernelPlan& plan = planned.plan;
  const LaunchArguments& arguments = planned.arguments;
  const Device device = planned.writes.front().device();
  nb::list inputs;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    inputs.append(operand_object(planned.reads[i], plan.inputs[i].layout,
                                 input_bytes(plan, arguments, planned.reads, i)));
  }
  nb::list outputs;
  nb::list output_values;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const OperandSpec& spec = plan.outputs[i].operand;
    outputs.append(operand_object(planned.writes[i], spec.layout,
                                  operand_bytes(spec, arguments.outputs[i], arguments.extents)));
    output_values.append(plan.outputs[i].value);
  }
  nb::list scalars;
  for (const Scalar& scalar : arguments.scalars) scalars.append(scalar_object(scalar));
  nb::dict result;
  result["device"] = device;
  result["place"] = place_object(planned.position);
  result["operations"] = operation_names(plan);
  result["combination"] = combination_name(plan);
  result["extents"] = tuple_from(arguments.extents);
  result["inputs"] = inputs;
  result["outputs"] = outputs;
  result["output_values"] = output_values;
  result["scalars"] = scalars;
  result["steps"] = steps_object(plan, plan.steps);
  const auto* const reduce = std::get_if<ReducePlan>(&plan.own);
  result["finish"] = steps_object(plan, finish_of(plan));
  result["finish_value"] = reduce ? reduce->finish_value : -1;
  result["is_built"] = is_built(driver(device), device.index(), plan);
  result["members"] = members_object(device, planned);
  return result;
}

const char* reason_text(CutReason reason) {
  switch (reason) {
    case CutReason::not_elementwise:
      return "complete only as a whole, before any of it is read";
    case CutReason::read_elsewhere:
      return "read at other places than those computed";
    case CutReason::numbered:
      return "made of the numbers of its own elements";
    case CutReason::too_many_nodes:
      return "one kernel has no more operations";
    case CutReason::too_many_arguments:
      return "one launch has no more arguments";
    case CutReason::repeated:
      return "smaller than what reads it, and would be computed again for each element";
    case CutReason::referenced:
      return "referenced by the program, and no output of the same kernel";
  }
  __builtin_unreachable();
}

// Kernels, and by the addresses of arrays why these are computed by kernels of their own.
nb::tuple explain(const nb::args& args) {
  std::vector<Array> arrays;
  for (nb::handle object : args) arrays.push_back(array_from(object));
  DryRunWork work;
  {
    const Unlocked unlocked;
    work = dry_run_of(arrays);
  }
  nb::list kernels;
  for (const DryRunLaunch& planned : work.launches) kernels.append(kernel_object(planned));
  nb::dict reasons;
  for (const DryRunCut& cut : work.cuts) {
    reasons[nb::int_(cut.address)] = reason_text(cut.reason);
  }
  return nb::make_tuple(kernels, reasons);
}

// Of a library's or a user's kernel, whose inside is not known.
nb::dict named_object(const LoggedLaunch& launch) {
  const auto operands = [](const std::vector<Array>& arrays) {
    nb::list result;
    for (const Array& array : arrays) {
      result.append(operand_object(array, OperandLayout::contiguous, array.nbytes()));
    }
    return result;
  };
  nb::dict result;
  result["device"] = launch.writes.front().device();
  result["place"] = place_object(launch.position);
  result["operations"] = std::vector<std::string>{launch.name};
  result["combination"] = "";
  result["extents"] = tuple_from(launch.writes.front().shape());
  result["inputs"] = operands(launch.reads);
  result["outputs"] = operands(launch.writes);
  result["output_values"] = nb::list();
  result["scalars"] = nb::list();
  result["steps"] = nb::list();
  result["finish"] = nb::list();
  result["finish_value"] = -1;
  result["is_built"] = true;
  result["members"] = nb::none();
  return result;
}

nb::list stop_log() {
  std::vector<LoggedLaunch> launches;
  {
    const Unlocked unlocked;
    launches = stop_launch_log();
  }
  nb::list result;
  for (LoggedLaunch& launch : launches) {
    if (launch.name.empty()) {
      const CallPosition position = launch.position;
      result.append(kernel_object({{std::move(launch)}, position}));
    } else {
      result.append(named_object(launch));
    }
  }
  return result;
}

nb::tuple bandwidth(nb::handle device) {
  const Device found = device_from(device);
  Bandwidth result;
  {
    const Unlocked unlocked;
    result = bandwidth_of(found);
  }
  return nb::make_tuple(result.bytes_per_second, result.source, result.is_peak);
}

}  // namespace

void bind_explanation(nb::module_& m) {
  m.def("explain", explain);
  m.def("start_launch_log", start_launch_log);
  m.def("stop_launch_log", stop_log);
  m.def("bandwidth_of", bandwidth, nb::arg("device"));
}

}  // namespace cupola::python
