#include "platforms/cpu/libraries/blas_copy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace cupola::cpu {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kOwnSymbolsFirst = 0;  // sanitizers end the program otherwise
#else
constexpr int kOwnSymbolsFirst = RTLD_DEEPBIND;  // not those of an OpenBLAS that all others see
#endif

// OpenBLAS's functions about its threads.
struct ThreadFunctions {
  int (*is_parallel)();
  int (*get)();
  void (*set)(int);

  explicit ThreadFunctions(const Blas& library)
      : is_parallel(find<int()>(library, "get_parallel")),
        get(find<int()>(library, "get_num_threads")),
        set(find<void(int)>(library, "set_num_threads")) {}
  bool are_there() const { return is_parallel && get && set; }

 private:
  template <typename Function>
  static Function* find(const Blas& library, std::string_view name) {
    const std::string full = fmt::format("{}openblas_{}{}", library.prefix, name, library.suffix);
    return reinterpret_cast<Function*>(dlsym(library.library, full.c_str()));
  }
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void keep() { number_ = -1; }

 private:
  int number_;
};

bool copy_file(int from, int to) {
  struct stat status {};
  if (fstat(from, &status) != 0) return false;
  off_t done = 0;
  while (done < status.st_size) {
    if (sendfile(to, from, &done, static_cast<std::size_t>(status.st_size - done)) <= 0) {
      return false;
    }
  }
  return true;
}

// The file of the library once more, from memory. Null where that is not possible.
void* load_again(const Blas& library) {
  Dl_info where{};
  if (dladdr(library.gemm.d, &where) == 0 || where.dli_fname == nullptr) return nullptr;
  const Descriptor file(::open(where.dli_fname, O_RDONLY | O_CLOEXEC));
  Descriptor memory(memfd_create("cupola-blas", MFD_CLOEXEC));
  if (!file.is_open() || !memory.is_open() || !copy_file(file.get(), memory.get())) return nullptr;
  const std::string name = fmt::format("/proc/self/fd/{}", memory.get());
  // Libraries are known by their names: another could have been loaded from one like it.
  if (dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr) return nullptr;
  void* copy = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | kOwnSymbolsFirst);
  if (copy != nullptr) memory.keep();  // so that no other library gets this name
  return copy;
}

// Whether the copy has a setting of its own, which is one thread then.
bool sets_one_thread(const ThreadFunctions& own, const ThreadFunctions& theirs) {
  if (!own.are_there() || own.set == theirs.set) return false;
  const int before = theirs.get();
  own.set(1);
  if (own.get() == 1 && theirs.get() == before) return true;
  theirs.set(before);
  return false;
}

// Those that it started when it was loaded; without, they would sleep for ever.
void end_threads(const Blas& copy) {
  auto* const end = reinterpret_cast<int (*)()>(dlsym(copy.library, "blas_thread_shutdown_"));
  constexpr int kThreadsOfItsOwn = 1;  // and not OpenMP's
  if (end != nullptr && ThreadFunctions(copy).is_parallel() == kThreadsOfItsOwn) end();
}

}  // namespace

bool may_wake_threads(const Blas& library) {
  const ThreadFunctions functions(library);
  return functions.are_there() && functions.is_parallel() != 0;
}

std::optional<Blas> copy_of_one_thread(const Blas& library) {
  const ThreadFunctions theirs(library);
  if (!theirs.are_there()) return std::nullopt;
  if (theirs.is_parallel() == 0) return library;
  void* const loaded = load_again(library);
  if (loaded == nullptr) return std::nullopt;
  std::optional<Blas> copy = blas_in(loaded, library.path);
  if (!copy || !sets_one_thread(ThreadFunctions(*copy), theirs)) {
    dlclose(loaded);
    return std::nullopt;
  }
  end_threads(*copy);
  return copy;
}

}  // namespace cupola::cpu
