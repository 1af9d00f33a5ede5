#pragma once
// NVRTC: text to machine code.

#include <optional>
#include <string>
#include <vector>

#include "base/containers/hash.h"

namespace cupola::cuda {

struct MachineCode {
  std::string bytes;  // a cubin, or PTX for an architecture newer than the compiler knows
};

// Kernel number `kernel` of a generated text (see CudaFamily::kernels()), for one architecture (90:
// compute capability 9.0). Arithmetic keeps IEEE rounding: no contraction, no flush to zero. Uses
// no device and no context. `text` must stay.
class KernelTask {
 public:
  KernelTask(const std::string& text, int architecture, int kernel);
  // See compiled_code.h.
  const Hash128& key() const { return key_; }
  // Unless it is found compiled: in the package, or in the user's cache. Throws CompileError with
  // the log and the numbered text, LibraryError without NVRTC.
  MachineCode compile() const;
  // What the package has of it.
  std::optional<MachineCode> shipped() const;

 private:
  Hash128 key_for(int architecture) const;
  MachineCode compile_anew() const;

  const std::string& text_;
  const int architecture_;
  std::vector<std::string> options_;
  Hash128 key_;
};

}  // namespace cupola::cuda
