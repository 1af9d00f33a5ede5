#pragma once
// The CPU as a platform: emulated devices with memory budgets and asynchronous streams.

#include <atomic>
#include <deque>
#include <memory>

#include "driver/driver.h"
#include "platforms/cpu/settings.h"

namespace cupola::cpu {

class CpuDriver final : public Driver {
 public:
  explicit CpuDriver(const Settings& settings);

  PlatformKind platform() const override { return PlatformKind::cpu; }
  int device_count() override { return settings_.devices; }
  DeviceProperties properties(int device) override;
  MemoryInfo memory_info(int device) override;

  void* allocate(int device, std::size_t bytes, MemoryKind kind) override;
  void deallocate(int device, void* pointer, std::size_t bytes, MemoryKind kind) noexcept override;

  StreamHandle create_stream(int device) override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void synchronize(StreamHandle stream) override;
  bool is_idle(StreamHandle stream) override;

  EventHandle create_event(int device) override;
  void destroy_event(EventHandle event) noexcept override;
  void record(EventHandle event, StreamHandle stream) override;
  void wait(StreamHandle stream, EventHandle event) override;
  bool is_complete(EventHandle event) override;
  void synchronize(EventHandle event) override;

  void copy_from_host(void* target, const void* source, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* target, const void* source, std::size_t bytes,
                    StreamHandle stream) override;
  void copy(void* target, int target_device, const void* source, int source_device,
            std::size_t bytes, StreamHandle stream) override;
  void fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                  StreamHandle stream) override;
  void run_on_host(std::function<void()> function, StreamHandle stream) override;

  bool needs_text() const override { return false; }
  std::shared_ptr<Kernel> build(const KernelCode& code, int device) override;
  void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
              StreamHandle stream) override;
  void matmul(const MatmulProblem& problem, StreamHandle stream) override;

 private:
  void check_device(int device) const;

  const Settings settings_;
  std::deque<std::atomic<std::size_t>> in_use_;  // bytes of each device
};

}  // namespace cupola::cpu
