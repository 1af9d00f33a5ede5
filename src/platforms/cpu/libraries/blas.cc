#include "platforms/cpu/libraries/blas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/process/environment.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "platforms/cpu/libraries/blas_copy.h"

namespace cupola::cpu {
namespace {

// Of a library's names: what stands before "cblas_dgemm" and Fortran's "dgetrf_", and behind.
struct Naming {
  const char* prefix;
  const char* suffix;
  bool long_integers;
};
// NumPy's wheels, 64-bit OpenBLAS of distributions, and everybody else.
constexpr Naming kNamings[] = {
    {"scipy_", "64_", true}, {"", "64_", true}, {"scipy_", "", false}, {"", "", false}};

Mutex mutex;
std::string& given_path() {
  static constinit Lazy<std::string> path;
  return *path;
}

std::optional<Blas> open(const std::string& path, std::string& reasons) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    reasons += fmt::format("\n  {}", dlerror());
    return std::nullopt;
  }
  std::optional<Blas> found = blas_in(library, path);
  if (!found) reasons += fmt::format("\n  {}: it has no cblas_dgemm, dgemv, dsyrk and ddot", path);
  return found;
}

Blas find_blas() {
  std::vector<std::string> candidates;
  if (const char* named = environment_value("CUPOLA_BLAS")) {
    candidates = {named};  // asked for: nothing else will do
  } else {
    if (!given_path().empty()) candidates.push_back(given_path());
    candidates.insert(candidates.end(),
                      {"libopenblas.so.0", "libopenblas.so", "libcblas.so.3", "libblas.so.3"});
  }
  std::string reasons;
  for (const std::string& candidate : candidates) {
    if (auto found = open(candidate, reasons)) return *std::move(found);
  }
  throw LibraryError(
      fmt::format("no BLAS library can be opened for matrix products and factorisations on the "
                  "CPU. Install OpenBLAS (Debian and "
                  "Ubuntu: apt install libopenblas0) or name a library in CUPOLA_BLAS. Tried:{}",
                  reasons));
}

// The library that has no threads, or none where there is no such.
const std::optional<Blas>& copy() {
  static constinit Lazy<const std::optional<Blas>> instance;
  return instance.get([]() -> std::optional<Blas> {
    if (!may_wake_threads(blas())) return blas();
    return copy_of_one_thread(blas());
  });
}

}  // namespace

std::optional<Blas> blas_in(void* library, const std::string& path) {
  for (const Naming& naming : kNamings) {
    const auto find = [&](char type, std::string_view name) {
      const std::string full =
          fmt::format("{}cblas_{}{}{}", naming.prefix, type, name, naming.suffix);
      return dlsym(library, full.c_str());
    };
    const auto routine = [&](std::string_view name) {
      return BlasRoutine{find('s', name), find('d', name), find('c', name), find('z', name)};
    };
    const Blas found{
        .long_integers = naming.long_integers,
        .path = path,
        .gemm = routine("gemm"),
        .gemv = routine("gemv"),
        .syrk = routine("syrk"),
        .dot = {find('s', "dot"), find('d', "dot"), find('c', "dotu_sub"), find('z', "dotu_sub")},
        .library = library,
        .prefix = naming.prefix,
        .suffix = naming.suffix};
    if (found.gemm.is_there() && found.gemv.is_there() && found.syrk.is_there() &&
        found.dot.is_there()) {
      count(Counter::libraries_opened);
      return found;
    }
  }
  return std::nullopt;
}

const Blas& blas() {
  static constinit Lazy<const Blas> instance;
  return instance.get([] {
    const std::lock_guard lock(mutex);
    const Blas found = find_blas();
    come_first_at_fork();  // such a library ends its threads then: ours must not be using them
    return found;
  });
}

const Blas& blas_of_one_thread() { return copy() ? *copy() : blas(); }

bool may_share_work() { return copy().has_value(); }

}  // namespace cupola::cpu

namespace cupola {

void cupola_set_blas_path(const char* path) {
  const std::lock_guard lock(cpu::mutex);
  cpu::given_path() = path == nullptr ? "" : path;
}

}  // namespace cupola
