#pragma once
// Kernels that users write: a module is compiled once per architecture and loaded on a device when
// first needed there. Modules and functions belong to no device and may be used by all threads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/containers/hash.h"
#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

struct ModuleSource {
  // host: the C++ compiler of the machine, on the CPU platform only. A function of the text is
  // `extern "C" void NAME(const void* argument, ptrdiff_t first, ptrdiff_t last)`, which does the
  // blocks first to last - 1 of a grid of one dimension, from several threads at a time; beside it,
  // `extern "C" const unsigned long long NAME_bytes` is the size of its only argument.
  enum class Backend : std::uint8_t { nvrtc, nvcc, host };
  std::string prelude;  // in front of the text; messages neither show nor count its lines
  std::string text;     // CUDA C++, or
  std::string path;     // a file: cubin, PTX or fatbin
  std::vector<std::string> options;           // of the compiler
  std::vector<std::string> name_expressions;  // instances of templates: "add<float>"
  Backend backend = Backend::nvrtc;
};

// Memory that a launch may use.
struct MemoryRange {
  const void* first;
  std::size_t bytes;
  std::string name;  // "the memory of argument 2 (float* x), 400 bytes"
  bool may_hold_addresses = false;
};

constexpr std::int64_t kMaxBlockSize = 1024;  // threads, on any device; a kernel may take fewer

struct LaunchGeometry {
  std::array<unsigned int, 3> grid{1, 1, 1};   // blocks
  std::array<unsigned int, 3> block{1, 1, 1};  // threads
  std::size_t shared_bytes = 0;                // of dynamic shared memory per block
  bool cooperative = false;                    // all blocks run at the same time
  // That of all arguments, for platforms that check addresses; may be empty where none is checked
  // (base/process/kernel_check.h).
  std::vector<MemoryRange> memory;
};

// Of a function as loaded on one device; sizes in bytes.
struct FunctionAttributes {
  int registers = 0;  // per thread
  int max_threads_per_block = 0;
  int shared_bytes = 0;  // static, per block
  int local_bytes = 0;   // per thread
  int const_bytes = 0;
  int max_dynamic_shared_bytes = 0;
  int preferred_shared_carveout = 0;  // percent; -1: the driver's choice
  int binary_version = 0;             // 90 for compute capability 9.0
  int ptx_version = 0;
  int cache_mode_ca = 0;
};

// Those that can be set, for one function on one device.
enum class SettableAttribute : std::uint8_t { max_dynamic_shared_bytes, preferred_shared_carveout };

class ModuleFunction {
 public:
  virtual ~ModuleFunction() = default;
  // All calls load the module on the device first where it is not loaded yet; they throw what
  // Module::compile throws, and DeviceError on a platform that cannot run modules.
  virtual FunctionAttributes attributes(int device) = 0;
  virtual void set_attribute(int device, SettableAttribute attribute, int value) = 0;
  // Bytes of each parameter; nothing where the platform cannot tell.
  virtual std::optional<std::vector<std::size_t>> parameter_sizes(int device) = 0;
  // Asynchronous. `arguments` point to one value for each parameter, which are read before this
  // returns. What cannot fit is refused before anything is launched: LaunchError with the numbers.
  virtual void launch(const LaunchGeometry& geometry, std::span<void* const> arguments,
                      StreamHandle stream) = 0;
};

struct ModuleGlobal {
  void* pointer;
  std::size_t bytes;
};

// The outcome of a compilation for one architecture.
struct CompiledModule {
  std::string image;                                 // machine code, or PTX
  std::string log;                                   // warnings
  std::map<std::string, std::string> lowered_names;  // of the name expressions
  std::vector<std::string> kernels;                  // in machine code; empty where unknown
};

// One kernel of generated text, for one architecture.
struct CompiledKernel {
  Hash128 key;  // by which the platform looks for it; see platforms/cuda/compile/compiled_code.h
  std::string image;  // machine code
};

struct KernelPlan;
struct UserFunction;

// Compiles without any device: the CPU platform checks sources with it.
class SourceCompiler {
 public:
  virtual ~SourceCompiler() = default;
  // `architecture`: 90 for compute capability 9.0. Throws as Module::compile.
  virtual CompiledModule compile(const ModuleSource& source, int architecture) = 0;
  // All kernels of a plan, as the platform would compile each when it is first used.
  virtual std::vector<CompiledKernel> compile_kernels(const KernelPlan& plan, int architecture) = 0;
  // What the platform launches without being asked to.
  virtual std::vector<CompiledKernel> compile_own_kernels(int architecture) = 0;
};

class Module {
 public:
  virtual ~Module() = default;
  // Compiles for the device's architecture unless that is done; one thread compiles, the others
  // wait. Returns the compiler's log. Throws CompileError with the text numbered, LibraryError
  // without the compiler, ValueError for a file that cannot be read.
  virtual std::string compile(int device) = 0;
  // A function by its name, or by one of the source's name expressions. Not looked up before it is
  // used: then ValueError for a name that does not exist.
  virtual std::shared_ptr<ModuleFunction> function(const std::string& name) = 0;
  // A __device__ or __constant__ variable on the device. Throws ValueError likewise.
  virtual ModuleGlobal global(int device, const std::string& name) = 0;
};

// Users' kernels. A platform may have none.
class Modules {
 public:
  virtual ~Modules() = default;

  // Compiles and loads nothing yet, and initialises nothing.
  virtual std::shared_ptr<Module> build_module(const ModuleSource& /*source*/) {
    throw_lacking("kernels of users");
  }
  // Compiles functions that kernels on the device may have as parts. Throws CompileError where the
  // text is none of functions, LibraryError without the compiler.
  virtual void compile_functions(std::span<const UserFunction* const> /*functions*/,
                                 int /*device*/) {
    throw_lacking("kernels of users");
  }
};

}  // namespace cupola
