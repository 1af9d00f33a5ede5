#pragma once
// CUDA C++ as code of this machine.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "codegen/device/simt/thread.cuh"
#include "driver/module.h"

namespace cupola::cpu {

// Machine code, before it is loaded; with `checked`, code that tells of each use of memory. Throws
// CompileError with the compiler's log and the numbered text, LibraryError where no compiler is
// found.
std::string compile_kernels(const ModuleSource& source, bool checked);

// Loaded for one device: its variables are its own. Lives as long as the process.
class KernelCode {
 public:
  explicit KernelCode(std::string image);
  // Null: it has no such kernel.
  const cupola_simt::KernelEntry* find(const std::string& name) const;
  std::string kernel_names() const;
  std::optional<ModuleGlobal> variable(const std::string& name) const;
  // Shared memory whose size is known: of all kernels, and where the calling thread has it.
  std::size_t shared_bytes() const { return shared_bytes_; }
  std::span<std::byte> shared_memory() const;
  // What the code and its variables take.
  std::vector<MemoryRange> memory() const;
  // " (kernel.cu:12)" for an address in it; empty where that cannot be found out.
  std::string line_of(const void* address) const;

 private:
  std::string image_;
  void* code_ = nullptr;
  const cupola_simt::KernelEntry* kernels_ = nullptr;
  std::uintptr_t base_ = 0;
  std::size_t shared_bytes_ = 0;
};

}  // namespace cupola::cpu
