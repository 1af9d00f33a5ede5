#include "platforms/cpu/adversary/adversarial_driver.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "base/process/fork.h"
#include "platforms/cpu/adversary/accesses.h"
#include "platforms/cpu/streams/handles.h"

namespace cupola::cpu::adversary {
namespace {

constexpr std::size_t kMaxAddresses = std::size_t{1} << 40;

// Room for twice the devices' memory and for pinned memory: a block needs a gap that it fits in.
std::size_t addresses_for(const Settings& settings) {
  const std::size_t room = kMaxAddresses / (4 * static_cast<std::size_t>(settings.devices));
  std::size_t memory = 0;
  for (int i = 0; i < settings.devices; ++i) {
    memory += std::min(settings.device_memory.of(i), room);
  }
  return 2 * memory + (std::size_t{16} << 30);
}

// Remembers the plan, which says what a launch touches.
class CheckedKernel final : public Kernel {
 public:
  explicit CheckedKernel(std::shared_ptr<Kernel> kernel)
      : inner(std::move(kernel)), name(describe_plan(inner->plan())) {}
  const KernelPlan& plan() const override { return inner->plan(); }
  const std::shared_ptr<Kernel> inner;
  const std::string name;
};

// Different for launches that work on different memory.
std::size_t hash_of_launch(const Kernel& kernel, const LaunchArguments& arguments, int stage) {
  std::size_t hash = std::hash<const void*>{}(&kernel) + static_cast<std::size_t>(stage);
  const auto add = [&](const void* pointer) {
    hash = hash * 0x9E3779B97F4A7C15u + std::hash<const void*>{}(pointer);
  };
  for (const OperandArgument& input : arguments.inputs) add(input.pointer);
  for (const OperandArgument& output : arguments.outputs) add(output.pointer);
  return hash | 1;
}

MemoryAccess reads(const void* pointer, std::size_t bytes) {
  return {range_of(pointer, bytes), false};
}

MemoryAccess writes(const void* pointer, std::size_t bytes) {
  return {range_of(pointer, bytes), true};
}

std::atomic<AdversarialDriver*> latest_driver{nullptr};

}  // namespace

Hostility::Hostility(const Settings& settings)
    : arena(addresses_for(settings)),
      schedule(settings.adversary.value_or(0)),
      faults(settings.failures, settings.adversary.value_or(0)) {}

AdversarialDriver::AdversarialDriver(const Settings& settings, Reporter reporter)
    : Hostility(settings), CpuDriver(settings, &schedule), checker_(arena, std::move(reporter)) {
  latest_driver = this;
}

AdversarialDriver::~AdversarialDriver() {
  AdversarialDriver* self = this;
  latest_driver.compare_exchange_strong(self, nullptr);
}

AdversarialDriver* hostile_driver() { return latest_driver; }

void AdversarialDriver::restart(std::uint64_t seed, const std::string& failures) {
  schedule.reseed(seed);
  faults.reset(failures, seed);
}

void AdversarialDriver::survive_forks() {
  const auto unlock = [this] {
    for (std::mutex* mutex :
         {&faults.mutex(), &schedule.mutex(), &arena.mutex(), &checker_.mutex()})
      mutex->unlock();
  };
  at_fork(ForkLayer::platform, {[this] {
                                  checker_.mutex().lock();
                                  arena.mutex().lock();
                                  schedule.mutex().lock();
                                  faults.mutex().lock();
                                },
                                unlock,
                                [this, unlock] {
                                  schedule.forget_lost_threads();
                                  checker_.forget_lost_callers();
                                  unlock();
                                }});
}

Clock AdversarialDriver::submit(StreamHandle stream, const std::string& name,
                                std::initializer_list<MemoryAccess> accesses, Caller caller) {
  return check(stream, name, std::vector(accesses), caller);
}

// What is recorded is checked whenever it is launched.
Clock AdversarialDriver::check(StreamHandle stream, const std::string& name,
                               std::vector<MemoryAccess> accesses, Caller caller,
                               const LaunchPart& part) {
  const auto recording = stream->queue->recording();
  if (!recording) return checker_.submit(stream, name, accesses, caller, part);
  recording->add_note(*stream->queue,
                      [this, name, accesses = std::move(accesses), caller, part](StreamHandle on) {
                        check(on, name, accesses, caller, part);
                      });
  return {};
}

void* AdversarialDriver::allocate(int device, std::size_t bytes, MemoryKind kind) {
  faults.allocation("allocate");
  return CpuDriver::allocate(device, bytes, kind);
}

void AdversarialDriver::deallocate(int device, void* pointer, std::size_t bytes,
                                   MemoryKind kind) noexcept {
  if (pointer == nullptr) return;
  checker_.free(pointer, "deallocate");
  CpuDriver::deallocate(device, pointer, bytes, kind);
}

void* AdversarialDriver::allocate_async(std::size_t bytes, StreamHandle stream) {
  // Other streams may use it only in the order of this one.
  void* const pointer = CpuDriver::allocate_async(bytes, stream);
  const MemoryAccess access = writes(pointer, bytes);
  checker_.submit(stream, "allocate_async", {&access, 1});
  return pointer;
}

void AdversarialDriver::deallocate_async(void* pointer, std::size_t bytes,
                                         StreamHandle stream) noexcept {
  if (pointer == nullptr) return;
  // In stream order it is a write; when its turn comes, all that it comes after is over.
  const MemoryAccess access = writes(pointer, bytes);
  const Clock done = checker_.submit(stream, "deallocate_async", {&access, 1});
  stream->queue->enqueue_release([this, pointer, bytes, done, device = stream->queue->device()] {
    checker_.observe(done);
    deallocate(device, pointer, bytes, MemoryKind::device);
  });
}

StreamHandle AdversarialDriver::create_stream(int device, const StreamOptions& options) {
  faults.call("create_stream");
  StreamHandle stream = CpuDriver::create_stream(device, options);
  checker_.add_stream(stream);
  return stream;
}

void AdversarialDriver::destroy_stream(StreamHandle stream) noexcept {
  checker_.remove_stream(stream);
  CpuDriver::destroy_stream(stream);
}

void AdversarialDriver::synchronize(StreamHandle stream) {
  const Clock clock = checker_.clock_of(stream);
  CpuDriver::synchronize(stream);
  checker_.observe(clock);
}

bool AdversarialDriver::is_idle(StreamHandle stream) {
  const Clock clock = checker_.clock_of(stream);
  schedule.polled();
  if (!CpuDriver::is_idle(stream)) return false;
  checker_.observe(clock);
  return true;
}

EventHandle AdversarialDriver::create_event(int device, const EventOptions& options) {
  faults.call("create_event");
  EventHandle event = CpuDriver::create_event(device, options);
  checker_.add_event(event);
  return event;
}

void AdversarialDriver::destroy_event(EventHandle event) noexcept {
  checker_.remove_event(event);
  CpuDriver::destroy_event(event);
}

void AdversarialDriver::record(EventHandle event, StreamHandle stream) {
  faults.call("record");
  if (!is_capturing(stream)) checker_.record(event, stream);
  CpuDriver::record(event, stream);
}

void AdversarialDriver::wait(StreamHandle stream, EventHandle event) {
  faults.call("wait");
  if (!is_capturing(stream) && !event->is_marked()) checker_.wait(stream, event);
  CpuDriver::wait(stream, event);
}

bool AdversarialDriver::is_complete(EventHandle event) {
  const Clock clock = checker_.clock_of(event);
  schedule.polled();
  if (!CpuDriver::is_complete(event)) return false;
  checker_.observe(clock);
  return true;
}

void AdversarialDriver::synchronize(EventHandle event) {
  const Clock clock = checker_.clock_of(event);
  CpuDriver::synchronize(event);
  checker_.observe(clock);
}

void AdversarialDriver::copy_from_host(void* target, const void* source, std::size_t bytes,
                                       StreamHandle stream) {
  if (bytes == 0) return;
  faults.call("copy_from_host");
  submit(stream, "copy_from_host", {writes(target, bytes)},
         bytes > kSnapshotBytes ? Caller::waits : Caller::goes_on);
  CpuDriver::copy_from_host(target, source, bytes, stream);
}

void AdversarialDriver::copy_to_host(void* target, const void* source, std::size_t bytes,
                                     StreamHandle stream) {
  if (bytes == 0) return;
  faults.call("copy_to_host");
  const Clock done = submit(stream, "copy_to_host", {reads(source, bytes)}, Caller::waits);
  CpuDriver::copy_to_host(target, source, bytes, stream);
  checker_.observe(done);
}

void AdversarialDriver::copy_from_host_async(void* target, const void* source, std::size_t bytes,
                                             StreamHandle stream) {
  if (bytes == 0) return;
  faults.call("copy_from_host_async");
  submit(stream, "copy_from_host_async", {reads(source, bytes), writes(target, bytes)});
  CpuDriver::copy_from_host_async(target, source, bytes, stream);
}

void AdversarialDriver::copy_to_host_async(void* target, const void* source, std::size_t bytes,
                                           StreamHandle stream) {
  if (bytes == 0) return;
  faults.call("copy_to_host_async");
  submit(stream, "copy_to_host_async", {reads(source, bytes), writes(target, bytes)});
  CpuDriver::copy_to_host_async(target, source, bytes, stream);
}

void AdversarialDriver::copy_to_caller(void* target, const void* source, std::size_t bytes,
                                       StreamHandle stream) {
  if (bytes == 0) return;
  faults.call("copy_to_caller");
  submit(stream, "copy_to_caller", {reads(source, bytes), writes(target, bytes)}, Caller::waits);
  CpuDriver::copy_to_caller(target, source, bytes, stream);
}

void AdversarialDriver::copy(void* target, int target_device, const void* source, int source_device,
                             std::size_t bytes, StreamHandle stream) {
  faults.call("copy");
  submit(stream, "copy", {reads(source, bytes), writes(target, bytes)});
  CpuDriver::copy(target, target_device, source, source_device, bytes, stream);
}

void AdversarialDriver::fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                                   StreamHandle stream) {
  faults.call("fill_bytes");
  submit(stream, "fill_bytes", {writes(target, bytes)});
  CpuDriver::fill_bytes(target, value, bytes, stream);
}

void AdversarialDriver::run_on_host(std::function<void()> function, StreamHandle stream) {
  faults.call("run_on_host");
  const Clock before = submit(stream, "run_on_host", {});
  CpuDriver::run_on_host(
      [this, before, function = std::move(function)] {
        checker_.observe(before);  // the host runs it, so the host knows
        function();
      },
      stream);
}

void AdversarialDriver::run_beside(std::function<void(Done)> begin, StreamHandle stream) {
  faults.call("run_beside");
  const Clock before = submit(stream, "run_beside", {});
  CpuDriver::run_beside(
      [this, before, begin = std::move(begin)](Done done) {
        checker_.observe(before);
        begin(std::move(done));
      },
      stream);
}

std::shared_ptr<Kernel> AdversarialDriver::build(const KernelPlan& plan, int device) {
  faults.call("build");
  return std::make_shared<CheckedKernel>(CpuDriver::build(plan, device));
}

void AdversarialDriver::launch(const std::shared_ptr<Kernel>& kernel,
                               const LaunchArguments& arguments, StreamHandle stream) {
  faults.call("launch");
  const auto& checked = static_cast<const CheckedKernel&>(*kernel);
  check(stream, checked.name, accesses_of(checked.plan(), arguments));
  CpuDriver::launch(checked.inner, arguments, stream);
}

std::size_t AdversarialDriver::launch_joined(const std::shared_ptr<Kernel>& kernel,
                                             std::span<const LaunchArguments> all,
                                             StreamHandle stream) {
  faults.call("launch");
  const auto& checked = static_cast<const CheckedKernel&>(*kernel);
  for (std::size_t i = all.size(); i-- > 0;) {  // they have no order
    check(stream, checked.name, accesses_of(checked.plan(), all[i]));
    CpuDriver::launch(checked.inner, all[i], stream);
  }
  return all.size();
}

LaunchStages AdversarialDriver::stages_of(const Kernel& kernel, const LaunchArguments& arguments) {
  return CpuDriver::stages_of(*static_cast<const CheckedKernel&>(kernel).inner, arguments);
}

void AdversarialDriver::launch_stage(const std::shared_ptr<Kernel>& kernel,
                                     const LaunchArguments& arguments, int stage, WorkPart part,
                                     void* scratch, StreamHandle stream) {
  faults.call("launch");
  const auto& checked = static_cast<const CheckedKernel&>(*kernel);
  const LaunchStages stages = stages_of(*kernel, arguments);
  std::vector<MemoryAccess> accesses = accesses_of(checked.plan(), arguments);
  if (!stores_results(checked.plan(), stages, stage)) {
    std::erase_if(accesses, [](const MemoryAccess& access) { return access.writes; });
  }
  accesses.push_back(writes(scratch, stages.scratch_bytes));
  if (part.first < part.end) {
    check(stream, checked.name, accesses, Caller::goes_on,
          {hash_of_launch(*kernel, arguments, stage), part});
  }
  CpuDriver::launch_stage(checked.inner, arguments, stage, part, scratch, stream);
}

void AdversarialDriver::matmul(const MatmulProblem& problem, StreamHandle stream) {
  faults.call("matmul");
  check(stream, "matmul", accesses_of(problem));
  CpuDriver::matmul(problem, stream);
}

void AdversarialDriver::fft(const FftProblem& problem, StreamHandle stream) {
  if (problem.rows == 0) return;
  faults.call("fft");
  check(stream, "fft", accesses_of(problem));
  CpuDriver::fft(problem, stream);
}

void AdversarialDriver::factor(const FactorProblem& problem, StreamHandle stream) {
  faults.call("factor");
  check(stream, std::string(name_of(problem.kind)), accesses_of(problem));
  CpuDriver::factor(problem, stream);
}

void AdversarialDriver::select(const SelectProblem& problem, StreamHandle stream) {
  faults.call("select");
  check(stream, "select", accesses_of(problem));
  CpuDriver::select(problem, stream);
}

void* AdversarialDriver::allocate_striped(std::span<const StripedPart> parts,
                                          std::span<const int> devices) {
  faults.allocation("allocate_striped");
  return CpuDriver::allocate_striped(parts, devices);
}

void AdversarialDriver::deallocate_striped(void* pointer,
                                           std::span<const StripedPart> parts) noexcept {
  if (pointer == nullptr) return;
  checker_.free(pointer, "deallocate_striped");
  CpuDriver::deallocate_striped(pointer, parts);
}

void AdversarialDriver::unmap_striped(void* pointer, std::span<const StripedPart> parts) noexcept {
  checker_.free(pointer, "unmap_striped");
  CpuDriver::unmap_striped(pointer, parts);
}

void AdversarialDriver::map_striped(void* pointer, std::span<const StripedPart> parts,
                                    std::span<const int> devices) {
  faults.allocation("map_striped");
  CpuDriver::map_striped(pointer, parts, devices);
}

void AdversarialDriver::release_striped(void* pointer, std::size_t bytes) noexcept {
  CpuDriver::release_striped(pointer, bytes);
}

void AdversarialDriver::connect(std::span<const int> devices) {
  faults.call("connect");
  CpuDriver::connect(devices);
}

}  // namespace cupola::cpu::adversary
