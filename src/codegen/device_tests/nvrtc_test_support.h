#pragma once
// The few functions of NVRTC that tests of device text call, found at run time. Needs no GPU.

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace cupola {

class Nvrtc {
 public:
  Nvrtc() {
    // The build's, which may be missing where the program was carried, else the system's.
    const char* home = std::getenv("CUDA_PATH");
    for (const std::string& folder : {std::string(CUPOLA_NVRTC_FOLDER "/"), std::string(),
                                      std::string(home ? home : "/usr/local/cuda") + "/lib64/"}) {
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
        if (library_) break;
        library_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_) open_builtins(folder);
      }
    }
    if (!library_) return;
    find("nvrtcCreateProgram", create_);
    find("nvrtcCompileProgram", compile_);
    find("nvrtcGetProgramLogSize", log_size_);
    find("nvrtcGetProgramLog", log_);
    find("nvrtcDestroyProgram", destroy_);
  }

  bool is_open() const { return library_ && create_ && compile_ && log_size_ && log_ && destroy_; }

  // The compiler's log if it refuses the text or warns, else nothing.
  std::string compile(const std::string& text, const std::vector<const char*>& options) const {
    void* program = nullptr;
    if (create_(&program, text.c_str(), "rows.cu", 0, nullptr, nullptr) != 0) return "no program";
    const int result = compile_(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    log_size_(program, &size);
    std::string log(size, '\0');
    log_(program, log.data());
    destroy_(&program);
    log.resize(log.find_last_not_of(std::string("\0\n", 2)) + 1);
    return result == 0 || !log.empty() ? log : "failed without a log";
  }

 private:
  template <typename Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }

  // Which NVRTC opens by its name alone.
  void open_builtins(const std::string& folder) const {
    int (*version)(int*, int*) = nullptr;
    find("nvrtcVersion", version);
    int major = 0, minor = 0;
    if (folder.empty() || !version || version(&major, &minor) != 0) return;
    const std::string number = std::to_string(major) + "." + std::to_string(minor);
    dlopen((folder + "libnvrtc-builtins.so." + number).c_str(), RTLD_NOW | RTLD_LOCAL);
  }

  void* library_ = nullptr;
  int (*create_)(void**, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*log_size_)(void*, std::size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*destroy_)(void**) = nullptr;
};

}  // namespace cupola
