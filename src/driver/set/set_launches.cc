// Kernels on device sets.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/counters.h"
#include "base/mutant.h"
#include "codegen/touched_memory.h"
#include "core/layout.h"
#include "cupola/error.h"
#include "driver/set/set_driver.h"

namespace cupola {

std::shared_ptr<Kernel> SetDriver::build(const KernelPlan& plan, int set) {
  return platform_.build(plan, first_of(set));
}

int SetDriver::kernel_architecture(int set) { return platform_.kernel_architecture(first_of(set)); }

void SetDriver::load(const std::shared_ptr<Kernel>& kernel, int set) {
  for (const int member : members(set)) platform_.load(kernel, member);
}

LaunchStages SetDriver::stages_of(const Kernel& kernel, const LaunchArguments& arguments) {
  return platform_.stages_of(kernel, arguments);
}

void SetDriver::launch_stage(const std::shared_ptr<Kernel>& kernel,
                             const LaunchArguments& arguments, int stage, WorkPart part,
                             void* scratch, StreamHandle stream) {
  platform_.launch_stage(kernel, arguments, stage, part, scratch, SetStream::of(stream).lead());
}

std::shared_ptr<Module> SetDriver::build_module(const ModuleSource& source) {
  return platform_.build_module(source);
}

void SetDriver::compile_functions(std::span<const UserFunction* const> functions, int set) {
  platform_.compile_functions(functions, first_of(set));
}

std::vector<MemberWork> SetDriver::divide_by(const Device& set, const LaunchArguments& arguments,
                                             const OperandSpan& guide) {
  const auto bytes = bytes_along(arguments.extents, guide);
  if (!bytes) return {};
  std::vector<HeldStretch> stretches;
  for (const Piece& piece : pieces_held(set, guide.data(), static_cast<std::size_t>(*bytes))) {
    stretches.push_back(
        {place_among(set.members(), piece.device), piece.data + piece.bytes - guide.data()});
  }
  if (stretches.empty()) return {};
  // Inputs of segments reach further than the iteration space, or less far.
  return divide(arguments.extents, guide, stretches);
}

// By the first operand that lies in the set's memory in the order of the elements; if none does, by
// how much of one each member holds.
std::vector<MemberWork> SetDriver::shares_of(const Device& set, const KernelPlan& plan,
                                             const LaunchArguments& arguments) {
  const std::vector<OperandSpan> operands = operands_in_order(plan, arguments);
  std::vector<MemberWork> by_bytes;
  for (const OperandSpan& operand : operands) {
    const bool rises = elements_below(arguments.extents, operand, 0).has_value();
    if (!rises && !by_bytes.empty()) continue;
    std::vector<MemberWork> work = divide_by(set, arguments, operand);
    if (work.empty()) continue;
    if (rises) return work;
    by_bytes = std::move(work);
  }
  return by_bytes;
}

// Memory of the platform's other allocators is a single device's.
bool SetDriver::is_reached(const Device& set, const void* pointer) {
  if (const StripedBlockPointer block = memory_.find(pointer)) {
    return Device(platform(), block->set).contains(set);
  }
  const PointerKind kind = platform_.describe(pointer).kind;
  return kind == PointerKind::pinned || kind == PointerKind::managed ||
         (kind == PointerKind::unknown && traits().host_shares_memory);
}

bool SetDriver::all_reach(const Device& set, const LaunchArguments& arguments) {
  const auto is_near = [&](const OperandArgument& operand) {
    return operand.pointer == nullptr || is_reached(set, operand.pointer);
  };
  return std::ranges::all_of(arguments.inputs, is_near) &&
         std::ranges::all_of(arguments.outputs, is_near);
}

namespace {

// The most that an operand's elements take up, in bytes.
std::size_t bytes_of(const KernelPlan& plan, const LaunchArguments& arguments) {
  std::size_t item = 1;
  for (const OutputSpec& output : plan.outputs) {
    item = std::max<std::size_t>(item, item_size(output.operand.dtype));
  }
  for (const OperandSpec& input : plan.inputs) {
    item = std::max<std::size_t>(item, item_size(input.dtype));
  }
  return static_cast<std::size_t>(element_count(arguments.extents)) * item;
}

bool is_leads(const std::vector<MemberWork>& work) {
  return std::ranges::all_of(work, [](const MemberWork& each) { return each.member == 0; });
}

bool are_apart(const LaunchStages& stages, const std::vector<MemberWork>& work) {
  return stages.apart > 0 && std::ranges::all_of(work, [&](const MemberWork& each) {
           return each.part.first % stages.apart == 0;
         });
}

bool divides_at(const LaunchStages& stages, int stage) {
  return stages.divides[static_cast<std::size_t>(stage)];
}

bool divides(const LaunchStages& stages) {
  const auto all = std::span(stages.divides).first(static_cast<std::size_t>(stages.count));
  return std::ranges::any_of(all, [](bool each) { return each; });
}

// What the members' first stages touch, and behind it what only the lead does.
struct LaunchMemory {
  std::vector<TouchedMemory> touched;
  std::size_t by_lead = 0;
};

// Nothing: not all of it is known.
std::optional<LaunchMemory> memory_of(const KernelPlan& plan, const LaunchArguments& arguments,
                                      const LaunchStages& stages, const char* scratch) {
  std::vector<TouchedMemory> touched = touched_by(plan, arguments);
  if (!std::ranges::all_of(touched, &TouchedMemory::is_whole)) return std::nullopt;
  if (arguments.mirror != nullptr) {
    const auto* const mirror = static_cast<const char*>(arguments.mirror);
    touched.push_back({mirror, mirror + sizeof(std::uint64_t), true});
  }
  const bool stores_on_lead =
      !stores_results(plan, stages, 0) && !divides_at(stages, stages.count - 1);
  const auto is_read = [](const TouchedMemory& each) { return !each.writes; };
  const auto stored = std::ranges::partition(touched, is_read);
  const std::size_t by_lead = stores_on_lead ? stored.size() : 0;
  touched.insert(stored.begin(), {scratch, scratch + stages.scratch_bytes, true});
  return LaunchMemory{std::move(touched), by_lead};
}

thread_local std::uint64_t gathered = 0;

}  // namespace

void SetDriver::count_gathered() {
  ++gathered;
  count(Counter::gathered_launches);
}

std::uint64_t SetDriver::gathered_by_thread() { return gathered; }

bool SetDriver::is_small(const Device& set, const KernelPlan& plan,
                         const LaunchArguments& arguments) {
  const std::size_t bytes = bytes_of(plan, arguments);
  return bytes == 0 || bytes < threshold(set.index());
}

std::vector<MemberWork> SetDriver::who_runs(const Kernel& kernel, const LaunchArguments& arguments,
                                            int set) {
  const Device device(platform(), set);
  if (!is_small(device, kernel.plan(), arguments)) {
    std::vector<MemberWork> work = shares_of(device, kernel.plan(), arguments);
    if (!is_leads(work) && divides(platform_.stages_of(kernel, arguments)) &&
        all_reach(device, arguments)) {
      return work;
    }
  }
  return {{0, {0, element_count(arguments.extents)}}};
}

// False: nothing was done.
bool SetDriver::launch_divided(SetStream& stream, const std::shared_ptr<Kernel>& kernel,
                               const LaunchArguments& arguments) {
  const std::vector<MemberWork> work = shares_of(stream.set(), kernel->plan(), arguments);
  if (is_leads(work) || CUPOLA_MUTANT(work_on_one_member)) return false;
  const LaunchStages stages = platform_.stages_of(*kernel, arguments);
  if (!divides(stages) || !all_reach(stream.set(), arguments)) {
    count_gathered();
    return false;
  }
  const WorkPart whole{0, element_count(arguments.extents)};
  char* scratch = nullptr;
  if (stages.scratch_bytes > 0) {
    try {
      scratch = static_cast<char*>(stream.scratch(stages.scratch_bytes));
    } catch (const OutOfMemoryError&) {
      count_gathered();
      return false;  // one device may still have the room
    }
  }
  std::optional<Fork> fork;
  if (auto memory = memory_of(kernel->plan(), arguments, stages, scratch)) {
    fork.emplace(stream, std::move(memory->touched), memory->by_lead);
  } else {
    fork.emplace(stream);
  }
  if (stages.zeroed_bytes > 0) {
    platform_.fill_bytes(scratch, 0, stages.zeroed_bytes, fork->behind_all());
  }
  if (stages.set_bytes > 0) {
    platform_.fill_bytes(scratch + stages.zeroed_bytes, 0xFF, stages.set_bytes, fork->behind_all());
  }
  count(Counter::divided_launches);
  bool is_on_lead = stages.zeroed_bytes + stages.set_bytes > 0;  // what the next stage goes on from
  for (int stage = 0; stage < stages.count; ++stage) {
    if (!divides_at(stages, stage)) {
      platform_.launch_stage(
          kernel, arguments, stage, whole, scratch,
          CUPOLA_MUTANT(stages_do_not_wait) ? stream.lead_to_look_at() : fork->behind_all());
      is_on_lead = true;
      continue;
    }
    const bool goes_on = stage == 0 || (divides_at(stages, stage - 1) && are_apart(stages, work));
    if ((is_on_lead || !goes_on) && !CUPOLA_MUTANT(stages_do_not_wait)) fork->next();
    is_on_lead = false;
    for (const MemberWork& each : work) {
      platform_.launch_stage(kernel, arguments, stage, each.part, scratch, fork->on(each.member));
    }
  }
  return true;
}

void SetDriver::launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                       StreamHandle stream) {
  SetStream& set = SetStream::of(stream);
  const bool is_large = !is_small(set.set(), kernel->plan(), arguments);
  if (is_large && launch_divided(set, kernel, arguments)) return;
  platform_.launch(kernel, arguments, set.lead());
}

}  // namespace cupola
