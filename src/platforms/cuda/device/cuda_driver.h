#pragma once
// The CUDA platform.

#include "driver/driver.h"
#include "driver/peer_pairs.h"

namespace cupola::cuda {

class CudaDriver : public Driver {
 public:
  PlatformKind platform() const override { return PlatformKind::cuda; }
  const PlatformTraits& traits() const override {
    static constexpr PlatformTraits kTraits{.host_may_poll = true,
                                            .has_legacy_stream = true,
                                            .reads_whole_words = true,
                                            .most_tallied = kMaxTallied};
    return kTraits;
  }
  int device_count() override;
  DeviceProperties properties(int device) override;
  MemoryInfo memory_info(int device) override;
  std::vector<std::pair<std::string, int>> attributes(int device) override;
  bool can_access_peer(int device, int peer) override;
  int driver_version() override;
  int runtime_version() override;
  bool is_initialized() override;
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

  std::pair<int, int> stream_priorities(int device) override;
  using Driver::create_stream;
  StreamHandle create_stream(int device, const StreamOptions& options) override;
  StreamHandle adopt_stream(int device, void* native) override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void synchronize(StreamHandle stream) override;
  bool is_idle(StreamHandle stream) override;
  void* native_handle(StreamHandle stream) override;
  std::uint64_t native_id(StreamHandle stream) override;

  using Driver::create_event;
  EventHandle create_event(int device, const EventOptions& options) override;
  void* native_handle(EventHandle event) override;
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
  void copy_from_pinned_async(void* target, const void* source, std::size_t bytes,
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

  bool compiles_plans() const override { return true; }
  int kernel_architecture(int device) override;
  std::shared_ptr<Kernel> build(const KernelPlan& plan, int device) override;
  void load(const std::shared_ptr<Kernel>& kernel, int device) override;
  bool is_loading() const override;
  void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
              StreamHandle stream) override;
  std::size_t launch_joined(const std::shared_ptr<Kernel>& kernel,
                            std::span<const LaunchArguments> all, StreamHandle stream) override;
  void load_joined() noexcept override;
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

 private:
  bool data_arrives(int device, int peer);

  PeerPairs peers_;
};

}  // namespace cupola::cuda
