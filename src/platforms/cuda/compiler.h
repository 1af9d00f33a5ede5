#pragma once
// NVRTC: text to machine code.

#include <string>
#include <vector>

namespace cupola::cuda {

struct MachineCode {
  std::string bytes;  // a cubin, or PTX for an architecture newer than the compiler knows
};

// Compiles for one architecture (90: compute capability 9.0); `definitions` are "NAME=VALUE".
// Arithmetic keeps IEEE rounding: no contraction, no flush to zero. Uses no device and no context.
// Throws CompileError with the log and the numbered text, LibraryError without NVRTC.
MachineCode compile_cuda(const std::string& text, int architecture,
                         const std::vector<std::string>& definitions);

}  // namespace cupola::cuda
