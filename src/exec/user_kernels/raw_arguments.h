#pragma once
// Arguments of a user's kernel: checked against its signature, and packed for the launch.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/user/kernel_signature.h"
#include "cupola/raw_kernel.h"
#include "driver/module.h"

namespace cupola {

// What is known of the kernel: its signature from the text, and the parameters' sizes from the
// machine code. Either may be missing.
struct RawParameters {
  std::string name;
  std::optional<KernelSignature> signature;
  std::optional<std::vector<std::size_t>> sizes;
};

// The array that the argument is or views; null where it is none.
const Array* array_of(const RawArgument& argument);

// Where each value lies, for the launch. Arrays must be stored; their addresses are taken.
class PackedArguments {
 public:
  // Throws as RawKernel::launch.
  PackedArguments(const RawParameters& parameters, std::span<const RawArgument> arguments,
                  bool allow_strided);
  PackedArguments(const PackedArguments&) = delete;
  PackedArguments& operator=(const PackedArguments&) = delete;
  std::span<void* const> pointers() const { return pointers_; }
  const std::vector<Array>& reads() const { return reads_; }
  const std::vector<Array>& writes() const { return writes_; }
  // The memory that the arguments lead to. An address whose end is not known leads to all there is.
  std::vector<MemoryRange> memory(const RawParameters& parameters,
                                  std::span<const RawArgument> arguments) const;

 private:
  void add(const void* value, std::size_t bytes);

  struct alignas(16) Block {
    std::byte bytes[16];
  };
  std::vector<Block> values_;
  std::vector<std::size_t> offsets_;  // in blocks
  std::vector<void*> pointers_;
  std::vector<Array> reads_, writes_;
};

}  // namespace cupola
