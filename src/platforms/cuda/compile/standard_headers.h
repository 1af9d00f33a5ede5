#pragma once
// The C++ standard library's headers for texts that NVRTC compiles: it comes with none, and CuPy
// programs include them with jitify=True. What they declare is CCCL's, under the name std.

#include <vector>

#include "platforms/cuda/compile/nvrtc.h"

namespace cupola::cuda {

std::vector<NvrtcProgram::Header> standard_headers();

}  // namespace cupola::cuda
