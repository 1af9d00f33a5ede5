#pragma once
// Generated kernels: built, loaded, launched.

#include <cstddef>
#include <memory>
#include <span>

#include "codegen/launch_parts.h"
#include "codegen/plan.h"
#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

// Belongs to no device: loaded on a device when first launched there.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const KernelPlan& plan() const = 0;  // what it was built from
};

// From a plan to its launch.
class Kernels {
 public:
  virtual ~Kernels() = default;

  // Whether plans become compiled code, of which functions of users can be a part; else they are
  // interpreted.
  virtual bool compiles_plans() const = 0;
  // Kernels of one architecture serve all devices that have it: 90 for compute capability 9.0.
  virtual int kernel_architecture(int /*device*/) { return 0; }
  // Whether kernels with StoreKind::sort take rows of any length of keys of this dtype; where
  // anything but the keys is stored, each row by one thread.
  virtual bool sorts_long_rows(DType) const { return false; }
  // `device` says for which architecture. Throws CompileError with the text numbered.
  virtual std::shared_ptr<Kernel> build(const KernelPlan& plan, int device) = 0;
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
  virtual LaunchStages stages_of(const Kernel& /*kernel*/, const LaunchArguments& /*arguments*/) {
    throw_lacking("launches in parts");
  }
  // Asynchronous. A part may be empty; of a stage that does not divide it must be all elements.
  // `scratch` is the same for all stages and parts: memory of the size and contents that
  // stages_of() asks for, 256-byte aligned, which all devices in question reach; null where none is
  // asked for. Each stage comes after all parts of the one before. Loads the kernel where the
  // stream is, if need be.
  virtual void launch_stage(const std::shared_ptr<Kernel>& /*kernel*/,
                            const LaunchArguments& /*arguments*/, int /*stage*/, WorkPart /*part*/,
                            void* /*scratch*/, StreamHandle /*stream*/) {
    throw_lacking("launches in parts");
  }
};

}  // namespace cupola
