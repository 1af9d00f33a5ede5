#pragma once
// Everything that a platform can do. Above this interface all code is the same for all platforms.
//
// Threads: every method may be called from any thread at any time. Work on one stream runs in the
// order of the calls; streams are independent of each other until wait() orders them.
// Errors: methods throw DeviceError (or what is said below) with the platform's own message and
// device; methods marked noexcept are silent.
// Nothing here keeps a current device: each call carries its own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "codegen/plan.h"
#include "cupola/device.h"

namespace cupola {

struct DeviceProperties {
  std::string name;
  std::size_t total_memory = 0;  // bytes
  int compute_major = 0;         // CUDA only
  int compute_minor = 0;
  int multiprocessors = 0;       // CPU: threads of the pool
  std::string uuid;
  std::string pci_bus_id;
};

struct MemoryInfo {
  std::size_t free = 0;   // bytes
  std::size_t total = 0;
};

enum class MemoryKind : std::uint8_t { device, pinned, managed };

// Opaque to everything above the platform.
using StreamHandle = struct DriverStream*;
using EventHandle = struct DriverEvent*;

// Belongs to no device: loaded on a device when first launched there.
class Kernel {
 public:
  virtual ~Kernel() = default;
};

class Driver {
 public:
  virtual ~Driver() = default;

  virtual PlatformKind platform() const = 0;
  // Discovery initialises nothing.
  virtual int device_count() = 0;
  virtual DeviceProperties properties(int device) = 0;
  virtual MemoryInfo memory_info(int device) = 0;

  // At least 256-byte aligned. Throws OutOfMemoryError. `bytes` > 0.
  virtual void* allocate(int device, std::size_t bytes, MemoryKind kind) = 0;
  // No work that uses the memory may be in flight.
  virtual void deallocate(int device, void* pointer, std::size_t bytes,
                          MemoryKind kind) noexcept = 0;

  virtual StreamHandle create_stream(int device) = 0;
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;  // after its work is done
  virtual void synchronize(StreamHandle stream) = 0;
  virtual bool is_idle(StreamHandle stream) = 0;

  virtual EventHandle create_event(int device) = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  // Later work on `stream` starts after the work before the last record(event). Does not block.
  virtual void wait(StreamHandle stream, EventHandle event) = 0;
  virtual bool is_complete(EventHandle event) = 0;
  virtual void synchronize(EventHandle event) = 0;

  // `source` has been read when this returns.
  virtual void copy_from_host(void* target, const void* source, std::size_t bytes,
                              StreamHandle stream) = 0;
  // `target` holds the bytes when this returns.
  virtual void copy_to_host(void* target, const void* source, std::size_t bytes,
                            StreamHandle stream) = 0;
  // Between two devices of this platform, or within one; asynchronous. The devices are those
  // of the memory; the stream may belong to either.
  virtual void copy(void* target, int target_device, const void* source, int source_device,
                    std::size_t bytes, StreamHandle stream) = 0;
  // Every byte becomes `value`; asynchronous.
  virtual void fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                          StreamHandle stream) = 0;
  // Runs on a thread of the platform, in stream order. It must not call the driver. Functions of
  // several streams may share a thread: one that blocks delays the others.
  virtual void run_on_host(std::function<void()> function, StreamHandle stream) = 0;

  // Whether KernelCode needs cuda_text.
  virtual bool needs_text() const = 0;
  // `device` says for which architecture. Throws CompileError with the text numbered.
  virtual std::shared_ptr<Kernel> build(const KernelCode& code, int device) = 0;
  // Asynchronous; pointers must stay valid until the work is done. Empty extents do nothing.
  // Throws LaunchError.
  virtual void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                      StreamHandle stream) = 0;
  // Asynchronous. Throws LibraryError when the platform has no BLAS library.
  virtual void matmul(const MatmulProblem& problem, StreamHandle stream) = 0;
};

}  // namespace cupola
