#include "platforms/cpu/libraries/lapack.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "base/threads/lazy.h"
#include "cupola/error.h"

namespace cupola::cpu {
namespace {

void* find(const Blas& from, std::string_view name) {
  void* routine =
      dlsym(from.library, fmt::format("{}{}_{}", from.prefix, name, from.suffix).c_str());
  if (routine == nullptr) {
    throw LibraryError(fmt::format(
        "{} has no {}: factorisations on the CPU need a BLAS library that contains LAPACK. Install "
        "OpenBLAS (Debian and Ubuntu: apt install libopenblas0) or name such a library in "
        "CUPOLA_BLAS.",
        from.path, name));
  }
  return routine;
}

LapackRoutines find_routines(const Blas& from, char type) {
  const bool is_complex = type == 'c' || type == 'z';
  const auto routine = [&](std::string_view name) {
    return find(from, fmt::format("{}{}", type, name));
  };
  return {routine("getrf"),
          routine("gesv"),
          routine("potrf"),
          routine("geqrf"),
          routine(is_complex ? "ungqr" : "orgqr"),
          routine(is_complex ? "heevd" : "syevd"),
          routine("geev"),
          routine("gesdd")};
}

Lapack find_lapack(const Blas& from) {
  return {from.long_integers, find_routines(from, 's'), find_routines(from, 'd'),
          find_routines(from, 'c'), find_routines(from, 'z')};
}

}  // namespace

const Lapack& lapack() {
  static constinit Lazy<const Lapack> instance;
  return instance.get([] { return find_lapack(blas()); });
}

const Lapack& lapack_of_one_thread() {
  static constinit Lazy<const Lapack> instance;
  return instance.get([] { return find_lapack(blas_of_one_thread()); });
}

}  // namespace cupola::cpu
