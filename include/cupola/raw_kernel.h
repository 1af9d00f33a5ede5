#pragma once
// Kernels written in CUDA C++ by the user of the library.
//
// Modules and kernels belong to no device. The source is compiled when it is first needed, once for
// each architecture however many threads ask, and loaded on a device when a kernel is first
// launched there. For CPU devices the machine's C++ compiler makes it a program of the host, whose
// blocks, barriers and shared memory work as on a GPU.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cupola/array.h"
#include "cupola/runtime.h"
#include "cupola/scalar.h"

namespace cupola {

class RawModuleState;
class RawKernelState;

enum class RawBackend : std::uint8_t { nvrtc, nvcc };

struct RawSource {
  std::string code{};                           // CUDA C++, or
  std::string path{};                           // a file: cubin, PTX or fatbin
  std::vector<std::string> options{};           // of the compiler: "-I...", "--std=c++20", "-DN=4"
  std::vector<std::string> name_expressions{};  // instances of templates: "fill<float>"
  RawBackend backend = RawBackend::nvrtc;
  bool cooperative = false;  // kernels are launched cooperatively: all blocks run at the same time
};

// The address of memory that the library does not follow.
struct RawPointer {
  std::uint64_t address = 0;
};
// An array as memory: the dtype need not be that of the parameter.
struct RawMemory {
  Array array;
};
// An array by value, with its extents and strides: CArray<T, rank> of <cupy/carray.cuh>.
struct RawView {
  Array array;
};
// A struct or another value, as bytes.
struct RawBytes {
  std::vector<std::byte> bytes;
};
// Scalars are converted to the parameter's type as far as no value changes: a weak integer must be
// in range, floats do not become integers. An integer for a pointer is an address.
using RawArgument = std::variant<Array, Scalar, RawMemory, RawView, RawPointer, RawBytes>;

struct RawLaunch {
  std::array<std::int64_t, 3> grid{1, 1, 1};   // blocks
  std::array<std::int64_t, 3> block{1, 1, 1};  // threads
  std::int64_t shared_bytes = 0;               // dynamic, per block
  bool allow_strided = false;                  // arrays need not be contiguous
};

// As loaded on one device; sizes in bytes.
struct RawAttributes {
  int registers;  // per thread
  int max_threads_per_block;
  int shared_bytes;  // static, per block
  int local_bytes;   // per thread
  int const_bytes;
  int max_dynamic_shared_bytes;
  int preferred_shared_carveout;  // percent, -1 the driver's choice
  int binary_version;             // 90 for compute capability 9.0
  int ptx_version;
  int cache_mode_ca;
};

class RawKernel {
 public:
  explicit RawKernel(std::shared_ptr<RawKernelState> state) : state_(std::move(state)) {}
  // A module with this one kernel in mind.
  RawKernel(const RawSource& source, const std::string& name);
  const std::string& name() const;

  // Where the arguments' arrays live, or on the stream's device; arrays are computed first and
  // ordered with their other uses: as written, unless the parameter is a pointer to const. Throws
  // before anything is launched: TypeError (number and kinds of arguments, dtypes), OverflowError
  // (an integer that does not fit), ValueError (a view that is not contiguous, a read-only array,
  // a name that does not exist), DeviceError (other devices), LaunchError (a grid or block that
  // cannot be, with the numbers), CompileError, LibraryError.
  void launch(const RawLaunch& launch, std::span<const RawArgument> arguments,
              const Stream& stream) const;
  // On the current stream of the arrays' device.
  void launch(const RawLaunch& launch, std::initializer_list<RawArgument> arguments) const {
    const std::span list(arguments.begin(), arguments.size());
    this->launch(launch, list, Stream::current(device_of(list, current_device())));
  }
  // The device whose arrays are among the arguments; else `otherwise`.
  static Device device_of(std::span<const RawArgument> arguments, const Device& otherwise);

  RawAttributes attributes(const Device& device) const;
  void set_max_dynamic_shared_bytes(const Device& device, int bytes) const;
  void set_preferred_shared_carveout(const Device& device, int percent) const;

 private:
  std::shared_ptr<RawKernelState> state_;
};

class RawModule {
 public:
  explicit RawModule(const RawSource& source);
  // Returns the compiler's log. Throws CompileError with the log and the numbered text,
  // LibraryError where the compiler is missing.
  std::string compile(const Device& device) const;
  // Does not look whether it exists: that is told at its first use.
  RawKernel function(const std::string& name) const;
  struct Global {
    void* pointer;
    std::size_t bytes;
  };
  // A __device__ or __constant__ variable. Throws ValueError for a name that does not exist.
  Global global(const Device& device, const std::string& name) const;
  // Stays loaded while anything has this.
  const std::shared_ptr<RawModuleState>& state() const { return state_; }

 private:
  std::shared_ptr<RawModuleState> state_;
};

}  // namespace cupola
