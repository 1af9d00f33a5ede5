#include "platforms/cuda/streams/graph_text.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cupola/error.h"
#include "platforms/cuda/device/cuda_api.h"

namespace cupola::cuda {
namespace {

// A new file of this process alone; it goes with this object.
class TemporaryFile {
 public:
  TemporaryFile() : path_(std::filesystem::temp_directory_path() / "cupola-graph-XXXXXX") {
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0)
      throw DeviceError("no file can be made at " + path_ + " for a graph's text");
    close(descriptor);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

}  // namespace

std::string graph_text(CUgraph graph, bool verbose) {
  const TemporaryFile file;
  CUPOLA_CUDA(-1, cuGraphDebugDotPrint, graph, file.path(),
              verbose ? static_cast<unsigned int>(CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) : 0U);
  std::ifstream text(file.path());
  return {std::istreambuf_iterator<char>(text), {}};
}

}  // namespace cupola::cuda
