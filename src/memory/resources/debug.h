#pragma once
// Adaptors that make wrong uses of memory visible. They write to the memory in stream order, with
// null streams on the host.

#include <mutex>
#include <optional>
#include <string>

#include "base/threads/mutex.h"
#include "memory/resources/adaptors.h"

namespace cupola {

// What CUPOLA_MEMORY_DEBUG asks for.
enum class MemoryDebug : std::uint8_t {
  off,
  poison,       // new and freed memory is overwritten
  guard,        // writes beyond either end are found when the block is freed
  pass_through  // no pool: every block comes from the platform, so that its checkers see it
};
// Throws ValueError for a value that is none of poison, guard, passthrough.
MemoryDebug memory_debug();

// New memory is 0xCD, freed memory 0xDD in every byte.
class Poison final : public Adaptor {
 public:
  using Adaptor::Adaptor;
  static constexpr std::uint8_t kNew = 0xCD;
  static constexpr std::uint8_t kFreed = 0xDD;
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
};

// Writes what lies between the end of a block and the next multiple of 16 bytes, which CUDA's
// memory has: kernels read whole words, and their checker asks whether all of a word was ever
// written.
class FilledEnd final : public Adaptor {
 public:
  using Adaptor::Adaptor;
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
};

// Keeps a known pattern before and after each block. deallocate() waits for the stream and looks;
// what it finds goes to stderr at once, and the next allocate() throws ValueError with it.
class Guard final : public Adaptor {
 public:
  using Adaptor::Adaptor;
  static constexpr std::size_t kGuardBytes = 512;
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;

 private:
  void report(const std::string& text) noexcept;
  Mutex mutex_;
  std::optional<std::string> found_;
  std::unordered_map<void*, std::size_t> live_;  // bytes
};

}  // namespace cupola
