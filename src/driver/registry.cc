#include "driver/registry.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "driver/set/set_driver.h"

namespace cupola {
namespace {

constexpr const char* kPlugin = "libcupola_cuda.so";
constexpr const char* kVersion = "cupola_plugin_version";
constexpr const char* kFactory = "cupola_create_driver";
constexpr const char* kCompilerFactory = "cupola_create_source_compiler";

struct Found {
  Driver* driver = nullptr;
  std::string reason;
};

// The folder of the library that holds this code, with a slash at the end.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&find_driver), &info) == 0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  const std::string path(info.dli_fname);
  return path.substr(0, path.find_last_of('/') + 1);
}

bool nvidia_driver_installed() {
  for (const char* name : {"libcuda.so.1", "libnvidia-ml.so.1"}) {
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
      dlclose(library);
      return true;
    }
  }
  return false;
}

// Whether the plugin was built with this library.
bool fits(void* library, std::string& reason) {
  const auto version = reinterpret_cast<PluginVersion>(dlsym(library, kVersion));
  const char* const found = version == nullptr ? "of another age" : version();
  if (found == std::string_view(CUPOLA_VERSION)) return true;
  reason = fmt::format(
      "the CUDA plugin {} is {}, and the library {}: install both from one package of Cupola",
      kPlugin, found, CUPOLA_VERSION);
  return false;
}

void* open_plugin(std::string& reason) {
  for (const std::string& path : {own_folder() + kPlugin, std::string(kPlugin)}) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return fits(library, reason) ? library : nullptr;
    }
    const char* error = dlerror();
    reason += fmt::format("{}{}", reason.empty() ? "the CUDA plugin cannot be opened: " : "; ",
                          error == nullptr ? path : error);
  }
  return nullptr;
}

Found find_cuda() {
  Found found;
  if (!nvidia_driver_installed()) {
    found.reason = "no NVIDIA driver is installed (neither libcuda.so.1 nor libnvidia-ml.so.1)";
    return found;
  }
  void* library = open_plugin(found.reason);
  if (library == nullptr) return found;
  const auto create = reinterpret_cast<CreateDriver>(dlsym(library, kFactory));
  if (create == nullptr) {
    found.reason = fmt::format("{} has no function {}", kPlugin, kFactory);
    return found;
  }
  const char* reason = nullptr;
  found.driver = create(&reason);
  if (found.driver == nullptr) found.reason = reason == nullptr ? "no reason given" : reason;
  return found;
}

// Drivers are never destroyed: nothing calls a platform at process exit.
struct Registry {
  Registry() { lock_at_fork(ForkLayer::driver, mutex); }
  std::mutex mutex;
  std::optional<Found> cpu;
  std::optional<Found> cuda;
  std::optional<Found>& of(PlatformKind platform) {
    return platform == PlatformKind::cpu ? cpu : cuda;
  }
};

Registry& registry() {
  static constinit Lazy<Registry> instance;
  return *instance;
}

// What was found once is asked for by every operation: without a lock.
const Found& find_once(PlatformKind platform) {
  static constinit std::array<std::atomic<const Found*>, 2> known{};
  std::atomic<const Found*>& its = known[static_cast<std::size_t>(platform)];
  if (const Found* const earlier = its.load(std::memory_order_acquire)) return *earlier;
  const std::lock_guard lock(registry().mutex);
  std::optional<Found>& found = registry().of(platform);
  if (!found) {
    found = platform == PlatformKind::cpu ? Found{create_cpu_driver(), ""} : find_cuda();
  }
  its.store(&*found, std::memory_order_release);
  return *found;
}

SourceCompiler* open_source_compiler() {
  std::string reason;
  void* library = open_plugin(reason);
  if (library == nullptr) return nullptr;
  const auto create = reinterpret_cast<CreateSourceCompiler>(dlsym(library, kCompilerFactory));
  return create == nullptr ? nullptr : create();
}

}  // namespace

SourceCompiler* find_source_compiler() {
  static constinit Lazy<SourceCompiler* const> compiler;
  return compiler.get(open_source_compiler);
}

Driver* find_driver(PlatformKind platform, std::string* reason) {
  const Found& found = find_once(platform);
  if (found.driver == nullptr && reason != nullptr) *reason = found.reason;
  return found.driver;
}

Driver* find_loaded_driver(PlatformKind platform) {
  const std::lock_guard lock(registry().mutex);
  const std::optional<Found>& found = registry().of(platform);
  return found ? found->driver : nullptr;
}

bool others_initialized_cuda() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return false;
  // The driver answers every call with one of these codes before cuInit and after its end.
  constexpr int kNotInitialized = 3;
  constexpr int kDeinitialized = 4;
  const auto current = reinterpret_cast<int (*)(void**)>(dlsym(library, "cuCtxGetCurrent"));
  void* context = nullptr;
  const int result = current ? current(&context) : kNotInitialized;
  dlclose(library);
  return result != kNotInitialized && result != kDeinitialized;
}

Driver& driver(PlatformKind platform) {
  const Found& found = find_once(platform);
  if (found.driver == nullptr) [[unlikely]] {
    throw DeviceError(fmt::format("{} is not usable here: {}",
                                  platform == PlatformKind::cpu ? "the CPU" : "CUDA",
                                  found.reason));
  }
  return *found.driver;
}

SetDriver& set_driver(PlatformKind platform) {
  static constinit std::array<Lazy<SetDriver>, 2> drivers;
  return drivers[static_cast<std::size_t>(platform)].get(
      [platform] { return SetDriver(driver(platform)); });
}

Driver& driver(const Device& device) {
  return device.is_set() ? set_driver(device.platform()) : driver(device.platform());
}

}  // namespace cupola
