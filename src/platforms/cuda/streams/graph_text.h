#pragma once
// What CUDA says of a graph, in the language of Graphviz.

#include <cuda.h>

#include <string>

namespace cupola::cuda {

// Throws DeviceError where CUDA or the file that it writes to fails.
std::string graph_text(CUgraph graph, bool verbose);

}  // namespace cupola::cuda
