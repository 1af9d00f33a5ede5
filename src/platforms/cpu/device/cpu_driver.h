#pragma once
// The CPU as a platform: emulated devices with memory budgets and asynchronous streams.

#include <atomic>
#include <deque>
#include <memory>

#include "base/threads/mutex.h"
#include "driver/driver.h"
#include "driver/peer_pairs.h"
#include "platforms/cpu/device/allocations.h"
#include "platforms/cpu/device/settings.h"
#include "platforms/cpu/interpreter/loops.h"
#include "platforms/cpu/ordering/value_sort.h"
#include "platforms/cpu/streams/scheduler.h"

namespace cupola::cpu {

class CpuDriver : public Driver {
 public:
  explicit CpuDriver(const Settings& settings) : CpuDriver(settings, nullptr) {}

  PlatformKind platform() const override { return PlatformKind::cpu; }
  static constexpr PlatformTraits kTraits{.pageable_is_direct = true,
                                          .host_shares_memory = true,
                                          .answers_at_once = true,
                                          .bytes_per_second = 1e10,
                                          .survives_fork = true,
                                          .most_tallied = 1 << 16,  // of each thread, in its caches
                                          .tally_checks_places = true,
                                          .tally_keeps_order = true,
                                          .selects_any_rows = true,
                                          .sets_select = true,
                                          .factors_non_finite = true,
                                          .checks_memory_of_kernels = true};
  const PlatformTraits& traits() const override { return kTraits; }
  int device_count() override { return settings_.devices; }
  DeviceProperties properties(int device) override;
  MemoryInfo memory_info(int device) override;
  std::vector<std::pair<std::string, int>> attributes(int device) override;
  bool can_access_peer(int device, int peer) override;
  bool has_context(int device) override;
  std::exception_ptr fault(int device) override;
  void clear_fault(int device) override;

  void* allocate(int device, std::size_t bytes, MemoryKind kind) override;
  void deallocate(int device, void* pointer, std::size_t bytes, MemoryKind kind) noexcept override;
  void* allocate_async(std::size_t bytes, StreamHandle stream) override;
  void deallocate_async(void* pointer, std::size_t bytes, StreamHandle stream) noexcept override;
  void trim_async(int device) override;
  void pin_host(int device, void* pointer, std::size_t bytes) override;
  void unpin_host(void* pointer) noexcept override;
  PointerInfo describe(const void* pointer) override;
  void advise(void* pointer, std::size_t bytes, MemoryAdvice advice, int device) override;
  void prefetch(void* pointer, std::size_t bytes, int device, StreamHandle stream) override;

  using Driver::create_stream;
  StreamHandle create_stream(int device, const StreamOptions& options) override;
  StreamHandle adopt_stream(int device, void* native) override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void synchronize(StreamHandle stream) override;
  bool is_idle(StreamHandle stream) override;

  using Driver::create_event;
  EventHandle create_event(int device, const EventOptions& options) override;
  void destroy_event(EventHandle event) noexcept override;
  void record(EventHandle event, StreamHandle stream) override;
  void wait(StreamHandle stream, EventHandle event) override;
  bool is_complete(EventHandle event) override;
  void synchronize(EventHandle event) override;
  double elapsed_milliseconds(EventHandle first, EventHandle last) override;

  void begin_capture(StreamHandle stream) override;
  bool is_capturing(StreamHandle stream) override;
  std::shared_ptr<WorkGraph> end_capture(StreamHandle stream) override;

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

  bool compiles_plans() const override { return false; }
  bool sorts_long_rows(DType key) const override { return sorts_long_values(key); }
  std::shared_ptr<Kernel> build(const KernelPlan& plan, int device) override;
  void load(const std::shared_ptr<Kernel>&, int) override {}
  void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
              StreamHandle stream) override;
  HostLoop host_loop(UfuncId id, const DType* inputs, std::optional<int> one) const override;
  HostLoop host_cast(DType from, DType to) const override { return find_cast(from, to); }
  HostReduction host_reduction(UfuncId id, DType dtype) const override;
  HostReduction host_arg_reduction(UfuncId id, DType dtype) const override;
  HostReduction host_scan(UfuncId id, DType dtype) const override;
  HostReduction host_sort(DType dtype) const override;
  HostReduction host_argsort(DType dtype) const override;
  HostProduct host_product(const MatmulProblem& problem) const override;
  HostLoop host_select(std::size_t item_size) const override { return find_select(item_size); }
  HostLoop host_function(const UserFunction& function) const override;
  LaunchStages stages_of(const Kernel& kernel, const LaunchArguments& arguments) override;
  void launch_stage(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                    int stage, WorkPart part, void* scratch, StreamHandle stream) override;
  void matmul(const MatmulProblem& problem, StreamHandle stream) override;
  void fft(const FftProblem& problem, StreamHandle stream) override;
  FftPlanCount fft_plans(int device) override;
  void keep_fft_plans(int device, std::size_t most) override;
  bool can_transform_columns(const FftProblem& problem) const override;
  void factor(const FactorProblem& problem, StreamHandle stream) override;
  std::int64_t most_selected(DType dtype, std::int64_t length) const override;
  bool parts_rows(DType dtype) const override;
  void select(const SelectProblem& problem, StreamHandle stream) override;
  std::shared_ptr<Module> build_module(const ModuleSource& source) override;
  void compile_functions(std::span<const UserFunction* const> functions, int device) override;

  SharedMemory create_shared(int device, std::size_t bytes) override;
  SharedMemory map_shared(int device, int descriptor, std::size_t bytes) override;
  void unmap_shared(int device, const SharedMemory& memory) noexcept override;

  std::size_t stripe_granularity(int device) override;
  void* allocate_striped(std::span<const StripedPart> parts, std::span<const int> devices) override;
  void deallocate_striped(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void unmap_striped(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void map_striped(void* pointer, std::span<const StripedPart> parts,
                   std::span<const int> devices) override;
  void release_striped(void* pointer, std::size_t bytes) noexcept override;
  void connect(std::span<const int> devices) override;

 protected:
  // copy_from_host() takes a snapshot of at most so much and otherwise waits for its turn.
  static constexpr std::size_t kSnapshotBytes = std::size_t{256} << 10;

  // A hostile platform has its own schedule and memory. The scheduler, if any, outlives the driver.
  CpuDriver(const Settings& settings, Scheduler* scheduler);
  virtual void* take_memory(std::size_t bytes) noexcept;  // null when there is none
  virtual void give_memory(void* pointer) noexcept;
  // Nobody may use the memory, which may go meanwhile, until it is shown again.
  virtual void hide_memory(void* pointer, std::size_t bytes) noexcept;
  virtual void show_memory(void* pointer, std::size_t bytes) noexcept;
  const Settings& settings() const { return settings_; }

 private:
  void check_device(int device) const;
  void check_managed(const void* pointer, int device) const;
  SharedMemory map_descriptor(int device, int descriptor, std::size_t bytes);
  // Takes `bytes` of the device's budget for a request of `asked`, a part of one of `whole` bytes,
  // if any. Throws OutOfMemoryError.
  void charge(int device, std::size_t bytes, std::size_t asked, std::size_t whole = 0);
  void discharge(int device, std::size_t bytes) noexcept;
  // All the parts, or none.
  void charge_parts(std::span<const StripedPart> parts, std::size_t whole);
  // What describe() says of the parts.
  void add_parts(const void* pointer, std::span<const StripedPart> parts);
  void remove_parts(const void* pointer, std::span<const StripedPart> parts) noexcept;
  // As settings().bad_pairs says; null for a pair that is good.
  const BadPair* bad_pair(int device, int peer) const;
  bool data_arrives(int device, int peer);

  const Settings settings_;
  Scheduler* const scheduler_;
  std::deque<std::atomic<std::size_t>> in_use_;  // bytes of each device
  Mutex striping_;
  Allocations allocations_;
  PeerPairs peers_;
};

}  // namespace cupola::cpu
