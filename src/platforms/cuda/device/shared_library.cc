#include "platforms/cuda/device/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <string_view>

#include "base/counters.h"
#include "base/process/environment.h"
#include "cupola/error.h"

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;

// Of Conda's packages of the toolkit.
#ifdef __aarch64__
#define CUPOLA_CUDA_TARGET "sbsa-linux"
#else
#define CUPOLA_CUDA_TARGET "x86_64-linux"
#endif

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

// This library lies in site-packages/cupola; the wheels' files in site-packages/nvidia. Those for
// CUDA 13 have one folder, earlier ones a folder each.
void add_wheels(std::vector<std::string>& folders, const char* kind) {
  const std::string own = own_folder();
  if (own.empty()) return;
  std::error_code error;
  const fs::path wheels = fs::path(own).parent_path() / "nvidia";
  for (const std::string_view part :
       {"cu13", "cu12", "cuda_nvrtc", "cuda_runtime", "cublas", "cufft", "cusolver"}) {
    if (part == "cu13" && driver_major() == 12) continue;
    const fs::path folder = wheels / part / kind;
    if (fs::is_directory(folder, error)) folders.push_back(folder.string());
  }
}

void add_conda(std::vector<std::string>& folders) {
  if (const char* root = environment_value("CONDA_PREFIX")) {
    folders.push_back(std::string(root) + "/lib");
  }
}

using Names = std::vector<const char*>;

Names usable(std::initializer_list<const char*> names) {
  Names found = names;
  if (found.size() > 1 && driver_major() == 12) found.erase(found.begin());
  return found;
}

// What is wrong with a library that is there; empty where it is not.
std::string defect(const std::string& path) {
  const std::string text = dlerror();
  return text.starts_with(path + ": cannot open shared object file: No such file") ? "" : text;
}

// The names are for CUDA 13 and 12, as in the constructor.
std::string remedy(std::initializer_list<const char*> names, const std::string& defects,
                   const std::vector<std::string>& folders) {
  const bool is_old = driver_major() == 12;
  std::string text;
  if (!defects.empty()) {
    text = fmt::format(
        " What is there is broken or incomplete:{}\nInstall it again (pip install "
        "--force-reinstall 'cupola[cuda{}]').",
        defects, is_old ? 12 : 13);
  }
  std::error_code error;
  for (const std::string& folder : folders) {
    if (is_old && fs::exists(folder + "/" + *names.begin(), error)) {
      text += fmt::format(
          " {} in {} is of CUDA 13, the driver is for CUDA 12: install a later driver, or the "
          "libraries of CUDA 12.",
          *names.begin(), folder);
      break;
    }
  }
  return fmt::format(
      "{} Install the CUDA toolkit or NVIDIA's wheels (pip install 'cupola[cuda{}]'), or set "
      "CUPOLA_CUDA_LIBRARY_PATH to the folder that holds it.",
      text, is_old ? 12 : 13);
}

}  // namespace

std::string find_library_file(std::initializer_list<const char*> names) {
  std::vector<std::string> folders;
  add_list(folders, "CUPOLA_CUDA_LIBRARY_PATH");
  add_conda(folders);
  const Names wanted = usable(names);
  std::error_code error;
  for (const std::string& folder : folders) {
    for (const char* name : wanted) {
      if (fs::exists(folder + "/" + name, error)) return folder + "/" + name;
    }
  }
  folders.clear();
  add_list(folders, "LD_LIBRARY_PATH");  // the loader looks for the first name everywhere
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + wanted.front();
    if (fs::exists(file, error)) return file;
  }
  return "";
}

int driver_major() noexcept {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver) return 0;
  int version = 0;
  const auto ask = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  if (!ask || ask(&version) != 0) version = 0;
  dlclose(driver);
  return version / 1000;
}

std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return "";
  std::error_code error;
  return fs::absolute(info.dli_fname, error).parent_path().string();
}

std::vector<std::string> cuda_library_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
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
  if (const char* root = environment_value("CONDA_PREFIX")) {
    candidates.push_back(std::string(root) + "/targets/" CUPOLA_CUDA_TARGET "/include");
  }
  candidates.emplace_back("/usr/local/cuda/include");
  candidates.emplace_back("/usr/include");
  std::error_code error;
  for (const std::string& folder : candidates) {
    if (!fs::exists(folder + "/cuda_fp16.h", error)) continue;
    const fs::path others = fs::path(folder).parent_path().parent_path() / "cuda_cccl/include";
    for (const std::string& cccl : {folder + "/cccl", others.string()}) {
      if (fs::is_directory(cccl, error)) return {folder, cccl};
    }
    return {folder};
  }
  return {};
}

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names, const std::string& purpose) {
  std::vector<std::string> folders;
  add_list(folders, "CUPOLA_CUDA_LIBRARY_PATH");
  add_conda(folders);
  folders.emplace_back();  // the system's search path
  for (std::string& folder : cuda_library_folders()) folders.push_back(std::move(folder));
  const Names wanted = usable(names);
  std::string tried, defects;
  for (const std::string& folder : folders) {
    for (const char* name : wanted) {
      path_ = folder.empty() ? name : folder + "/" + name;
      handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) {
        count(Counter::libraries_opened);
        return;
      }
      if (const std::string text = defect(path_); !text.empty()) defects += "\n  " + text;
    }
    if (!folder.empty()) tried += " " + folder;
  }
  throw LibraryError(
      fmt::format("{} needs {}, which was found neither by the system's loader nor in{}.{}",
                  purpose, wanted.front(), tried, remedy(names, defects, folders)));
}

SharedLibrary::SharedLibrary(const char* driver_library)
    : path_(driver_library), is_of_driver_(true) {
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
    throw LibraryError(fmt::format(
        "{} has no function {}: it is too old{}", path_, name,
        is_of_driver_ ? "; install NVIDIA's driver 535 (CUDA 12.2) or a later one" : ""));
  }
  return function;
}

}  // namespace cupola::cuda
