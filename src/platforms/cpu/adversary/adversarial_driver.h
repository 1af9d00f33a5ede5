#pragma once
// The CPU platform, hostile on purpose (CUPOLA_ADVERSARY=seed): a seed picks any legal order of
// the streams, host memory is read as late as is legal, freed memory is poisoned and serves again
// at once, so do handles, chosen calls fail, and each access to memory is checked to be ordered
// after what it depends on. A mistake ends the process with both accesses. A program that is
// right gives the results that it always gives.

#include <initializer_list>
#include <string>
#include <vector>

#include "platforms/cpu/adversary/arena.h"
#include "platforms/cpu/adversary/checker.h"
#include "platforms/cpu/adversary/faults.h"
#include "platforms/cpu/adversary/schedule.h"
#include "platforms/cpu/device/cpu_driver.h"

namespace cupola::cpu::adversary {

// Made before, and destroyed after, the driver itself.
struct Hostility {
  explicit Hostility(const Settings& settings);
  Arena arena;
  Schedule schedule;
  Faults faults;
};

class AdversarialDriver final : private Hostility, public CpuDriver {
 public:
  // settings.adversary is the seed. No work may be left at destruction.
  explicit AdversarialDriver(const Settings& settings, Reporter reporter = report_and_abort);
  ~AdversarialDriver() override;

  // From here on all choices are those of `seed`; for programs that run many tests.
  void restart(std::uint64_t seed, const std::string& failures = {});
  // For the driver of a process, which lives for ever: it goes on in a forked child.
  void survive_forks();
  std::uint64_t failed_calls() const { return faults.failed(); }

  const PlatformTraits& traits() const override {
    static constexpr PlatformTraits kHostile = [] {
      PlatformTraits traits = CpuDriver::kTraits;
      traits.factors_non_finite = false;
      traits.answers_at_once = false;
      return traits;
    }();
    return kHostile;
  }

  void* allocate(int device, std::size_t bytes, MemoryKind kind) override;
  void deallocate(int device, void* pointer, std::size_t bytes, MemoryKind kind) noexcept override;
  void* allocate_async(std::size_t bytes, StreamHandle stream) override;
  void deallocate_async(void* pointer, std::size_t bytes, StreamHandle stream) noexcept override;

  using CpuDriver::create_stream;
  StreamHandle create_stream(int device, const StreamOptions& options) override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void synchronize(StreamHandle stream) override;
  bool is_idle(StreamHandle stream) override;

  using CpuDriver::create_event;
  EventHandle create_event(int device, const EventOptions& options) override;
  void destroy_event(EventHandle event) noexcept override;
  void record(EventHandle event, StreamHandle stream) override;
  void wait(StreamHandle stream, EventHandle event) override;
  bool is_complete(EventHandle event) override;
  void synchronize(EventHandle event) override;

  void copy_from_host(void* target, const void* source, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* target, const void* source, std::size_t bytes,
                    StreamHandle stream) override;
  void copy_from_host_async(void* target, const void* source, std::size_t bytes,
                            StreamHandle stream) override;
  void copy_to_host_async(void* target, const void* source, std::size_t bytes,
                          StreamHandle stream) override;
  void copy_to_caller(void* target, const void* source, std::size_t bytes,
                      StreamHandle stream) override;
  void copy(void* target, int target_device, const void* source, int source_device,
            std::size_t bytes, StreamHandle stream) override;
  void fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                  StreamHandle stream) override;
  void run_on_host(std::function<void()> function, StreamHandle stream) override;
  void run_beside(std::function<void(Done)> begin, StreamHandle stream) override;

  std::shared_ptr<Kernel> build(const KernelPlan& plan, int device) override;
  void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
              StreamHandle stream) override;
  LaunchStages stages_of(const Kernel& kernel, const LaunchArguments& arguments) override;
  std::size_t launch_joined(const std::shared_ptr<Kernel>& kernel,
                            std::span<const LaunchArguments> all, StreamHandle stream) override;
  void launch_stage(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                    int stage, WorkPart part, void* scratch, StreamHandle stream) override;
  void matmul(const MatmulProblem& problem, StreamHandle stream) override;
  void fft(const FftProblem& problem, StreamHandle stream) override;
  void factor(const FactorProblem& problem, StreamHandle stream) override;
  void select(const SelectProblem& problem, StreamHandle stream) override;

  void* allocate_striped(std::span<const StripedPart> parts, std::span<const int> devices) override;
  void deallocate_striped(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void unmap_striped(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void map_striped(void* pointer, std::span<const StripedPart> parts,
                   std::span<const int> devices) override;
  void release_striped(void* pointer, std::size_t bytes) noexcept override;
  void connect(std::span<const int> devices) override;

 protected:
  void* take_memory(std::size_t bytes) noexcept override { return arena.allocate(bytes); }
  void give_memory(void* pointer) noexcept override { arena.free(pointer); }
  void hide_memory(void* pointer, std::size_t) noexcept override { arena.hide(pointer); }
  void show_memory(void* pointer, std::size_t) noexcept override { arena.show(pointer); }

 private:
  Clock submit(StreamHandle stream, const std::string& name,
               std::initializer_list<MemoryAccess> accesses, Caller caller = Caller::goes_on);
  Clock check(StreamHandle stream, const std::string& name, std::vector<MemoryAccess> accesses,
              Caller caller = Caller::goes_on, const LaunchPart& part = {});

  Checker checker_;
};

// The driver of this process, if it is hostile; else null.
AdversarialDriver* hostile_driver();

}  // namespace cupola::cpu::adversary
