#pragma once
// The least that a platform must have (docs/dev/adding_a_platform.md): one device whose memory is
// the host's and whose streams do their work at the call. It renders and compiles nothing. Behind
// each method stand the functions of HIP that take its place.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "driver/driver.h"

namespace cupola::skeleton {

class SkeletonDriver final : public Driver {
 public:
  explicit SkeletonDriver(std::size_t memory) : total_(memory) {}

  // -- Device facts: a kind of its own in cupola/device.h
  PlatformKind platform() const override { return PlatformKind::cuda; }
  const PlatformTraits& traits() const override {
    static constexpr PlatformTraits kTraits{};
    return kTraits;
  }
  int device_count() override { return 1; }          // hipGetDeviceCount
  DeviceProperties properties(int device) override;  // hipGetDeviceProperties
  MemoryInfo memory_info(int device) override;       // hipMemGetInfo

  // -- Memory: hipMalloc, hipHostMalloc, hipMallocManaged; hipFree, hipHostFree;
  // hipPointerGetAttributes
  void* allocate(int device, std::size_t bytes, MemoryKind kind) override;
  void deallocate(int device, void* pointer, std::size_t bytes, MemoryKind kind) noexcept override;
  PointerInfo describe(const void* pointer) override;

  // -- Streams: hipStreamCreateWithPriority, hipStreamDestroy, hipStreamSynchronize,
  // hipStreamQuery
  StreamHandle create_stream(int device, const StreamOptions& options) override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void synchronize(StreamHandle) override {}
  bool is_idle(StreamHandle) override { return true; }
  // hipEventCreateWithFlags, hipEventDestroy, hipEventRecord, hipStreamWaitEvent, hipEventQuery,
  // hipEventSynchronize, hipEventElapsedTime
  EventHandle create_event(int device, const EventOptions& options) override;
  void destroy_event(EventHandle event) noexcept override;
  void record(EventHandle event, StreamHandle stream) override;
  void wait(StreamHandle, EventHandle) override {}
  bool is_complete(EventHandle) override { return true; }
  void synchronize(EventHandle) override {}
  double elapsed_milliseconds(EventHandle first, EventHandle last) override;
  // hipLaunchHostFunc; run_beside(): the same, and a wait for a word in pinned memory
  void run_on_host(std::function<void()> function, StreamHandle stream) override;
  void run_beside(std::function<void(Done)> begin, StreamHandle stream) override;

  // -- Transfers: hipMemcpyAsync, hipMemcpyPeerAsync, hipMemsetAsync
  void copy_from_host(void* target, const void* source, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* target, const void* source, std::size_t bytes,
                    StreamHandle stream) override;
  void copy_from_host_async(void* target, const void* source, std::size_t bytes,
                            StreamHandle stream) override;
  void copy_to_host_async(void* target, const void* source, std::size_t bytes,
                          StreamHandle stream) override;
  void copy(void* target, int target_device, const void* source, int source_device,
            std::size_t bytes, StreamHandle stream) override;
  void fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                  StreamHandle stream) override;

  // -- Kernels: a text for the plan (codegen/cuda, with HIP's names), hiprtcCompileProgram;
  // hipModuleLoadData, hipModuleGetFunction; hipModuleLaunchKernel
  bool compiles_plans() const override { return true; }
  std::shared_ptr<Kernel> build(const KernelPlan& plan, int device) override;
  void load(const std::shared_ptr<Kernel>&, int) override {}
  void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
              StreamHandle stream) override;

 private:
  void check_device(int device) const;

  const std::size_t total_;  // bytes
  std::mutex mutex_;
  std::size_t used_ = 0;
  std::map<const std::byte*, std::pair<std::size_t, MemoryKind>> blocks_;
};

}  // namespace cupola::skeleton
