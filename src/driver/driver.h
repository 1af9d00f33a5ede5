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
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/launch_parts.h"
#include "codegen/plan.h"
#include "cupola/device.h"
#include "cupola/stream_options.h"
#include "driver/factor_problem.h"
#include "driver/fft_problem.h"
#include "driver/graph.h"
#include "driver/module.h"

namespace cupola {

struct SelectProblem;

struct DeviceProperties {
  std::string name;
  std::size_t total_memory = 0;  // bytes
  int compute_major = 0;         // CUDA only
  int compute_minor = 0;
  int multiprocessors = 0;  // CPU: threads of the pool
  // Short operations on an element that take no longer than to store it and to read it again.
  int free_operations = 0;
  std::string uuid;
  std::string pci_bus_id;
};

struct MemoryInfo {
  std::size_t free = 0;  // bytes
  std::size_t total = 0;
};

enum class MemoryKind : std::uint8_t { device, pinned, managed };

enum class PointerKind : std::uint8_t {
  unknown,  // pageable host memory, or memory of others
  device,
  pinned,
  managed
};
struct PointerInfo {
  PointerKind kind = PointerKind::unknown;
  int device = -1;  // that the memory belongs to; -1: none
};

enum class MemoryAdvice : std::uint8_t {
  read_mostly,
  unset_read_mostly,
  preferred_location,
  unset_preferred_location,
  accessed_by,
  unset_accessed_by
};
// Of prefetch and advise.
inline constexpr int kHostLocation = -1;

// Device memory that several processes can map, by a file descriptor that is handed from one to
// the other. The system keeps the memory for as long as any process maps it or holds a descriptor
// of it, and no longer: the end of a process, however it comes, leaves nothing behind.
struct SharedMemory {
  void* pointer = nullptr;  // 256-byte aligned; differs between processes
  std::size_t bytes = 0;    // whole pages of the platform
  int descriptor = -1;      // closed with the mapping; duplicates of it go to other processes
};

// Of memory that lies on several devices, in the order of addresses.
struct StripedPart {
  int device = 0;
  std::size_t bytes = 0;  // > 0, whole multiples of the device's stripe_granularity()
};

struct TransferTraits {
  // Asynchronous copies use pageable memory as they use pinned memory.
  bool pageable_is_direct = false;
  // The host may poll pinned memory for what a kernel writes there.
  bool host_may_poll = false;
  // Memory of devices is the host's own, which it may read and write where no work uses it.
  bool host_shares_memory = false;
};

// Belongs to no device: loaded on a device when first launched there.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const KernelPlan& plan() const = 0;  // what it was built from
};

// output[i] = f(inputs[0][i], ...) of elements in memory of the host. The output may be an input.
using HostLoop = void (*)(const void* const* inputs, void* output, std::int64_t count);
// What `count` > 0 values, one after the other in memory, are combined to.
using HostReduction = void (*)(UfuncId combine, DType dtype, const void* values, std::int64_t count,
                               void* result);
using HostProduct = void (*)(const MatmulProblem& problem);

class Driver {
 public:
  virtual ~Driver() = default;

  virtual PlatformKind platform() const = 0;
  // Discovery initialises nothing.
  virtual int device_count() = 0;
  virtual DeviceProperties properties(int device) = 0;
  virtual MemoryInfo memory_info(int device) = 0;

  // Of the device, by CUDA's names without "cudaDevAttr" ("WarpSize"). May initialise the platform,
  // makes no context.
  virtual std::vector<std::pair<std::string, int>> attributes(int device) = 0;
  // Whether kernels on `device` can reach the memory of `peer`.
  virtual bool can_access_peer(int device, int peer) = 0;
  // 13000 for 13.0: what the installed driver supports, and what is in use. 0 on the CPU.
  virtual int driver_version() = 0;
  virtual int runtime_version() = 0;
  // By anybody in this process; asking does not initialise.
  virtual bool is_initialized() = 0;
  // Whether anybody made the device's primary context; asking makes none.
  virtual bool has_context(int device) = 0;

  // -- Health
  // What the device's work failed with; null while it is healthy. See driver/health.h.
  virtual std::exception_ptr fault(int device) = 0;
  // Makes a failed device usable again, where that can be: DeviceError says why it cannot.
  virtual void clear_fault(int device) = 0;

  // At least 256-byte aligned. Throws OutOfMemoryError. `bytes` > 0.
  virtual void* allocate(int device, std::size_t bytes, MemoryKind kind) = 0;
  // No work that uses the memory may be in flight.
  virtual void deallocate(int device, void* pointer, std::size_t bytes,
                          MemoryKind kind) noexcept = 0;

  // -- Memory
  // From the platform's own stream-ordered allocator: usable in the order of `stream`. As allocate
  // otherwise, and `stream` says which device.
  virtual void* allocate_async(std::size_t bytes, StreamHandle stream) = 0;
  // Given back once the work so far on `stream` is done; work before it may use the memory.
  virtual void deallocate_async(void* pointer, std::size_t bytes, StreamHandle stream) noexcept = 0;
  // Gives what that allocator keeps for reuse on a device back to the system.
  virtual void trim_async(int device) = 0;
  // Makes host memory of others fit for asynchronous copies of every device; `device` is the one
  // that is asked to. Throws ValueError if a part of it is pinned already.
  virtual void pin_host(int device, void* pointer, std::size_t bytes) = 0;
  // Of memory that pin_host made so, by its first address; no copy may be using it.
  virtual void unpin_host(void* pointer) noexcept = 0;
  // Any address, also one within a block. Makes no context and initialises nothing.
  virtual PointerInfo describe(const void* pointer) = 0;
  // Of managed memory; ValueError for other memory. `device` may be kHostLocation.
  virtual void advise(void* pointer, std::size_t bytes, MemoryAdvice advice, int device) = 0;
  virtual void prefetch(void* pointer, std::size_t bytes, int device, StreamHandle stream) = 0;

  // -- Streams and events
  // Of the device: the least, and the greatest, which is the lower number.
  virtual std::pair<int, int> stream_priorities(int device) = 0;
  StreamHandle create_stream(int device) { return create_stream(device, StreamOptions{}); }
  virtual StreamHandle create_stream(int device, const StreamOptions& options) = 0;
  // A stream of others, by its native handle (CUstream; 0 and 1: the legacy default stream, 2: the
  // calling thread's). Throws DeviceError where there are none. destroy_stream() leaves the native
  // stream alone.
  virtual StreamHandle adopt_stream(int device, void* native) = 0;
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;  // after its work is done
  // The platform's own stream, to be given to its modules and to driver/beside.h; that of the first
  // device where several devices are one.
  virtual StreamHandle of_platform(StreamHandle stream) { return stream; }
  // The platform's own handle (CUstream); null on the CPU.
  virtual void* native_handle(StreamHandle stream) = 0;
  // Of the native stream, never reused by the platform; 0 on the CPU.
  virtual std::uint64_t native_id(StreamHandle stream) = 0;
  virtual void synchronize(StreamHandle stream) = 0;
  virtual bool is_idle(StreamHandle stream) = 0;

  EventHandle create_event(int device) { return create_event(device, EventOptions{}); }
  // Throws ValueError for options that exclude each other.
  virtual EventHandle create_event(int device, const EventOptions& options) = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  // The platform's own handle (CUevent); null on the CPU.
  virtual void* native_handle(EventHandle event) = 0;
  // The stream must be one of the event's device.
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  // Later work on `stream` starts after the work before the last record(event). Does not block.
  virtual void wait(StreamHandle stream, EventHandle event) = 0;
  virtual bool is_complete(EventHandle event) = 0;
  virtual void synchronize(EventHandle event) = 0;
  // Between the last records of the two. Throws ValueError unless both were made with timing, were
  // recorded and are complete.
  virtual double elapsed_milliseconds(EventHandle first, EventHandle last) = 0;

  // -- Graphs
  // From here on work that is put on the stream is recorded instead of run. A stream joins the
  // capture by waiting for an event that was recorded in it, which also orders the two, and must be
  // waited for before the end. Calls that read on the host or wait for the stream, copies from and
  // to callers and functions that run beside it throw CaptureError (unsupported); synchronize() and
  // is_idle(), which is false then, spoil the capture as well. So does a wait for an event that
  // was not recorded in it (isolation). Memory may be allocated and given back meanwhile; that is
  // no part of the capture.
  // Throws CaptureError where the stream cannot be captured, or is being captured already.
  virtual void begin_capture(StreamHandle stream) = 0;
  virtual bool is_capturing(StreamHandle stream) = 0;
  // Of the stream that the capture began on. All of its streams leave the capture, whatever is
  // thrown: CaptureError for one that was spoilt, and for streams that joined and were not waited
  // for. Of another stream the call throws and spoils the capture.
  virtual std::shared_ptr<WorkGraph> end_capture(StreamHandle stream) = 0;

  // `source` has been read when this returns.
  virtual void copy_from_host(void* target, const void* source, std::size_t bytes,
                              StreamHandle stream) = 0;
  // `target` holds the bytes when this returns.
  virtual void copy_to_host(void* target, const void* source, std::size_t bytes,
                            StreamHandle stream) = 0;

  // -- Transfers
  virtual TransferTraits transfer_traits() const = 0;
  // Without a copy on the way: `source` is read, or `target` written, at any time until the work is
  // done. Where pageable memory is not direct, the call may block for it.
  virtual void copy_from_host_async(void* target, const void* source, std::size_t bytes,
                                    StreamHandle stream) = 0;
  virtual void copy_to_host_async(void* target, const void* source, std::size_t bytes,
                                  StreamHandle stream) = 0;
  // As copy_from_host_async, from memory that allocate() has made pinned. The platform may go
  // another way where many streams copy.
  virtual void copy_from_pinned_async(void* target, const void* source, std::size_t bytes,
                                      StreamHandle stream) {
    copy_from_host_async(target, source, bytes, stream);
  }

  // As copy_to_host_async, to a caller that waits for the stream before it goes on: `target` may be
  // on its stack. A forked child does not have that caller, and does not do what had not begun.
  virtual void copy_to_caller(void* target, const void* source, std::size_t bytes,
                              StreamHandle stream) {
    copy_to_host_async(target, source, bytes, stream);
  }

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
  // `begin` runs as run_on_host() does, and later work on the stream starts only after the function
  // that it is given was called, once, from any thread. Meanwhile no thread waits.
  using Done = std::function<void()>;
  virtual void run_beside(std::function<void(Done)> begin, StreamHandle stream) = 0;

  // Whether KernelCode needs cuda_text.
  virtual bool needs_text() const = 0;
  // Whether a kernel with StoreKind::sort that stores keys of this dtype, and nothing else, takes
  // rows of any length.
  virtual bool sorts_long_rows(DType) const { return false; }
  // `device` says for which architecture. Throws CompileError with the text numbered.
  virtual std::shared_ptr<Kernel> build(const KernelCode& code, int device) = 0;
  // Makes it ready to be launched on the device, where that takes more than build(). It may wait
  // for all work there; so may a launch() without it.
  virtual void load(const std::shared_ptr<Kernel>& kernel, int device) = 0;
  // Whether some thread is at that just now, so that calls of others may take as long, or
  // load_joined() has something to do.
  virtual bool is_loading() const { return false; }
  // Asynchronous; pointers must stay valid until the work is done. Empty extents do nothing.
  // Throws LaunchError.
  virtual void launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                      StreamHandle stream) = 0;

  // Loops that the calling thread may run itself, with the bits of a launch; null: there is no such
  // loop. Of a ufunc with one result and inputs of these types; `one` is the input of which it
  // reads a single element.
  virtual HostLoop host_loop(UfuncId, const DType* /*inputs*/, std::optional<int> /*one*/) const {
    return nullptr;
  }
  virtual HostLoop host_cast(DType /*from*/, DType /*to*/) const { return nullptr; }
  virtual HostReduction host_reduction(UfuncId, DType) const { return nullptr; }
  // The number, int64, of the first largest or smallest value, or the first NaN.
  virtual HostReduction host_arg_reduction(UfuncId, DType) const { return nullptr; }
  // Of few elements.
  virtual HostProduct host_product(const MatmulProblem&) const { return nullptr; }
  // inputs[0][i] ? inputs[1][i] : inputs[2][i]
  virtual HostLoop host_select(std::size_t /*item_size*/) const { return nullptr; }

  // As launch() for some of the first launches of one kernel, which need not wait for each other,
  // by one launch of the platform. Returns how many; 0, and nothing done, where it gains nothing.
  virtual std::size_t launch_joined(const std::shared_ptr<Kernel>& /*kernel*/,
                                    std::span<const LaunchArguments> /*all*/,
                                    StreamHandle /*stream*/) {
    return 0;
  }
  // Loads, as load() does, what launch_joined() has been found to lack.
  virtual void load_joined() noexcept {}

  // -- Launches in parts: see codegen/launch_parts.h. The stages of a launch, each whole or as
  // parts that make up all elements, on streams of any devices, give the bits of launch(). Throws
  // LaunchError, as launch() does.
  virtual LaunchStages stages_of(const Kernel& kernel, const LaunchArguments& arguments) = 0;
  // Asynchronous. A part may be empty; of a stage that does not divide it must be all elements.
  // `scratch` is the same for all stages and parts: memory of the size and contents that
  // stages_of() asks for, 256-byte aligned, which all devices in question reach; null where none is
  // asked for. Each stage comes after all parts of the one before. Loads the kernel where the
  // stream is, if need be.
  virtual void launch_stage(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                            int stage, WorkPart part, void* scratch, StreamHandle stream) = 0;

  // Asynchronous; block by block where it is large (driver/matmul_blocking.h). Throws LibraryError
  // when the platform has no BLAS library.
  virtual void matmul(const MatmulProblem& problem, StreamHandle stream) = 0;
  // Asynchronous; part by part (fft_blocks()). Throws LibraryError when the platform has no library
  // for it.
  virtual void fft(const FftProblem& problem, StreamHandle stream) = 0;
  virtual FftPlanCount fft_plans(int device) = 0;
  // Keeps at most so many from now on. More stay while they are in use.
  virtual void keep_fft_plans(int device, std::size_t most) = 0;
  // Whether rows of the problem that lie interleaved are transformed sooner where they are than
  // after a transposed copy. By the problem's sizes alone, on all devices and sets of a platform.
  virtual bool can_transform_columns(const FftProblem& /*problem*/) const { return false; }
  // Asynchronous. A matrix that cannot be factored is no error here: `info` says so. Throws
  // LibraryError when the platform has no LAPACK or cuSOLVER library.
  virtual void factor(const FactorProblem& problem, StreamHandle stream) = 0;
  // How many elements are selected by their rank sooner than a row of `length` is sorted; 0: none.
  virtual std::int64_t most_selected(DType dtype, std::int64_t length) const = 0;
  // Whether select() also parts rows of `length`, sooner than a launch over their elements.
  virtual bool parts_rows(DType /*dtype*/) const { return false; }
  // Asynchronous; of at most so many. On GPUs elements of a row are neighbours.
  virtual void select(const SelectProblem& problem, StreamHandle stream) = 0;

  // -- Modules
  // Compiles and loads nothing yet, and initialises nothing.
  virtual std::shared_ptr<Module> build_module(const ModuleSource& source) = 0;

  // -- Sharing
  // New memory of at least `bytes` > 0 on the device. Throws OutOfMemoryError, and LibraryError
  // where the device has no memory that processes can share.
  virtual SharedMemory create_shared(int device, std::size_t bytes) = 0;
  // Maps what another process (or this one) created on the same device; `bytes` as there. Takes
  // `descriptor` over where it succeeds. Throws ValueError for a descriptor of something else.
  virtual SharedMemory map_shared(int device, int descriptor, std::size_t bytes) = 0;
  // Of either; no work that uses the memory may be in flight.
  virtual void unmap_shared(int device, const SharedMemory& memory) noexcept = 0;

  // -- Memory of several devices
  // What the parts on `device` are made of, in bytes: a power of two.
  virtual std::size_t stripe_granularity(int device) = 0;
  // One range of addresses, at least 256-byte aligned, each part of it on its own device, which
  // describe() names. Kernels and copies of all of `devices`, which connect() has accepted, reach
  // all of it; a device that only lends memory need not be one of them. Throws ValueError for parts
  // that are not as said, and OutOfMemoryError that names the device that is short; whatever it
  // throws, nothing has changed.
  virtual void* allocate_striped(std::span<const StripedPart> parts,
                                 std::span<const int> devices) = 0;
  // Of the same parts. No work that uses the memory may be in flight on any device.
  virtual void deallocate_striped(void* pointer, std::span<const StripedPart> parts) noexcept = 0;
  // Gives the memory of all parts back and keeps the range of addresses, which nobody may use then.
  // No work that uses the memory may be in flight on any device.
  virtual void unmap_striped(void* pointer, std::span<const StripedPart> parts) noexcept = 0;
  // Memory for such a range again, of as many bytes in parts that may be others; what it contains
  // is undefined. Otherwise as allocate_striped().
  virtual void map_striped(void* pointer, std::span<const StripedPart> parts,
                           std::span<const int> devices) = 0;
  // Gives a range of addresses back that has no memory.
  virtual void release_striped(void* pointer, std::size_t bytes) noexcept = 0;
  // Kernels on each of the devices reach the memory of all the others: asked of the platform, then
  // proved by moving data, once for each ordered pair (kept by the process and, where pairs have
  // names that last, for later processes). Allocates nothing that stays. Throws PeerAccessError
  // that names the pair and the ways out, DeviceError for a device that is not there.
  virtual void connect(std::span<const int> devices) = 0;
};

}  // namespace cupola
