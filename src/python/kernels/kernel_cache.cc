// Compiled kernels on disk, for `python -m cupola cache`.

#include "base/files/user_cache.h"
#include "ops/elementwise/common_kernels.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

nb::dict info() {
  FileCache& cache = user_cache();
  const FileCache::Usage usage = cache.usage();
  nb::dict result;
  result["folder"] = cache.settings().folder;
  result["entries"] = usage.entries;
  result["bytes"] = usage.bytes;
  result["most_bytes"] = cache.settings().folder.empty() ? 0 : cache.settings().most_bytes;
  result["hits"] = cache.hits();
  result["misses"] = cache.misses();
  result["objection"] = cache.objection();
  return result;
}

nb::tuple clear() {
  const FileCache::Usage removed = user_cache().clear();
  return nb::make_tuple(removed.entries, removed.bytes);
}

std::size_t warm(int architecture) {
  const Unlocked unlocked;
  return compile_common_kernels(architecture).size();
}

}  // namespace

void bind_kernel_cache(nb::module_& m) {
  m.def("kernel_cache_info", info, "The folder of compiled kernels and what it holds.");
  m.def("kernel_cache_clear", clear, "Empties it; returns how many entries and bytes there were.");
  m.def("kernel_cache_warm", warm, nb::arg("architecture"),
        "Compiles the most used kernels for an architecture (90: sm_90); returns their number.");
}

}  // namespace cupola::python
