#include "platforms/cuda/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>

#include "base/counters.h"
#include "base/environment.h"
#include "cupola/error.h"

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;

void add_list(std::vector<std::string>& folders, const char* variable) {
  const char* value = environment_value(variable);
  if (!value) return;
  std::string list = value;
  while (!list.empty()) {
    const std::size_t end = list.find(':');
    if (end != 0) folders.push_back(list.substr(0, end));
    if (end == std::string::npos) break;
    list.erase(0, end + 1);
  }
}

void add_toolkit(std::vector<std::string>& folders, const std::string& root) {
  folders.push_back(root + "/lib64");
  folders.push_back(root + "/lib");
}

// This library lies in site-packages/cupola; the wheels' files in site-packages/nvidia.
void add_wheels(std::vector<std::string>& folders, const char* kind) {
  const std::string own = own_folder();
  if (own.empty()) return;
  std::error_code error;
  const fs::path wheels = fs::path(own).parent_path() / "nvidia";
  for (const char* part :
       {"cu13", "cu12", "cuda_nvrtc", "cuda_runtime", "cublas", "cufft", "cusolver"}) {
    const fs::path folder = wheels / part / kind;
    if (fs::is_directory(folder, error)) folders.push_back(folder.string());
  }
}

}  // namespace

std::string find_library_file(std::initializer_list<const char*> names) {
  std::vector<std::string> folders;
  add_list(folders, "CUPOLA_CUDA_LIBRARY_PATH");
  std::error_code error;
  for (const std::string& folder : folders) {
    for (const char* name : names) {
      if (fs::exists(folder + "/" + name, error)) return folder + "/" + name;
    }
  }
  folders.clear();
  add_list(folders, "LD_LIBRARY_PATH");  // the loader looks for the first name everywhere
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + *names.begin();
    if (fs::exists(file, error)) return file;
  }
  return "";
}

std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return "";
  std::error_code error;
  return fs::absolute(info.dli_fname, error).parent_path().string();
}

std::vector<std::string> cuda_library_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = environment_value(variable)) add_toolkit(folders, root);
  }
  add_toolkit(folders, "/usr/local/cuda");
  add_wheels(folders, "lib");
  return folders;
}

std::vector<std::string> cuda_include_folders() {
  std::vector<std::string> candidates;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = environment_value(variable)) {
      candidates.push_back(std::string(root) + "/include");
    }
  }
  add_wheels(candidates, "include");
  candidates.emplace_back("/usr/local/cuda/include");
  candidates.emplace_back("/usr/include");
  std::error_code error;
  for (const std::string& folder : candidates) {
    if (!fs::exists(folder + "/cuda_fp16.h", error)) continue;
    if (!fs::is_directory(folder + "/cccl", error)) return {folder};
    return {folder, folder + "/cccl"};
  }
  return {};
}

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names, const std::string& purpose) {
  std::vector<std::string> folders;
  add_list(folders, "CUPOLA_CUDA_LIBRARY_PATH");
  folders.emplace_back();  // the system's search path
  for (std::string& folder : cuda_library_folders()) folders.push_back(std::move(folder));
  std::string tried;
  for (const std::string& folder : folders) {
    for (const char* name : names) {
      path_ = folder.empty() ? name : folder + "/" + name;
      handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) {
        count(Counter::libraries_opened);
        return;
      }
    }
    if (!folder.empty()) tried += " " + folder;
  }
  throw LibraryError(fmt::format(
      "{} needs {}, which was found neither by the system's loader nor in{}. Install the CUDA "
      "toolkit or NVIDIA's wheels, or set CUPOLA_CUDA_LIBRARY_PATH to the folder that holds it.",
      purpose, *names.begin(), tried));
}

SharedLibrary::SharedLibrary(const char* driver_library) : path_(driver_library) {
  handle_ = dlopen(driver_library, RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    throw LibraryError(fmt::format("{} cannot be opened ({}): is an NVIDIA driver installed?",
                                   driver_library, dlerror()));
  }
  count(Counter::libraries_opened);
}

std::string SharedLibrary::file() const {
  const link_map* map = nullptr;
  return dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

void* SharedLibrary::find_optional(const char* name) const { return dlsym(handle_, name); }

void* SharedLibrary::find(const char* name) const {
  void* function = find_optional(name);
  if (!function) {
    throw LibraryError(fmt::format("{} has no function {}: it is too old", path_, name));
  }
  return function;
}

}  // namespace cupola::cuda
